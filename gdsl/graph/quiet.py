"""Warnings of other libraries, kept from whoever reads a file."""

from __future__ import annotations

import contextlib
import threading
import warnings
from collections.abc import Iterator

_at_once = threading.Lock()


@contextlib.contextmanager
def quiet() -> Iterator[set[str]]:
    """No warnings meanwhile, by one thread at a time: what warns belongs to the process, and two that put back what
    they found could leave it changed for good. What they would have said is in the set."""
    heard: set[str] = set()
    with _at_once, warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = lambda message, *_, **__: heard.add(str(message))
        yield heard
