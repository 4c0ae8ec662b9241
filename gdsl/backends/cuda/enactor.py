"""The host's side of a run: launches the persistent kernel, or walks the schedule a kernel a step."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy

from gdsl.backends import failures
from gdsl.backends.cuda.line import Flight
from gdsl.backends.cuda.memory import GraphOnDevice, sizes_of, value_dtype
from gdsl.backends.cuda.protocol import Buffer, Device
from gdsl.backends.cuda.rooms import STOPPED_FROM_BIT
from gdsl.backends.cuda.run_memory import RunMemory, counts_in
from gdsl.backends.cuda.trace import decoded
from gdsl.backends.interface import Bindings, Build, Kernel, Limits, Outcome, Pair, Scalar
from gdsl.backends.pairs import first_of, unpacked
from gdsl.codegen.cuda.generated import Generated
from gdsl.diagnostics import GdslError
from gdsl.graph.graph import Graph
from gdsl.ir.given_ids import NAME as GIVEN_IDS
from gdsl.plan import hub_bounds
from gdsl.plan.buffers import control_block
from gdsl.plan.grids import blocks_a_multiprocessor, keeps_values
from gdsl.plan.nodes import Branch, Launch, Loop, On, Plan, Step, Swap
from gdsl.plan.walking import launches
from gdsl.types import Type

if TYPE_CHECKING:
    from gdsl.backends.cuda.device import CudaDevice

_NOTHING = Bindings({}, {})
_TOLD = ("failure", "exhausted", "arrived", "iterations", "trace_length", "cycles", "nanoseconds")
"""The words of the control block that are looked at after each run."""


class Enactor:
    """The runs of a generated program on one graph and device, one after the other."""

    def __init__(
        self,
        device: Device,
        kernel: Callable[[str], Any],
        plan: Plan,
        generated: Generated,
        on_device: GraphOnDevice,
        blocks: int | None = None,
    ) -> None:
        """`kernel(name)` gives what `Device.launch` takes, `generated` is the text of the plan; `blocks` of the grid,
        None: as many as are worth it."""
        self.device, self.plan, self.generated, self.on_device = device, plan, generated, on_device
        self._counts, self._is_fused = counts_in(plan), plan.target.fused
        self._control_words = [word.name for word in control_block(plan).fields if not word.count]
        told = list(map(self._control_words.index, _TOLD))
        self._told, self._stops = itemgetter(*told), (told[0], told[1], told[2])
        program, widths = plan.program, on_device.widths
        self._inputs = [array.name for array in program.arrays if array.is_input and array.name != GIVEN_IDS]
        self.takes_no_arrays = not self._inputs
        self._scalars = [(s.name, s.type, value_dtype(s.type, widths)) for s in program.scalars if not s.is_local]
        self._kernels = {
            id(launch): kernel(name) for launch, name in zip(launches(plan), generated.kernels, strict=True)
        }
        self._fused = list(self._kernels.values()) if self._is_fused else []
        self._lent = self._lends()
        """Bytes of shared memory for each block beside its own."""
        self.blocks = blocks or self._blocks()
        self._memory: RunMemory | None = None
        self._memory_for: tuple[object, ...] = ()
        self.limits, self._bindings = Limits(), _NOTHING
        self._started = 0.0

    @property
    def memory(self) -> RunMemory:
        """What the run at hand works with."""
        assert self._memory is not None
        return self._memory

    @property
    def graph(self) -> Graph:
        """What is run on."""
        graph = self.on_device.graph()
        assert graph is not None
        return graph

    def run(self, bindings: Bindings, limits: Limits) -> Outcome:
        """Prepare, run to the end, and collect; raises GdslError when the run fails or is stopped."""
        self.limits, self._bindings = limits, bindings
        memory, whole = self._memory_of(bindings), False
        try:
            memory.begin(bindings, limits)
            walk = _Walk(self)
            for settle in bindings.open:
                settle()
            self._started = time.monotonic()
            self.device.start_clock()
            memory.put_inside()
            walk.run()
            outside = memory.put_outside()
            self.device.stop_clock()
            memory.shared.receive()
            self.device.end()
            memory.prepare_next()
            arrays = self._arrays(outside) if outside or not self.plan.swapped else None  # while the device works
            self.device.wait(self.is_late if limits.timeout is not None else None)
            failure, exhausted, arrived, passes, *traced = self._told(memory.control())
            if failure or exhausted or arrived >> STOPPED_FROM_BIT:
                self.raise_failure(self.control())
            self._follow_swaps()
            arrays = arrays or self._arrays(outside)
            passes = passes if self._is_fused else walk.passes
            outcome = self._outcome(arrays, passes, self.device.elapsed_ms(), *traced)
            whole = True
            return outcome
        finally:
            memory.end(whole)
            self._bindings = _NOTHING

    def can_fly(self, bindings: Bindings) -> bool:
        """Whether a run need not be waited for: the host has nothing to do in between, and could run it again, since
        all arrays are the graph's."""
        if not self._is_fused or bindings.open:
            return False
        return self.takes_no_arrays or all(name in bindings.own for name in self._inputs)

    def submit(self, device: CudaDevice, graph: Graph, bindings: Bindings, limits: Limits) -> Flight:
        """Prepare, and queue all of it, of which `collect` is told once it is over; raises E0802 where its time is over
        before its turn comes, and E0912, with nothing of it going on."""
        self.limits, self._bindings = limits, bindings
        left, started = limits.left, time.monotonic() if limits.timeout is not None else 0.0
        if not self._can_join(bindings) and not device.line.let_pass(None, None if left is None else started + left):
            raise failures.timeout_error(limits.timeout or 0.0)
        memory, begun, whole = self._memory_of(bindings), False, False
        try:
            memory.begin(bindings, limits)
            incoming = memory.incoming(self._stops)
            device.start_clock()
            begun = True
            for kernel in self._fused:
                device.launch(kernel, self.blocks, self.plan.sizes.block_threads, memory.arguments, lent=self._lent)
            outside = None if self.on_device.numbering is None else memory.put_outside()
            device.stop_clock()
            memory.hand_over(incoming)
            device.end()
            flight = Flight(device, self, graph, (bindings, limits, started), (memory, outside, incoming))
            device.line.join(flight)
            whole = True
            return flight
        finally:
            memory.end(whole)
            self._bindings = _NOTHING
            if begun and not whole:
                device.halt()

    def collect(self, flight: Flight) -> Outcome | None:
        """What a run gave that is over; None where it must run again: it was stopped for another's sake, or its trace
        is lost, since others have worked in its memory. Raises GdslError when it failed."""
        memory = flight.memory
        former, self._memory = self._memory, memory
        self.limits, self._bindings = flight.limits, flight.bindings
        memory.look_at(flight.names, flight.received)
        try:
            failure, exhausted, arrived, passes, *traced = self._told(flight.control.tolist())
            if failure or exhausted or arrived >> STOPPED_FROM_BIT:
                if failure or exhausted or flight.is_late():
                    self.raise_failure(self.control())
                return None
            if not memory.has_trace(traced[0]) and not flight.is_last():
                memory.expect_trace(traced[0])
                return None
            self._follow_swaps()
            return self._outcome(self._arrays(flight.outside), passes, flight.clock.elapsed_ms(), *traced)
        finally:
            memory.look_at({}, None)
            self._memory, self._bindings = former, _NOTHING

    def build(self) -> Build:
        """What runs, and what its kernels take."""
        threads = self.plan.sizes.block_threads
        kernels = []
        for name, kernel in zip(self.generated.kernels, self._kernels.values(), strict=True):
            registers, local, shared, most = self.device.resources(kernel)
            resident = self.device.resident_blocks(kernel, threads, self._lent)
            kernels.append(Kernel(name, registers, local, shared + self._lent, resident, threads, most))
        grid = (
            f"{self.blocks} blocks of {threads} threads, {self.blocks // self.device.multiprocessors} a multiprocessor"
        )
        return Build(self.plan, "cuda", self.generated.text, (("grid", grid),), tuple(kernels))

    def launch(self, launch: Launch, iteration: int) -> None:
        """Start the kernel of a launch."""
        memory = self.memory
        memory.iteration[0] = iteration
        kernel, threads = self._kernels[id(launch)], self.plan.sizes.block_threads
        self.device.launch(kernel, self.blocks, threads, memory.arguments, lent=self._lent)

    def _can_join(self, bindings: Bindings) -> bool:
        """Whether its memory is there, and a run in it need not wait for those in the line."""
        memory = self._memory
        return memory is not None and self._memory_for == self._lengths(bindings) and memory.can_join

    def _lengths(self, bindings: Bindings) -> tuple[object, ...]:
        """The params that say how long buffers are."""
        return tuple([bindings.params[name] for name in self._counts]) if self._counts else ()

    def _memory_of(self, bindings: Bindings) -> RunMemory:
        """The same from run to run, as long as the buffers have the same lengths."""
        wanted = self._lengths(bindings)
        if self._memory is None or self._memory_for != wanted:
            self._memory = None
            sizes = sizes_of(self.graph, bindings)
            self._memory, self._memory_for = RunMemory(self.device, self.plan, self.on_device, sizes), wanted
        return self._memory

    def _lends(self) -> int:
        keeps, asked = keeps_values(self.plan), hub_bounds.lent(self.plan)
        room = min(map(self.device.lends, self._kernels.values())) if keeps or asked else 0
        assert room >= asked, "a kernel with bounds of hubs on a GPU without room for them"
        return asked or room

    def _blocks(self) -> int:
        """The grid: the same for all kernels of a run, since they count one barrier's arrivals."""
        threads = self.plan.sizes.block_threads
        resident = min(self.device.resident_blocks(kernel, threads, self._lent) for kernel in self._kernels.values())
        if resident < 1:
            raise GdslError.single(
                "E0905",
                f"a block of {threads} threads does not fit on this GPU",
                fix="choose fewer with --tune schedule.block=256",
            )
        graph = self.graph
        worth = blocks_a_multiprocessor(self.plan, graph.num_vertices, graph.num_edges, self.on_device.largest_degree)
        return self.device.multiprocessors * min(resident, worth)

    def is_late(self) -> bool:
        """Whether the caller's time is over."""
        left = self.limits.left
        return left is not None and time.monotonic() - self._started > left

    # What the kernels left

    def control(self) -> dict[str, int]:
        """The control block's words, once they have been waited for."""
        return dict(zip(self._control_words, self.memory.control(), strict=False))

    def raise_failure(self, control: dict[str, int]) -> None:
        """Raise what stopped the run, if anything did."""
        if control["failure"]:
            found = failures.Found(signed(control["failed_value"]), signed(control["failed_length"]))
            raise self._index_failure(control["failure"] - 1, found)
        if control["exhausted"]:
            raise failures.iterations_error(
                self.plan.program, control["exhausted"] - 1, self.limits.max_iterations or 0
            )
        if control["arrived"] >> STOPPED_FROM_BIT:
            raise failures.timeout_error(self.limits.timeout or 0.0)

    def _index_failure(self, number: int, found: failures.Found) -> GdslError:
        site = self.generated.checks.sites[number]
        return failures.check_error(self.plan.program, site, found, self.graph, self._bindings.params)

    def _follow_swaps(self) -> None:
        """After swaps by the device a name's values lie where the kernel says."""
        swapped, memory = self.plan.swapped, self.memory
        if not swapped or not self.plan.target.fused:
            return
        places = memory.outputs()
        by_pointer = {memory.names[name].pointer: memory.names[name] for name in swapped}
        memory.rename({name: by_pointer[int(place)] for name, place in zip(swapped, places, strict=False)})

    def _arrays(self, outside: Mapping[str, Buffer] | None) -> dict[str, Any]:
        """The arrays that the caller gets, by name; `outside`: the results, where they lie in the caller's order."""
        memory, widths = self.memory, self.on_device.widths
        found = {name: self._bindings.inputs[name] for name in self._inputs} if self._inputs else {}
        places, result = outside or memory.names, self.device.result
        for name, kind, dtype, count in memory.results:
            values = result(places[name], dtype, count)
            found[name] = unpacked(values, kind, widths) if kind.is_pair else values
        return found

    def _outcome(
        self, arrays: dict[str, Any], passes: int, time_ms: float, trace_length: int, cycles: int, nanoseconds: int
    ) -> Outcome:
        scalars = {name: self._scalar(name, kind, dtype) for name, kind, dtype in self._scalars}
        records, cycle = self.memory.trace(trace_length), nanoseconds / 1e6 / max(cycles, 1)
        trace = partial(decoded, self.plan, records, self.on_device.widths, cycle)
        layout_ms = self.on_device.take_made_ms()
        return Outcome(arrays, scalars, passes, time_ms, trace, layout_ms)

    def _scalar(self, name: str, kind: Type, dtype: numpy.dtype[Any]) -> Scalar | Pair:
        values = self.memory.scalar(name).view(dtype)
        if kind.is_pair:
            return first_of(unpacked(values, kind, self.on_device.widths))
        value: Scalar = self.memory.outside(name, values[0].item())
        return value


