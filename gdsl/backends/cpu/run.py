"""One run of a compiled program: its memory, the wait for its end, its results and its trace."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from gdsl.backends import failures
from gdsl.backends.cpu import workers
from gdsl.backends.cpu.hoisted_graphs import addresses_of
from gdsl.backends.cpu.library import Library
from gdsl.backends.cpu.memory import ControlBlock, HostSlice, TraceEntry, allocate, dtype_of, graph_slice, pointers
from gdsl.backends.cpu.memory_pool import MemoryPool
from gdsl.backends.hoisted_scalars import GraphScalars
from gdsl.backends.interface import Bindings, Limits, Outcome, Pair, Scalar, TraceRecord
from gdsl.backends.pairs import first_of, unpacked, words_of
from gdsl.backends.sweep_times import with_sweep_times
from gdsl.codegen.generated import CppText
from gdsl.extents import TRACE_CAPACITY, of_graph
from gdsl.graph.graph import Graph
from gdsl.ir.nodes import Program
from gdsl.operations import Direction, Order
from gdsl.plan.buffer_nodes import Allocator, Buffer, Cleared, Role
from gdsl.types import Type, Widths

if TYPE_CHECKING:
    from gdsl.plan.nodes import Operation, Plan

_FOREVER = 1 << 62
_WAIT = 0.1


class _Operators:
    """The operators of a plan by their sites, built once a trace or an error is looked at. Traces that nobody has read
    refer to it and not to the loaded program, whose library and memory may be freed before."""

    def __init__(self, plan: Callable[[], Plan]) -> None:
        self._plan = plan

    @cached_property
    def plan(self) -> Plan:
        """The whole plan."""
        return self._plan()

    @cached_property
    def all(self) -> tuple[Operation, ...]:
        """In the order of the text."""
        from gdsl.plan.walking import operations

        return operations(self.plan)

    @cached_property
    def by_site(self) -> dict[int, Operation]:
        """As the trace has them."""
        return {operation.step.site: operation for operation in self.all}


class LoadedProgram:
    """A program in a shared library, with what its runs share."""

    def __init__(
        self, program: Program, widths: Widths, generated: CppText, library: Library, plan: Callable[[], Plan]
    ) -> None:
        """`library` was compiled from `generated`, the text of the plan of `program`, which `plan` returns."""
        self.program, self.widths, self.generated, self.library = program, widths, generated, library
        self.operators = _Operators(plan)
        self.results = [
            (place, buffer.name) for place, buffer in enumerate(generated.buffers) if buffer.role is not Role.LOCAL
        ]
        """The arrays and scalars that callers get, by their places among the buffers."""
        self.slices: WeakKeyDictionary[Any, tuple[Any, list[Any]]] = WeakKeyDictionary()
        """Of graphs, and of shares of graphs, which do not change."""
        self.domains = {frontier.name: frontier.domain for frontier in program.frontiers}
        self.memory_pool = MemoryPool()

    @property
    def plan(self) -> Plan:
        """Built once it is looked at."""
        return self.operators.plan

    def slice_of(self, graph: Graph) -> tuple[Any, list[Any]]:
        """`graph` as the program reads it, and the arrays that must stay alive; graphs do not change."""
        own_slice = self.slices.get(graph)
        if own_slice is None:
            own_slice = self.slices[graph] = graph_slice(graph, self.widths, self.generated.parts)
        return own_slice


class Run:
    """The memory of one run, and waiting for it."""

    def __init__(
        self,
        executable: LoadedProgram,
        graph: Graph,
        bindings: Bindings,
        limits: Limits,
        results: Mapping[str, NDArray[Any]] | None = None,
    ) -> None:
        """`results`: the arrays into which results go, by name; the others are allocated."""
        self._results, self._memory = results or {}, executable.memory_pool.begin()
        self.executable, self.graph, self.limits = executable, graph, limits
        self.program, self.widths = executable.program, executable.widths
        self.bound = bindings.params
        self.status: list[int] = []
        self.timed_out = False
        self.abandoned = False
        slice_, self._alive = self._slice()
        limit = _FOREVER if limits.max_iterations is None else limits.max_iterations
        self.control = ControlBlock(max_iterations=limit)
        self._scalars = GraphScalars(graph, self.widths, executable.generated.hoisted_scalars)
        self.params = [self._slot(param.type, bindings.params[param.name]) for param in self.program.params]
        self.params += [self._slot(kind, value) for _, kind, value in self._scalars.params()]
        self.data = [self._array(buffer, bindings, self._length(buffer)) for buffer in executable.generated.buffers]
        self._addresses = self._places_in_memory()
        self._data_pointers = pointers(
            [*self._addresses, *addresses_of(graph, self.widths, executable.generated.hoisted)]
        )
        self.host = HostSlice(
            slice_,
            ctypes.pointer(self.control),
            pointers([each.ctypes.data for each in self.params]),
            self._data_pointers,
        )

    def _slice(self) -> tuple[Any, list[Any]]:
        """The graph as the program reads it, and the arrays that must stay alive."""
        return self.executable.slice_of(self.graph)

    def _length(self, buffer: Buffer) -> int:
        """How many values a buffer has here."""
        return buffer.extent.value(of_graph(self.graph.num_vertices, self.graph.num_edges, self.bound))

    def _places_in_memory(self) -> list[int]:
        """The address that the program gets of each buffer."""
        return [array.ctypes.data for array in self.data]

    def _slot(self, kind: Any, value: Any) -> NDArray[Any]:
        return np.array([value], dtype=dtype_of(kind, self.widths))

    def _array(self, buffer: Buffer, bindings: Bindings, count: int) -> NDArray[Any]:
        """The array of a buffer of `count` values, with its first values."""
        assert isinstance(buffer.element, Type)
        if buffer.allocator is Allocator.CALLER:
            dtype = dtype_of(buffer.element, self.widths)
            values: NDArray[Any] = bindings.inputs[buffer.name].astype(dtype, copy=False)
            return values if count else allocate(0, dtype)
        if buffer.cleared is Cleared.GIVEN:
            return self._slot(buffer.element, bindings.inputs[buffer.name])
        if buffer.name in self._results:
            return self._results[buffer.name]
        words = words_of(buffer.element, self.widths)
        return self._memory.allocate(count * words, dtype_of(buffer.element, self.widths))

    def call(self, function: Any) -> None:
        """Run in another thread, and watch for Ctrl-C and the timeout."""
        host = ctypes.byref(self.host)

        def work() -> None:
            self.status.append(function(host))

        allowed = self.limits.left
        deadline = time.monotonic() + allowed if allowed is not None else None
        done = workers.Completion()
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
                if isinstance(error, RuntimeError):  # the system allows no further thread
                    raise failures.memory_error() from None
                raise
            self.control.host_stop = 1
            self.abandoned = True
            done.wait()
            self.abandoned = False
            raise

    def end(self) -> None:
        """Free what is not the caller's."""
        self._memory.end()

    def check(self) -> None:
        """Raise what stopped the run."""
        control, program = self.control, self.program
        if self.status[0] != 0:
            raise failures.memory_error()
        if control.exhausted:
            raise failures.iterations_error(program, control.exhausted - 1, self.limits.max_iterations or 0)
        if control.failure:
            site = self.executable.generated.checks.sites[control.failure - 1]
            failed = failures.FailedIndex(control.failed_value, control.failed_length)
            raise failures.check_error(program, site, failed, self.graph, self.bound)
        if self.timed_out:
            raise failures.late_error(program, self.limits.timeout, self._progress())

    def _progress(self) -> failures.Progress | None:
        """The last operator that ran."""
        last = self.last_record()
        if last is None:
            return None
        label = self.executable.operators.by_site[last.site].step.label
        return failures.Progress(last.site, label, last.iteration, last.size)

    @property
    def traced(self) -> int:
        """How many operators have a record in the trace: the first ones."""
        return min(int(self.control.trace_length), TRACE_CAPACITY)

    def last_record(self) -> Any | None:
        """That of the last operator, which is kept behind the trace where that is full."""
        length = self.control.trace_length
        entries = ctypes.cast(self.control.trace, ctypes.POINTER(TraceEntry))
        return entries[min(length - 1, TRACE_CAPACITY)] if length else None

    def outcome(self) -> Outcome:
        """The results; raises what stopped the run."""
        self.check()
        arrays, scalars = self._named_results()
        control = self.control
        return Outcome(arrays, scalars, control.iterations, control.nanoseconds / 1e6, self._trace())

    def _named_results(self) -> tuple[dict[str, Any], dict[str, Scalar | Pair]]:
        """The arrays and the scalars that are not local, by name."""
        results, program = self.raw_results(), self.program
        arrays = {
            array.name: self._values(array.type, results[array.name])
            for array in program.arrays
            if array.name in results
        }
        scalars = {
            name.name: self.scalar(name.name, results[name.name]) for name in program.scalars if name.name in results
        }
        return arrays, scalars

    def raw_results(self) -> dict[str, NDArray[Any]]:
        """The results as they are stored, by name, wherever swaps have moved them. What the run has found of the graph
        alone is kept with that."""
        by_address = dict(zip(self._addresses, self.data, strict=True))
        self._scalars.note(self._value)
        return {name: by_address[self._data_pointers[place]] for place, name in self.executable.results}

    def _value(self, name: str) -> Any:
        """The value of a local scalar as it is stored; swaps move none that is asked for."""
        buffers = self.executable.generated.buffers
        return next(values.item(0) for buffer, values in zip(buffers, self.data, strict=True) if buffer.name == name)

    def scalar(self, name: str, values: NDArray[Any]) -> Scalar | Pair:
        """The value of a stored scalar."""
        (kind,) = (scalar.type for scalar in self.program.scalars if scalar.name == name)
        return first_of(self._values(kind, values))

    def _values(self, kind: Type, values: NDArray[Any]) -> Any:
        return unpacked(values, kind, self.widths) if kind.is_pair else self._memory.lent(values)

    def _trace(self) -> Callable[[], tuple[TraceRecord, ...]]:
        """The trace, decoded when it is first looked at: its records are freed with the run."""
        count = self.traced
        records = ctypes.string_at(self.control.trace, count * ctypes.sizeof(TraceEntry)) if count else b""
        tick = self.control.nanoseconds / 1e6 / max(self.control.ticks, 1)
        return partial(_decoded, self.executable.operators, records, tick)


def _decoded(operators: _Operators, records: bytes, tick: float) -> tuple[TraceRecord, ...]:
    entries = (TraceEntry * (len(records) // ctypes.sizeof(TraceEntry))).from_buffer_copy(records)
    trace = [_record(operators.by_site[entry.site], entry, tick) for entry in entries]
    return with_sweep_times(trace, operators.all)


def _record(operation: Operation, entry: Any, tick: float) -> TraceRecord:
    """`tick`: its length in milliseconds."""
    from gdsl.plan.walking import has_direction, sweeps_of

    pulled = Direction.PULL if entry.pulled else Direction.PUSH
    direction = pulled if has_direction(operation) else None
    order = Order.NEAR_FAR if sweeps_of(operation)[0].order is not None else None
    size, edges = entry.size, entry.edges
    times = entry.took * tick, entry.before * tick
    return TraceRecord(entry.site, operation.step.label, entry.iteration, size, edges, direction, None, order, *times)
