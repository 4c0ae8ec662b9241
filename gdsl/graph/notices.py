"""Notices about a graph file: what was read in a way that its author may not expect, one line each."""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Iterator
from contextvars import ContextVar

_collected: ContextVar[list[str] | None] = ContextVar("collected", default=None)


class GraphNotice(UserWarning):
    """A graph file was read in a way that its author may not expect, as the message says."""


def notice(text: str) -> None:
    """Give the user one line about a file: a `GraphNotice`, or a line of whoever collects notices."""
    collected = _collected.get()
    if collected is None:
        warnings.warn(text, GraphNotice, stacklevel=_level_of_caller())
    elif text not in collected:
        collected.append(text)


def _level_of_caller() -> int:
    """The `stacklevel` for `notice` at which the frames of gdsl end: the line that reads the file."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__", "")).partition(".")[0] == "gdsl":
        level, frame = level + 1, frame.f_back
    return level


@contextlib.contextmanager
def collecting() -> Iterator[list[str]]:
    """Collect the notices of the block in the list that is returned instead of issuing warnings."""
    found: list[str] = []
    token = _collected.set(found)
    try:
        yield found
    finally:
        _collected.reset(token)
