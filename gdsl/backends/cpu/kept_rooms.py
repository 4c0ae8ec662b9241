"""Memory of arrays that end with a run, kept for the next one: fresh pages take the system longer than most operators.

What the generated code allocates itself it keeps in the same way (`templates/cpu/runtime/kept_memory.hpp`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.backends.cpu.memory import room_for

SMALLEST, MOST = 1 << 18, 1 << 30
"""Bytes of an array that is worth keeping, and of all that are kept."""


class KeptRooms:
    """What the run before had. One run at a time has it; another that goes on meanwhile makes its own."""

    def __init__(self) -> None:
        self._idle: list[list[NDArray[Any]]] = []

    def begin(self) -> RoomsOfRun:
        """For a run; `RoomsOfRun.end` gives it back."""
        try:
            return RoomsOfRun(self, self._idle.pop())
        except IndexError:
            return RoomsOfRun(self, [])

    def keep(self, rooms: list[NDArray[Any]]) -> None:
        """These alone, from now on."""
        self._idle[:] = [rooms]


class RoomsOfRun:
    """The memory of one run."""

    def __init__(self, kept: KeptRooms, idle: list[NDArray[Any]]) -> None:
        self._kept, self._idle = kept, idle
        self._taken: list[NDArray[Any]] = []

    def room(self, count: int, dtype: np.dtype[Any]) -> NDArray[Any]:
        """An array of `count` values, as `memory.room_for` makes them, that holds anything; raises MemoryError."""
        alike = (place for place, room in enumerate(self._idle) if len(room) == count and room.dtype == dtype)
        place = next(alike, None)
        room = self._made(count, dtype) if place is None else self._idle.pop(place)
        self._taken.append(room)
        return room

    def _made(self, count: int, dtype: np.dtype[Any]) -> NDArray[Any]:
        try:
            return room_for(count, dtype)
        except MemoryError:
            if not self._idle:
                raise
        self._idle.clear()
        return room_for(count, dtype)

    def end(self, results: Callable[[], Iterable[NDArray[Any]]]) -> None:
        """The run has ended: what `results` returns is the caller's from now on, the rest is for the next one."""
        large = [room for room in self._taken if room.nbytes >= SMALLEST]
        given = {array.ctypes.data for array in results()} if large else set()
        rooms, kept = [], 0
        for room in large:
            if room.ctypes.data not in given and kept + room.nbytes <= MOST:
                rooms.append(room)
                kept += room.nbytes
        self._kept.keep(rooms)
