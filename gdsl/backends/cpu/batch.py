"""Batches on a CPU: each run in a single thread, many runs side by side.

Where the effects of the program allow it (`gdsl.plan.bit_parallel`), a thread runs up to 64 values together, so that
they share the visits of edges. A group of values that finds out that it shares too few, or of which one is stopped by a
failed check, is given up, and its values run one after the other; so do all groups after one that shared too few.
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from gdsl.backends import failures
from gdsl.backends.batch import Bounds, FailedAtError, Part, check_time, differ
from gdsl.backends.cpu import workers
from gdsl.backends.cpu.memory import HostSlice, allocate, dtype_of
from gdsl.backends.cpu.run import LoadedProgram, Run
from gdsl.backends.interface import Bindings, Limits
from gdsl.backends.pairs import unpacked, words_of
from gdsl.diagnostics import GdslError
from gdsl.extents import of_graph
from gdsl.graph.graph import Graph
from gdsl.graph.memory import available_memory
from gdsl.graph.threads import processors
from gdsl.ir.nodes import Array

_WAIT = 0.1
_PART = 16
"""Values for each thread before their results are handed over, unless the caller wants all at the end."""


_APART = 2
"""What a group returns that has shared too few visits of edges."""


class Packing:
    """Whether values run together. `build` returns the program for groups of values, or None; groups are worth it from
    `work` vertices and edges of all runs on, and with `least` to `most` values in a group."""

    def __init__(self, build: Callable[[], LoadedProgram | None], work: int, least: int, most: int) -> None:
        self._build, self._work, self.least, self.most = build, work, least, most
        self._built: tuple[LoadedProgram | None] | None = None

    def together(self, graph: Graph, bound: Sequence[Bindings], each: int) -> LoadedProgram | None:
        """The program for groups of `each` values; None where `bound` had better run one by one."""
        if each < self.least or len(bound) * (graph.num_vertices + graph.num_edges) < self._work:
            return None
        if self._built is None:
            self._built = (self._build(),)
        (built,) = self._built
        return None if built is None or any(differ(bound, name) for name in built.generated.shared_params) else built


def run_batch(
    executable: LoadedProgram,
    graph: Graph,
    bound: Sequence[Bindings],
    limits: Limits,
    bounds: Bounds,
    packing: Packing,
) -> Iterator[Part] | None:
    """Run with each of `bound`; None where there are fewer values than threads, which then share one run. So many run
    together as have room in the memory allowed, or else in what is free."""
    began = time.monotonic()  # compiling the program for many values is part of the time allowed
    threads = min(processors(), bounds.at_once or processors(), len(bound))
    each = min(packing.most, -(-len(bound) // threads))
    if bounds.at_once is not None:
        each = min(each, bounds.at_once // threads)
    if bounds.memory is not None:
        fit = max(bounds.memory // max(_bytes_of_run(executable, graph, bound[0]), 1), 1)
        threads = min(threads, fit)
        each = min(each, fit // threads)
    together = packing.together(graph, bound, each)
    if together is not None and bounds.memory is None and (free := available_memory()) is not None:
        each = min(each, free // max(_bytes_of_run(executable, graph, bound[0]), 1) // threads)
        together = together if each >= max(packing.least, 1) else None
    if together is None and (len(bound) < processors() or threads < 2):
        return None
    return _Batch(executable, graph, limits.since(began), bounds, threads, (together, each)).parts(bound)


def _bytes_of_run(executable: LoadedProgram, graph: Graph, bindings: Bindings) -> int:
    """The memory of one run, without the graph."""
    from gdsl.backends import needs

    sizes = of_graph(graph.num_vertices, graph.num_edges, bindings.params)
    needed = needs.on_the_host(executable.plan, executable.widths, sizes, graph.directed)
    return sum(need.nbytes for need in needed if not need.name.startswith("graph."))


class _Batch:
    """One batch and its threads. `groups`: the program that runs values together, if any, and how many at a time."""

    def __init__(
        self,
        executable: LoadedProgram,
        graph: Graph,
        limits: Limits,
        bounds: Bounds,
        threads: int,
        groups: tuple[LoadedProgram | None, int],
    ) -> None:
        self._executable, self._graph, self._limits, self._bounds = executable, graph, limits, bounds
        self._threads, self._began = threads, time.monotonic()
        self._together, self._each = groups

    def parts(self, bound: Sequence[Bindings]) -> Iterator[Part]:
        """The runs, in order; raises FailedAtError for the first that fails."""
        at_a_time = _PART if self._together is None else self._each
        size = len(bound) if self._bounds.whole else self._threads * at_a_time
        if self._bounds.memory is not None:
            own = _bytes_of_run(self._executable, self._graph, bound[0])
            size = min(size, max(self._bounds.memory // max(own, 1), self._threads))
        for first in range(0, len(bound), size):
            check_time(self._limits, self._began, first)
            yield self._part(bound[first : first + size], first)

    def _part(self, bound: Sequence[Bindings], first: int) -> Part:
        started = time.monotonic()
        try:
            rows = _Rows(self._executable, self._graph, bound)
        except MemoryError:
            raise failures.memory_error() from None
        queue = _Queue(self._executable, self._graph, bound, self._limits, rows, (self._together, self._each))
        completions = [workers.Completion() for _ in range(self._threads)]
        try:
            for each in completions:
                workers.start(queue.work, each)
            self._wait(completions, queue)
        finally:
            queue.stop()
            for each in completions:
                if each.has_begun:
                    each.wait()
        if queue.errors:
            index, error = min(queue.errors.items())
            if isinstance(error, GdslError) and error.code != "E0802":
                raise FailedAtError(first + index, error)
            raise error
        if queue.apart:
            self._together = None
        threads = "1 thread" if self._threads == 1 else f"{self._threads} threads"
        number = f"{self._each} value{'s' if self._each > 1 else ''} at a time"
        how = f"{threads}, {number if self._together is not None else 'one value each'}"
        return Part(rows.arrays(), rows.scalars, rows.passes, (time.monotonic() - started) * 1e3, how)

    def _wait(self, completions: list[workers.Completion], queue: _Queue) -> None:
        """Wait until all have ended; watch for Ctrl-C and the timeout."""
        reported = 0
        for each in completions:
            while not each.wait(_WAIT):
                now = queue.finished
                self._bounds.done(now - reported)
                reported = now
                left = self._limits.left
                if left is not None and time.monotonic() - self._began > left:
                    raise failures.timeout_error(self._limits.timeout)
        self._bounds.done(queue.finished - reported)


class _Rows:
    """The results of all runs, a row for each."""

    def __init__(self, executable: LoadedProgram, graph: Graph, bound: Sequence[Bindings]) -> None:
        self._executable = executable
        sizes = of_graph(graph.num_vertices, graph.num_edges, bound[0].params)
        self._arrays = [each for each in executable.program.arrays if not each.is_local and not each.is_input]
        self.matrices: dict[str, Any] = {}
        for array in self._arrays:
            dtype = dtype_of(array.type, executable.widths)
            length = array.extent.value(sizes) * self._words(array)
            self.matrices[array.name] = allocate(len(bound) * length, dtype).reshape(len(bound), length)
        scalars = (scalar.name for scalar in executable.program.scalars if not scalar.is_local)
        self.scalars: dict[str, list[Any]] = {name: [None] * len(bound) for name in scalars}
        self.passes = [0] * len(bound)

    def _words(self, array: Array) -> int:
        return words_of(array.type, self._executable.widths)

    def of(self, index: int) -> dict[str, Any]:
        """The arrays for the results of a run, but for those without elements."""
        return {name: rows[index] for name, rows in self.matrices.items() if rows.size}

    def take(self, index: int, run: Run) -> None:
        """Take the results of a run, wherever swaps have moved them."""
        moved = {}
        for name, values in run.raw_results().items():
            if name in self.scalars:
                self.scalars[name][index] = run.scalar(name, values)
            elif name in self.matrices and values.ctypes.data != self.matrices[name][index].ctypes.data:
                moved[name] = values.copy()  # it may be stored where another result belongs
        for name, values in moved.items():
            self.matrices[name][index] = values
        self.passes[index] = run.control.iterations

    def arrays(self) -> dict[str, Any]:
        """All results by name."""
        return {array.name: self._values(array) for array in self._arrays}

    def _values(self, array: Array) -> Any:
        rows = self.matrices[array.name]
        if not array.type.is_pair:
            return rows
        pair = unpacked(rows.reshape(-1), array.type, self._executable.widths)
        return type(pair)(*(part.reshape(len(rows), -1) for part in pair))


class _Queue:
    """Hands values to threads in order, until all are taken or one has failed; runs that have begun then end."""

    def __init__(
        self,
        executable: LoadedProgram,
        graph: Graph,
        bound: Sequence[Bindings],
        limits: Limits,
        rows: _Rows,
        groups: tuple[LoadedProgram | None, int],
    ) -> None:
        self._executable, self._graph, self._bound, self._limits = executable, graph, bound, limits
        self._rows, self._lock = rows, threading.Lock()
        self._together, self._each = groups
        self.apart = False
        """Whether some group has shared too few visits."""
        self._next, self.finished = 0, 0
        self._running: dict[int, Run] = {}
        self._stopped = False
        self.errors: dict[int, BaseException] = {}

    def work(self) -> None:
        """Run with one value, or group of values, after the other; every thread does this."""
        restore = self._executable.library.use_one_thread()
        try:
            while taken := self._take():
                try:
                    if self._together is not None and self._run_together(self._together, taken):
                        self.finished += len(taken)
                        continue
                except BaseException as error:
                    self.errors[taken[0]] = error
                    continue
                self._run_each(taken)
        finally:
            restore()

    def stop(self) -> None:
        """Ask all runs to stop."""
        with self._lock:
            self._stopped = True
            for run in self._running.values():
                run.control.host_stop = 1

    def _take(self) -> range:
        """The numbers of the next values; none where there are no more."""
        with self._lock:
            if self._stopped or self.errors:
                return range(0)
            first, number = self._next, 1 if self._together is None or self.apart else self._each
            self._next = min(first + number, len(self._bound))
            return range(first, self._next)

    def _run_each(self, taken: range) -> None:
        """Run with one value after the other, until one fails."""
        for index in taken:
            try:
                if self._stopped:
                    return
                self._run(index)
                self.finished += 1
            except BaseException as error:
                self.errors[index] = error
                return

    def _new_run(self, executable: LoadedProgram, index: int) -> Run:
        try:
            return Run(executable, self._graph, self._bound[index], self._limits, self._rows.of(index))
        except MemoryError:
            raise failures.memory_error() from None

    def _begin(self, index: int, run: Run) -> None:
        with self._lock:
            self._running[index] = run
            run.control.host_stop = int(self._stopped)

    def _end(self, index: int) -> None:
        with self._lock:
            self._running.pop(index, None)

    def _run(self, index: int) -> None:
        library = self._executable.library
        run = self._new_run(self._executable, index)
        self._begin(index, run)
        try:
            run.status.append(library.run(ctypes.byref(run.host)))
            run.check()
            self._rows.take(index, run)
        finally:
            self._end(index)
            library.release(ctypes.byref(run.control))
            run.end()

    def _run_together(self, executable: LoadedProgram, taken: range) -> bool:
        """Run with all of these values in one call of the program; whether it has their results."""
        runs: list[Run] = []
        try:
            for index in taken:
                runs.append(self._new_run(executable, index))
            self._begin(taken[0], runs[0])  # which has the control block of all
            hosts = (HostSlice * (len(runs) + 1))(*(run.host for run in runs))
            status = executable.library.run(hosts)
            self.apart = self.apart or status == _APART
            control = runs[0].control
            if status != 0 or control.failure or control.exhausted:
                return False
            for index, run in zip(taken, runs, strict=True):
                self._rows.take(index, run)
            return True
        finally:
            self._end(taken[0])
            for run in runs:
                run.end()
