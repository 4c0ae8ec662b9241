"""Runs with many values on a CPU: each by a thread of its own, which has nobody to wait for."""

from __future__ import annotations

import ctypes
import os
import queue
import threading
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from gdsl.backends import failures
from gdsl.backends.cpu import workers
from gdsl.backends.interface import Bindings, Limits, Outcome
from gdsl.backends.many import Bounds, FailedAtError, Part, part_of
from gdsl.diagnostics import GdslError
from gdsl.graph.graph import Graph

if TYPE_CHECKING:
    from gdsl.backends.cpu.executable import CpuExecutable, Run

_WAIT = 0.1
_AHEAD = 2
"""Results a thread that wait for one before them, or for whoever takes them."""


def run_many(
    executable: CpuExecutable, graph: Graph, bound: Sequence[Bindings], limits: Limits, bounds: Bounds
) -> Iterator[Part] | None:
    """With each of `bound`; None where there are fewer values than threads, which are better used together."""
    threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    threads = min(threads, bounds.at_once or threads, _fitting(executable, graph, bound[0], bounds))
    if len(bound) < threads or threads < 2:
        return None
    return _Crew(executable, graph, bound, limits, threads).parts()


def _fitting(executable: CpuExecutable, graph: Graph, bindings: Bindings, bounds: Bounds) -> int:
    """How many runs `bounds.memory` has room for."""
    if bounds.memory is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    from gdsl.backends import needs
    from gdsl.extents import of_graph

    sizes = of_graph(graph.num_vertices, graph.num_edges, bindings.params)
    each = needs.on_the_host(executable.sites.plan, executable.widths, sizes, graph.directed)
    own = sum(need.nbytes for need in each if not need.name.startswith("graph."))
    return max(bounds.memory // max(own * (1 + _AHEAD), 1), 1)


class _Crew:
    """The threads of one call, which take one value after the other."""

    def __init__(
        self, executable: CpuExecutable, graph: Graph, bound: Sequence[Bindings], limits: Limits, threads: int
    ) -> None:
        self.executable, self.graph, self.bound, self.limits, self.threads = executable, graph, bound, limits, threads
        self._lock, self._next = threading.Lock(), 0
        self._room = threading.Semaphore(threads * _AHEAD)
        self._found: queue.SimpleQueue[tuple[int, Outcome | BaseException]] = queue.SimpleQueue()
        self._running: dict[int, Run] = {}
        self._stopped = False

    def parts(self) -> Iterator[Part]:
        """Every value's run, in order; raises FailedAtError for the first that fails."""
        how = f"{self.threads} threads, a value each"
        done = [workers.Done() for _ in range(self.threads)]
        waiting: dict[int, Outcome | BaseException] = {}
        began = before = time.monotonic()
        try:
            for each in done:
                workers.start(self._work, each)
            for index in range(len(self.bound)):
                while index not in waiting:
                    waiting.update([self._take(began)])
                outcome = waiting.pop(index)
                if isinstance(outcome, GdslError):
                    raise FailedAtError(index, outcome) if outcome.code != "E0802" else outcome
                if isinstance(outcome, BaseException):
                    raise outcome
                self._room.release()
                now = time.monotonic()
                part = part_of(outcome, how)
                yield Part(part.arrays, part.scalars, part.iterations, (now - before) * 1e3, how)
                before = time.monotonic()
        finally:
            self._stop()
            for each in done:
                if each.has_begun:
                    each.wait()

    def _take(self, began: float) -> tuple[int, Outcome | BaseException]:
        """The next result of any thread; sees to the timeout."""
        while True:
            left = None if self.limits.left is None else self.limits.left - (time.monotonic() - began)
            if left is not None and left <= 0:
                raise failures.timeout_error(self.limits.timeout or 0.0)
            try:
                return self._found.get(timeout=_WAIT if left is None else min(_WAIT, left))
            except queue.Empty:
                continue

    def _stop(self) -> None:
        with self._lock:
            self._stopped = True
            for run in self._running.values():
                run.control.host_stop = 1
        for _ in range(self.threads):
            self._room.release()

    def _work(self) -> None:
        """What each thread does."""
        restore = self.executable.library.alone()
        try:
            while True:
                self._room.acquire()
                with self._lock:
                    index = self._next
                    if self._stopped or index >= len(self.bound):
                        return
                    self._next += 1
                try:
                    self._found.put((index, self._one(index)))
                except BaseException as error:
                    self._found.put((index, error))
        finally:
            restore()

    def _one(self, index: int) -> Outcome:
        from gdsl.backends.cpu.executable import Run

        try:
            run = Run(self.executable, self.graph, self.bound[index], self.limits)
        except MemoryError:
            raise failures.memory_error() from None
        with self._lock:
            self._running[index] = run
            run.control.host_stop = int(self._stopped)
        try:
            run.status.append(self.executable.library.run(ctypes.byref(run.host)))
            return run.outcome()
        finally:
            with self._lock:
                del self._running[index]
            self.executable.library.release(ctypes.byref(run.control))
