"""Writes a folder of files completely or not at all."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from gdsl.diagnostics import printable
from gdsl.files import cannot_write

_FORCE = "choose another directory, or have its files of these names replaced by --force"


def check(directory: Path, force: bool) -> None:
    """Raise E0911 where the directory cannot be written, or has files and `force` is not set."""
    try:
        if directory.is_dir():
            if not force and any(directory.iterdir()):
                raise cannot_write(directory, "the directory is not empty", _FORCE)
        elif os.path.lexists(directory):
            raise cannot_write(directory, "there is a file of that name", "name a directory")
        parent = directory if directory.is_dir() else Path(os.path.abspath(directory)).parent
        if not parent.is_dir():
            raise cannot_write(directory, f"there is no directory {printable(str(parent))}")
        if not os.access(parent, os.W_OK | os.X_OK):
            raise cannot_write(directory, f"the directory {printable(str(parent))} cannot be written")
    except (OSError, ValueError) as error:
        raise cannot_write(directory, _reason(error)) from None


def write(directory: Path, files: Mapping[str, str]) -> None:
    """Write all `files`, texts by name, into `directory`, or none of them. The directory is created if necessary; files
    of these names are replaced, and others stay. Raises E0911."""
    try:
        parent = directory if directory.is_dir() else Path(os.path.abspath(directory)).parent
        temporary = Path(tempfile.mkdtemp(prefix=".gdsl-", dir=parent))
        try:
            for name, text in files.items():
                (temporary / name).write_text(text, encoding="utf-8", newline="\n")
            for name in files:
                if (directory / name).is_dir():
                    raise cannot_write(directory, f"{name} is a directory there")
            if directory.is_dir():
                for name in files:
                    os.replace(temporary / name, directory / name)
            else:
                mask = os.umask(0)
                os.umask(mask)
                temporary.chmod(0o777 & ~mask)
                temporary.rename(directory)
        finally:
            with contextlib.suppress(OSError):
                shutil.rmtree(temporary)
    except (OSError, ValueError) as error:
        raise cannot_write(directory, _reason(error)) from None


def _reason(error: OSError | ValueError) -> str:
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return "the path has a NUL character"
