"""Copies of the syntax tree at another place."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from gdsl.frontend.syntax.base import Node
from gdsl.frontend.syntax.declarations import Function, Functor
from gdsl.frontend.syntax.expressions import Call, Name
from gdsl.frontend.syntax.procedures import Procedure
from gdsl.source import Span

AnyNode = TypeVar("AnyNode", bound=Node)


def moved(node: AnyNode, place: Callable[[Span], Span]) -> AnyNode:
    """A tree as the parser made it, with every span as `place` gives it."""
    changed = {slot.name: _moved(getattr(node, slot.name), place) for slot in dataclasses.fields(node)}
    return dataclasses.replace(node, **changed)


def renamed(node: AnyNode, names: Mapping[str, str]) -> AnyNode:
    """A definition as the parser made it, with other names for it and for what it calls."""
    changed = {slot.name: _renamed(getattr(node, slot.name), names) for slot in dataclasses.fields(node)}
    if isinstance(node, Name | Function | Functor | Procedure):
        changed["name"] = names.get(node.name, node.name)
    elif isinstance(node, Call):
        changed["function"] = names.get(node.function, node.function)
    return dataclasses.replace(node, **changed)


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, Node):
        return renamed(value, names)
    return tuple(_renamed(each, names) for each in value) if isinstance(value, tuple) else value


def _moved(value: Any, place: Callable[[Span], Span]) -> Any:
    if isinstance(value, Span):
        return place(value)
    if isinstance(value, Node):
        return moved(value, place)
    if isinstance(value, tuple):
        return tuple(_moved(each, place) for each in value)
    return value
