"""What the host looks at while a launch for many values runs."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy

from gdsl.backends.cuda.protocol import Buffer, Device

_EVERY = 0.2
"""Seconds between two looks at how many values are done."""


class Watching:
    """Whether a launch is late, and how many of its values are done, which is told while it runs."""

    def __init__(self, device: Device, count: int, teams: int, late: Callable[[], bool], tell: Callable[[int], None]):
        """`late` says whether to stop; `tell` is given how many more of the `count` values are done."""
        self._device, self._count, self._teams, self._late, self._tell = device, count, teams, late, tell
        self._told, self._looked = 0, time.monotonic()
        device.prepare_peek()

    def look(self, taken: Buffer) -> bool:
        """Whether to stop. `taken` counts values that teams have begun with, where each had one at first: whoever takes
        another has done with one."""
        now = time.monotonic()
        if now - self._looked >= _EVERY:
            self._looked = now
            begun = int(self._device.peek(taken, numpy.uint64))
            self._add(min(begun - self._teams, self._count))  # a run that was stopped leaves a larger number
        return self._late()

    def end(self) -> None:
        """All are done."""
        self._add(self._count)

    def _add(self, done: int) -> None:
        if done > self._told:
            self._tell(done - self._told)
            self._told = done
