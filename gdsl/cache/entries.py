"""Entries as files: listing and removing them.

Only files with names as gdsl gives them are ever counted or removed: `GDSL_CACHE_DIR` may be a directory with other
files in it. Links are neither followed nor touched.
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
"""The beginning of the name of a file that is being written."""
_NAME = re.compile(r"[0-9a-f]{64}(\.[a-z0-9]{1,8})?")
_KIND = re.compile(r"[a-z_]{1,40}")
_FRESH = 3600.0
"""Seconds during which an entry's time of use is not updated, and a staged file belongs to a process that still writes
it."""


class Entry(NamedTuple):
    """One file; `used` is when it was last read or written, in seconds since the epoch, to the hour."""

    path: Path
    size: int
    used: float

    @property
    def kind(self) -> str:
        """The kind of entry, which is the name of its directory."""
        return self.path.parent.name

    @property
    def staged(self) -> bool:
        """Whether it is not an entry yet; it never becomes one if its process has ended."""
        return self.path.name.startswith(STAGED)


def entries_in(place: Path) -> Iterator[Entry]:
    """Every entry in the cache at `place`, and staged files that were abandoned."""
    for kind in _files_in(place):
        with contextlib.suppress(OSError):
            if _KIND.fullmatch(kind.name) and stat.S_ISDIR(kind.lstat().st_mode):
                yield from _entries_of_kind(kind)


def _entries_of_kind(kind: Path) -> Iterator[Entry]:
    now = time.time()
    for path in _files_in(kind):
        if not path.name.startswith(STAGED) and not _NAME.fullmatch(path.name):
            continue
        with contextlib.suppress(OSError):
            status = path.lstat()
            entry = Entry(path, status.st_size, status.st_mtime)
            if stat.S_ISREG(status.st_mode) and not (entry.staged and now - entry.used < _FRESH):
                yield entry


def remove(entries: Iterable[Entry]) -> list[Entry]:
    """Remove entries; returns those that no longer exist, including what another process removed."""
    removed = []
    for entry in entries:
        with contextlib.suppress(OSError):
            entry.path.unlink(missing_ok=True)
            removed.append(entry)
    return removed


def mark_used(path: Path) -> None:
    """Record that the entry at `path` was read, which many file systems do not, or not each time."""
    with contextlib.suppress(OSError, NotImplementedError):
        now = time.time()
        if now - os.lstat(path).st_mtime > _FRESH:
            os.utime(path, (now, now), follow_symlinks=False)


def _files_in(place: Path) -> list[Path]:
    with contextlib.suppress(OSError, ValueError):
        return sorted(place.iterdir())
    return []
