"""Threads in which programs run, while the calling thread also watches for Ctrl-C and the timeout.

They are reused: starting one takes 0.1 ms, and each has a team of OpenMP threads of its own.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

_MOST_IDLE = 4
_idle: list[_Worker] = []


class Completion:
    """The end of some work. Like an event that is set once, at a third of its cost."""

    def __init__(self) -> None:
        self._running = threading.Lock()
        self._running.acquire()
        self._ended = False
        self.has_begun = False
        """Whether a thread has the work, also where Ctrl-C interrupted `start`."""

    def end(self) -> None:
        """The work has ended."""
        self._ended = True
        self._running.release()

    def wait(self, seconds: float = -1) -> bool:
        """Whether the work ends within that time; Ctrl-C interrupts the wait. For a single waiting thread."""
        return self._ended or self._running.acquire(timeout=seconds)


class _Worker(threading.Thread):
    def __init__(self) -> None:
        super().__init__(daemon=True)
        self._process = os.getpid()
        self._wake = threading.Lock()
        self._wake.acquire()
        self._next: tuple[Callable[[], None], Completion] | None = None

    @property
    def is_here(self) -> bool:
        """Whether this is a thread of this process: a fork does not have the threads of its parent."""
        return self._process == os.getpid()

    def begin(self, work: Callable[[], None], done: Completion) -> None:
        """Give the idle worker some work."""
        self._next, done.has_begun = (work, done), True
        self._wake.release()

    def run(self) -> None:
        """Work until there are enough idle workers."""
        stays = True
        while stays:
            self._wake.acquire()
            assert self._next is not None
            work, done = self._next
            self._next = None
            try:
                work()
            finally:
                stays = len(_idle) < _MOST_IDLE
                if stays:  # before the end is signaled, so that the next work finds this worker
                    _idle.append(self)
                done.end()
            del work, done


def start(work: Callable[[], None], done: Completion) -> None:
    """Do `work`, which must not raise, in another thread. Raises RuntimeError where no thread can be started."""
    worker = _idle_worker()
    if worker is None:
        worker = _Worker()
        worker.start()
    worker.begin(work, done)


def _idle_worker() -> _Worker | None:
    """A worker of this process without work."""
    try:
        while True:
            worker = _idle.pop()
            if worker.is_here:
                return worker
    except IndexError:
        return None
