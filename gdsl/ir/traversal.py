"""Walking over a program and rewriting it, for passes and code generation."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from gdsl.ir.nodes import Node

Part = TypeVar("Part", bound=Node)


def walk(part: object) -> Iterator[Node]:
    """Every node of `part` (a node, or tuples of nodes), each before what it is made of, in the order of the text."""
    if isinstance(part, tuple):
        for item in part:
            yield from walk(item)
    elif isinstance(part, Node):
        yield part
        for field in dataclasses.fields(part):
            yield from walk(getattr(part, field.name))


def rewrite(part: Part, change: Callable[[Any], Any]) -> Part:
    """`part` with every node replaced by `change(node)`, the innermost first; unchanged parts are shared."""
    return _rewrite(part, change)  # type: ignore[return-value]


def _rewrite(part: object, change: Callable[[Any], Any]) -> object:
    if isinstance(part, tuple):
        items = tuple(_rewrite(item, change) for item in part)
        return part if all(new is old for new, old in zip(items, part, strict=True)) else items
    if not isinstance(part, Node):
        return part
    changed: dict[str, Any] = {}
    for field in dataclasses.fields(part):
        old = getattr(part, field.name)
        new = _rewrite(old, change)
        if new is not old:
            changed[field.name] = new
    return change(dataclasses.replace(part, **changed) if changed else part)
