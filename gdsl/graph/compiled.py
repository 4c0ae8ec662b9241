"""Blocks of text as columns of numbers by C++ of this machine, where it can be had: what `decimals` reads, and no more.

What reads large files in a third of the time is not needed for any of them: without a compiler, for small files and for
what is left over `decimals` does it, to the same last bit.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.graph import decimals
from gdsl.graph.digits import lists_of
from gdsl.graph.text import narrowed
from gdsl.native import kept

Columns = tuple[NDArray[Any], ...]
Lists = tuple[NDArray[np.int64], NDArray[np.int64]]
ReadColumns = Callable[[bytes, Sequence[type], str | None], Columns | None]

WORTH_COMPILING = 32 << 20
"""Bytes of a file from which on it pays to compile what reads it, for this file and all that follow."""

_NAME, _COLUMNS, _NUMBERS = "graph/columns.cpp", "gdsl_columns", "gdsl_numbers"
_KINDS: dict[type, int] = {np.int32: 0, np.int64: 1, np.uint64: 2, np.float64: 3}
_TOO_WIDE = -2
_MOST_LEFT = 256
"""Reals of a block that are left to Python, such as those beyond float64; where they are more it is left to NumPy."""


def reader(path: str) -> ReadColumns:
    """What reads the blocks of the large file at `path` best."""
    library = _library_for(path)
    return decimals.columns_of if library is None else _Reader(library)


def lists_reader(path: str) -> Callable[[bytes], Lists | None]:
    """What reads lists of whole numbers, as `digits.lists_of`, of the large file at `path` best."""
    library = _library_for(path)
    return lists_of if library is None else partial(_lists, library)


def _library_for(path: str) -> ctypes.CDLL | None:
    return kept.library(_NAME, (_COLUMNS, _NUMBERS), make=os.path.getsize(path) >= WORTH_COMPILING)


def _lists(library: ctypes.CDLL, lines: bytes) -> Lists | None:
    read = library[_NUMBERS]
    read.restype = ctypes.c_int64
    numbers, lengths = np.empty(len(lines) // 2 + 1, np.int64), np.empty(len(lines), np.int64)
    places = (ctypes.c_void_p(each.ctypes.data) for each in (numbers, lengths))
    num_lines = ctypes.c_int64()
    count = read(lines, ctypes.c_int64(len(lines)), *places, ctypes.byref(num_lines))
    return None if count < 0 else (numbers[:count], lengths[: num_lines.value])


class _Reader:
    """`decimals.columns_of`, by the compiled library; any number of threads may call it."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self._read = library[_COLUMNS]
        self._read.restype = ctypes.c_int64

    def __call__(self, lines: bytes, types: Sequence[type], delimiter: str | None) -> Columns | None:
        """As `decimals.columns_of`; ids and other whole numbers are tried as int32 first, as nearly all of them are."""
        kinds = [np.int32 if kind is np.int64 else kind for kind in types]
        found = self._columns(lines, kinds, delimiter)
        if found == _TOO_WIDE and kinds != list(types):
            found = self._columns(lines, types, delimiter)
        if isinstance(found, int):
            return None if found == _TOO_WIDE else decimals.columns_of(lines, types, delimiter)
        return tuple(narrowed(column) for column in found)

    def _columns(self, lines: bytes, types: Sequence[type], delimiter: str | None) -> Columns | int:
        """The columns, or what the library says instead of how many rows there are."""
        # A word and what is behind it are two bytes or more, and of one row more some words may stand there.
        room = len(lines) // (2 * len(types)) + 1
        columns: Columns = tuple(np.empty(room, kind) for kind in types)
        addresses = (ctypes.c_void_p * len(types))(*(column.ctypes.data for column in columns))
        kinds = (ctypes.c_int32 * len(types))(*(_KINDS[kind] for kind in types))
        left, num_left = (ctypes.c_int64 * (4 * _MOST_LEFT))(), ctypes.c_int64()
        mark = ord(delimiter) if delimiter else 0
        size = ctypes.c_int64(len(lines))
        rows = self._read(lines, size, len(types), kinds, mark, addresses, left, ctypes.byref(num_left))
        if rows < 0:
            return int(rows)
        for at in range(0, 4 * num_left.value, 4):
            row, place, begin, length = left[at : at + 4]
            columns[place][row] = float(lines[begin : begin + length])
        return tuple(column[:rows] for column in columns)
