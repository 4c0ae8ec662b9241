"""Writing files that are whole or not there at all, and standard output."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import click

from gdsl.diagnostics import GdslError


def check_writable(path: Path) -> None:
    """Raise E0911 now for an output that could not be written later, before the work is done."""
    if path.is_dir():
        raise _unwritable(path, "it is a directory")
    target = Path(os.path.realpath(path))
    if _is_special(target):
        return
    if not target.parent.is_dir():
        raise _unwritable(path, f"there is no directory {target.parent}")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise _unwritable(path, f"the directory {target.parent} cannot be written")


def write_output(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Write the file `path` by way of a temporary one beside it that takes its name when it is complete.

    Devices and pipes are written directly, links are followed. Raises E0911; then an older file is left as it was.
    """
    check_writable(path)
    target = Path(os.path.realpath(path))
    try:
        if _is_special(target):
            with target.open("wb") as file:
                write(file)
            return
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                write(file)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(name, _mode(target))
            os.replace(name, target)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _unwritable(path, error.strerror or str(error)) from None


def print_text(text: str) -> None:
    """Write `text` to standard output, with a line end behind it."""
    click.echo(text if not text.endswith("\n") else text[:-1])


def print_binary(data: bytes) -> None:
    """Write `data` to standard output; refused (a usage error) where that is a terminal."""
    if sys.stdout.isatty():
        raise click.UsageError("this output is binary and not written to a terminal; use -o FILE or a pipe")
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def _is_special(target: Path) -> bool:
    return target.exists() and not stat.S_ISREG(target.stat().st_mode)


def _mode(target: Path) -> int:
    """The permissions of the file that is replaced, else those of a new file."""
    if target.exists():
        return stat.S_IMODE(target.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _unwritable(path: Path, why: str) -> GdslError:
    return GdslError.single("E0911", f"cannot write {path}: {why}")
