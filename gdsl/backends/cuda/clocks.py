"""The events of a run on a GPU, and how the host waits for them."""

from __future__ import annotations

import select
import threading
import time
from typing import Any

_TURN, SPINNING = 0.001, 0.05
"""Seconds for which the host polls before it yields to other threads of Python, and before it sleeps in between: a
sleep lasts at least 0.06 ms, by which the caller would wait too long."""
_SHORT, _LONG, _AFTER = 2e-5, 2e-4, 0.5
"""Seconds of a sleep; the long ones begin after half a second."""


DONE, NOT_READY = 0, 600
"""The status of an event that has occurred, and of a pending one, `cudaErrorNotReady`; all others are errors."""


class Clock:
    """Three events: the run begins, the run ends, and everything that the host waits for is done."""

    __slots__ = ("_cuda", "begin", "end", "over")

    def __init__(self, cupy: Any) -> None:
        self._cuda = cupy.cuda
        self.begin, self.end = cupy.cuda.Event(), cupy.cuda.Event()
        self.over = cupy.cuda.Event(disable_timing=True)

    @property
    def is_over(self) -> bool:
        """Whether nothing is pending: all is done, or the GPU has failed, after which `Event.done` stays False."""
        return int(self._cuda.runtime.eventQuery(self.over.ptr)) != NOT_READY

    @property
    def is_done(self) -> bool:
        """Whether all is done. Raises CuPy's error if the GPU has failed."""
        status = self._cuda.runtime.eventQuery(self.over.ptr)
        if status != DONE and status != NOT_READY:
            self.over.synchronize()
        return bool(status == DONE)

    def elapsed_ms(self) -> float:
        """Milliseconds between the first two."""
        return float(self._cuda.get_elapsed_time(self.begin, self.end))


class Patience:
    """How long to wait before polling again: first not at all, then briefly."""

    __slots__ = ("_began", "_turn")

    def __init__(self) -> None:
        self._began = self._turn = time.monotonic()

    def pause(self) -> None:
        """Return when it is time to poll again."""
        now = time.monotonic()
        if now - self._began > SPINNING:
            time.sleep(_SHORT if now - self._began < _AFTER else _LONG)
        elif now - self._turn > _TURN:
            _let_others_go_on()
            self._turn = now


def _let_others_go_on() -> None:
    """Yield to other threads of Python, if there are any: a system call slows down all that the host does next. Not by
    a sleep, which always takes time."""
    if threading.active_count() > 1:
        select.select((), (), (), 0)
