"""Objects of other libraries' classes, which may raise anything when an attribute is accessed."""

from __future__ import annotations

from typing import Any


def attribute(value: object, name: str, otherwise: Any = None) -> Any:
    """`getattr`, with `otherwise` also for errors other than AttributeError, as of tensors with gradients."""
    try:
        return getattr(value, name, otherwise)
    except Exception:
        return otherwise


def has(value: object, name: str) -> bool:
    """`hasattr`, likewise."""
    try:
        return hasattr(value, name)
    except Exception:
        return False


def own_number(value: object) -> object:
    """Integers and floats of a class derived from Python's as plain ones; anything else unchanged."""
    if isinstance(value, int) and type(value) not in (int, bool):
        return int.__add__(value, 0)
    if isinstance(value, float) and type(value) is not float:
        return float.__mul__(value, 1.0)
    return value
