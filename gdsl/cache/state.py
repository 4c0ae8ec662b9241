"""The state of gdsl itself: what its code, grammar and templates hold, and how their files look from outside."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import time
from pathlib import Path
from typing import NamedTuple

from gdsl.diagnostics import GdslError
from gdsl.version import __version__

_SETTLED_AFTER = 2_000_000_000
"""Nanoseconds after which a file that is written again shows another time, on every file system."""


class _File(NamedTuple):
    name: str
    """Where it lies below the directory that was looked through, which has a name of its own here."""
    path: str
    written: int
    """When, in nanoseconds."""
    seen: tuple[int, ...]
    """What tells it from outside from one that was written again: times, size, device and inode."""


class State(NamedTuple):
    """All files of gdsl as they are now."""

    files: tuple[_File, ...]

    def outside(self) -> str:
        """A hash over names, sizes, times and inodes: with the same one nothing has been written since."""
        seen = [(file.name, file.seen) for file in self.files]
        return hashlib.sha256(repr((__version__, seen)).encode()).hexdigest()

    def settled(self) -> bool:
        """Whether a file that is written from now on will look different from outside."""
        newest = max((file.written for file in self.files), default=0)
        return newest + _SETTLED_AFTER < time.time_ns()

    def content(self) -> str:
        """A hash over names and contents."""
        digest = hashlib.sha256(__version__.encode())
        for file in self.files:
            content = b""
            with contextlib.suppress(OSError), open(file.path, "rb", buffering=0) as opened:  # nor does Python read it
                content = opened.read()
            digest.update(f"{file.name}\0{len(content)}\0".encode("utf-8", "surrogateescape"))
            digest.update(content)
        return digest.hexdigest()


def package() -> Path:
    """The directory of the package."""
    return Path(__file__).parents[1]


def look() -> State:
    """The files as they are now. Raises E0907 where gdsl was put into an archive, from which nothing can be read."""
    here = package()
    if not here.is_dir():
        raise GdslError.single(
            "E0907",
            f"gdsl lies in an archive, its grammar and templates cannot be read: {here}",
            fix="install gdsl with pip, which unpacks it",
        )
    installed = here / "_data"
    data = installed if installed.is_dir() else here.parent
    found: list[_File] = []
    _look_through(str(here), "gdsl", ".py", found)
    for name in ("grammar", "templates"):
        _look_through(str(data / name), name, "", found)
    found.sort()
    return State(tuple(found))


def _look_through(directory: str, name: str, ending: str, found: list[_File]) -> None:
    """Some 500 files at every start, so no more is asked of each than must be."""
    with os.scandir(directory) as entries:
        for entry in entries:
            own = entry.name
            try:
                if entry.is_dir():
                    if own != "__pycache__":
                        _look_through(entry.path, f"{name}/{own}", ending, found)
                elif own.endswith(ending):
                    status = entry.stat()
                    if stat.S_ISREG(status.st_mode):
                        times = status.st_mtime_ns, status.st_ctime_ns
                        seen = (*times, status.st_size, status.st_dev, status.st_ino)
                        found.append(_File(f"{name}/{own}", entry.path, max(times), seen))
            except OSError:  # editors leave links that lead nowhere, and pipes never end: neither is a part of gdsl
                continue
