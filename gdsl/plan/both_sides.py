"""Decides where a reduction reads both sides of the choices in an edge's value before it takes one (cpu).

Which side of `label[dst] == best[src] ? units[e] : …` is taken is often as good as drawn, and a branch guessed wrong
costs as much as several edges. Where both sides have been read no branch asks. What may be read so lies beside the
edge or belongs to the member, which is at hand, or is of the far end what the first condition reads in any case; and
nothing is read that may be found to be wrong on the way (an index outside its array).
"""

from __future__ import annotations

from gdsl.ir.nodes import (
    Binary,
    EdgeFunctor,
    Element,
    Expression,
    Literal,
    NeighborReduce,
    NoneId,
    Parameter,
    ParamValue,
    Role,
    Select,
    Unary,
)
from gdsl.ir.printer_expressions import print_expression
from gdsl.ir.traversal import walk
from gdsl.operations import BinaryOperation, Over
from gdsl.passes.writers import far_roles

_VALUES = (Literal, NoneId, Parameter, ParamValue)
_QUICK = (BinaryOperation.ADD, BinaryOperation.SUBTRACT)


def reads_both_sides(step: NeighborReduce, functor: EdgeFunctor) -> bool:
    """Whether the value of `functor` is such a choice, of which a side reads something of the edge."""
    value = functor.value
    if step.over is Over.ALL_EDGES or not isinstance(value, Select):
        return False
    sides = [node for node in walk((value.yes, value.no)) if isinstance(node, Element)]
    read = {print_expression(node) for node in walk(value.condition) if isinstance(node, Element)}
    far = far_roles(step.over)
    return (
        _is_quick(value.yes)
        and _is_quick(value.no)
        and any(_role(node) is Role.EDGE for node in sides)
        and all(_role(node) not in far or print_expression(node) in read for node in sides)
    )


def _role(element: Element) -> Role | None:
    return element.index.role if isinstance(element.index, Parameter) else None


def _is_quick(value: Expression) -> bool:
    """Whether `value` may be computed in any case, and in next to no time."""
    if value.type.is_pair:
        return False
    if isinstance(value, Select):
        return all(map(_is_quick, (value.condition, value.yes, value.no)))
    if isinstance(value, Binary):
        quick = value.operation in _QUICK or value.operation.is_comparison
        return quick and not value.left.type.is_pair and _is_quick(value.left) and _is_quick(value.right)
    if isinstance(value, Unary):
        return _is_quick(value.operand)
    if isinstance(value, Element):
        return isinstance(value.index, Parameter) and not value.checked
    return isinstance(value, _VALUES)
