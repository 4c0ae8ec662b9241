"""Warnings of other libraries, kept from whoever reads a file."""

from __future__ import annotations

import contextlib
import threading
import warnings
from collections.abc import Iterator

_at_once = threading.Lock()


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """No warnings meanwhile, by one thread at a time: what warns belongs to the process, and two that put back what
    they found could leave it changed for good."""
    with _at_once, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
