"""Copies of the syntax tree at another place."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, TypeVar

from gdsl.frontend.syntax.base import Node
from gdsl.source import Span

AnyNode = TypeVar("AnyNode", bound=Node)


def moved(node: AnyNode, place: Callable[[Span], Span]) -> AnyNode:
    """A tree as the parser made it, with every span as `place` gives it."""
    changed = {slot.name: _moved(getattr(node, slot.name), place) for slot in dataclasses.fields(node)}
    return dataclasses.replace(node, **changed)


def _moved(value: Any, place: Callable[[Span], Span]) -> Any:
    if isinstance(value, Span):
        return place(value)
    if isinstance(value, Node):
        return moved(value, place)
    if isinstance(value, tuple):
        return tuple(_moved(each, place) for each in value)
    return value
