"""Whether runs are measured: then they try nothing that their caller did not ask for."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar

_is_on: ContextVar[bool] = ContextVar("measuring", default=False)
is_on = _is_on.get


@contextlib.contextmanager
def measured() -> Iterator[None]:
    """Runs inside are in the form that earlier ones have chosen, and all in the same."""
    token = _is_on.set(True)
    try:
        yield
    finally:
        _is_on.reset(token)
