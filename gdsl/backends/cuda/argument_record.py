"""The record that a kernel gets as its argument: pointers and values, as its plan's tables lay them out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

from gdsl.backends.cuda.protocol import Buffer
from gdsl.plan import buffer_nodes


class Record:
    """The argument of kernels, a struct with the layout `dtype`: groups of fields."""

    def __init__(self, dtype: numpy.dtype[Any]) -> None:
        self.data = numpy.zeros(1, dtype)
        self._bytes = self.data.view(numpy.uint8)
        self._pointers: dict[tuple[str, str], NDArray[Any]] = {}

    def value(self, group: str, name: str, dtype: numpy.dtype[Any]) -> NDArray[Any]:
        """The field `name` of `group` as an array of one value of `dtype`."""
        return self._at(group, name, dtype, 1)

    def pointer(self, buffer: buffer_nodes.Buffer) -> NDArray[Any]:
        """The field for `buffer`: its pointer, or those of its copies."""
        key = (buffer.group, buffer.name)
        if key not in self._pointers:
            self._pointers[key] = self._at(*key, numpy.dtype("u8"), max(buffer.copies, 1))
        return self._pointers[key]

    def point(self, buffer: buffer_nodes.Buffer, created: Sequence[Buffer]) -> None:
        """Let the field for `buffer` point to its memory."""
        places = self.pointer(buffer)
        for place, each in enumerate(created):
            places[place] = each.pointer

    def pointer_places(self) -> NDArray[numpy.int64]:
        """The places of the pointers known so far, in words of 8 bytes."""
        start = self._bytes.ctypes.data
        places = [
            (each.ctypes.data - start) // 8 + place for each in self._pointers.values() for place in range(len(each))
        ]
        return numpy.array(sorted(places), numpy.int64)

    def set_values(self, group: str, values: Mapping[str, int]) -> None:
        """Set fields that are not pointers to buffers."""
        for name, value in values.items():
            self.data[group][name] = value

    def _at(self, group: str, name: str, dtype: numpy.dtype[Any], count: int) -> NDArray[Any]:
        whole = self.data.dtype.fields
        assert whole is not None
        part, first = whole[group][:2]
        inner = part.fields
        assert inner is not None
        begin = first + inner[name][1]
        return self._bytes[begin : begin + count * dtype.itemsize].view(dtype)
