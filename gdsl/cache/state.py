"""The state of gdsl itself: what its code, grammar and templates held when this process loaded them.

What is read was made by gdsl in that state, whatever its files hold by now: this process runs the code of then. What is
written must be made by that state alone, though a module may be imported, or a template read, at any time: before each
write the files must still look as they did (`unchanged`).
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import time

from gdsl import own_files
from gdsl.diagnostics import GdslError, printable
from gdsl.own_files import Look
from gdsl.version import __version__

_SECOND = 1_000_000_000
_SETTLED_AFTER = 2 * _SECOND
"""Nanoseconds after which a file that is written again shows another time, on every file system."""


def loaded() -> Look | None:
    """The files as they looked when this process began to load gdsl; None where they could not all be seen then.

    Raises E0907 where gdsl was put into an archive, from which nothing can be read, and where a part is missing.
    """
    if own_files.AT_LOADING is None:
        if not os.path.isdir(own_files.package()):
            raise GdslError.single(
                "E0907",
                f"gdsl lies in an archive, its grammar and templates cannot be read: {own_files.package()}",
                fix="install gdsl with pip, which unpacks it",
            )
        try:
            own_files.look()
        except OSError as error:
            what = f"a part of gdsl cannot be read: {printable(str(error.filename))}: {error.strerror}"
            raise GdslError.single("E0907", what, fix="install gdsl again, with pip") from None
    return own_files.AT_LOADING


def unchanged(since: Look) -> bool:
    """Whether the files still look as they did, and this process has loaded what they hold: nothing of it is newer or
    older."""
    with contextlib.suppress(OSError):
        return own_files.look() == since and not any(map(_is_outdated, _loaded_modules()))
    return False


def _loaded_modules() -> list[tuple[str, str]]:
    """The source and the bytecode of each module of gdsl that there is."""
    specs = [module.__spec__ for name, module in list(sys.modules.items()) if name.partition(".")[0] == "gdsl"]
    return [(each.origin, each.cached) for each in specs if each is not None and each.origin and each.cached]


def _is_outdated(module: tuple[str, str]) -> bool:
    """Whether bytecode is older than its source, which Python does not see where the source was written twice within a
    second and is as long as before."""
    with contextlib.suppress(OSError):
        written, compiled = (os.stat(path).st_mtime_ns for path in module)
        return compiled < written and compiled // _SECOND == written // _SECOND
    return False


def outside(files: Look) -> str:
    """A hash over the paths, sizes, times and inodes of files: with the same one nothing has been written since."""
    digest = hashlib.sha256(f"{__version__}\0{own_files.package()}".encode("utf-8", "surrogateescape"))
    for name in sorted(files):
        digest.update(f"\0{name}\0{len(files[name])}\0".encode("utf-8", "surrogateescape"))
        digest.update(files[name])
    return digest.hexdigest()


def settled(files: Look) -> bool:
    """Whether a file that is written from now on will look different from outside."""
    newest = max((max(stamps[:2]) for _, _, stamps in own_files.stamps_in(files)), default=0)
    return newest + _SETTLED_AFTER < time.time_ns()


def content(files: Look) -> str:
    """A hash over the names of files and what they hold now."""
    digest = hashlib.sha256(__version__.encode())
    for name, path, _ in own_files.stamps_in(files):
        found = b""  # what cannot be read is not read by Python either
        with contextlib.suppress(OSError), open(path, "rb", buffering=0) as opened:
            found = opened.read()
        digest.update(f"{name}\0{len(found)}\0".encode("utf-8", "surrogateescape"))
        digest.update(found)
    return digest.hexdigest()
