"""The bytes of `data_slice`, and the places in them that change from run to run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

from gdsl.backends.cuda.protocol import Buffer
from gdsl.plan import storage


class Record:
    """A struct that kernels get, laid out as `dtype` says: groups of fields."""

    def __init__(self, dtype: numpy.dtype[Any]) -> None:
        self.data = numpy.zeros(1, dtype)
        self._bytes = self.data.view(numpy.uint8)
        self._pointers: dict[tuple[str, str], NDArray[Any]] = {}

    def value(self, group: str, name: str, dtype: numpy.dtype[Any]) -> NDArray[Any]:
        """The field `name` of `group` as an array of one value of `dtype`."""
        return self._at(group, name, dtype, 1)

    def pointer(self, buffer: storage.Buffer) -> NDArray[Any]:
        """The member that is `buffer`: its pointer, or those of its copies."""
        key = (buffer.group, buffer.name)
        if key not in self._pointers:
            self._pointers[key] = self._at(*key, numpy.dtype("u8"), max(buffer.copies, 1))
        return self._pointers[key]

    def point(self, buffer: storage.Buffer, made: Sequence[Buffer]) -> None:
        """Let the member that is `buffer` point to its memory."""
        places = self.pointer(buffer)
        for place, each in enumerate(made):
            places[place] = each.pointer

    def set_values(self, group: str, values: Mapping[str, int]) -> None:
        """Fields that are no pointers to buffers."""
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
