"""Reads arrays for inputs from .npy, .npz and text files; nothing in a file is trusted before it is checked."""

from __future__ import annotations

import io
import itertools
import math
import os
import re
import stat
import zipfile
from collections.abc import Callable, Sequence
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy

from gdsl import files
from gdsl.diagnostics import GdslError, printable, shown
from gdsl.graph.messages import edited, quiet
from gdsl.numerals import real_number, whole_number

_BYTES_A_VALUE = 64
"""More than any value takes, as text or in an array file."""
_ARCHIVE = ".npz"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
"""The beginnings of archives; the second one is of empty archives."""
_LEAST = 1 << 20
_PART = 1 << 16
_NAMED = 10
"""The most arrays of an archive that a message names."""
_ENCRYPTED = 0x1
_LARGEST_DEFLATE_RATIO = 1100
_LARGEST_HEADER = 16_384
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9.]+,[0-9]+(?:[eE][+-]?[0-9]+)?", re.ASCII)


def read_array(name: str, file_name: str, longest: int) -> np.ndarray[Any, Any]:
    """The array in a .npy file, the one called `name` in a .npz file (`color` of `FILE.npz:color`), or the numbers of a
    text file; pipes and devices are read like files. `longest` is the length of the longest array that the graph can
    use: reading stops if a file is much longer. Raises E0611."""
    file_name, array = _file_and_array(file_name)
    try:
        files.require_file_name(file_name)
        with open(file_name, "rb") as file:
            start = file.read(6)
            if array is not None and not start.startswith(_ZIP):
                raise ValueError(f"it is not an archive, so it has no array called {shown(array)}")
            if _is_array_file(start) and stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return _from_array_file(array or name, start, file)
            content = _all_of(file, start, longest)
        if _is_array_file(start):
            return _from_array_file(array or name, start, io.BytesIO(content))
        return _from_text(content)
    except (GdslError, MemoryError):
        raise
    except _MistakeError as error:
        fix = error.fix(name, file_name) if file_name.isprintable() else None
        raise _unusable(file_name, str(error), fix) from None
    except OSError as error:
        raise _unopened(file_name, error) from None
    except (ValueError, EOFError, zipfile.BadZipFile) as error:
        if str(error).startswith(("EOF: reading", "malformed node", "Cannot parse header", "Header")):
            raise _unusable(file_name, "it is cut short or damaged: its head is not whole") from None
        if isinstance(error, zipfile.BadZipFile):
            raise _unusable(file_name, f"it is cut short or damaged: {error}") from None
        raise _unusable(file_name, str(error).splitlines()[0] if str(error) else "it is damaged") from None
    except Exception as error:  # NumPy, zipfile and zlib raise all kinds of errors for damaged bytes
        raise _unusable(file_name, f"it is damaged ({type(error).__name__})") from None


def require_array(file_name: str) -> None:
    """Raise E0611 where `read_array` could not open the file; a pipe stays closed, whose bytes can be read once."""
    file_name, _ = _file_and_array(file_name)
    try:
        files.require_file_name(file_name)
        if stat.S_ISREG(os.stat(file_name).st_mode):
            open(file_name, "rb").close()
    except OSError as error:
        raise _unopened(file_name, error) from None
    except ValueError as error:
        raise _unusable(file_name, str(error)) from None


def _unopened(name: str, error: OSError) -> GdslError:
    fix = files.not_as_url(name) if isinstance(error, FileNotFoundError) else None
    return _unusable(name, error.strerror or str(error), fix)


def _file_and_array(text: str) -> tuple[str, str | None]:
    """The file and the array that `FILE.npz:NAME` names; an existing file of that whole name takes precedence."""
    places = [match.end() for match in re.finditer(r"\.npz(?=:.)", text, re.IGNORECASE | re.DOTALL)]
    if not places or os.path.exists(text):
        return text, None
    place = next((place for place in places if os.path.exists(text[:place])), places[0])
    return text[:place], text[place + 1 :]


def _is_array_file(start: bytes) -> bool:
    return start == b"\x93NUMPY" or start.startswith(_ZIP)


def _all_of(file: IO[bytes], start: bytes, longest: int) -> bytes:
    """The rest of a file that may be endless."""
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


def _from_array_file(name: str, start: bytes, file: IO[bytes]) -> np.ndarray[Any, Any]:
    return _array_in_archive(name, file) if start.startswith(_ZIP) else _array_in_file(file)


def _from_text(content: bytes) -> np.ndarray[Any, Any]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError("it is neither an array file nor text") from None
    words = text.split()
    if len(words) > 1 and (odd := next(filter(_DECIMAL_COMMA.fullmatch, words), None)):
        message = f"{odd[:40]} may be one number or two: numbers have a decimal point, not a comma"
        raise _MistakeError(message, _without_comma)
    text = text.replace(",", " ")
    words = text.split()
    booleans = {"true": True, "false": False}
    if words and all(word.lower() in booleans for word in words):
        return np.array([booleans[word.lower()] for word in words])
    try:
        wholes = [whole_number(word) for word in words]
    except ValueError:
        return _reals(words, text)
    dtype = np.uint64 if max(wholes, default=0) >= 2**63 and min(wholes) >= 0 else np.int64
    try:
        return np.array(wholes, dtype=dtype)
    except OverflowError:
        return _reals(words, text)


