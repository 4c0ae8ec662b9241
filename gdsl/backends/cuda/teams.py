"""The host's side of batches: launches in which teams of blocks run a program for many values."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy

from gdsl.backends import failures
from gdsl.backends.batch import Bounds, FailedAtError, Part, check_time, finish_tests, param_values
from gdsl.backends.cuda.memory import GraphOnDevice
from gdsl.backends.cuda.pinned_copies import STOPPED_FROM_BIT
from gdsl.backends.cuda.protocol import Arguments, Buffer, Device, signed
from gdsl.backends.cuda.team_memory import TeamLaunchMemory, TeamMemory
from gdsl.backends.interface import Bindings, Limits, Pair, Scalar
from gdsl.codegen.generated import CudaText
from gdsl.diagnostics import GdslError
from gdsl.graph.graph import Graph
from gdsl.ir.nodes import ParamValue
from gdsl.plan import occupancy
from gdsl.plan.graph_class import is_narrow
from gdsl.plan.nodes import Plan
from gdsl.records import dataclass

_EVERY = 0.2
"""Seconds between two checks of how many values are done."""
_FILLED = 0.9
"""The part of the free memory that rooms and results take at most."""
_ROUNDS = 4
"""Values that a team runs until results are delivered, if the caller does not want all together."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How many values a launch runs with, by how many teams of how many blocks; why not all, in words."""

    count: int
    teams: int
    blocks: int
    why: str


@dataclass(frozen=True, slots=True)
class Call:
    """One request: all values, the caller's limits and bounds, and its start."""

    bound: Sequence[Bindings]
    limits: Limits
    bounds: Bounds
    memory: TeamMemory
    began: float

    def left(self) -> float | None:
        """Seconds left of the caller's timeout."""
        return self.limits.since(self.began).left if self.limits.timeout is not None else None

    def is_late(self) -> bool:
        """Whether the timeout has passed."""
        return self.left() == 0


class ReplacedGraphError(Exception):
    """The memory of the graph was freed since the part before: the rest is for runs on the object that has it now."""