def signed(word: int) -> int:
    """A word of 64 bits as what it is with a sign."""
    return word - (1 << 64) if word >> 63 else word


class _Walk:
    """The schedule of the plan as far as it is the host's: all of it between launches."""

    def __init__(self, enactor: Enactor) -> None:
        self.enactor = enactor
        self.passes = 0
        """Finished passes of the outermost loops."""

    def run(self) -> None:
        """Everything from the start."""
        self._steps(self.enactor.plan.schedule, 0)

    def _steps(self, steps: tuple[Step, ...], iteration: int) -> None:
        for step in steps:
            if isinstance(step, Launch):
                self.enactor.launch(step, iteration)
            elif isinstance(step, Swap):
                self._swap(step)
            elif isinstance(step, On):
                assert step.enter is not None
                self.enactor.launch(step.enter, iteration)
                self._steps(step.body, iteration)
            elif isinstance(step, Branch):
                self._steps(step.then if self._ask(step.ask, iteration) else step.otherwise, iteration)
            else:
                assert isinstance(step, Loop)
                self._loop(step, self._passes(step, iteration))

    def _passes(self, step: Loop, iteration: int) -> Iterator[int]:
        """The iterations of a loop, as long as it goes on."""
        if step.counted:
            yield from range(max(0, self._ask(step.ask, iteration)))
            return
        now = 0
        while self._ask(step.ask, now):
            yield now
            now += 1

    def _loop(self, step: Loop, passes: Iterator[int]) -> None:
        limit = self.enactor.limits.max_iterations
        for iteration in passes:
            if limit is not None and iteration >= limit:
                raise failures.iterations_error(self.enactor.plan.program, step.number, limit)
            self._steps(step.body, iteration)
            self.passes += step.outermost

    def _ask(self, launch: Launch | None, iteration: int) -> int:
        """The answer of a condition or a count, unless something has failed by now."""
        assert launch is not None
        self.enactor.launch(launch, iteration)
        self.enactor.device.stop_clock()
        self.enactor.memory.shared.receive()
        self.enactor.device.end()
        self.enactor.device.wait(self.enactor.is_late)
        control = self.enactor.control()
        self.enactor.raise_failure(control)
        if self.enactor.is_late():
            raise failures.timeout_error(self.enactor.limits.timeout or 0.0)
        return signed(control["answer"])

    def _swap(self, swap: Swap) -> None:
        memory = self.enactor.memory
        first, second = swap.step.first, swap.step.second
        memory.rename({first: memory.names[second], second: memory.names[first]}, point=True)
