"""The host's side of a run: launches the persistent kernel, or walks the schedule a kernel a step."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy

from gdsl.backends import failures
from gdsl.backends.cuda.device import Device
from gdsl.backends.cuda.memory import (
    CONTROL_FIELDS,
    CONTROL_WORDS,
    TRACE_CAPACITY,
    TRACE_DTYPE,
    GraphOnDevice,
    RunMemory,
    array_length,
    prepare,
)
from gdsl.backends.interface import Bindings, Limits, Outcome, Scalar, TraceRecord
from gdsl.codegen.cuda.generate import Generated
from gdsl.codegen.cuda.host import HostIf, HostKernel, HostRepeat, HostStep, HostSwap, HostWhile
from gdsl.diagnostics import GdslError
from gdsl.graph.graph import Graph
from gdsl.ir.nodes import Advance, NeighborReduce, Operator, Program
from gdsl.ir.traversal import walk
from gdsl.operations import Balance, Direction, Domain
from gdsl.types import ScalarType

_STOPPED_FROM_BIT = 61
"""The bits of the barrier's word from here on say that somebody asked for a stop; loops in functors heed it at once."""

BLOCKS_PER_MULTIPROCESSOR = 4
"""At most; more blocks make the grid barrier slower."""


@dataclass
class Enactor:
    """One run of a generated program on a device. `kernel(name)` gives what `Device.launch` takes."""

    device: Device
    kernel: Callable[[str], Any]
    program: Program
    """After the passes of its form."""
    generated: Generated
    graph: Graph
    on_device: GraphOnDevice
    blocks: int | None = None
    """Blocks of the grid; None: as many as are worth it."""
    memory: RunMemory = field(init=False)
    _started: float = field(init=False, default=0.0)
    limits: Limits = field(init=False, default=Limits())

    def run(self, bindings: Bindings, limits: Limits) -> Outcome:
        """Prepare, run to the end, and collect; raises GdslError when the run fails or is stopped."""
        self.limits = limits
        self.memory = prepare(self.device, self.program, self.generated, self.graph, self.on_device, bindings)
        largest = numpy.iinfo(numpy.int64).max
        self.memory.data["run"]["max_iterations"] = largest if limits.max_iterations is None else limits.max_iterations
        kernel = self.kernel(self.generated.entry)
        blocks = self.blocks or self._blocks()
        self._started = time.monotonic()
        self.device.start_clock()
        self.device.zero(self.memory.control)
        passes: int | None = None
        if self.generated.schedule is None:
            self.device.launch(kernel, blocks, self.generated.shape.block_threads, [self.memory.data])
        else:
            passes = _Walk(self, blocks).run()
        self.device.stop_clock()
        self.device.wait(self.is_late)
        control = self.control()
        self.raise_failure(control)
        if self.generated.schedule is None:
            passes = control["iterations"]
            self._follow_swaps()
        return self._outcome(control, passes or 0)

    def _blocks(self) -> int:
        """The grid: the same for all kernels of a run, since they count one barrier's arrivals."""
        threads = self.generated.shape.block_threads
        names = [self.generated.entry, *kernel_names(self.generated.schedule or ())]
        resident = min(self.device.resident_blocks(self.kernel(name), threads) for name in names)
        if resident < 1:
            raise GdslError.single(
                "E0905",
                f"a block of {threads} threads does not fit on this GPU",
                fix="choose fewer with --tune schedule.block=256",
            )
        return self.device.multiprocessors * min(resident, BLOCKS_PER_MULTIPROCESSOR)

    def is_late(self) -> bool:
        """Whether the caller's time is over."""
        left = self.limits.left
        return left is not None and time.monotonic() - self._started > left

    # What the kernels left

    def control(self) -> dict[str, int]:
        """The control block's words."""
        words = self.device.fetch(self.memory.control, numpy.uint64, CONTROL_WORDS)
        found = {name: int(word) for name, word in zip(CONTROL_FIELDS, words, strict=True)}
        found["failed_value"] = int(words[3].astype(numpy.int64))
        found["answer"] = int(words[7].astype(numpy.int64))
        return found

    def raise_failure(self, control: dict[str, int]) -> None:
        """Raise what stopped the run, if anything did."""
        if control["failure"]:
            raise self._index_failure(control["failure"] - 1, control["failed_value"])
        if control["exhausted"]:
            raise failures.iterations_error(self.program, control["exhausted"] - 1, self.limits.max_iterations or 0)
        if control["arrived"] >> _STOPPED_FROM_BIT:
            raise failures.timeout_error(self.limits.timeout or 0.0)

    def _index_failure(self, number: int, value: int) -> GdslError:
        site = self.generated.checks.sites[number]
        length = self.graph.num_vertices if site.domain is Domain.VERTEX else self.graph.num_edges
        return failures.index_error(self.program, site, value, length)

    def _follow_swaps(self) -> None:
        """After swaps a name's values lie where the kernel says."""
        swapped = self.generated.swapped
        if not swapped:
            return
        places = self.device.fetch(self.memory.outputs, numpy.uint64, len(swapped))
        everything = {**self.memory.arrays, **self.memory.scalars}
        by_pointer = {everything[name].pointer: everything[name] for name in swapped}
        for name, place in zip(swapped, places, strict=True):
            group = self.memory.arrays if name in self.memory.arrays else self.memory.scalars
            group[name] = by_pointer[int(place)]

    def _outcome(self, control: dict[str, int], passes: int) -> Outcome:
        bits = self.on_device.id_type.itemsize * 8
        arrays = {
            a.name: self.device.result(
                self.memory.arrays[a.name], result_dtype(a.type, bits), array_length(a, self.graph)
            )
            for a in self.program.arrays
            if not a.is_local
        }
        scalars: dict[str, Scalar] = {}
        for scalar in self.program.scalars:
            if not scalar.is_local:
                dtype = result_dtype(scalar.type, bits)
                scalars[scalar.name] = self.device.fetch(self.memory.scalars[scalar.name], dtype, 1)[0].item()
        trace = self._trace(control["trace_length"])
        return Outcome(arrays, scalars, passes, self.device.elapsed_ms(), trace)

    def _trace(self, length: int) -> tuple[TraceRecord, ...]:
        operators = {node.site: node for node in walk(self.program.schedule) if isinstance(node, Operator)}
        count = min(length, TRACE_CAPACITY)
        records = self.device.fetch(self.memory.trace, numpy.uint8, count * TRACE_DTYPE.itemsize).view(TRACE_DTYPE)
        return tuple(_trace_record(operators[int(record["site"])], record) for record in records)


