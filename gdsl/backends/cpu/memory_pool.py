"""A pool of memory for the runs of one program: mapping fresh pages takes longer than most operators.

Local arrays return to the pool when a run ends. Results return once the caller has dropped them and every view of them,
which the next run finds out. Generated code has a pool of its own (`templates/cpu/runtime/memory_pool.hpp`).
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdsl.backends.cpu.memory import allocate, array_in, block_size, new_block

SMALLEST, MOST = 1 << 16, 1 << 30
"""The bytes of the smallest array that is pooled, and of the whole pool, including what callers have."""
MOST_LENT = 64
"""The most results that are tracked while callers have them; others are freed as usual."""

Block: TypeAlias = NDArray[np.uint8]


class MemoryPool:
    """The idle blocks, and those lent to callers.

    Several threads may use it, and Ctrl-C may interrupt it between any two lines: every step is a single operation on a
    dict or a list, and a block taken out of one belongs to the taker. Nothing runs when a result is dropped, since
    Ctrl-C would be lost there.
    """

    def __init__(self) -> None:
        self._idle: dict[int, list[Block]] = {}
        """By size."""
        self._lent: dict[int, tuple[weakref.ref[_Owner], Block]] = {}
        """By address, with the object that every view of the block keeps alive."""
        self._sizes: frozenset[int] = frozenset()
        """The sizes that the last run used; blocks of other sizes are freed."""

    @property
    def nbytes(self) -> int:
        """The bytes of all blocks, idle and lent."""
        idle = sum(size * len(blocks) for size, blocks in self._idle.copy().items())
        return idle + sum(len(block) for _, block in self._lent.copy().values())

    def begin(self) -> RunMemory:
        """The memory of a new run; `RunMemory.end` returns what is not lent."""
        for address, lent in self._lent.copy().items():
            owner, block = lent
            if owner() is None and self._lent.pop(address, None) is lent:
                self.put(block)
        return RunMemory(self)

    def take(self, size: int) -> Block | None:
        """Take an idle block of this size."""
        try:
            return self._idle[size].pop()
        except (KeyError, IndexError):
            return None

    def put(self, block: Block) -> None:
        """Put back a block, if its size is in use."""
        size = len(block)
        if size in self._sizes and self.nbytes + size <= MOST:
            self._idle.setdefault(size, []).append(block)

    def limit_sizes(self, sizes: Iterable[int]) -> None:
        """Keep blocks of the sizes that a run has used; free the others."""
        self._sizes = frozenset(sizes)
        self._idle = {size: blocks for size, blocks in self._idle.copy().items() if size in self._sizes}
        lent = self._lent.copy().items()
        self._lent = {address: each for address, each in lent if len(each[1]) in self._sizes}

    def free_idle(self) -> bool:
        """Free all idle blocks; False where there are none."""
        idle, self._idle = self._idle, {}
        return any(idle.values())

    def lend(self, array: NDArray[Any], block: Block) -> NDArray[Any]:
        """The `array` in `block`, lent to the caller until the last view of it is dropped."""
        if len(self._lent) >= MOST_LENT or self.nbytes + len(block) > MOST:
            return array
        owner = _Owner(array, block)
        lent = np.asarray(owner)
        self._lent[block.ctypes.data] = weakref.ref(owner), block
        return lent.view()  # a view has flags that can be changed; those of the first array on an owner cannot


class RunMemory:
    """The memory of one run."""

    def __init__(self, pool: MemoryPool) -> None:
        self._pool = pool
        self._sizes: set[int] = set()
        self._taken: dict[int, Block] = {}
        """By the address of the array in the block."""

    def allocate(self, count: int, dtype: np.dtype[Any]) -> NDArray[Any]:
        """An uninitialized array, as `memory.allocate` returns it; raises MemoryError."""
        size = block_size(count, dtype)
        if size < SMALLEST:
            return allocate(count, dtype)
        self._sizes.add(size)
        block = self._pool.take(size)
        if block is None:
            block = self._new_block(size)
        array = array_in(block, count, dtype)
        self._taken[array.ctypes.data] = block
        return array

    def _new_block(self, size: int) -> Block:
        try:
            return new_block(size)
        except MemoryError:
            if not self._pool.free_idle():
                raise
        return new_block(size)

    def lent(self, array: NDArray[Any]) -> NDArray[Any]:
        """An array of this run, lent to the caller from now on."""
        block = self._taken.pop(array.ctypes.data, None)
        return array if block is None else self._pool.lend(array, block)

    def end(self) -> None:
        """Return what was not lent to the pool."""
        self._pool.limit_sizes(self._sizes)
        while self._taken:
            self._pool.put(self._taken.popitem()[1])


class _Owner:
    """The base of all views of a lent array."""

    def __init__(self, array: NDArray[Any], block: Block) -> None:
        self.__array_interface__, self._block = array.__array_interface__, block
