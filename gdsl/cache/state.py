"""The state of gdsl itself: what its code, grammar and templates hold, and how their files look from outside."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gdsl.version import __version__

_SETTLED_AFTER = 2_000_000_000
"""Nanoseconds after which a file that is written again shows another time, on every file system."""


@dataclass(frozen=True, slots=True)
class _File:
    name: str
    """Where it lies below the directory that was looked through, which has a name of its own here."""
    path: str
    status: os.stat_result


@dataclass(frozen=True, slots=True)
class State:
    """All files of gdsl as they are now."""

    files: tuple[_File, ...]

    def outside(self) -> str:
        """A hash over names, sizes, times and inodes: with the same one nothing has been written since."""
        digest = hashlib.sha256(f"{__version__}\n".encode())
        for file in self.files:
            seen = file.status
            about = f"{file.name}\0{seen.st_size} {seen.st_mtime_ns} {seen.st_ctime_ns} {seen.st_dev} {seen.st_ino}\n"
            digest.update(about.encode("utf-8", "surrogateescape"))
        return digest.hexdigest()

    def settled(self) -> bool:
        """Whether a file that is written from now on will look different from outside."""
        newest = max((max(file.status.st_mtime_ns, file.status.st_ctime_ns) for file in self.files), default=0)
        return newest + _SETTLED_AFTER < time.time_ns()

    def content(self) -> str:
        """A hash over names and contents."""
        digest = hashlib.sha256(__version__.encode())
        for file in self.files:
            content = b""
            with contextlib.suppress(OSError), open(file.path, "rb") as opened:  # nor does Python read what cannot be
                content = opened.read()
            digest.update(f"{file.name}\0{len(content)}\0".encode("utf-8", "surrogateescape") + content)
        return digest.hexdigest()


def package() -> Path:
    """The directory of the package."""
    return Path(__file__).parents[1]


def look() -> State:
    """The files as they are now."""
    here = package()
    installed = here / "_data"
    data = installed if installed.is_dir() else here.parent
    found = [
        *_files(str(here), "gdsl", ".py"),
        *_files(str(data / "grammar"), "grammar", ""),
        *_files(str(data / "templates"), "templates", ""),
    ]
    return State(tuple(sorted(found, key=lambda file: file.name)))


def _files(directory: str, name: str, ending: str) -> Iterator[_File]:
    with os.scandir(directory) as entries:
        for entry in entries:
            # Editors leave links that lead nowhere, and pipes never end: neither is a part of gdsl.
            with contextlib.suppress(OSError):
                inside, status = f"{name}/{entry.name}", entry.stat()
                if stat.S_ISDIR(status.st_mode):
                    if entry.name != "__pycache__":
                        yield from _files(entry.path, inside, ending)
                elif stat.S_ISREG(status.st_mode) and entry.name.endswith(ending):
                    yield _File(inside, entry.path, status)
