"""The arguments of the kernels of a run on several GPUs: each gets the addresses of its own copies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy

from gdsl.backends.cuda.protocol import Arguments

if TYPE_CHECKING:
    from gdsl.backends.cuda.flat_ranges import CopyArena


class OwnArguments:
    """Those of so many kernels. They are changed only where the record is another one, or has changed: runs begin when
    the last kernel is launched."""

    def __init__(self, kernels: int) -> None:
        self._kernels, self._values = kernels, b""
        self._own: list[Arguments] = []

    def of(self, arguments: Arguments, arena: CopyArena) -> list[Arguments]:
        """The arguments of each kernel, given those of the first one."""
        assert arguments.pointers is not None
        record, *others = arguments.values
        if not self._own or self._own[0] is not arguments:
            copies = (Arguments(record.copy(), *others) for _ in range(1, self._kernels))
            self._own, self._values = [arguments, *copies], b""
        values = record.tobytes()
        if values != self._values:
            # As words: NumPy copies a struct field by field, which takes several times as long as a launch.
            words, places = record.view(numpy.uint64), arguments.pointers
            offsets = words[places] - numpy.uint64(arena.pointer)  # below it wraps
            copied = places[offsets < arena.stride]
            for number, own in enumerate(self._own[1:], 1):
                own_words = own.values[0].view(numpy.uint64)
                own_words[:] = words
                own_words[copied] += numpy.uint64(number * arena.stride)
            self._values = values
        return self._own
