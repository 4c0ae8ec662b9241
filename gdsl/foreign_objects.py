"""Objects of the caller's classes, which may raise anything where they are asked for an attribute, and numbers of
classes that only look like Python's own."""

from __future__ import annotations

from typing import Any


def attribute(value: object, name: str, otherwise: Any = None) -> Any:
    """`getattr`, with `otherwise` also where another error comes than Python expects, as of tensors with gradients."""
    try:
        return getattr(value, name, otherwise)
    except Exception:
        return otherwise


def has(value: object, name: str) -> bool:
    """`hasattr` in the same way."""
    try:
        return hasattr(value, name)
    except Exception:
        return False


def own_number(value: object) -> object:
    """Integers and floats of a class that is derived from Python's as these; all else as it is."""
    if isinstance(value, int) and type(value) not in (int, bool):
        return int.__add__(value, 0)
    if isinstance(value, float) and type(value) is not float:
        return float.__mul__(value, 1.0)
    return value
