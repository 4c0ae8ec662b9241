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
        self.user: object = None
        """Who works there: what it left is still there."""
        self._keeps: weakref.ref[Any] | None = None
        self.users: weakref.WeakSet[Any] = weakref.WeakSet()
        """The memory of programs that have run here, which can `let_go` of some."""

    def enter(self, user: object, sizes: Sequence[int]) -> Sequence[Buffer]:
        """Memory for `user` alone until another one asks, of any content."""
        former, self._room, self.user = self._room, None, None
        self._room = self._device.room(sizes, former)
        self.user = user
        return self._room.buffers

    def keeps_much(self, user: Any) -> None:
        """`user` has much memory for its next run, which nobody else on this graph may have beside it."""
        former = self._keeps() if self._keeps is not None else None
        if former is not None and former is not user:
            former.let_go()
        self._keeps = weakref.ref(user)

    def forget(self) -> None:
        """What the last user left is not what the next one may build upon: its run was stopped."""
        self.user = None

    def let_go(self) -> bool:
        """Free the memory that nobody works in at the moment; whether there was any."""
        former, self._room, self.user = self._room, None, None
        for user in self.users:
            user.let_go()
        return former is not None
