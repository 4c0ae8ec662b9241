"""Taking turns: what several threads, processes or workers of one machine want at the same moment is compiled by one of
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
def turn(path: Path) -> Iterator[None]:
    """Be the only one inside, of those who have the same `path`: the name of a file that is there meanwhile."""
    handle = _take(path)
    try:
        yield
    finally:
        if handle is not None:
            with contextlib.suppress(OSError):
                path.unlink()  # who waits has it open; who comes later finds what was made
            os.close(handle)


def _take(path: Path) -> int | None:
    """The locked file at `path`; None where it cannot be locked, soon or at all."""
    try:
        import fcntl

        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except (ImportError, OSError, ValueError):
        return None
    left = deadline.left()
    until, pause = time.monotonic() + min(_LONGEST, _LONGEST if left is None else left), _FIRST_PAUSE
    try:
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return handle
            except BlockingIOError:
                if time.monotonic() >= until:
                    break
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
    except OSError:  # a file system without locks
        pass
    except BaseException:
        os.close(handle)
        raise
    os.close(handle)
    return None
