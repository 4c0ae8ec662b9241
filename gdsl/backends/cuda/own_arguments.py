"""The arguments of the kernels of a run on several GPUs: each gets the addresses of its own copies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy
from numpy.typing import NDArray

from gdsl.backends.cuda.protocol import Arguments

if TYPE_CHECKING:
    from gdsl.backends.cuda.flat_ranges import CopyArena


class OwnArguments:
    """Those of so many kernels. Runs begin when the last kernel is launched, and operations on arrays take as long as
    several launches. So a record that is the same as before is recognized by its bytes, and of another one only the
    words that differ are looked at: one or two where results are new."""

    def __init__(self, kernels: int) -> None:
        self._kernels, self._bytes = kernels, b""
        self._own: list[Arguments] = []
        self._words: list[NDArray[Any]] = []
        """Their records as words."""
        self._latest: NDArray[Any] = numpy.zeros(0, numpy.uint64)
        """Those of the first one in the last run."""
        self._pointers: NDArray[Any] | None = None
        self._places = frozenset[int]()
        """Both: the places of addresses of what no run changes."""

    def of(self, arguments: Arguments, arena: CopyArena) -> list[Arguments]:
        """The arguments of each kernel, given those of the first one."""
        assert arguments.pointers is not None
        former, self._bytes = self._bytes, arguments.values[0].tobytes()
        if not self._own or self._own[0] is not arguments or self._pointers is not arguments.pointers:
            self._begin(arguments)
            changed: Sequence[int] = range(len(self._latest))
        elif self._bytes == former:
            changed = ()
        else:
            changed = numpy.flatnonzero(self._words[0] != self._latest).tolist()
        for place in changed:
            value = int(self._words[0][place])
            is_copied = place in self._places and 0 <= value - arena.pointer < arena.stride
            for number, words in enumerate(self._words[1:], 1):
                words[place] = value + number * arena.stride if is_copied else value
            self._latest[place] = value
        return self._own

    def _begin(self, arguments: Arguments) -> None:
        record, *others = arguments.values
        copies = (Arguments(record.copy(), *others) for _ in range(1, self._kernels))
        self._own, self._pointers = [arguments, *copies], arguments.pointers
        self._words = [each.values[0].view(numpy.uint64) for each in self._own]
        self._places = frozenset(self._pointers.tolist()) if self._pointers is not None else frozenset()
        self._latest = self._words[0].copy()
