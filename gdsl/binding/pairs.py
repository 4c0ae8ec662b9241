"""Values that are evaluated before a run: arrays, and tuples of two arrays where they are pairs."""

from __future__ import annotations

from typing import Any

from gdsl.binding.operations import DTYPES
from gdsl.types import Type

Value = Any
"""An array, or a pair of arrays."""


def chosen(module: Any, condition: Any, yes: Value, no: Value) -> Value:
    """One of two values for each element."""
    if isinstance(yes, tuple):
        return tuple(module.where(condition, one, other) for one, other in zip(yes, no, strict=True))
    return module.where(condition, yes, no)


def zeros(module: Any, length: int, kind: Type) -> Value:
    """Room for `length` values of a type."""
    if kind.is_pair:
        return tuple(module.zeros(length, DTYPES[part]) for part in kind.parts)
    return module.zeros(length, DTYPES[kind])


def length(value: Value) -> int:
    """How many elements a value speaks of: their number, or one for all of them."""
    return max(map(len, value)) if isinstance(value, tuple) else len(value)


def one_of(value: Value, place: int) -> Value:
    """The value of one element."""
    if isinstance(value, tuple):
        return tuple(one_of(part, place) for part in value)
    return value[place : place + 1] if len(value) > 1 else value


def put(values: Value, place: int, value: Value) -> None:
    """Store the value of one element."""
    if isinstance(values, tuple):
        for part, own in zip(values, value, strict=True):
            part[place] = own[0]
    else:
        values[place] = value[0]
