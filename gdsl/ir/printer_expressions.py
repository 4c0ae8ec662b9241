"""Expressions and targets of the IR as text."""

from __future__ import annotations

import math

from gdsl.arithmetic.constants import shortest_float32
from gdsl.ir import nodes
from gdsl.types import Type


def print_expression(node: nodes.Expression) -> str:
    """An expression as text, parenthesized below the top; literals carry their type but for int32, float32, bool."""
    text = _expression(node)
    outer = isinstance(node, nodes.Binary | nodes.Chain | nodes.Select)
    return text[1:-1] if outer else text


def print_target(node: nodes.Target) -> str:
    """What a write goes to."""
    if isinstance(node, nodes.ScalarTarget):
        return node.scalar
    return f"{node.array}[{print_index(node.index, node.checked)}]"


def print_index(index: nodes.Expression, checked: bool) -> str:
    """An index, and whether it is checked; of one of several values an element what stands in both brackets."""
    if isinstance(index, nodes.Slot):
        return f"{print_index(index.element, index.checked)}][{print_index(index.place, index.place_checked)}"
    return f"checked {print_expression(index)}" if checked else print_expression(index)


def _literal(node: nodes.Literal) -> str:
    value, type_ = node.value, node.type
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        text = "inf" if value == math.inf else "-inf" if value == -math.inf else repr(value)
        if type_ is not Type.FLOAT32:
            return f"{text}:{type_.name}"
        return shortest_float32(value) if math.isfinite(value) else text
    return str(value) if type_.name == "int32" else f"{value}:{type_.name}"


def _leaf(node: nodes.Expression) -> str | None:
    match node:
        case nodes.Literal():
            return _literal(node)
        case nodes.NoneId():
            return "none"
        case nodes.Parameter() | nodes.Local() | nodes.ListVariable() | nodes.ParamValue():
            return node.name
        case nodes.ScalarValue():
            return f"now {node.name}" if node.now else node.name
        case nodes.OwnId() | nodes.OwnPart():
            return "id" if isinstance(node, nodes.OwnId) else "part"
        case nodes.Iteration():
            return "iteration"
        case nodes.Place():
            return "place"
        case nodes.Count():
            return "num_vertices" if node.domain.value == "vertex" else "num_edges"
        case nodes.FrontierSize():
            return f"size({node.frontier})"
        case nodes.FrontierNotEmpty():
            return f"not_empty({node.frontier})"
    return None


def _pair(node: nodes.MakePair | nodes.PairPart) -> str:
    if isinstance(node, nodes.PairPart):
        return f"{_expression(node.pair)}.{node.place}"
    return f"({print_expression(node.first)}, {print_expression(node.second)})"


def _expression(node: nodes.Expression) -> str:
    leaf = _leaf(node)
    if leaf is not None:
        return leaf
    show = print_expression
    match node:
        case nodes.Element():
            now = "now " if node.now else ""
            return f"{now}{node.array}[{print_index(node.index, node.checked)}]"
        case nodes.DegreeOf():
            return f"{node.degree.value}({print_index(node.vertex, node.checked)})"
        case nodes.GraphRead():
            first, *others = node.arguments
            listed = [print_index(first, node.checked), *(print_index(other, node.query.in_list) for other in others)]
            return f"{node.query.value}({', '.join(listed)})"
        case nodes.Unary():
            return f"{node.operation.value}{_expression(node.operand)}"
        case nodes.Binary():
            return f"({_expression(node.left)} {node.operation.value} {_expression(node.right)})"
        case nodes.Chain():
            links = [f" {operation.value} {_expression(operand)}" for operation, operand in node.links]
            return f"({_expression(node.first)}{''.join(links)})"
        case nodes.MakePair() | nodes.PairPart():
            return _pair(node)
        case nodes.Select():
            return f"({_expression(node.condition)} ? {_expression(node.yes)} : {_expression(node.no)})"
        case nodes.Convert():
            return f"{node.type.name}({show(node.operand)})"
        case nodes.BuiltinCall():
            return f"{node.function.value}({', '.join(show(argument) for argument in node.arguments)})"
        case nodes.FunctionCall():
            return f"{node.function}({', '.join(show(argument) for argument in node.arguments)})"
        case nodes.UpdateValue():
            update = node.update
            return f"{node.outcome.value}({print_target(update.target)} {update.operation.value} {show(update.value)})"
        case nodes.CompareAndSwap():
            return f"cas({print_target(node.target)}, {show(node.old)}, {show(node.new)})"
    raise AssertionError(f"printer: {type(node).__name__}")
