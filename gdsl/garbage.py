"""Python's search for garbage, and when not to begin one."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """No search for garbage meanwhile: for work that makes many small objects in a fraction of a second.

    Their number alone has Python look through everything that the process has imported, which takes about as long as
    the parser's tables. Of several threads the one that came first lets it search again.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