class _Walk:
    """The schedule of the unfused form, walked by the host."""

    def __init__(self, enactor: Enactor, blocks: int) -> None:
        self.enactor, self.blocks = enactor, blocks
        self.passes = 0

    def run(self) -> int:
        """Everything from the start; returns the finished passes of the outermost loops."""
        self._launch(self.enactor.generated.entry, 0)
        self._steps(self.enactor.generated.schedule or (), 0, outermost=True)
        return self.passes

    def _steps(self, steps: tuple[HostStep, ...], iteration: int, outermost: bool = False) -> None:
        for step in steps:
            if isinstance(step, HostKernel):
                self._launch(step.name, iteration)
            elif isinstance(step, HostSwap):
                self._swap(step)
            elif isinstance(step, HostIf):
                self._steps(step.then if self._ask(step.condition, iteration) else step.otherwise, iteration)
            else:
                self._loop(step, self._passes(step, iteration), outermost)

    def _passes(self, step: HostWhile | HostRepeat, iteration: int) -> Iterator[int]:
        """The iterations of a loop, as long as it goes on."""
        if isinstance(step, HostRepeat):
            yield from range(max(0, self._ask(step.count, iteration)))
            return
        now = 0
        while self._ask(step.condition, now):
            yield now
            now += 1

    def _loop(self, step: HostWhile | HostRepeat, passes: Iterator[int], outermost: bool) -> None:
        limit = self.enactor.limits.max_iterations
        for iteration in passes:
            if limit is not None and iteration >= limit:
                raise failures.iterations_error(self.enactor.program, step.loop, limit)
            self._steps(step.body, iteration)
            self.passes += outermost

    def _ask(self, kernel: str, iteration: int) -> int:
        """The answer of a condition or a count, unless something has failed by now."""
        self._launch(kernel, iteration)
        self.enactor.device.stop_clock()
        self.enactor.device.wait(self.enactor.is_late)
        control = self.enactor.control()
        self.enactor.raise_failure(control)
        if self.enactor.is_late():
            raise failures.timeout_error(self.enactor.limits.timeout or 0.0)
        return control["answer"]

    def _launch(self, kernel: str, iteration: int) -> None:
        enactor = self.enactor
        arguments = [enactor.memory.data, numpy.int32(iteration)]
        enactor.device.launch(enactor.kernel(kernel), self.blocks, enactor.generated.shape.block_threads, arguments)

    def _swap(self, step: HostSwap) -> None:
        memory, member_of = self.enactor.memory, self.enactor.generated.member_of
        group = memory.arrays if step.first in memory.arrays else memory.scalars
        group[step.first], group[step.second] = group[step.second], group[step.first]
        for name in (step.first, step.second):
            memory.data["problem"][member_of[name]] = group[name].pointer


def kernel_names(steps: tuple[HostStep, ...]) -> list[str]:
    """The kernels that a schedule launches."""
    names: list[str] = []
    for step in steps:
        if isinstance(step, HostKernel):
            names.append(step.name)
        elif isinstance(step, HostWhile):
            names += [step.condition, *kernel_names(step.body)]
        elif isinstance(step, HostRepeat):
            names += [step.count, *kernel_names(step.body)]
        elif isinstance(step, HostIf):
            names += [step.condition, *kernel_names(step.then), *kernel_names(step.otherwise)]
    return names


def result_dtype(type_: ScalarType, id_bits: int) -> Any:
    """The dtype of a result; ids are signed, so that `none` is -1."""
    if type_.is_id:
        return numpy.dtype(f"i{id_bits // 8}")
    return numpy.dtype("?") if type_ is ScalarType.BOOL else numpy.dtype(type_.value)


def _trace_record(op: Operator, record: Any) -> TraceRecord:
    direction = None
    if isinstance(op, Advance):
        direction = Direction.PULL if record["pulled"] else Direction.PUSH
    return TraceRecord(
        op.site,
        op.label,
        int(record["iteration"]),
        int(record["size"]),
        int(record["edges"]),
        direction,
        _balance(op),
    )


def _balance(op: Operator) -> Balance | None:
    return op.balance if isinstance(op, (Advance, NeighborReduce)) else None
