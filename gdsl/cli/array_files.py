"""Arrays in `.npy` files and in archives of them, of which nothing is believed before it is checked."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Sequence
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy

from gdsl.diagnostics import shown
from gdsl.graph.messages import quiet

_NAMED = 10
"""So many arrays of an archive are named in a message."""
_ENCRYPTED = 0x1
_LARGEST_DEFLATE_RATIO = 1100
_LARGEST_HEADER = 16_384


class OtherArraysError(ValueError):
    """An archive has no array of a name, but `names`."""

    def __init__(self, wanted: str, names: Sequence[str]) -> None:
        listed = ", ".join(shown(name) for name in names[:_NAMED]) or "none"
        more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
        super().__init__(f"it has no array called {shown(wanted)}, only {listed}{more}")


def array_in_file(file: IO[bytes]) -> np.ndarray[Any, Any]:
    """The array of a `.npy` file, which may be sought in. Raises ValueError."""
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    return _array(file, size)


def array_in_archive(name: str, file: IO[bytes]) -> np.ndarray[Any, Any]:
    """The array called `name` in an archive, which may be sought in. Raises ValueError, and what zipfile raises."""
    size = file.seek(0, os.SEEK_END)
    with zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        found = [member for member in members if member.filename in (name, f"{name}.npy")]
        if not found:
            raise OtherArraysError(name, list(dict.fromkeys(_called(member) for member in members)))
        if len(found) > 1:
            raise ValueError(f"it has {len(found)} arrays called {shown(name)}")
        [member] = found
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
    """The array in `stream`, of `size` bytes, which hold all that its head says. Raises ValueError."""
    start = stream.read(len(npy.MAGIC_PREFIX))
    if start != npy.MAGIC_PREFIX:
        raise ValueError(f"{what} is no array")
    stream.seek(0)
    with quiet():  # NumPy warns of headers by Python 2, which are right all the same
        version = npy.read_magic(stream)
        read_header = npy.read_array_header_1_0 if version[0] == 1 else npy.read_array_header_2_0
        shape, _, dtype = read_header(stream, max_header_size=_LARGEST_HEADER)
        if dtype.hasobject:
            raise ValueError(f"{what} holds Python objects, which are never loaded")
        if any(length < 0 for length in shape):
            raise ValueError(f"{what} is damaged: its head says a negative length")
        claimed, held = dtype.itemsize * _product(shape), size - stream.tell()
        if claimed > held:
            told = f"its head says {claimed:,} bytes, and {held:,} follow"
            raise ValueError(f"{what} is cut short or damaged: {told}")
        stream.seek(0)
        return np.asarray(npy.read_array(stream, allow_pickle=False, max_header_size=_LARGEST_HEADER))


def _product(shape: Sequence[int]) -> int:
    product = 1
    for length in shape:
        product *= int(length)
    return product
