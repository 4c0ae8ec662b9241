"""One run of a program by several workers, of which each calls `run_share` with its share of the graph.

Every worker runs the same text over mirrors of the vertex arrays, on its own members, and at each exchange of the plan
(`gdsl.plan.distribution`) the text calls back into Python, where the worker exchanges data through its communicator.
"""

from __future__ import annotations

import contextlib
import ctypes
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from gdsl.backends import failures
from gdsl.backends.cpu.backend import CpuBackend
from gdsl.backends.cpu.exchanges import Datum, Exchanger
from gdsl.backends.cpu.memory import ExchangeCall, GraphSlice, TraceEntry, dtype_of
from gdsl.backends.cpu.merging import Field
from gdsl.backends.cpu.run import LoadedProgram, Run
from gdsl.backends.cpu.share_graph import share_slice
from gdsl.backends.interface import Bindings, Limits, Outcome, Pair
from gdsl.backends.pairs import words_of
from gdsl.communicator import Communicator
from gdsl.diagnostics import GdslError
from gdsl.extents import of_graph
from gdsl.graph.shares import GraphShare
from gdsl.ir.nodes import Array, Literal, ParamValue, Program
from gdsl.operations import Domain
from gdsl.plan.exchange_nodes import Exchange, Held
from gdsl.plan.storage import Buffer
from gdsl.plan.target import Sizes
from gdsl.types import Type, Widths

T = TypeVar("T")
_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.POINTER(ExchangeCall))
_LAST = -1
"""The number of the meeting at the end of a run."""


@dataclass
class ShareOutcome:
    """What one worker has of the result of a run.

    outcome: as of a run by one worker, with the same values and the same trace on all workers, except that arrays of
    edges that are held in parts have the values of this worker's own edges (`parts` names them).
    bytes_sent: what this worker sent to others in exchanges. exchanges: how often workers met.
    """

    outcome: Outcome
    parts: frozenset[str]
    bytes_sent: int
    exchanges: int
    _communicator: Communicator

    def gathered(self, root: int = 0) -> Outcome | None:
        """The whole result at worker `root`, None elsewhere. All workers call it."""
        arrays = dict(self.outcome.arrays)
        for name in sorted(self.parts & arrays.keys()):
            found = arrays[name]
            both = found if isinstance(found, Pair) else (found,)
            whole = [self._at(root, np.ascontiguousarray(each)) for each in both]
            arrays[name] = Pair(*whole) if isinstance(found, Pair) else whole[0]
        if self._communicator.rank != root:
            return None
        own = self.outcome
        return Outcome(arrays, own.scalars, own.iterations, own.time_ms, own.traced)

    def _at(self, root: int, values: NDArray[Any]) -> NDArray[Any]:
        nothing = values[:0]
        parts = [values if rank == root else nothing for rank in range(self._communicator.size)]
        return np.concatenate(self._communicator.all_to_all(parts))


def run_share(
    program: Program,
    share: GraphShare,
    bindings: Bindings,
    communicator: Communicator,
    limits: Limits | None = None,
    *,
    sizes: Sizes | None = None,
    one_thread: bool = False,
) -> ShareOutcome:
    """Run `program` (annotated) on the graph of which this worker holds `share`, together with the other workers of
    `communicator`, which all call this with the same program.

    `bindings`: as of `gdsl.binding.bind_share`; vertex arrays of the whole graph, edge arrays of the worker's own edges
    or of all. `one_thread`: where each core has a worker of its own. A mistake that any worker finds is raised on all:
    E0801 to E0806 and E0902 to E0912 as by the cpu backend, E0807 by the communicator, KeyboardInterrupt where one of
    them is interrupted.
    """
    widths = share.id_widths if program.tuning.ids is None else Widths.both(program.tuning.ids)

    def prepared() -> tuple[LoadedProgram, ShareRun]:
        executable = CpuBackend(sizes).build_shared(program, widths)
        run = ShareRun(executable, share, bindings, communicator, limits or Limits())
        run.one_thread = one_thread
        return executable, run

    executable, run = agreed(communicator, prepared)
    try:
        run.connect()
        run.work()
        return run.share_outcome()
    finally:
        executable.library.release(ctypes.byref(run.control))
        run.end()


