"""Walks over the syntax tree, and copies of it with other parts."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar, cast

from gdsl.frontend.syntax_declarations import (
    Function,
    FunctionParameter,
    Functor,
    ParameterName,
    Procedure,
    ProcedureParameter,
    Program,
)
from gdsl.frontend.syntax_expressions import Binary, Call, Chain, Expression, Name
from gdsl.frontend.syntax_statements import (
    BucketsDeclaration,
    For,
    FrontierDeclaration,
    HistoryDeclaration,
    Let,
    LoopName,
)
from gdsl.frontend.syntax_symbols import Node
from gdsl.operations import BinaryOperation
from gdsl.source import Span

_SLOTS: dict[type[Node], tuple[str, ...]] = {}


def _slots(kind: type[Node]) -> tuple[str, ...]:
    """The slots of a kind of node that may hold nodes."""
    if kind not in _SLOTS:
        names = (slot.name for slot in dataclasses.fields(kind))
        _SLOTS[kind] = tuple(name for name in names if name not in ("span", "name", "name_span"))
    return _SLOTS[kind]


def children(node: Node) -> Iterator[Node]:
    """The nodes directly inside `node`, in the order of their slots."""
    for slot in _slots(type(node)):
        value = getattr(node, slot)
        if isinstance(value, Node):
            yield value
        elif isinstance(value, tuple):
            yield from (item for item in value if isinstance(item, Node))


def walk(node: Node) -> list[Node]:
    """`node` and every node inside it, parents first, in the order of the text."""
    walked, stack = [], [node]
    while stack:
        current = stack.pop()
        walked.append(current)
        stack.extend(reversed(tuple(children(current))))
    return walked


_DECLARING = (
    Let,
    For,
    LoopName,
    FrontierDeclaration,
    HistoryDeclaration,
    BucketsDeclaration,
    ParameterName,
    FunctionParameter,
    ProcedureParameter,
)


def names_declared_in(node: Node) -> set[str]:
    """All names that parameters, locals and frontiers inside `node` have."""
    return {part.name for part in walk(node) if isinstance(part, _DECLARING)}


def all_names(program: Program) -> set[str]:
    """Every name in a program, whatever it means there, but those of labels."""
    nodes, slots = list(walk(program)), ("name", "array", "function")
    return {program.name}.union(*({getattr(node, slot, "") for node in nodes} for slot in slots))


def conjuncts(condition: Expression) -> list[Expression]:
    """The operands of `&&` in a condition, in the order of the text."""
    stack, parts = [condition], []
    while stack:
        match stack.pop():
            case Binary(operation=BinaryOperation.AND, left=left, right=right):
                stack += [right, left]
            case Chain(links=links, first=first) if links[0].operation is BinaryOperation.AND:
                stack += [*(link.operand for link in reversed(links)), first]
            case part:
                parts.append(part)
    return parts


AnyNode = TypeVar("AnyNode", bound=Node)


def map_slots(node: AnyNode, change: Callable[[Any], Any]) -> AnyNode:
    """`node` with `change` applied to the value of every slot, item by item to tuples; `node` itself where nothing
    changes."""
    changes: dict[str, Any] = {}
    for slot in dataclasses.fields(node):
        before = getattr(node, slot.name)
        if isinstance(before, tuple):
            after: Any = tuple(map(change, before))
            same = all(new is old for new, old in zip(after, before, strict=True))
        else:
            after = change(before)
            same = after is before
        if not same:
            changes[slot.name] = after
    return dataclasses.replace(node, **changes) if changes else node


def with_spans(node: AnyNode, place: Callable[[Span], Span]) -> AnyNode:
    """A tree as the parser built it, with every span replaced by `place` of it."""

    def change(value: Any) -> Any:
        if isinstance(value, Span):
            return place(value)
        return map_slots(value, change) if isinstance(value, Node) else value

    return map_slots(node, change)


def with_names(node: AnyNode, names: Mapping[str, str]) -> AnyNode:
    """A definition as the parser built it, with other names for it and for what it calls."""

    def change(value: Any) -> Any:
        if not isinstance(value, Node):
            return value
        copy = map_slots(value, change)
        if isinstance(copy, Name | Function | Functor | Procedure):
            return dataclasses.replace(copy, name=names.get(copy.name, copy.name))
        if isinstance(copy, Call):
            return dataclasses.replace(copy, function=names.get(copy.function, copy.function))
        return copy

    return cast(AnyNode, change(node))


def substitute(node: AnyNode, old: Node, new: Node) -> AnyNode:
    """`node` with `new` in the place of `old`."""

    def change(value: Any) -> Any:
        if value is old:
            return new
        return map_slots(value, change) if isinstance(value, Node) else value

    return cast(AnyNode, change(node))
