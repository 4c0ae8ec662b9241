"""The fast reader of text files: blocks of lines as numbers, by a C++ library compiled on this machine.

It reads plain decimal numbers only and returns None for any other block, which the exact reader (`columns`) takes.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.graph.number_text import narrowed
from gdsl.native import helper_library

Columns = tuple[NDArray[Any], ...]
Lists = tuple[NDArray[np.int64], NDArray[np.int64]]

WORTH_COMPILING = 16 << 20
"""From this size in bytes on, a file is worth compiling the library, which later files then use too."""

_NAME, _COLUMNS, _NUMBERS = "graph/columns.cpp", "gdsl_columns", "gdsl_numbers"
_KINDS: dict[type, int] = {np.int32: 0, np.int64: 1, np.uint64: 2, np.float64: 3}
_TOO_WIDE = -2
_MOST_LEFT = 256
"""Reals of a block that the library leaves to Python, such as those beyond float64."""


def columns_reader(path: str) -> ColumnsReader | None:
    """The reader of columns for the file at `path`; None without a compiler, and where compiling does not pay."""
    library = _library_for(path)
    return None if library is None else ColumnsReader(library)


def lists_reader(path: str) -> Callable[[bytes], Lists | None] | None:
    """The reader of lists of whole numbers, the counterpart of `columns.lists_of`."""
    library = _library_for(path)
    return None if library is None else partial(_lists, library)


def _library_for(path: str) -> ctypes.CDLL | None:
    return helper_library.library(_NAME, (_COLUMNS, _NUMBERS), make=os.path.getsize(path) >= WORTH_COMPILING)


def _lists(library: ctypes.CDLL, lines: bytes) -> Lists | None:
    read = library[_NUMBERS]
    read.restype = ctypes.c_int64
    numbers, lengths = np.empty(len(lines) // 2 + 1, np.int64), np.empty(len(lines), np.int64)
    places = (ctypes.c_void_p(each.ctypes.data) for each in (numbers, lengths))
    num_lines = ctypes.c_int64()
    count = read(lines, ctypes.c_int64(len(lines)), *places, ctypes.byref(num_lines))
    return None if count < 0 else (numbers[:count], lengths[: num_lines.value])


class ColumnsReader:
    """The columns of a block of lines; any number of threads may call it."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self._read = library[_COLUMNS]
        self._read.restype = ctypes.c_int64

    def __call__(self, lines: bytes, types: Sequence[type], delimiter: str | None) -> Columns | None:
        """The values by column, int64 as int32 where they fit; None where the block holds anything unusual."""
        narrow = [np.int32 if kind is np.int64 else kind for kind in types]
        result = self._columns(lines, narrow, delimiter)
        if result == _TOO_WIDE and narrow != list(types):
            result = self._columns(lines, types, delimiter)
        return None if isinstance(result, int) else tuple(narrowed(column) for column in result)

    def _columns(self, lines: bytes, types: Sequence[type], delimiter: str | None) -> Columns | int:
        """The columns, or the negative code by which the library reports why there are none."""
        # A word and the byte after it are two bytes or more; a last row that is not whole needs one row more.
        max_rows = len(lines) // (2 * len(types)) + 1
        columns: Columns = tuple(np.empty(max_rows, kind) for kind in types)
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
