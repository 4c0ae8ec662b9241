"""Walking over a program and rewriting it, for passes and code generation."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from gdsl.ir.nodes import Node

Part = TypeVar("Part", bound=Node)


_SLOTS: dict[type[Node], tuple[str, ...]] = {}


def _slots(kind: type[Node]) -> tuple[str, ...]:
    """The slots of a kind of node, but for the place in the text, which has no nodes inside."""
    if kind not in _SLOTS:
        _SLOTS[kind] = tuple(field.name for field in dataclasses.fields(kind) if field.name != "span")
    return _SLOTS[kind]


def walk(part: object) -> Iterator[Node]:
    """Every node of `part` (a node, or tuples of nodes), each before what it is made of, in the order of the text."""
    stack = [part]
    while stack:
        current = stack.pop()
        if isinstance(current, Node):
            yield current
            values = [getattr(current, name) for name in reversed(_slots(type(current)))]
            stack += [value for value in values if isinstance(value, Node | tuple)]
        elif isinstance(current, tuple):
            stack += reversed(current)


def depth(part: object) -> int:
    """How many nodes lie inside each other in `part`."""
    deepest, level = 0, [part]
    while level:
        level = [child for item in level for child in _inside(item)]
        deepest += 1
    return deepest


def _inside(item: object) -> list[object]:
    if isinstance(item, Node):
        return [getattr(item, name) for name in _slots(type(item))]
    return list(item) if isinstance(item, tuple) else []


def rewrite(part: Part, change: Callable[[Any], Any]) -> Part:
    """`part` with every node replaced by `change(node)`, the innermost first; unchanged parts are shared."""
    return _rewrite(part, change)  # type: ignore[return-value]


def _rewrite(part: object, change: Callable[[Any], Any]) -> object:
    if isinstance(part, Node):
        changed: dict[str, Any] = {}
        for name in _slots(type(part)):
            old = getattr(part, name)
            if isinstance(old, Node | tuple):
                new = _rewrite(old, change)
                if new is not old:
                    changed[name] = new
        return change(dataclasses.replace(part, **changed) if changed else part)
    if isinstance(part, tuple):
        items = tuple([_rewrite(item, change) for item in part])
        return part if all(new is old for new, old in zip(items, part, strict=True)) else items
    return part
