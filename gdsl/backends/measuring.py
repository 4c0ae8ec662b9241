"""Whether the caller is measuring runs. Such runs try no other forms."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar

_is_on: ContextVar[bool] = ContextVar("measuring", default=False)
is_on = _is_on.get


@contextlib.contextmanager
def measured() -> Iterator[None]:
    """Runs inside all use the same form: the one that earlier runs have chosen."""
    token = _is_on.set(True)
    try:
        yield
    finally:
        _is_on.reset(token)
