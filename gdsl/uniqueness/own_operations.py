"""What the operators that a program declares make of values that are not exact."""

from __future__ import annotations

from gdsl.ir import nodes
from gdsl.ir.traversal import walk
from gdsl.uniqueness.levels import ROUNDING, Level, decided, worst

_DECIDING = (nodes.Branch, nodes.Loop, nodes.ForRange, nodes.Select, nodes.FunctionCall, nodes.Convert)


def combined(own: nodes.OwnOperation, program: nodes.Program, level: Level) -> Level:
    """The level of a reduction of values of `level`. An operator may decide by the values that it is given; one that is
    not exact leaves the last digits to the order."""
    (function,) = (each for each in program.functions if each.name == own.function)
    level = decided(level, own.span) if any(map(_decides, walk(function.body))) else level
    return level if own.exact else worst((level, ROUNDING))


def _decides(node: nodes.Node) -> bool:
    if isinstance(node, nodes.Binary):
        return node.operation.is_comparison or node.operation.is_logical
    return isinstance(node, _DECIDING)
