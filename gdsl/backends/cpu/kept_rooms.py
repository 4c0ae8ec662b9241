"""Memory of arrays, kept for later runs of the same program: fresh pages take the system longer than most operators.

What ends with a run is there for the next one. A result is the caller's until nobody has it or a view of it any more,
which the run that comes then looks for. What the generated code allocates itself it keeps in a way of its own
(`templates/cpu/runtime/kept_memory.hpp`).
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdsl.backends.cpu.memory import block_for, laid_out, room_for, size_of

SMALLEST, MOST = 1 << 16, 1 << 30
"""Bytes of an array that is worth keeping, and of all that are kept, those that callers have now included."""
MOST_LENT = 64
"""How many of those that callers have now are looked after; the others go where they came from."""

Block: TypeAlias = NDArray[np.uint8]


class KeptRooms:
    """What no run has, and what callers have.

    Several threads may be here at once, and Ctrl-C may come between any two lines: each step is one of a dict or a
    list, which is whole by itself, and what one takes out no other finds. Nothing is done when a result goes, as Ctrl-C
    in the midst of that would be lost.
    """

    def __init__(self) -> None:
        self._idle: dict[int, list[Block]] = {}
        """By their bytes."""
        self._lent: dict[int, tuple[weakref.ref[_Ground], Block]] = {}
        """By their address, and whether somebody has them yet."""
        self._asked: frozenset[int] = frozenset()
        """The bytes of each block that the last run asked for; others are of no use."""

    @property
    def nbytes(self) -> int:
        """The bytes of all that is kept."""
        idle = sum(size * len(alike) for size, alike in self._idle.copy().items())
        return idle + sum(len(block) for _, block in self._lent.copy().values())

    def begin(self) -> RoomsOfRun:
        """For a run; `RoomsOfRun.end` gives back what is not lent by then."""
        for address, lent in self._lent.copy().items():
            ground, block = lent
            if ground() is None and self._lent.pop(address, None) is lent:
                self.keep(block)
        return RoomsOfRun(self)

    def take(self, size: int) -> Block | None:
        """A block of so many bytes, for nobody else."""
        try:
            return self._idle[size].pop()
        except (KeyError, IndexError):
            return None

    def keep(self, block: Block) -> None:
        """Have a block that nobody has, if it is of use."""
        size = len(block)
        if size in self._asked and self.nbytes + size <= MOST:
            self._idle.setdefault(size, []).append(block)

    def settle(self, asked: Iterable[int]) -> None:
        """A run has asked for blocks of so many bytes each: others go, and are not kept from now on."""
        self._asked = frozenset(asked)
        self._idle = {size: alike for size, alike in self._idle.copy().items() if size in self._asked}
        lent = self._lent.copy().items()
        self._lent = {address: each for address, each in lent if len(each[1]) in self._asked}

    def let_go(self) -> bool:
        """Let go of all that is idle; False where there is nothing."""
        idle, self._idle = self._idle, {}
        return any(idle.values())

    def lend(self, room: NDArray[Any], block: Block) -> NDArray[Any]:
        """An array at the place of `room`, in `block`: the caller has them until the last view of it has gone."""
        if len(self._lent) >= MOST_LENT or self.nbytes + len(block) > MOST:
            return room
        ground = _Ground(room, block)
        lent = np.asarray(ground)
        self._lent[block.ctypes.data] = weakref.ref(ground), block
        return lent.view()  # whose flags can be changed: NumPy refuses that of the first array on a ground


class RoomsOfRun:
    """The memory of one run."""

    def __init__(self, kept: KeptRooms) -> None:
        self._kept = kept
        self._asked: set[int] = set()
        self._taken: dict[int, Block] = {}
        """By the address of the array that lies there."""

    def room(self, count: int, dtype: np.dtype[Any]) -> NDArray[Any]:
        """An array of `count` values, as `memory.room_for` makes them, that holds anything; raises MemoryError."""
        size = size_of(count, dtype)
        if size < SMALLEST:
            return room_for(count, dtype)
        self._asked.add(size)
        block = self._kept.take(size)
        if block is None:
            block = self._made(size)
        room = laid_out(block, count, dtype)
        self._taken[room.ctypes.data] = block
        return room

    def _made(self, size: int) -> Block:
        try:
            return block_for(size)
        except MemoryError:
            if not self._kept.let_go():
                raise
        return block_for(size)

    def lent(self, room: NDArray[Any]) -> NDArray[Any]:
        """An array of this run as the caller has it from now on."""
        block = self._taken.pop(room.ctypes.data, None)
        return room if block is None else self._kept.lend(room, block)

    def end(self) -> None:
        """The run has ended: what was not lent is for later ones."""
        self._kept.settle(self._asked)
        while self._taken:
            self._kept.keep(self._taken.popitem()[1])


class _Ground:
    """What all views of a lent array stand on, in the end."""

    def __init__(self, room: NDArray[Any], block: Block) -> None:
        self.__array_interface__, self._block = room.__array_interface__, block
