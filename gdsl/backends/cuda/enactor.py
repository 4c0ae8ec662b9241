"""The host's side of a run: launches the persistent kernel, or (`host_walk`) a kernel for each step."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from gdsl.backends import failures
from gdsl.backends.cuda.host_walk import Walk
from gdsl.backends.cuda.memory import GraphOnDevice, value_dtype
from gdsl.backends.cuda.observed_blocks import ObservedBlocks
from gdsl.backends.cuda.observed_order import TooManyVisitsError
from gdsl.backends.cuda.pinned_copies import STOPPED_FROM_BIT
from gdsl.backends.cuda.protocol import Buffer, Device, signed
from gdsl.backends.cuda.run_memory import RunMemories, RunMemory
from gdsl.backends.cuda.stream_queue import InFlightRun
from gdsl.backends.cuda.trace import Written, lanes_of
from gdsl.backends.interface import Bindings, Build, Kernel, Limits, Outcome, Pair, Scalar
from gdsl.backends.pairs import first_of, unpacked
from gdsl.codegen.generated import CudaText
from gdsl.diagnostics import GdslError
from gdsl.graph.graph import Graph
from gdsl.ir.ids import NAME as GIVEN_IDS
from gdsl.plan import block_cache
from gdsl.plan.buffers import control_block
from gdsl.plan.graph_class import is_forest
from gdsl.plan.nodes import Launch, Plan
from gdsl.plan.occupancy import MOST_BLOCKS, blocks_a_multiprocessor, keeps_values
from gdsl.plan.walking import launches
from gdsl.plan.work_order import orders
from gdsl.types import Type

if TYPE_CHECKING:
    from gdsl.backends.cuda.device import CudaDevice

_NOTHING = Bindings({}, {})
_WORDS_READ = ("failure", "exhausted", "arrived", "iterations", "trace_length", "cycles", "nanoseconds")
"""The words of the control block that are read after each run."""


class _StartedRun(NamedTuple):
    """What is known of a run before it is over: its trace is still empty, and scalars are views of where the host will
    have them. If the caller's order of vertices is another one, the results are `outside`."""

    outcome: Outcome
    written: Written
    outside: Mapping[str, Buffer] | None
    scalars: Sequence[tuple[str, Type, Any]]


