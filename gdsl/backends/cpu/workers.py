"""Threads that runs go on in, while the thread that asked for them waits for Ctrl-C and the timeout too.

They are kept: one is started in 0.1 ms, and OpenMP's own threads belong to the one that began a run.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

_MOST_KEPT = 4
_idle: list[_Worker] = []


class Done:
    """Whether some work has ended. Like an event that is set once, but a third of its cost."""

    def __init__(self) -> None:
        self._running = threading.Lock()
        self._running.acquire()
        self._ended = False
        self.has_begun = False
        """Whether a thread has the work, also where Ctrl-C kept `start` from coming back."""

    def end(self) -> None:
        """It has."""
        self._ended = True
        self._running.release()

    def wait(self, seconds: float = -1) -> bool:
        """Whether it has within that time; Ctrl-C is heard. For one thread alone."""
        return self._ended or self._running.acquire(timeout=seconds)


class _Worker(threading.Thread):
    def __init__(self) -> None:
        super().__init__(daemon=True)
        self._process = os.getpid()
        self._wake = threading.Lock()
        self._wake.acquire()
        self._next: tuple[Callable[[], None], Done] | None = None

    @property
    def is_here(self) -> bool:
        """Whether this is a thread of this process: a fork has none but its own."""
        return self._process == os.getpid()

    def begin(self, work: Callable[[], None], done: Done) -> None:
        """Give it something to do; it has nothing else."""
        self._next, done.has_begun = (work, done), True
        self._wake.release()

    def run(self) -> None:
        """Do one thing after the other."""
        stays = True
        while stays:
            self._wake.acquire()
            assert self._next is not None
            work, done = self._next
            self._next = None
            try:
                work()
            finally:
                stays = len(_idle) < _MOST_KEPT
                if stays:  # before anybody hears of the end: who then has more to do shall find it
                    _idle.append(self)
                done.end()
            del work, done


def start(work: Callable[[], None], done: Done) -> None:
    """Have `work`, which raises nothing, done by another thread. Raises RuntimeError where the system has none left."""
    worker = _free()
    if worker is None:
        worker = _Worker()
        worker.start()
    worker.begin(work, done)


def _free() -> _Worker | None:
    """One that has nothing to do."""
    try:
        while True:
            worker = _idle.pop()
            if worker.is_here:
                return worker
    except IndexError:
        return None