def agreed(communicator: Communicator, work: Callable[[], T]) -> T:
    """What `work` returns, which exchanges nothing; where it fails on some workers, the error of the first of them is
    raised on all."""
    error: Exception | None = None
    result: T | None = None
    try:
        result = work()
    except (GdslError, MemoryError, OSError, TypeError, ValueError, KeyError) as found:
        error = failures.memory_error() if isinstance(found, MemoryError) else found
    packed = np.frombuffer(pickle.dumps(error) if error is not None else b"", np.uint8)
    errors = [part for part in communicator.all_gather(packed) if len(part)]
    if errors:
        raise pickle.loads(errors[0].tobytes())
    return result  # type: ignore[return-value]


class ShareRun(Run):
    """The memory of one run of one worker, and its part in exchanges."""

    graph: GraphShare  # type: ignore[assignment]
    one_thread = False

    def __init__(
        self,
        executable: LoadedProgram,
        share: GraphShare,
        bindings: Bindings,
        communicator: Communicator,
        limits: Limits,
    ) -> None:
        distribution = executable.generated.distribution
        assert distribution is not None
        self.distribution, self.communicator = distribution, communicator
        self.parts = frozenset(each.name for each in distribution.arrays if each.held is Held.OWN)
        self._arrays = {array.name: array for array in executable.program.arrays}
        super().__init__(executable, share, bindings, limits)  # type: ignore[arg-type]
        control = self.control
        control.rank, control.workers = share.rank, share.size
        control.first_vertex, control.last_vertex = share.first, share.last
        control.first_edge, control.last_edge = share.first_edge, share.last_edge
        self._callback = _CALLBACK(self._called)
        control.exchange = ctypes.cast(self._callback, ctypes.c_void_p).value
        self.exchanger = Exchanger(communicator, share.num_vertices, share.num_edges)
        self.error: BaseException | None = None
        self.ended = False
        """Whether all workers have agreed to stop."""
        buffers = executable.generated.buffers
        self._mirrors = {
            address: values
            for address, buffer, values in zip(self._addresses, buffers, self.data, strict=True)
            if buffer.name not in self.parts
        }
        self._fields = {buffer.name: self._field(buffer) for buffer in buffers if buffer.name not in self.parts}

    # Memory

    def _slice(self) -> tuple[Any, list[Any]]:
        return GraphSlice(self.graph.num_vertices, self.graph.num_edges), []

    def connect(self) -> None:
        """Fetch what other workers have of the graph and this one needs. All workers call it."""
        found = self.executable.slices.get(self.graph)
        if found is None:
            parts = self.executable.generated.parts
            found = share_slice(self.graph, self.communicator, self.widths, parts, self.distribution)
            self.executable.slices[self.graph] = found
        self.host.graph, self._alive = found

    def _length(self, buffer: Buffer) -> int:
        edges = len(self.graph.columns) if buffer.name in self.parts else self.graph.num_edges
        return buffer.extent.value(of_graph(self.graph.num_vertices, edges, self.bound))

    def _places_in_memory(self) -> list[int]:
        """Where the first value of each buffer is, or, of a worker's own part, would be."""
        found = []
        for buffer, values in zip(self.executable.generated.buffers, self.data, strict=True):
            missing = self._count(buffer.name) * self.graph.first_edge if buffer.name in self.parts else 0
            words = self._words(buffer)
            found.append((values.ctypes.data - missing * max(words, 1) * values.itemsize) % (1 << 64))
        return found

    def raw_results(self) -> dict[str, NDArray[Any]]:
        """The results as they are stored, by name, wherever swaps have moved them: those in parts change places with
        others alike."""
        buffers = self.executable.generated.buffers
        alike = [(buffer.name in self.parts, buffer.element, buffer.extent) for buffer in buffers]
        places = zip(self._addresses, alike, strict=True)
        by_place = dict(zip(places, self.data, strict=True))
        return {name: by_place[self._data_pointers[place], alike[place]] for place, name in self.executable.results}

    def _count(self, name: str) -> int:
        """How many values an element has."""
        array = self._arrays.get(name)
        if array is None or array.count is None:
            return 1
        return int(array.count.value if isinstance(array.count, Literal) else self.bound[_name_of(array)])

    def _words(self, buffer: Buffer) -> int:
        assert isinstance(buffer.element, Type)
        return words_of(buffer.element, self.widths) if buffer.element.is_pair else 0

    def _field(self, buffer: Buffer) -> Field:
        assert isinstance(buffer.element, Type)
        array = self._arrays.get(buffer.name)
        places = None
        if array is not None:
            of = self.graph.boundaries if array.domain is Domain.VERTEX else self.graph.edge_boundaries
            places = of * self._count(buffer.name)
        dtype = dtype_of(buffer.element, self.widths)
        return Field(buffer.name, buffer.element, dtype, places, self._words(buffer))

    # Exchanges

    def _called(self, pointer: Any) -> None:
        """What generated code calls; nothing may be raised through it."""
        if self.ended:
            return
        try:
            call = pointer.contents
            step = self.executable.generated.exchanges[call.number]
            data = [
                Datum(each, self._fields[each.name], self._mirrors[call.data[place]])
                for place, each in enumerate(step.data)
            ]
            if call.moment == 0:
                self.exchanger.note(step.number, data)
            else:
                self._exchange(step, call, data)
        except BaseException as error:
            self.error = error
            self._end()
            with contextlib.suppress(Exception):
                self.communicator.abort(error)

    def _exchange(self, step: Exchange, call: Any, data: list[Datum]) -> None:
        last = self._last_record() if step.counts_edges else None
        edges = self.exchanger.agree(step.number, self._stops(), last.edges if last is not None else 0)
        if edges is None:
            self._end()
            return
        if last is not None:
            last.edges = edges
        domain = Domain.VERTEX
        members = np.zeros(0, f"i{self.widths.vertex // 8}")
        if step.frontier is not None:
            domain = self.executable.domains[step.frontier]
            members = self._queue(call.queue, domain)
        united = self.exchanger.exchange(step, call.turn, data, members[: call.size].copy(), domain)
        if united is not None:
            members[: len(united)] = united
            call.size = len(united)

    def _queue(self, address: int, domain: Domain) -> NDArray[Any]:
        """The queue of a set, which has room for every element."""
        vertices = domain is Domain.VERTEX
        bits = self.widths.vertex if vertices else self.widths.edge
        room = (self.graph.num_vertices if vertices else self.graph.num_edges) + 1
        memory = (ctypes.c_uint8 * (room * bits // 8)).from_address(address)
        return np.ctypeslib.as_array(memory).view(f"i{bits // 8}")

    def _last_record(self) -> Any | None:
        length = self.control.trace_length
        return ctypes.cast(self.control.trace, ctypes.POINTER(TraceEntry))[length - 1] if length else None

    def _stops(self) -> bool:
        return bool(self.control.host_stop or self.control.halted)

    def _end(self) -> None:
        """All workers have agreed to stop, or this one cannot go on."""
        self.ended = True
        self.control.host_stop = 1

    # The end

    def work(self) -> None:
        """Run to the end; raises what stopped any of the workers."""
        interrupted = False
        try:
            self.call(self._function)
        except KeyboardInterrupt:
            interrupted = True
        except GdslError:  # the system allows no further thread
            self.status[:] = [1]
        if self.error is not None:
            raise self.error
        stops = interrupted or self._stops() or self.timed_out or self.status != [0]
        if not self.ended and self.exchanger.agree(_LAST, stops) is not None:
            return
        self._take_failure(interrupted)
        self.check()
        raise KeyboardInterrupt

    def _function(self, host: Any) -> int:
        library = self.executable.library
        restore = library.use_one_thread() if self.one_thread else None
        status: int = library.run(host)
        if restore is not None:
            restore()
        return status

    def _take_failure(self, interrupted: bool) -> None:
        """What stopped the first worker that was stopped by more than others, as if it had stopped this one."""
        control = self.control
        own = [self.status[0] if self.status else 1, control.exhausted, control.failure, control.failed_value]
        own += [control.failed_length, self.timed_out, interrupted]
        found = self.communicator.all_gather(np.array(own, np.int64))
        reasons = [row for row in (each.tolist() for each in found) if row[0] or row[1] or row[2] or row[5] or row[6]]
        status, exhausted, failure, value, length, timed_out, _ = reasons[0]
        self.status[:], self.timed_out = [status], bool(timed_out)
        control.exhausted, control.failure = exhausted, failure
        control.failed_value, control.failed_length = value, length

    def share_outcome(self) -> ShareOutcome:
        """The result of this worker."""
        arrays, scalars = self._named_results()
        control = self.control
        outcome = Outcome(arrays, scalars, control.iterations, control.nanoseconds / 1e6, self._trace())
        return ShareOutcome(outcome, self.parts, self.exchanger.sent, self.exchanger.met, self.communicator)


def _name_of(array: Array) -> str:
    assert isinstance(array.count, ParamValue)
    return array.count.name
