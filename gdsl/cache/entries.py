"""The entries as files: which there are, and how they go.

Only what is called as gdsl calls its entries is ever counted or removed: `GDSL_CACHE_DIR` may have been set to a
directory with other files in it. Links are neither followed nor touched.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

STAGED = ".gdsl-"
"""How the name of a file begins that is being written."""
_NAME = re.compile(r"[0-9a-f]{64}(\.[a-z0-9]{1,8})?")
_KIND = re.compile(r"[a-z_]{1,40}")
_FRESH = 3600.0
"""Seconds in which an entry's time of use is left as it is, and a staged file is that of a process which still writes
it."""


class Entry(NamedTuple):
    """One file; `used` is when it was last read or written, in seconds since the epoch, to the hour."""

    path: Path
    size: int
    used: float

    @property
    def kind(self) -> str:
        """What it is an entry of."""
        return self.path.parent.name

    @property
    def staged(self) -> bool:
        """Whether it is no entry yet, and never becomes one where its process has gone."""
        return self.path.name.startswith(STAGED)


def entries_in(place: Path) -> Iterator[Entry]:
    """Every entry in the cache at `place`, and what was left of others."""
    for kind in _listed(place):
        with contextlib.suppress(OSError):
            if _KIND.fullmatch(kind.name) and stat.S_ISDIR(kind.lstat().st_mode):
                yield from _of_kind(kind)


def _of_kind(kind: Path) -> Iterator[Entry]:
    now = time.time()
    for path in _listed(kind):
        if not path.name.startswith(STAGED) and not _NAME.fullmatch(path.name):
            continue
        with contextlib.suppress(OSError):
            status = path.lstat()
            entry = Entry(path, status.st_size, status.st_mtime)
            if stat.S_ISREG(status.st_mode) and not (entry.staged and now - entry.used < _FRESH):
                yield entry


def remove(found: Iterable[Entry]) -> list[Entry]:
    """Remove entries; gives those that are gone by now, of which another process may have removed some."""
    gone = []
    for entry in found:
        with contextlib.suppress(OSError):
            entry.path.unlink(missing_ok=True)
            gone.append(entry)
    return gone


def mark_used(path: Path) -> None:
    """Remember that the entry at `path` was read: many file systems do not, or not each time."""
    with contextlib.suppress(OSError, NotImplementedError):
        now = time.time()
        if now - os.lstat(path).st_mtime > _FRESH:
            os.utime(path, (now, now), follow_symlinks=False)


def _listed(place: Path) -> list[Path]:
    with contextlib.suppress(OSError, ValueError):
        return sorted(place.iterdir())
    return []
