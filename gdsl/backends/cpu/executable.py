"""A compiled program, and its runs."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from gdsl.backends import failures
from gdsl.backends.cpu import workers
from gdsl.backends.cpu.kept_rooms import KeptRooms
from gdsl.backends.cpu.library import Library
from gdsl.backends.cpu.memory import (
    ControlBlock,
    HostSlice,
    TraceEntry,
    dtype_of,
    graph_slice,
    pointers,
    room_for,
)
from gdsl.backends.interface import Bindings, Build, Limits, Outcome, Pair, Scalar, TraceRecord
from gdsl.backends.many import Bounds, Part
from gdsl.backends.pairs import first_of, unpacked, words_of
from gdsl.codegen.cpu.generated import Generated
from gdsl.extents import of_graph
from gdsl.graph.graph import Graph
from gdsl.ir.nodes import Program
from gdsl.native import compiler as compilers
from gdsl.operations import Direction, Order
from gdsl.plan.storage import Buffer, Cleared, Made, Role
from gdsl.types import Type, Widths

if TYPE_CHECKING:
    from gdsl.plan.nodes import Operation, Plan

_FOREVER = 1 << 62
_WAIT = 0.1


class CpuExecutable:
    """A program in a shared library. Several runs may go on at once, each in its own thread."""

    def __init__(
        self, program: Program, widths: Widths, generated: Generated, library: Library, plan: Callable[[], Plan]
    ) -> None:
        """`library` was compiled from `generated`, the text of the plan of `program`, which `plan` gives."""
        self.program, self.widths, self.generated = program, widths, generated
        self.sites = _Sites(plan)
        self.buffers = generated.buffers
        self.outputs = [
            (place, buffer.name) for place, buffer in enumerate(self.buffers) if buffer.role is not Role.LOCAL
        ]
        self._parts = list(generated.parts)
        self._slices: WeakKeyDictionary[Graph, tuple[Any, list[Any]]] = WeakKeyDictionary()
        self._library = library
        self.kept_rooms = KeptRooms()

    def slice_of(self, graph: Graph) -> tuple[Any, list[Any]]:
        """`graph` as the program reads it, and what must be kept alive; graphs do not change."""
        found = self._slices.get(graph)
        if found is None:
            found = self._slices[graph] = graph_slice(graph, self.widths, self._parts)
        return found

    @property
    def library(self) -> Library:
        """What is run."""
        return self._library

    def run_many(
        self, graph: Graph, bound: Sequence[Bindings], limits: Limits, bounds: Bounds
    ) -> Iterator[Part] | None:
        """By threads that run with one value each."""
        from gdsl.backends.cpu.many import run_many

        return run_many(self, graph, bound, limits, bounds)

    def build(self, graph: Graph) -> Build:
        """The same for all graphs."""
        compiler = compilers.find_compiler()
        said = (("compiler", str(compiler)), ("options", " ".join(compilers.OPTIONS))) if compiler is not None else ()
        return Build(self.sites.plan, "cpp", self.generated.text, said)

    def run(self, graph: Graph, bindings: Bindings, limits: Limits) -> Outcome:
        """Run to the end; raises GdslError (E0801, E0802, E0803, E0912) or KeyboardInterrupt where it is stopped."""
        try:
            run = Run(self, graph, bindings, limits)
        except MemoryError:
            raise failures.memory_error() from None
        try:
            run.call(self._library.run)
            return run.outcome()
        finally:
            if not run.abandoned:
                self._library.release(ctypes.byref(run.control))
                run.end()


class _Sites:
    """The operators by their sites, as the trace has them: looked for once somebody looks at one."""

    def __init__(self, plan: Callable[[], Plan]) -> None:
        self._plan = plan

    @cached_property
    def plan(self) -> Plan:
        """What they stand in."""
        return self._plan()

    @cached_property
    def operations(self) -> dict[int, Operation]:
        """By site."""
        from gdsl.plan.walking import operations

        return {operation.step.site: operation for operation in operations(self.plan)}


class Run:
    """The memory of one run, and waiting for it."""

    def __init__(
        self,
        executable: CpuExecutable,
        graph: Graph,
        bindings: Bindings,
        limits: Limits,
        rooms: Mapping[str, NDArray[Any]] | None = None,
    ) -> None:
        """`rooms`: where results go, of those by name that do not get room of their own."""
        self._rooms, self._own_rooms = rooms or {}, executable.kept_rooms.begin()
        self.executable, self.graph, self.limits = executable, graph, limits
        self.program, self.widths = executable.program, executable.widths
        self.bound = bindings.params
        self.status: list[int] = []
        self.timed_out = False
        self.abandoned = False
        slice_, self._kept = executable.slice_of(graph)
        limit = _FOREVER if limits.max_iterations is None else limits.max_iterations
        self.control = ControlBlock(max_iterations=limit)
        self.params = [self._slot(param.type, bindings.params[param.name]) for param in self.program.params]
        sizes = of_graph(graph.num_vertices, graph.num_edges, bindings.params)
        self.data = [self._made(buffer, bindings, buffer.extent.value(sizes)) for buffer in executable.buffers]
        self._data_pointers = pointers(self.data)
        self.host = HostSlice(slice_, ctypes.pointer(self.control), pointers(self.params), self._data_pointers)

    def _slot(self, kind: Any, value: Any) -> NDArray[Any]:
        return np.array([value], dtype=dtype_of(kind, self.widths))

    def _made(self, buffer: Buffer, bindings: Bindings, count: int) -> NDArray[Any]:
        """The memory of a buffer of `count` values, holding what it must hold at first."""
        assert isinstance(buffer.element, Type)
        if buffer.made is Made.CALLER:
            given: NDArray[Any] = bindings.inputs[buffer.name].astype(dtype_of(buffer.element, self.widths), copy=False)
            return given if count else room_for(0, dtype_of(buffer.element, self.widths))
        if buffer.cleared is Cleared.GIVEN:
            return self._slot(buffer.element, bindings.inputs[buffer.name])
        if buffer.name in self._rooms:
            return self._rooms[buffer.name]
        words = words_of(buffer.element, self.widths) if buffer.element.is_pair else 1
        return self._own_rooms.room(count * words, dtype_of(buffer.element, self.widths))

    def call(self, function: Any) -> None:
        """Run in another thread and wait, so that Ctrl-C and the timeout are seen meanwhile."""
        host = ctypes.byref(self.host)

        def work() -> None:
            self.status.append(function(host))

        allowed = self.limits.left
        deadline = time.monotonic() + allowed if allowed is not None else None
        done = workers.Done()
        try:
            workers.start(work, done)
            while not done.wait(_WAIT if deadline is None else min(_WAIT, max(deadline - time.monotonic(), 0.0))):
                if deadline is not None and time.monotonic() >= deadline:
                    self.timed_out = True
                    self.control.host_stop = 1
                    done.wait()
                    break
        except BaseException as error:
            if not done.has_begun:
                if isinstance(error, RuntimeError):  # the system has no room for one more
                    raise failures.memory_error() from None
                raise
            self.control.host_stop = 1
            self.abandoned = True
            done.wait()
            self.abandoned = False
            raise

    def end(self) -> None:
        """Let go of what is not the caller's."""
        self._own_rooms.end()

    def check(self) -> None:
        """Raise what stopped the run."""
        control, program = self.control, self.program
        if self.status[0] != 0:
            raise failures.memory_error()
        if control.exhausted:  # what stands behind the loop is checked all the same, and does not count
            raise failures.iterations_error(program, control.exhausted - 1, self.limits.max_iterations or 0)
        if control.failure:
            site = self.executable.generated.checks.sites[control.failure - 1]
            found = failures.Found(control.failed_value, control.failed_length)
            raise failures.check_error(program, site, found, self.graph, self.bound)
        if self.timed_out:
            raise failures.late_error(program, self.limits.timeout, self._progress())

    def _progress(self) -> failures.Progress | None:
        """The last operator that ran."""
        if not self.control.trace_length:
            return None
        last = ctypes.cast(self.control.trace, ctypes.POINTER(TraceEntry))[self.control.trace_length - 1]
        label = self.executable.sites.operations[last.site].step.label
        return failures.Progress(last.site, label, last.iteration, last.size)

    def outcome(self) -> Outcome:
        """What the run gave; raises what stopped it."""
        self.check()
        arrays, scalars = self._results()
        control = self.control
        return Outcome(arrays, scalars, control.iterations, control.nanoseconds / 1e6, self._trace())

    def _results(self) -> tuple[dict[str, Any], dict[str, Scalar | Pair]]:
        """The arrays and the scalars that are not local, by name."""
        found, program = self.raw_results(), self.program
        arrays = {
            array.name: self._values(array.type, found[array.name]) for array in program.arrays if array.name in found
        }
        scalars = {
            name.name: self.scalar(name.name, found[name.name]) for name in program.scalars if name.name in found
        }
        return arrays, scalars

    def raw_results(self) -> dict[str, NDArray[Any]]:
        """What is not local, as it is stored, by name; after swaps their places are others."""
        by_address = {values.ctypes.data: values for values in self.data}
        return {name: by_address[self._data_pointers[place]] for place, name in self.executable.outputs}

    def scalar(self, name: str, found: NDArray[Any]) -> Scalar | Pair:
        """The value of a scalar that is stored so."""
        (kind,) = (scalar.type for scalar in self.program.scalars if scalar.name == name)
        return first_of(self._values(kind, found))

    def _values(self, kind: Type, found: NDArray[Any]) -> Any:
        return unpacked(found, kind, self.widths) if kind.is_pair else self._own_rooms.lent(found)

    def _trace(self) -> Callable[[], tuple[TraceRecord, ...]]:
        """The trace is decoded once somebody looks at it; the records themselves go with the run."""
        count = self.control.trace_length
        records = ctypes.string_at(self.control.trace, count * ctypes.sizeof(TraceEntry)) if count else b""
        tick = self.control.nanoseconds / 1e6 / max(self.control.ticks, 1)
        return partial(_decoded, self.executable.sites, records, tick)


def _decoded(sites: _Sites, records: bytes, tick: float) -> tuple[TraceRecord, ...]:
    entries = (TraceEntry * (len(records) // ctypes.sizeof(TraceEntry))).from_buffer_copy(records)
    return tuple(_record(sites.operations[entry.site], entry, tick) for entry in entries)


def _record(operation: Operation, entry: Any, tick: float) -> TraceRecord:
    """`tick`: its length in milliseconds."""
    from gdsl.plan.walking import has_direction, sweeps_of

    pulled = Direction.PULL if entry.pulled else Direction.PUSH
    direction = pulled if has_direction(operation) else None
    order = Order.NEAR_FAR if sweeps_of(operation)[0].order is not None else None
    size, edges = entry.size, entry.edges
    times = entry.took * tick, entry.before * tick
    return TraceRecord(entry.site, operation.step.label, entry.iteration, size, edges, direction, None, order, *times)