class TeamRuns:
    """Runs a program, in its form for teams, on one graph and device, for many values."""

    def __init__(
        self,
        device: Device,
        kernel: Callable[[str], Any],
        plan: Plan,
        generated: CudaText,
        on_device: GraphOnDevice,
        make_room: Callable[[], bool] = lambda: False,
    ) -> None:
        """`kernel(name)` returns what `Device.launch` takes; `generated` is the text of `plan`; `make_room` frees
        unused memory and says whether there was any."""
        self.device, self.plan, self.generated, self.on_device = device, plan, generated, on_device
        self._kernel, self._make_room = kernel(generated.kernels[0]), make_room
        program = plan.program
        self._counts = {array.count.name for array in program.arrays if isinstance(array.count, ParamValue)}
        self._scalars = [each for each in program.scalars if not each.is_local and not each.is_input]
        self._memory: TeamMemory | None = None

    reported = 1
    """The values that are reported as done where a team takes the next."""

    @property
    def graph(self) -> Graph:
        """The graph of the runs."""
        return self.on_device.source

    def run(self, bound: Sequence[Bindings], limits: Limits, bounds: Bounds) -> Iterator[Part]:
        """All of `bound`, as many at a time as there is memory for; raises as `backends.batch` says, and
        ReplacedGraphError: between two parts the caller may run anything, also what leaves no room for this graph."""
        call = Call(bound, limits, bounds, self._memory_for(bound), time.monotonic())
        first = 0
        while first < len(bound):
            check_time(limits, call.began, first)
            try:
                part = self._run_part(call, first, self._shape(len(bound) - first, bounds, call.memory))
            except GdslError as error:
                if error.code != "E0802":
                    raise
                raise failures.timeout_error(limits.timeout) from None  # the wait does not know it
            yield part
            first += len(part.iterations)

    def _memory_for(self, bound: Sequence[Bindings]) -> TeamMemory:
        """That of the last call, if elements have as many values."""
        most = {name: max(param_values(bound, name)) for name in self._counts}
        if self._memory is None or self._memory.most != most:
            self._memory = TeamMemory(self.device, self.plan, self.on_device, most)
        return self._memory

    def _run_part(self, call: Call, first: int, shape: Shape) -> Part:
        """A part, with fewer values and teams if there is not enough memory."""
        with self.device.reserved(call.left()):
            if self.on_device.is_replaced:
                raise ReplacedGraphError
            while True:
                try:
                    return self._part(call, first, shape)
                except GdslError as error:
                    if error.code != "E0912" or (not self._make_room() and shape.count == 1):
                        raise
                    count, teams = max(shape.count // 2, 1), max(shape.teams // 2, 1)
                    shape = Shape(count, min(teams, count), shape.blocks, "the most that memory allows")

    def _shape(self, left: int, bounds: Bounds, memory: TeamMemory) -> Shape:
        """How many of the remaining values fit in memory at a time, and by which teams; at least one."""
        resident, free = self._resident(), self._free(bounds)
        count = min(left, bounds.at_once or left)
        why = "as requested" if count < left else ""
        blocks = self._blocks(count, resident)
        each, room = memory.of_a_value, memory.of_a_team
        teams = min(count, max(resident // blocks, 1))
        # Few teams leave the device idle; with few values at a time teams only wait for each other now and then.
        teams = max(min(teams, free // (room + each), free // 2 // room), 1)
        most = _ROUNDS * teams if not bounds.whole else left
        if (free - teams * room) // max(each, 1) < min(count, most):
            count, why = max((free - teams * room) // max(each, 1), 1), "the most that memory allows"
        count = min(count, most)
        teams = min(teams, count)
        return Shape(count, teams, max(blocks, self._blocks(teams, resident)), why)

    def _resident(self) -> int:
        """The blocks that the device runs side by side."""
        threads = self.plan.sizes.block_threads
        resident = self.device.resident_blocks(self._kernel, threads) * self.device.multiprocessors
        if resident < 1:
            raise GdslError.single("E0905", f"a block of {threads} threads does not fit on this GPU")
        return resident

    def _free(self, bounds: Bounds) -> int:
        """The bytes that values and teams may take."""
        free = int(self.device.memory()[0] * _FILLED)
        return free if bounds.memory is None else min(free, bounds.memory)

    def _blocks(self, values: int, resident: int) -> int:
        """The blocks of each team, if all teams together run that many values."""
        vertices, edges = self.graph.num_vertices, self.graph.num_edges
        narrow = is_narrow(vertices, edges, self.on_device.largest_degree)
        return occupancy.blocks_a_team(values, resident, vertices + edges, narrow)

    def _part(self, call: Call, first: int, shape: Shape) -> Part:
        memory, values = call.memory, call.bound[first : first + shape.count]
        run, whole = memory.run, False
        try:
            run.begin(values[0], call.limits)
            finish_tests(values)
            run.put_inside()
            launch_memory = memory.allocate(values, shape.teams)
            arguments = Arguments(memory.record(launch_memory), memory.batch(launch_memory))
            at_work = (shape.count, shape.teams, self.reported)
            watch = ProgressWatch(self.device, at_work, call.is_late, call.bounds.done)
            self.device.start_clock()
            self.device.launch(self._kernel, shape.blocks, self.plan.sizes.block_threads, arguments, shape.teams)
            memory.fetch(launch_memory)
            self.device.end()
            outside = memory.outside(launch_memory)
            self.device.stop_clock()
            self.device.wait(lambda: watch.look(launch_memory.taken))
            # The device reorders the results while the host reads what the runs have left.
            iterations, scalars = self._read_results(call, first, launch_memory)
            arrays = memory.arrays(launch_memory, outside)
            self.device.end()
            self.device.wait(None)
            whole = True
            watch.end()
            return Part(arrays, scalars, iterations, self.device.elapsed_ms(), self._how(len(call.bound), shape))
        finally:
            run.end(whole)

    def _read_results(
        self, call: Call, first: int, launch_memory: TeamLaunchMemory
    ) -> tuple[list[int], dict[str, list[Scalar | Pair]]]:
        """The iterations and scalars of each run. Raises what stopped one."""
        control = call.memory.controls(launch_memory)
        self._raise_failure(call, first, control)
        scalars = {scalar.name: call.memory.scalar(launch_memory, scalar) for scalar in self._scalars}
        return control["iterations"].tolist(), scalars

    def _raise_failure(self, call: Call, first: int, control: Any) -> None:
        """Raise what stopped the first value with an error of its own, otherwise what stopped all."""
        stopped = numpy.flatnonzero((control["failure"] != 0) | (control["exhausted"] != 0))
        for index in stopped[:1].tolist():
            word = {
                name: int(control[name][index]) for name in ("failure", "exhausted", "failed_value", "failed_length")
            }
            if word["failure"]:
                failure = failures.FailedIndex(signed(word["failed_value"]), signed(word["failed_length"]))
                site = self.generated.checks.sites[word["failure"] - 1]
                params = call.bound[first + index].params
                error = failures.check_error(self.plan.program, site, failure, self.graph, params)
            else:
                limit = call.limits.max_iterations or 0
                error = failures.iterations_error(self.plan.program, word["exhausted"] - 1, limit)
            raise FailedAtError(first + index, error)
        if (control["arrived"] >> numpy.uint64(STOPPED_FROM_BIT)).any():
            raise failures.timeout_error(call.limits.timeout)

    def _how(self, total: int, shape: Shape) -> str:
        each = "one block each" if shape.blocks == 1 else f"{shape.blocks} blocks each"
        parts = f"{-(-total // shape.count):,} launches of {shape.count:,}" if shape.count < total else "one launch"
        why = f", {shape.why}" if shape.why and shape.count < total else ""
        return f"{parts}{why}, {shape.teams:,} runs in parallel, {each}"


class ProgressWatch:
    """Checks during a launch whether it is late, and reports how many of its values are done."""

    def __init__(
        self, device: Device, at_work: tuple[int, int, int], late: Callable[[], bool], tell: Callable[[int], None]
    ) -> None:
        """`at_work`: how many values there are, how many teams, and how many values each of these takes at a time;
        `late` says whether to stop; `tell` gets how many more of the values are done."""
        self._device, self._late, self._tell = device, late, tell
        self._count, self._teams, self._each = at_work
        self._reported, self._looked = 0, time.monotonic()
        device.prepare_peek()

    def look(self, taken: Buffer) -> bool:
        """Whether to stop. `taken` counts values that teams have started, of which each had one at first: a team that
        takes another value has finished one."""
        now = time.monotonic()
        if now - self._looked >= _EVERY:
            self._looked = now
            begun = int(self._device.peek(taken, numpy.uint64))
            self._add(min((begun - self._teams) * self._each, self._count))  # a stopped run leaves a larger number
        return self._late()

    def end(self) -> None:
        """Report all values as done."""
        self._add(self._count)

    def _add(self, done: int) -> None:
        if done > self._reported:
            self._tell(done - self._reported)
            self._reported = done
