"""Messages between workers: segments of several types as one array of bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

NOTHING, ALL, OWN, LIST = range(4)
"""What a segment of a message has: nothing, all values, all those that the sender owns, or values at some places."""


class Writer:
    """Segments of several types as one array of bytes, each behind its kind and its length, at multiples of 8."""

    def __init__(self) -> None:
        self._parts: list[NDArray[np.uint8]] = []

    def put(self, kind: int, values: NDArray[Any]) -> None:
        """Append a segment of this `kind`: the bytes of an array of any dtype."""
        data = np.ascontiguousarray(values).view(np.uint8)
        head = np.array([kind, len(data)], np.int64).view(np.uint8)
        self._parts += [head, data, np.zeros(-len(data) % 8, np.uint8)]

    def packed(self) -> NDArray[np.uint8]:
        """All segments as one array of bytes."""
        return np.concatenate(self._parts) if self._parts else np.zeros(0, np.uint8)


class Reader:
    """Reads what a `Writer` wrote."""

    def __init__(self, packed: NDArray[np.uint8]) -> None:
        self._packed = np.ascontiguousarray(packed)
        self._at = 0

    def next(self) -> tuple[int, NDArray[np.uint8]]:
        """The kind and the bytes of the next segment."""
        kind, length = self._packed[self._at : self._at + 16].view(np.int64).tolist()
        first = self._at + 16
        self._at = first + length + -length % 8
        return kind, self._packed[first : first + length]

    def values(self, dtype: np.dtype[Any]) -> NDArray[Any]:
        """The values of the next segment, which were of the type `dtype` when they were put."""
        return self.next()[1].view(dtype)
