"""The results of many runs as one array each: a row for each run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gdsl.backends.interface import Pair


class Stacks:
    """Rows by name, put in as they come. What comes at once as a whole is kept as it is."""

    def __init__(self, count: int) -> None:
        self._count, self._at = count, 0
        self.arrays: dict[str, Any] = {}

    def put(self, rows: Mapping[str, Any], count: int) -> None:
        """The next `count` rows of every array. NumPy and CuPy alike: they are kept where the first are, and on the
        host where that has no room for all. Raises MemoryError."""
        if count == self._count:
            self.arrays = dict(rows)
        else:
            first, behind = self._at, self._at + count
            for name, values in rows.items():
                if name not in self.arrays:
                    self.arrays[name] = mapped(lambda part: _room(part, self._count), values)
                _each(self.arrays[name], values, lambda whole, part: _fill(whole, part, first, behind))
        self._at += count


def mapped(function: Callable[[Any], Any], values: Any) -> Any:
    """Of an array, or of both of a pair."""
    return Pair(*map(function, values)) if isinstance(values, Pair) else function(values)


def _each(whole: Any, values: Any, act: Callable[[Any, Any], None]) -> None:
    if isinstance(values, Pair):
        act(whole.first, values.first)
        act(whole.second, values.second)
    else:
        act(whole, values)


def _room(like: Any, count: int) -> Any:
    shape = (count, *like.shape[1:])
    if isinstance(like, np.ndarray):
        return np.empty(shape, like.dtype)
    try:
        return np.empty_like(like, shape=shape)  # CuPy's, through NumPy's protocol
    except MemoryError:  # the device has less than the host
        return np.empty(shape, like.dtype)


def _fill(whole: Any, part: Any, first: int, behind: int) -> None:
    whole[first:behind] = part.get() if isinstance(whole, np.ndarray) and hasattr(part, "get") else part
