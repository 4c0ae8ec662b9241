"""The host's side of a run: launches the persistent kernel, or walks the schedule a kernel a step."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy

from gdsl.backends import failures
from gdsl.backends.cuda.device import Device
from gdsl.backends.cuda.memory import GraphOnDevice, RunMemory, host_dtype, prepare, sizes_of
from gdsl.backends.interface import Bindings, Limits, Outcome, Pair, Scalar, TraceRecord
from gdsl.backends.pairs import first_of, unpacked, words_of
from gdsl.codegen.cuda.generated import Generated
from gdsl.codegen.structs import struct_dtype
from gdsl.diagnostics import GdslError
from gdsl.graph.graph import Graph
from gdsl.operations import Direction, Order
from gdsl.plan import structs
from gdsl.plan.buffers import control_block
from gdsl.plan.grids import blocks_a_multiprocessor
from gdsl.plan.nodes import Branch, Launch, Loop, On, Operation, Plan, Step, Swap
from gdsl.plan.storage import PROBLEM, Role
from gdsl.plan.walking import has_direction, launches, operations, sweeps_of
from gdsl.types import Type

_STOPPED_FROM_BIT = 61
"""The bits of the barrier's word from here on say that somebody asked for a stop; loops in functors heed it at once."""


@dataclass
class Enactor:
    """One run of a generated program on a device. `kernel(name)` gives what `Device.launch` takes."""

    device: Device
    kernel: Callable[[str], Any]
    plan: Plan
    generated: Generated
    """The text of the plan."""
    graph: Graph
    on_device: GraphOnDevice
    blocks: int | None = None
    """Blocks of the grid; None: as many as are worth it."""
    memory: RunMemory = field(init=False)
    limits: Limits = field(init=False, default=Limits())
    _started: float = field(init=False, default=0.0)

    def __post_init__(self) -> None:
        names = zip(launches(self.plan), self.generated.kernels, strict=True)
        self._kernel_of = {id(launch): name for launch, name in names}

    def run(self, bindings: Bindings, limits: Limits) -> Outcome:
        """Prepare, run to the end, and collect; raises GdslError when the run fails or is stopped."""
        self.limits = limits
        self.bindings, self.sizes = bindings, sizes_of(self.graph, bindings)
        self.memory = prepare(self.device, self.plan, self.graph, self.on_device, bindings)
        largest = numpy.iinfo(numpy.int64).max
        self.memory.data["run"]["max_iterations"] = largest if limits.max_iterations is None else limits.max_iterations
        walk = _Walk(self, self.blocks or self._blocks())
        self._started = time.monotonic()
        self.device.start_clock()
        self.device.zero(self._buffer(Role.CONTROL))
        walk.run()
        self.device.stop_clock()
        self.device.wait(self.is_late)
        control = self.control()
        self.raise_failure(control)
        self._follow_swaps()
        return self._outcome(control, control["iterations"] if self.plan.target.fused else walk.passes)

    def launch(self, launch: Launch, blocks: int, iteration: int) -> None:
        """Start the kernel of a launch."""
        own = [] if self.plan.target.fused else [numpy.int32(iteration)]
        kernel = self.kernel(self._kernel_of[id(launch)])
        self.device.launch(kernel, blocks, self.plan.sizes.block_threads, [self.memory.data, *own])

    def _buffer(self, role: Role) -> Any:
        return self.memory.of_run(role, self.plan.buffers)

    def _blocks(self) -> int:
        """The grid: the same for all kernels of a run, since they count one barrier's arrivals."""
        threads = self.plan.sizes.block_threads
        resident = min(self.device.resident_blocks(self.kernel(name), threads) for name in self.generated.kernels)
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
        """The control block's words."""
        struct = control_block(self.plan)
        (block,) = self.device.fetch(self._buffer(Role.CONTROL), struct_dtype(struct, self.on_device.widths), 1)
        return {word.name: int(block[word.name]) for word in struct.fields if not word.count}

    def raise_failure(self, control: dict[str, int]) -> None:
        """Raise what stopped the run, if anything did."""
        if control["failure"]:
            found = failures.Found(control["failed_value"], control["failed_length"])
            raise self._index_failure(control["failure"] - 1, found)
        if control["exhausted"]:
            raise failures.iterations_error(
                self.plan.program, control["exhausted"] - 1, self.limits.max_iterations or 0
            )
        if control["arrived"] >> _STOPPED_FROM_BIT:
            raise failures.timeout_error(self.limits.timeout or 0.0)

    def _index_failure(self, number: int, found: failures.Found) -> GdslError:
        site = self.generated.checks.sites[number]
        return failures.check_error(self.plan.program, site, found, self.graph, self.bindings.params)

    def _follow_swaps(self) -> None:
        """After swaps by the device a name's values lie where the kernel says."""
        swapped = self.plan.swapped
        if not swapped or not self.plan.target.fused:
            return
        places = self.device.fetch(self._buffer(Role.OUTPUTS), numpy.uint64, len(swapped))
        by_pointer = {self.memory.problem(name).pointer: self.memory.problem(name) for name in swapped}
        self.memory.rename({name: by_pointer[int(place)] for name, place in zip(swapped, places, strict=True)})

    def _outcome(self, control: dict[str, int], passes: int) -> Outcome:
        program = self.plan.program
        results = {  # of the problem alone: what the run works with may have the name of one of these
            buffer.name: buffer
            for buffer in self.plan.buffers
            if buffer.group == PROBLEM and buffer.role is not Role.LOCAL
        }
        arrays = {
            array.name: self._values(array.type, self.device.result, self.memory.problem(array.name), count)
            for array in program.arrays
            if array.name in results
            for count in [results[array.name].extent.value(self.sizes)]
        }
        scalars: dict[str, Scalar | Pair] = {
            scalar.name: first_of(self._values(scalar.type, self.device.fetch, self.memory.problem(scalar.name), 1))
            for scalar in program.scalars
            if scalar.name in results
        }
        trace = self._trace(control["trace_length"])
        return Outcome(arrays, scalars, passes, self.device.elapsed_ms(), trace)

    def _values(self, kind: Type, take: Callable[..., Any], buffer: Any, count: int) -> Any:
        """What `take` finds in a buffer of `count` values."""
        widths = self.on_device.widths
        if kind.is_pair:
            return unpacked(take(buffer, numpy.dtype(numpy.uint64), count * words_of(kind, widths)), kind, widths)
        return take(buffer, host_dtype(kind, widths), count)

    def _trace(self, length: int) -> tuple[TraceRecord, ...]:
        by_site = {operation.step.site: operation for operation in operations(self.plan)}
        count = min(length, int(self.memory.data["run"]["trace_capacity"]))
        dtype = struct_dtype(structs.TRACE_RECORD, self.on_device.widths)
        records = self.device.fetch(self._buffer(Role.TRACE), numpy.uint8, count * dtype.itemsize).view(dtype)
        return tuple(_trace_record(by_site[int(record["site"])], record) for record in records)


