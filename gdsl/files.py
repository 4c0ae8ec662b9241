"""Writes files completely or not at all."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import re
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from gdsl.diagnostics import GdslError, printable
from gdsl.interrupts import before_the_end

_STREAM = re.compile(r"/dev/(stdin|stdout|stderr)|(?:/dev/fd|/proc/self/fd)/([0-9]{1,9})")
_MOST_LINKS = 40
_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://?(?=.)")
"""A `Path` keeps only one slash of two."""


def path_name(path: object, rule: str) -> str:
    """The str of a path from a caller; raises TypeError, which begins with `rule`, for anything else."""
    name = path.__fspath__() if isinstance(path, os.PathLike) else path
    if not isinstance(name, str):
        kind = "bytes" if isinstance(name, bytes) else type(path).__name__
        raise TypeError(f"{rule}, not {kind}")
    return name


def not_as_url(name: str) -> str | None:
    """What to write instead if `name` is a URL, which is not a file."""
    match = _URL.match(name)
    if match is None:
        return None
    if match[1].lower() != "file":
        return "a file is named by its path; download this one first"
    from urllib.parse import unquote

    host, separator, path = name[match.end() :].partition("/")
    if name[match.end() - 2 : match.end()] != "//":
        host, separator, path = "", "/", name[match.end() :]
    local = bool(separator) and host in ("", "localhost")
    return "a file is named by its path" + (f": {printable(unquote('/' + path))}" if local else "")


def cannot_write(path: str | os.PathLike[str], why: object, fix: str | None = None) -> GdslError:
    """E0911: the file or folder cannot be written."""
    name = printable(os.fspath(path)) or "''"
    return GdslError.single("E0911", f"cannot write {name}: {why}", fix=fix)


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise OSError, with a reason for people, if `whole_file` could not write the file."""
    require_file_name(os.fspath(path))
    with _no_odd_names():
        if _descriptor(path) is not None or _is_special(path):
            return
        target = Path(os.path.realpath(path))
        if target.is_dir():
            raise OSError(errno.EISDIR, "it is a directory")
        if target.is_symlink():  # left of links in a cycle
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        if not target.parent.is_dir():
            if os.path.lexists(target.parent):
                raise OSError(errno.ENOTDIR, f"{target.parent} is not a directory")
            raise OSError(errno.ENOENT, f"there is no directory {target.parent}")
        if not os.access(target.parent, os.W_OK | os.X_OK):
            raise OSError(errno.EACCES, f"the directory {target.parent} cannot be written")


def require_file_name(name: str | os.PathLike[str] | bytes) -> None:
    """Raise OSError for a name that can only be a directory's: `x.json/` is not another way to write `x.json`."""
    if not os.fsdecode(name):
        raise OSError(errno.EINVAL, "its name is empty")
    if os.path.basename(os.fsdecode(name)) in ("", ".", ".."):
        raise OSError(errno.EISDIR, "this is the name of a directory, not of a file")


@contextlib.contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write that gets the name `path` when the block ends, and vanishes after an exception.

    Links are followed: their target is replaced. Devices and pipes are written directly. Raises OSError; an older file
    is then unchanged.
    """
    check_writable(path)
    descriptor = _descriptor(path)
    if descriptor is not None or _is_special(path):
        with (
            open(os.dup(descriptor) if descriptor is not None else path, "wb", buffering=0) as raw,
            io.BufferedWriter(_Forwards(raw)) as buffered,
        ):
            yield buffered
        return
    target = Path(os.path.realpath(path))
    handle, name = tempfile.mkstemp(prefix=".gdsl-", dir=target.parent)

    def remove() -> None:
        with contextlib.suppress(OSError):
            os.unlink(name)

    try:
        with before_the_end(remove), os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, _mode(target))
        os.replace(name, target)
    except BaseException:
        remove()
        raise


@contextlib.contextmanager
def _no_odd_names() -> Iterator[None]:
    try:
        yield
    except ValueError:
        raise OSError(0, "the path has a NUL character") from None


class _Forwards(io.RawIOBase):
    """Bytes to a device or pipe, in sequence. Some devices claim to be seekable and are not."""

    def __init__(self, file: io.RawIOBase) -> None:
        super().__init__()
        self._file = file

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int | None:
        return self._file.write(data)


def _is_special(path: str | os.PathLike[str]) -> bool:
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def _descriptor(path: str | os.PathLike[str]) -> int | None:
    """The descriptor that `path` stands for (`/dev/stdout`, or a link to it). It has a position, from which a shell's
    redirection may continue, and may be a pipe without a name."""
    name = os.fspath(path)
    for _ in range(_MOST_LINKS):
        match = _STREAM.fullmatch(name)
        if match is not None:
            return {"stdin": 0, "stdout": 1, "stderr": 2}[match[1]] if match[1] else int(match[2])
        if not os.path.islink(name):
            return None
        name = os.path.join(os.path.dirname(name), os.readlink(name))
    return None


def _mode(target: Path) -> int:
    """The permissions of the replaced file, or those of a new file."""
    if target.exists():
        return stat.S_IMODE(target.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
