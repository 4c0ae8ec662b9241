"""Identifies the code that makes cache entries, so that entries of another version of gdsl are never found."""

from __future__ import annotations

import contextlib
import hashlib
import marshal
import os
import sys
import time
from functools import cache
from pathlib import Path

from gdsl import resources
from gdsl.diagnostics import GdslError, printable
from gdsl.version import __version__

_STARTED = time.time_ns()
"""Modules are loaded from then on; a file that changed later may not be the one that this process runs."""
_APART = frozenset(
    ("cli", "clusters", "explanation", "export", "graph", "integrations", "language_server", "tools", "wheels")
)
"""Packages that decide nothing about an entry: the import contracts let the compiler import none of them. They are a
quarter of the files."""
_COMPILED = frozenset(("__pycache__",))
_NO_REFERENCES = 0
"""A version of `marshal` that writes equal values as equal bytes."""


@cache
def fingerprint() -> str:
    """A hash of gdsl's version and, where it is known, its code; the same for the whole process.

    Files of an installed wheel never change, and pip records their hashes. In a checkout, or without that record, the
    names, sizes and times of the files on which entries depend stand for their content; a process that may have loaded
    older files shares entries with no other. Raises `GdslError` (E0907) where a part of gdsl cannot be read.
    """
    parts = check_installation()
    digest = hashlib.sha256(f"{__version__} {sys.implementation.cache_tag}\0".encode())
    package = resources.PACKAGE
    if parts["grammar"].parent.parent == package:
        with contextlib.suppress(OSError):  # installed by other means than pip
            digest.update((package.parent / f"gdsl-{__version__}.dist-info" / "RECORD").read_bytes())
            return digest.hexdigest()
    try:
        files = _files(package, ".py", _APART)
        for name in ("grammar", "templates"):
            files += _files(parts[name], "")
    except OSError as error:
        raise _unreadable(error) from None
    digest.update(marshal.dumps(files, _NO_REFERENCES))
    if any(changed > _STARTED or created > _STARTED for *_, changed, created in files):
        digest.update(os.urandom(16))
    return digest.hexdigest()


def check_installation() -> dict[str, Path]:
    """The directories of the package, the grammar and the templates. Raises `GdslError` (E0907) if one is missing."""
    package = resources.PACKAGE
    if not package.is_dir():
        raise GdslError.single(
            "E0907",
            f"gdsl is in an archive, so its grammar and templates cannot be read: {package}",
            fix="install gdsl with pip, which unpacks it",
        )
    try:
        return {"gdsl": package, **{name: resources.resource_directory(name) for name in ("grammar", "templates")}}
    except FileNotFoundError as error:
        raise _unreadable(error) from None


def _unreadable(error: OSError) -> GdslError:
    what = f"a part of gdsl cannot be read: {printable(str(error))}"
    return GdslError.single("E0907", what, fix="install gdsl again, with pip")


def _files(directory: Path, suffix: str, apart: frozenset[str] = frozenset()) -> list[tuple[str, str, int, int, int]]:
    """The folder, name, size and times of every file below `directory` with that suffix, but for its folders `apart`.
    There are hundreds of them, and every process that compiles looks at each."""
    waiting, files, left_out = [str(directory)], [], _COMPILED | apart
    for path in waiting:
        with os.scandir(path) as entries:
            for entry in entries:
                try:
                    if entry.name.endswith(suffix) and entry.is_file():
                        status = entry.stat()
                        files.append((path, entry.name, status.st_size, status.st_mtime_ns, status.st_ctime_ns))
                    elif entry.name not in left_out and entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                except OSError:  # editors leave links that lead nowhere
                    continue
        left_out = _COMPILED
    files.sort()
    return files
