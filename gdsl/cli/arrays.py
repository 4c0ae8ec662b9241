"""Arrays for inputs, read from files that the command line names."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from gdsl.diagnostics import GdslError, printable, shown
from gdsl.numerals import real_number, whole_number


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
        wholes = [whole_number(word) for word in words]
    except ValueError:
        return np.array([_real(word) for word in words])
    dtype = np.uint64 if max(wholes, default=0) >= 2**63 and min(wholes) >= 0 else np.int64
    try:
        return np.array(wholes, dtype=dtype)
    except OverflowError:
        return np.array([_real(word) for word in words])


def _real(word: str) -> float:
    try:
        return real_number(word)
    except ValueError as error:
        raise ValueError(f"{shown(word)} cannot be used: {error}") from None


def _unusable(path: Path, why: str) -> GdslError:
    return GdslError.single("E0611", f"cannot read an array from {printable(str(path))}: {why}")
