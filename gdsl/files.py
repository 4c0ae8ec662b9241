"""Writing files that are whole or not there at all."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise OSError, with a reason for people, for a file that `whole_file` could not write."""
    with _no_odd_names():
        target = Path(os.path.realpath(path))
        if target.is_dir():
            raise OSError(0, "it is a directory")
        if _is_special(target):
            return
        if not target.parent.is_dir():
            raise OSError(0, f"there is no directory {target.parent}")
        if not os.access(target.parent, os.W_OK | os.X_OK):
            raise OSError(0, f"the directory {target.parent} cannot be written")


@contextlib.contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write that takes the name `path` when the block ends, and vanishes with an exception.

    Links are followed: what they point to is replaced. Devices and pipes are written directly. Raises OSError; an
    older file is then as it was.
    """
    check_writable(path)
    target = Path(os.path.realpath(path))
    if _is_special(target):
        with target.open("wb") as file:
            yield file
        return
    handle, name = tempfile.mkstemp(prefix=".gdsl-", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, _mode(target))
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


@contextlib.contextmanager
def _no_odd_names() -> Iterator[None]:
    try:
        yield
    except ValueError:
        raise OSError(0, "the path has a NUL character") from None


def _is_special(target: Path) -> bool:
    return target.exists() and not stat.S_ISREG(target.stat().st_mode)


def _mode(target: Path) -> int:
    """The permissions of the file that is replaced, else those of a new file."""
    if target.exists():
        return stat.S_IMODE(target.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
