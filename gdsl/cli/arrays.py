"""Arrays for inputs, read from files that the command line names."""

from __future__ import annotations

import io
import os
import stat
import zipfile
from pathlib import Path
from typing import IO, Any

import numpy as np

from gdsl import files
from gdsl.diagnostics import GdslError, printable, shown
from gdsl.graph.quiet import quiet
from gdsl.numerals import real_number, whole_number

_BYTES_A_VALUE = 64
"""More than any value takes, as text or in an array file."""
_LEAST = 1 << 20
_PART = 1 << 16


def read_array(name: str, file_name: str, longest: int) -> np.ndarray[Any, Any]:
    """The array in a .npy file, the one called `name` in a .npz file, or the numbers of a text file; pipes and devices
    are read like files. `longest` is the length of the longest array that the graph has a use for: what goes on for
    much longer is given up. Raises E0611."""
    path = Path(file_name)
    try:
        files.require_file_name(file_name)
        with path.open("rb") as file:
            start = file.read(6)
            if _is_array_file(start) and stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                file.seek(0)
                return _from_array_file(name, file)
            content = _all_of(file, start, longest)
        if _is_array_file(start):
            return _from_array_file(name, io.BytesIO(content))
        return _from_text(content)
    except (GdslError, MemoryError):
        raise
    except OSError as error:
        raise _unusable(path, error.strerror or str(error)) from None
    except (ValueError, EOFError, zipfile.BadZipFile) as error:
        raise _unusable(path, str(error).splitlines()[0] if str(error) else "it is damaged") from None
    except Exception as error:  # NumPy, zipfile and zlib raise whatever comes out of damaged bytes
        raise _unusable(path, f"it is damaged ({type(error).__name__})") from None


def _is_array_file(start: bytes) -> bool:
    return start == b"\x93NUMPY" or start[:4] == b"PK\x03\x04"


def _all_of(file: IO[bytes], start: bytes, longest: int) -> bytes:
    """The rest of a file that may have no end."""
    most = max(_LEAST, _BYTES_A_VALUE * longest)
    parts, length = [start], len(start)
    is_text = not _is_array_file(start)
    while part := file.read(_PART):
        parts.append(part)
        length += len(part)
        if is_text and b"\0" in part:
            raise ValueError("it is neither an array file nor text")
        if length > most:
            raise ValueError(f"it goes on after {most:,} bytes, and the graph has a use for {longest:,} values")
    return b"".join(parts)


def _from_array_file(name: str, file: IO[bytes]) -> np.ndarray[Any, Any]:
    with quiet():  # NumPy warns of headers by Python 2, which are right all the same
        loaded = np.load(file, allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            return loaded
        with loaded as archive:
            if name in archive.files:
                return np.asarray(archive[name])
        raise ValueError(f"it has no array called {name}, only {', '.join(archive.files) or 'none'}")


def _from_text(content: bytes) -> np.ndarray[Any, Any]:
    try:
        words = content.decode("utf-8-sig").replace(",", " ").split()
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
