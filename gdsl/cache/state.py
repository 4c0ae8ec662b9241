"""The state of gdsl itself: what its code, grammar and templates hold, and how their files look from outside."""

from __future__ import annotations

import contextlib
import hashlib
import marshal
import operator
import os
import stat
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from gdsl.diagnostics import GdslError
from gdsl.version import __version__

_ROOMS_APART = ("backends/reference", "binding", "cli", "export", "graph", "integrations", "profiling", "tools")
_TEMPLATES_APART = ("export", "graph", "profile", "project")
_APART = frozenset((*(f"gdsl/{room}" for room in _ROOMS_APART), *(f"templates/{name}" for name in _TEMPLATES_APART)))
"""What has no part in what is kept: from the text to the generated one nothing may import these rooms (the contracts
of `lint-imports` say so; a test asks these) or reads these templates, unless as a part of a key; and every file that
is looked at is time at every start."""
_seen = operator.attrgetter("st_mtime_ns", "st_ctime_ns", "st_size", "st_dev", "st_ino")
"""What tells a file from outside from one that was written again."""
_SETTLED_AFTER = 2_000_000_000
"""Nanoseconds after which a file that is written again shows another time, on every file system."""


class _File(NamedTuple):
    name: str
    """Where it lies below the directory that was looked through, which has a name of its own here."""
    path: str


class State(NamedTuple):
    """All files of gdsl as they are now."""

    files: tuple[_File, ...]
    directories: tuple[str, ...]
    """Those that were looked through: they look different once a file comes, goes or gets another name."""

    @property
    def paths(self) -> list[str]:
        """Everything whose look says whether this is still the state."""
        return [*self.directories, *(file.path for file in self.files)]

    def settled(self) -> bool:
        """Whether a file that is written from now on will look different from outside."""
        with contextlib.suppress(OSError):
            newest = max((max(times[:2]) for times in map(_seen, map(os.stat, self.paths))), default=0)
            return newest + _SETTLED_AFTER < time.time_ns()
        return False

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


def outside(paths: Sequence[str]) -> str:
    """A hash over the paths, sizes, times and inodes of files and directories: with the same one nothing has been
    written since. Some 550 at every start: no more is asked of each than must be. Raises OSError where one is gone."""
    looks = list(map(_seen, map(os.stat, paths)))
    return hashlib.sha256(marshal.dumps((__version__, list(paths), looks), 2)).hexdigest()


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
    directories: list[str] = []
    _look_through(str(here), "gdsl", ".py", found, directories)
    for name in ("grammar", "templates"):
        _look_through(str(data / name), name, "", found, directories)
    return State(tuple(sorted(found)), tuple(sorted(directories)))


def _look_through(directory: str, name: str, ending: str, found: list[_File], directories: list[str]) -> None:
    directories.append(directory)
    with os.scandir(directory) as entries:
        for entry in entries:
            own = entry.name
            try:
                if entry.is_dir():
                    if own != "__pycache__" and f"{name}/{own}" not in _APART:
                        _look_through(entry.path, f"{name}/{own}", ending, found, directories)
                elif own.endswith(ending) and stat.S_ISREG(entry.stat().st_mode):
                    found.append(_File(f"{name}/{own}", entry.path))
            except OSError:  # editors leave links that lead nowhere, and pipes never end: neither is a part of gdsl
                continue