class Enactor:
    """Runs a generated program on one graph and device, one run after the other."""

    memory_class = RunMemory

    def __init__(
        self,
        device: Device,
        kernel: Callable[[str], Any],
        plan: Plan,
        generated: CudaText,
        on_device: GraphOnDevice,
        blocks: int | None = None,
        blocks_each: int = 0,
    ) -> None:
        """`kernel(name)` returns what `Device.launch` takes, `generated` is the text of the plan; `blocks` of the grid,
        None: as many as are useful, at most `blocks_each` for each multiprocessor (0: any number)."""
        self.device, self.plan, self.generated, self.on_device = device, plan, generated, on_device
        self._is_fused, self._threads = plan.target.fused, plan.sizes.block_threads
        self._follows = bool(plan.swapped) and self._is_fused
        """Whether the device decides during the run which buffer holds a result."""
        self._control_words = [word.name for word in control_block(plan).fields if not word.count]
        words = list(map(self._control_words.index, _WORDS_READ))
        self._words_read, self._stops = itemgetter(*words), (words[0], words[1], words[2])
        self._has_order = bool(orders(plan))
        program, widths = plan.program, on_device.widths
        self._inputs = [array.name for array in program.arrays if array.is_input and array.name != GIVEN_IDS]
        self.takes_no_arrays = not self._inputs
        self._pairs = {array.name for array in program.arrays if array.type.is_pair}
        self._scalars = [(s.name, s.type, value_dtype(s.type, widths)) for s in program.scalars if not s.is_local]
        self._kernels = {
            id(launch): kernel(name) for launch, name in zip(launches(plan), generated.kernels, strict=True)
        }
        self._fused = list(self._kernels.values()) if self._is_fused else []
        self._dynamic_shared = self._dynamic_shared_bytes()
        """Bytes of dynamic shared memory per block."""
        self._observed = self._blocks(blocks, blocks_each or MOST_BLOCKS)
        self.blocks = self._observed.multiprocessors * self._observed.first
        self._memories = RunMemories(device, plan, on_device, self.memory_class)
        self.limits, self._bindings = Limits(), _NOTHING
        self._started = 0.0

    @property
    def memory(self) -> RunMemory:
        """The memory of the current run."""
        memory = self._memories.current
        assert memory is not None
        return memory

    @property
    def has_wide_passes(self) -> bool:
        """Whether a run has shown passes for which the code for deep graphs is not made."""
        return self._observed.is_wide

    @property
    def graph(self) -> Graph:
        """The graph of the runs."""
        return self.on_device.source

    def run(self, bindings: Bindings, limits: Limits, most_visits: int = 0) -> Outcome:
        """Prepare, run to the end, and collect; raises GdslError if the run fails or is stopped, TooManyVisitsError if
        its first loop visits more than `most_visits` edges (0: it may) and is not at its end then."""
        self.limits, self._bindings, device = limits, bindings, self.device
        memories, whole = self._memories, False
        memory = memories.reusable(bindings) or memories.of(bindings, self.graph)
        try:
            memory.begin(bindings, limits, most_visits)
            for settle in bindings.open:
                settle()
            self._started = time.monotonic() if limits.timeout is not None else 0.0
            device.start_clock()
            memory.put_inside()
            walk = self._launch_all(memory)
            outside = memory.results.put_outside(memory.names)
            device.stop_clock()
            memory.transfers.receive()
            device.end()
            # While the device works, prepare as much as possible; after the wait, do as little as possible.
            memory.prepare_next(limits.memory is None and not self.on_device.memory_line)
            control, started_run = (
                memory.transfers.control()[: len(self._control_words)],
                self._start_outcome(memory, outside),
            )
            device.wait(self.is_late if limits.timeout is not None else None)
            failure, exhausted, arrived, passes, *words = self._words_read(control.tolist())
            if failure or exhausted or arrived >> STOPPED_FROM_BIT:
                control_words = self.control()
                if most_visits and not failure and not exhausted and control_words["stopped_after"]:
                    started_run.written.header = words
                    visits, spent = control_words["visits"], control_words["stopped_after"] / 1e6
                    raise TooManyVisitsError(visits, spent, words[0], started_run.written.work().usual)
                last = self._progress(started_run, words)
                late = partial(failures.late_error, self.plan.program, limits.timeout, last)
                self.raise_failure(control_words, late)
            self._complete(started_run, device.elapsed_ms(), passes if walk is None else walk.passes, words)
            if most_visits or self._has_order:
                started_run.outcome.kernel_ms = words[2] / 1e6
                started_run.outcome.visits = self.control().get("visits", 0)
            started_run.outcome.operators = words[0]
            whole = True
            return started_run.outcome
        finally:
            memory.end(whole)
            self._bindings = _NOTHING

    def can_queue(self, bindings: Bindings) -> bool:
        """Whether a run can be queued: the host has nothing to do during the run, and could repeat it, since all arrays
        are the graph's."""
        if not self._is_fused or bindings.open or self.plan.target.several_gpus:
            return False
        return self.takes_no_arrays or all(name in bindings.own for name in self._inputs)

    def submit(self, device: CudaDevice, graph: Graph, bindings: Bindings, limits: Limits) -> InFlightRun:
        """Prepare and queue a run, whose outcome `collect` returns later; raises E0802 if the device is not free in
        time, and E0912. After an error nothing of it is in progress."""
        self.limits, self._bindings = limits, bindings
        left, started = (None, 0.0) if limits.timeout is None else (limits.left, time.monotonic())
        memory, started_run, whole = self._memories.reusable(bindings), False, False
        if (
            memory is None or not memory.transfers.can_join
        ):  # it does not exist, or a run in it would wait for the queued ones
            if not device.queue.drain(None, None if left is None else started + left):
                raise failures.timeout_error(limits.timeout)
            memory = self._memories.of(bindings, graph)
        try:
            memory.begin(bindings, limits)
            incoming = memory.incoming(self._stops)
            device.start_clock()
            started_run = True
            self._launch_all(memory)
            outside = memory.results.put_outside(memory.names)
            device.stop_clock()
            memory.transfers.hand_over(incoming)
            device.end()
            request = bindings, limits, started
            run = InFlightRun(device.queue, self.collect, graph, request, memory, outside, incoming)
            device.queue.add(run)
            whole = True
            return run
        finally:
            memory.end(whole)
            self._bindings = _NOTHING
            if started_run and not whole:
                device.halt()

    def collect(self, run: InFlightRun) -> Outcome | None:
        """The outcome of a queued run that is over; None if it must run again: it was stopped because of another run,
        or its trace is lost, since others have used its memory. Raises GdslError if it failed."""
        memory = run.memory
        assert isinstance(memory, RunMemory)
        former, self._memories.current = self._memories.current, memory
        self.limits, self._bindings = run.limits, run.bindings
        memory.look_at(run.names, run.received)
        try:
            failure, exhausted, arrived, passes, *words = self._words_read(run.control.tolist())
            if failure or exhausted or arrived >> STOPPED_FROM_BIT:
                if failure or exhausted or run.is_late():
                    self.raise_failure(self.control())
                return None
            started_run = self._start_outcome(memory, run.outside)
            if words[0] > started_run.written.most and not memory.transfers.has_trace(words[0]) and not run.is_last():
                memory.transfers.expect_trace(words[0])
                return None
            self._complete(started_run, run.clock.elapsed_ms(), passes, words)
            started_run.written.keep()  # its memory belongs to another run from now on
            return started_run.outcome
        finally:
            memory.look_at({}, None)
            self._memories.current, self._bindings = former, _NOTHING

    def build(self) -> Build:
        """The plan, the generated text, and the resources of the kernels."""
        threads = self.plan.sizes.block_threads
        kernels = []
        for name, kernel in zip(self.generated.kernels, self._kernels.values(), strict=True):
            registers, local, shared, most = self.device.resources(kernel)
            resident = self.device.resident_blocks(kernel, threads, self._dynamic_shared)
            kernels.append(Kernel(name, registers, local, shared + self._dynamic_shared, resident, threads, most))
        grid = (
            f"{self.blocks} blocks of {threads} threads, {self.blocks // self.device.multiprocessors} a multiprocessor"
        )
        facts = [("grid", grid)]
        if self.device.gpu_numbers:
            facts.append(("GPUs", ", ".join(map(str, self.device.gpu_numbers))))
        if self.on_device.memory_line:
            facts.append(("memory", self.on_device.memory_line.removeprefix("memory: ")))
        return Build(self.plan, "cuda", self.generated.text, tuple(facts), tuple(kernels))

    def _launch_all(self, memory: RunMemory) -> Walk | None:
        """Launch everything; if the host executes a part of the schedule, the walk over it."""
        if not self._is_fused:
            walk = Walk(self)
            walk.run()
            return walk
        for kernel in self._fused:
            self.device.launch(
                kernel, self.blocks, self._threads, memory.arguments, dynamic_shared=self._dynamic_shared
            )
        return None

    def launch(self, launch: Launch, iteration: int) -> None:
        """Launch one kernel."""
        memory = self.memory
        memory.iteration[0] = iteration
        kernel = self._kernels[id(launch)]
        self.device.launch(kernel, self.blocks, self._threads, memory.arguments, dynamic_shared=self._dynamic_shared)

    def _dynamic_shared_bytes(self) -> int:
        keeps, asked = keeps_values(self.plan), block_cache.bounds_bytes(self.plan)
        room = min(map(self.device.reserve_dynamic_shared, self._kernels.values())) if keeps or asked else 0
        assert room >= asked, "a kernel with bounds of hubs on a GPU without room for them"
        return asked or room

    def _blocks(self, given: int | None, most_each: int) -> ObservedBlocks:
        """The blocks of the grid: equally many for all kernels of a run, since they count the arrivals at one
        barrier."""
        threads, graph = self._threads, self.graph
        if given is not None:
            return ObservedBlocks(1, given, given, threads, graph.num_vertices, observes=False)
        resident = min(
            self.device.resident_blocks(kernel, threads, self._dynamic_shared) for kernel in self._kernels.values()
        )
        if resident < 1:
            raise GdslError.single(
                "E0905",
                f"a block of {threads} threads does not fit on this GPU",
                fix="choose fewer with --tune schedule.block=256",
            )
        worth = blocks_a_multiprocessor(self.plan, graph.num_vertices, graph.num_edges, self.on_device.largest_degree)
        few, many = (min(resident, most, most_each) for most in (worth, MOST_BLOCKS))
        first = many if is_forest(graph.num_vertices, graph.num_edges) else few
        observes = few < many or self.plan.graph.revisited
        multiprocessors = self.device.multiprocessors
        return ObservedBlocks(multiprocessors, many, first, threads, graph.num_vertices, observes)

    def is_late(self) -> bool:
        """Whether the caller's timeout has passed."""
        left = self.limits.left
        return left is not None and time.monotonic() - self._started > left

    # What the kernels left

    def control(self) -> dict[str, int]:
        """The words of the control block after a wait."""
        return dict(zip(self._control_words, self.memory.transfers.control().tolist(), strict=False))

    def _progress(self, started_run: _StartedRun, words: Sequence[int]) -> failures.Progress | None:
        """The last operator in the trace of a stopped run; when the trace is full, only the loop is known."""
        written = started_run.written
        if words[0] > written.most:
            self.memory.transfers.complete(written, words[0])
        written.header = words
        records = written()
        if not records:
            return None
        last, whole = records[-1], len(records) == words[0]
        return failures.Progress(
            last.site, last.label, last.iteration if whole else None, last.frontier_size if whole else None
        )

    def raise_failure(self, control: dict[str, int], late: Callable[[], GdslError] | None = None) -> None:
        """Raise what stopped the run, if anything did; if that was the timeout, what `late` returns."""
        if control["failure"]:
            failure = failures.FailedIndex(signed(control["failed_value"]), signed(control["failed_length"]))
            raise self._index_failure(control["failure"] - 1, failure)
        if control["exhausted"]:
            raise failures.iterations_error(
                self.plan.program, control["exhausted"] - 1, self.limits.max_iterations or 0
            )
        if control["arrived"] >> STOPPED_FROM_BIT:
            raise failures.timeout_error(self.limits.timeout) if late is None else late()

    def _index_failure(self, number: int, finding: failures.FailedIndex) -> GdslError:
        site = self.generated.checks.sites[number]
        return failures.check_error(self.plan.program, site, finding, self.graph, self._bindings.params)

    def _follow_swaps(self) -> None:
        """After swaps on the device, look up which buffer a name refers to."""
        swapped, memory = self.plan.swapped, self.memory
        places = memory.transfers.outputs()
        by_pointer = {memory.names[name].pointer: memory.names[name] for name in swapped}
        memory.rename({name: by_pointer[int(place)] for name, place in zip(swapped, places, strict=False)})

    def _arrays(self, outside: Mapping[str, Buffer] | None) -> dict[str, Any]:
        """The caller's arrays by name; `outside`: the results in the caller's order."""
        memory, widths = self.memory, self.on_device.widths
        arrays: dict[str, Any] = {name: self._bindings.inputs[name] for name in self._inputs} if self._inputs else {}
        places, device = outside or memory.names, self.device
        copied = not outside and device.copies_results and bool(memory.results.arrays)
        for name, kind, dtype, count in memory.results.arrays:
            place = device.copy_result(places[name]) if copied else places[name]
            values = device.result(place, dtype, count)
            arrays[name] = unpacked(values, kind, widths) if name in self._pairs else values
        if copied:
            device.end()
            device.wait(None)
        return arrays

    def _start_outcome(self, memory: RunMemory, outside: Mapping[str, Buffer] | None) -> _StartedRun:
        """What is known before the run is over."""
        arrays = self._arrays(outside) if outside or not self._follows else {}
        written, scalars = (
            memory.transfers.written(),
            self._scalars_here() if self._scalars and not self._follows else (),
        )
        on_device = self.on_device
        outcome = Outcome(arrays, {}, 0, 0.0, written, on_device.made_ms, on_device.memory_line)
        return _StartedRun(outcome, written, outside, scalars)

    def _complete(self, started_run: _StartedRun, time_ms: float, passes: int, words: Sequence[int]) -> None:
        """The rest of the outcome; `words` as in `Written`."""
        self.memory.note_scalars()
        outcome, written, outside, scalars = started_run
        if self._follows:
            self._follow_swaps()
            outcome.arrays, scalars = outcome.arrays or self._arrays(outside), self._scalars_here()
        for name, kind, values in scalars:
            outcome.scalars[name] = self._scalar(name, kind, values)
        if words[0] > written.most:
            self.memory.transfers.complete(written, words[0])
        outcome.iterations, outcome.time_ms, written.header = passes, time_ms, words
        if self._observed.runs_left and words[0]:
            self.blocks = self._observed.multiprocessors * self._observed.note(written.work())
        if self.plan.target.lanes:
            trace, vertices = written(), self.graph.num_vertices
            lanes = self.memory.transfers.lanes(words[0])
            outcome.lanes = lanes_of(self.plan, trace, lanes, self.device.gpu_numbers, vertices)
        if outcome.layout_ms:
            self.on_device.made_ms = 0.0

    def _scalars_here(self) -> Sequence[tuple[str, Type, Any]]:
        """Views of the scalars' values on the host, valid once the run is over."""
        names, scalar = self.memory.names, self.memory.transfers.scalar
        return [(name, kind, scalar(names[name]).view(dtype)) for name, kind, dtype in self._scalars]

    def _scalar(self, name: str, kind: Type, values: Any) -> Scalar | Pair:
        if kind.is_pair:
            return first_of(unpacked(values, kind, self.on_device.widths))
        value: Scalar = values.item(0)
        return value if self.on_device.numbering is None else self.memory.ids.outside(name, value)
