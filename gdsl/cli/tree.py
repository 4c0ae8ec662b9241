"""A tree of dataclasses as indented text, for `--emit ast`."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from enum import Enum

from gdsl.source import Span


def print_tree(root: object) -> str:
    """`root` and what hangs from it, one node a line with its place in the text; resolved names are left out."""
    return "\n".join(_lines(root, "", 0)) + "\n"


def _lines(value: object, label: str, depth: int) -> Iterator[str]:
    lead = "  " * depth + (f"{label}: " if label else "")
    if isinstance(value, tuple | list):
        yield f"{lead}{'[]' if not value else ''}".rstrip() if label else lead
        for item in value:
            yield from _lines(item, "-", depth + 1)
        return
    if not dataclasses.is_dataclass(value) or isinstance(value, type | Span):
        yield lead + _leaf(value)
        return
    span = getattr(value, "span", None)
    place = f"  @{span.line}:{span.column}" if isinstance(span, Span) else ""
    plain: list[tuple[str, object]] = []
    nested: list[tuple[str, object]] = []
    for field in dataclasses.fields(value):
        child = getattr(value, field.name)
        if field.name in ("span", "symbol", "symbols"):
            continue
        (nested if dataclasses.is_dataclass(child) or isinstance(child, tuple | list) else plain).append(
            (field.name, child)
        )
    words = " ".join(f"{name}={_leaf(child)}" for name, child in plain)
    yield f"{lead}{type(value).__name__}{' ' + words if words else ''}{place}"
    for name, child in nested:
        if not isinstance(child, Span):
            yield from _lines(child, name, depth + 1)


def _leaf(value: object) -> str:
    if isinstance(value, Enum):
        return str(value.value)
    return repr(value) if isinstance(value, str) else str(value)
