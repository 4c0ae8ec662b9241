"""The memory that programs work in while they run on a graph, one after the other, whatever its layout."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

from gdsl.backends.cuda.protocol import Buffer, Device, Room


class Workroom:
    """One room, which the program that runs has to itself."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._room: Room | None = None
        self._user: object = None
        self.users: weakref.WeakSet[Any] = weakref.WeakSet()
        """The memory of programs that have run here, which can `let_go` of some."""

    def enter(self, user: object, sizes: Sequence[int]) -> Sequence[Buffer] | None:
        """Memory for `user` alone until another one asks; None: it has it, and what it left is still there."""
        if self._user is user:
            return None
        former, self._room, self._user = self._room, None, None
        self._room = self._device.room(sizes, former)
        self._user = user
        return self._room.buffers

    def forget(self) -> None:
        """What the last user left is not what the next one may build upon: its run was stopped."""
        self._user = None

    def let_go(self) -> bool:
        """Free the memory that nobody works in at the moment; whether there was any."""
        former, self._room, self._user = self._room, None, None
        for user in self.users:
            user.let_go()
        return former is not None
