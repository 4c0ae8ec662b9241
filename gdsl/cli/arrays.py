"""Arrays for inputs, read from files that the command line names."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from gdsl.diagnostics import GdslError


def read_array(name: str, path: Path) -> np.ndarray[Any, Any]:
    """The array in a .npy file, the one called `name` in a .npz file, or the numbers of a text file. Raises E0611."""
    try:
        with path.open("rb") as file:
            start = file.read(6)
        if start == b"\x93NUMPY":
            return np.asarray(np.load(path, allow_pickle=False))
        if start[:4] == b"PK\x03\x04":
            return _from_archive(name, path)
        return _from_text(path)
    except OSError as error:
        raise _unusable(path, error.strerror or str(error)) from None
    except (ValueError, EOFError, zipfile.BadZipFile) as error:
        raise _unusable(path, str(error).splitlines()[0] if str(error) else "it is damaged") from None


def _from_archive(name: str, path: Path) -> np.ndarray[Any, Any]:
    with np.load(path, allow_pickle=False) as archive:
        if name in archive.files:
            return np.asarray(archive[name])
        raise ValueError(f"it has no array called {name}, only {', '.join(archive.files) or 'none'}")


def _from_text(path: Path) -> np.ndarray[Any, Any]:
    content = path.read_bytes()
    try:
        words = content.decode().replace(",", " ").split()
    except UnicodeDecodeError:
        raise ValueError("it is neither an array file nor text") from None
    booleans = {"true": True, "false": False}
    if words and all(word.lower() in booleans for word in words):
        return np.array([booleans[word.lower()] for word in words])
    try:
        return np.array([int(word) for word in words], dtype=np.int64)
    except (ValueError, OverflowError):
        return np.array([float(word) for word in words])


def _unusable(path: Path, why: str) -> GdslError:
    return GdslError.single("E0611", f"cannot read an array from {path}: {why}")
