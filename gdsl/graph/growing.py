"""Columns of numbers that come block by block, put where they stay: memory is asked for as if the rest of the file were
like what has been read. What is asked for and never written costs nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.graph.text import narrowed

_FIRST = 1 << 20
_MOST = 64
"""Times as many rows as there are that room is made for at once: what is read first may be of another kind."""
_MORE = 1.02
"""Times the rows that are to be expected."""


class Growing:
    """Columns of as many rows as have been given. An int64 is an int32 where all of a block fit, and the whole has the
    type that holds all of its blocks."""

    def __init__(self, first: tuple[NDArray[Any], ...], nbytes: int | None) -> None:
        """`nbytes` is the size of the text, where it is known."""
        self._made = list(first)
        self._rows, self._read, self._nbytes = len(first[0]), 0, nbytes
        self._rows_of_blocks = 0

    def append(self, found: tuple[NDArray[Any], ...], nbytes: int) -> None:
        """The rows of a block of so many bytes."""
        rows = self._rows + len(found[0])
        self._read += nbytes
        self._rows_of_blocks += len(found[0])
        for place, part in enumerate(found):
            part, column = narrowed(part), self._made[place]
            kind = np.result_type(part, column if self._rows < len(column) else narrowed(column))
            if rows > len(column) or kind != column.dtype:
                self._made[place] = np.empty(max(self._expected(rows), len(column)), kind)
                self._made[place][: self._rows] = column[: self._rows]
            self._made[place][self._rows : rows] = part
        self._rows = rows

    def _expected(self, rows: int) -> int:
        """Of how many rows all of the text will be, so many of which have been read."""
        if self._nbytes is None or not self._rows_of_blocks:
            return 2 * rows
        whole = int(self._rows_of_blocks / self._read * self._nbytes * _MORE)
        return max(min(whole, _MOST * rows + _FIRST), rows + rows // 4)

    @property
    def columns(self) -> tuple[NDArray[Any], ...]:
        """What has been given."""
        return tuple(column[: self._rows] for column in self._made)