def _reals(words: list[str], text: str) -> np.ndarray[Any, Any]:
    """The numbers in a text. Raises ValueError with the line of the first word that is not a number."""
    numbers: list[float] = []
    try:
        for word in words:
            numbers.append(real_number(word))
    except ValueError as error:
        behind = itertools.accumulate(len(line.split()) for line in text.split("\n"))
        line = next(number for number, count in enumerate(behind, 1) if count > len(numbers))
        word, lines = words[len(numbers)], text.split("\n")
        is_comment = lines[line - 1].startswith("#")  # as those of numpy.savetxt
        is_header = line == 1 and word[:1].isalpha() and "".join(lines[1:2])[:1].isdigit()
        script = "'/^#/d'" if is_comment else "1d" if is_header else None
        fix = None if script is None else lambda _, file: f"remove it: {edited(file, script)}"
        raise _MistakeError(f"{shown(word)} in line {line} cannot be used: {error}", fix) from None
    return np.array(numbers)


class _MistakeError(ValueError):
    """A mistake with a fix, which depends on the names of the input and of the file."""

    def __init__(self, message: str, fix: Callable[[str, str], str | None] | None) -> None:
        super().__init__(message)
        self.fix = fix or (lambda name, file: None)


def _without_comma(_: str, file: str) -> str:
    point, blank = (edited(file, script) for script in ("s/,/./g", "'s/,/ /g'"))
    return f"put a point in place of the comma: {point}; or a blank, for two values: {blank}"


def _unusable(name: str, why: str, fix: str | None = None) -> GdslError:
    return GdslError.single("E0611", f"cannot read an array from {printable(name)}: {why}", fix=fix)


# ------------------------------------------------------------ .npy files and archives


def _other_arrays(wanted: str, names: Sequence[str]) -> _MistakeError:
    """The error for an archive that has no array of that name, only `names`."""
    enumeration = ", ".join(shown(name) for name in names[:_NAMED]) or "none"
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""

    def fix(name: str, file: str) -> str | None:
        can_be_named = names and file.lower().endswith(_ARCHIVE)
        return f"{name}=@{file}:ARRAY, with one of these names" if can_be_named else None

    return _MistakeError(f"it has no array called {shown(wanted)}, only {enumeration}{more}", fix)


def _array_in_file(file: IO[bytes]) -> np.ndarray[Any, Any]:
    """The array of a `.npy` file, which must be seekable. Raises ValueError."""
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    return _array(file, size)


def _array_in_archive(name: str, file: IO[bytes]) -> np.ndarray[Any, Any]:
    """The array called `name` in an archive, which must be seekable. Raises ValueError, and what zipfile raises."""
    size = file.seek(0, os.SEEK_END)
    with zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        matches = [member for member in members if member.filename in (name, f"{name}.npy")]
        if not matches:
            raise _other_arrays(name, list(dict.fromkeys(_called(member) for member in members)))
        if len(matches) > 1:
            raise ValueError(f"it has {len(matches)} arrays called {shown(name)}")
        [member] = matches
        if member.flag_bits & _ENCRYPTED:
            raise ValueError(f"what it has as {shown(name)} is encrypted; save it without a password")
        if member.file_size > size * _LARGEST_DEFLATE_RATIO:
            raise ValueError(f"it is damaged: it says that {shown(name)} has {member.file_size:,} bytes")
        try:
            with archive.open(member) as stream:
                return _array(stream, member.file_size, f"what it has as {shown(name)}")
        except NotImplementedError:
            raise ValueError(f"what it has as {shown(name)} is compressed in a way that is not known here") from None


def _called(member: zipfile.ZipInfo) -> str:
    return member.filename.removesuffix(".npy")


def _array(stream: IO[bytes], size: int, what: str = "it") -> np.ndarray[Any, Any]:
    """The array in `stream`, whose `size` bytes must hold all that its header claims. Raises ValueError."""
    start = stream.read(len(npy.MAGIC_PREFIX))
    if start != npy.MAGIC_PREFIX:
        raise ValueError(f"{what} is not an array")
    stream.seek(0)
    with quiet():  # NumPy warns of headers written by Python 2, which are valid
        version = npy.read_magic(stream)
        read_header = npy.read_array_header_1_0 if version[0] == 1 else npy.read_array_header_2_0
        shape, _, dtype = read_header(stream, max_header_size=_LARGEST_HEADER)
        if dtype.hasobject:
            raise ValueError(f"{what} holds Python objects, which are never loaded")
        if any(length < 0 for length in shape):
            raise ValueError(f"{what} is damaged: its head says a negative length")
        claimed, held = dtype.itemsize * math.prod(map(int, shape)), size - stream.tell()
        if claimed > held:
            sizes = f"its head says {claimed:,} bytes, and {held:,} follow"
            raise ValueError(f"{what} is cut short or damaged: {sizes}")
        stream.seek(0)
        return np.asarray(npy.read_array(stream, allow_pickle=False, max_header_size=_LARGEST_HEADER))
