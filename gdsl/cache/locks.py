"""Locks: what several threads, processes or workers of one machine want at the same moment is compiled by one of
them, while the others wait and then find it in the cache.

Nothing depends on it. Where a file cannot be locked, and where the other one takes too long, both compile.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

from gdsl import deadline

_LONGEST = 30.0
"""Seconds that are waited for another one, which may have been stopped."""
_FIRST_PAUSE, _LONGEST_PAUSE = 0.002, 0.05
"""Seconds between two looks."""


@contextlib.contextmanager
def lock(path: Path) -> Iterator[None]:
    """Be the only one inside, of those who have the same `path`: the name of a file that is there meanwhile."""
    handle = _take(path)
    try:
        yield
    finally:
        if handle is not None:
            with contextlib.suppress(OSError):
                path.unlink()  # who waits notices, and takes the next file of that name
            os.close(handle)


def _take(path: Path) -> int | None:
    """The locked file at `path`; None where it cannot be locked, soon or at all."""
    left = deadline.left()
    until, pause = time.monotonic() + min(_LONGEST, _LONGEST if left is None else left), _FIRST_PAUSE
    while True:
        try:
            found = _try_to_take(path)
        except (ImportError, OSError, ValueError):  # among them a file system without locks
            return None
        if found is not None or time.monotonic() >= until:
            return found
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)


def _try_to_take(path: Path) -> int | None:
    """The locked file at `path`; None where another one has it. A file that has been removed meanwhile excludes nobody
    who comes later."""
    import fcntl

    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(handle), os.stat(path, follow_symlinks=False)):
            taken, handle = handle, -1
            return taken
    except (BlockingIOError, FileNotFoundError):
        pass
    finally:
        if handle >= 0:
            os.close(handle)
    return None
