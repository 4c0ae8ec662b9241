"""Which sums and differences stop at `inf`: those of the integer types whose `inf` the program writes."""

from __future__ import annotations

import dataclasses
from typing import Any, TypeVar

from gdsl.frontend import syntax
from gdsl.operations import ArrayReduction, BinaryOperation
from gdsl.types import Type

_SATURATING = {
    BinaryOperation.ADD: BinaryOperation.ADD_SATURATING,
    BinaryOperation.SUBTRACT: BinaryOperation.SUBTRACT_SATURATING,
}

_Node = TypeVar("_Node", bound=syntax.Node)


def saturated(program: syntax.Program) -> syntax.Program:
    """The typed `program` with its saturating sums and differences marked as what they are.

    Updates (`x += y` on an element or a scalar) are left alone: they wrap, as atomic additions do.
    """
    found = (node.type for node in syntax.walk(program) if isinstance(node, syntax.Infinity))
    types = frozenset(type_ for type_ in found if type_ is not None and type_.is_integer)
    return _rewritten(program, types) if types else program


def _rewritten(node: _Node, types: frozenset[Type]) -> _Node:
    changes: dict[str, Any] = {}
    for slot in dataclasses.fields(node):
        value = getattr(node, slot.name)
        if isinstance(value, syntax.Node):
            changed: Any = _rewritten(value, types)
        elif isinstance(value, tuple) and any(isinstance(item, syntax.Node) for item in value):
            items = tuple(_rewritten(item, types) if isinstance(item, syntax.Node) else item for item in value)
            changed = items if any(new is not old for new, old in zip(items, value, strict=True)) else value
        else:
            continue
        if changed is not value:
            changes[slot.name] = changed
    if isinstance(node, syntax.Binary) and not node.wraps and node.type in types and node.operation in _SATURATING:
        changes["operation"] = _SATURATING[node.operation]
    if isinstance(node, syntax.Chain) and not node.wraps and node.type in types:
        links = changes.get("links", node.links)
        changes["links"] = tuple(
            dataclasses.replace(link, operation=_SATURATING.get(link.operation, link.operation)) for link in links
        )
    if isinstance(node, syntax.Reduced) and node.operation is ArrayReduction.SUM and node.type in types:
        changes["saturates"] = True
    return dataclasses.replace(node, **changes) if changes else node