class _Walk:
    """The schedule of the plan as far as it is the host's: all of it between launches."""

    def __init__(self, enactor: Enactor, blocks: int) -> None:
        self.enactor, self.blocks = enactor, blocks
        self.passes = 0
        """Finished passes of the outermost loops."""

    def run(self) -> None:
        """Everything from the start."""
        self._steps(self.enactor.plan.schedule, 0)

    def _steps(self, steps: tuple[Step, ...], iteration: int) -> None:
        for step in steps:
            if isinstance(step, Launch):
                self.enactor.launch(step, self.blocks, iteration)
            elif isinstance(step, Swap):
                self._swap(step)
            elif isinstance(step, On):
                assert step.enter is not None
                self.enactor.launch(step.enter, self.blocks, iteration)
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
        self.enactor.launch(launch, self.blocks, iteration)
        self.enactor.device.stop_clock()
        self.enactor.device.wait(self.enactor.is_late)
        control = self.enactor.control()
        self.enactor.raise_failure(control)
        if self.enactor.is_late():
            raise failures.timeout_error(self.enactor.limits.timeout or 0.0)
        return control["answer"]

    def _swap(self, swap: Swap) -> None:
        memory = self.enactor.memory
        first, second = swap.step.first, swap.step.second
        memory.rename({first: memory.problem(second), second: memory.problem(first)})
        for name in (first, second):
            memory.data["problem"][name] = memory.problem(name).pointer


def _trace_record(operation: Operation, record: Any) -> TraceRecord:
    step, (sweep, *_) = operation.step, sweeps_of(operation)
    pulled = Direction.PULL if record["pulled"] else Direction.PUSH
    return TraceRecord(
        step.site,
        step.label,
        int(record["iteration"]),
        int(record["size"]),
        int(record["edges"]),
        pulled if has_direction(operation) else None,
        sweep.balance if sweep.walks else None,
        Order.NEAR_FAR if sweep.order is not None else None,
    )
