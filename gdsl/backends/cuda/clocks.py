"""The moments of a run on a GPU, and how the host waits for them."""

from __future__ import annotations

import os
import select
import threading
import time
from typing import Any

_TURN, SPINNING = 0.001, 0.05
"""Seconds that the host looks again and again before it lets other threads of Python have a turn, and before it pauses
in between: a pause lasts 0.06 ms at least, and that long the caller would wait too much."""
_SHORT, _LONG, _AFTER = 2e-5, 2e-4, 0.5
"""Seconds of a pause, the long ones after half a second."""


_DONE, _NOT_READY = 0, 600
"""The status of an event that is there, and of one still to come, `cudaErrorNotReady`; all others are errors."""


class Clock:
    """Three events: a run begins, it ends, and all is done that the host waits for."""

    __slots__ = ("_cuda", "begin", "end", "over")

    def __init__(self, cupy: Any) -> None:
        self._cuda = cupy.cuda
        self.begin, self.end = cupy.cuda.Event(), cupy.cuda.Event()
        self.over = cupy.cuda.Event(disable_timing=True)

    @property
    def is_over(self) -> bool:
        """Whether nothing is still to come: all is done, or the GPU has given up, of which `Event.done` is False for
        ever."""
        return int(self._cuda.runtime.eventQuery(self.over.ptr)) != _NOT_READY

    @property
    def is_done(self) -> bool:
        """Whether all is done. Raises CuPy's error where the GPU has given up."""
        status = self._cuda.runtime.eventQuery(self.over.ptr)
        if status != _DONE and status != _NOT_READY:
            self.over.synchronize()
        return bool(status == _DONE)

    def elapsed_ms(self) -> float:
        """Milliseconds between the first two."""
        return float(self._cuda.get_elapsed_time(self.begin, self.end))


class Patience:
    """How long to wait before looking again: first not at all, then shortly."""

    __slots__ = ("_began", "_turn")

    def __init__(self) -> None:
        self._began = self._turn = time.monotonic()

    def pause(self) -> None:
        """Come back once it is time to look again."""
        now = time.monotonic()
        if now - self._began > SPINNING:
            time.sleep(_SHORT if now - self._began < _AFTER else _LONG)
        elif now - self._turn > _TURN:
            _let_others_go_on()
            self._turn = now


def _let_others_go_on() -> None:
    """Let other threads of Python have a turn, where there are any: a call of the system makes all that the host does
    next slower. Where there is a choice not by a sleep, which takes time whatever it is asked for."""
    if threading.active_count() == 1:
        return
    if os.name == "nt":
        time.sleep(0)
    else:
        select.select((), (), (), 0)
