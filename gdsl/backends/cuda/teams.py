"""The host's side of a launch in which teams of blocks run a program for many values at once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy

from gdsl.backends import failures
from gdsl.backends.alike import param_values, settle
from gdsl.backends.cuda.enactor import signed
from gdsl.backends.cuda.memory import GraphOnDevice, value_dtype
from gdsl.backends.cuda.protocol import Arguments, Buffer, Device
from gdsl.backends.cuda.rooms import STOPPED_FROM_BIT
from gdsl.backends.cuda.run_memory import RunMemory
from gdsl.backends.cuda.watching import Watching
from gdsl.backends.interface import Bindings, Limits, Pair, Scalar
from gdsl.backends.many import Bounds, FailedAtError, Part, check_time
from gdsl.backends.needs import bytes_of
from gdsl.backends.pairs import first_of, unpacked
from gdsl.codegen.cuda import teams as texts
from gdsl.codegen.cuda.generated import Generated
from gdsl.codegen.structs import struct_dtype
from gdsl.diagnostics import GdslError
from gdsl.extents import of_graph
from gdsl.graph.graph import Graph
from gdsl.ir.nodes import ParamValue
from gdsl.plan import team_sizes
from gdsl.plan.buffers import control_block
from gdsl.plan.grids import is_narrow
from gdsl.plan.nodes import Plan
from gdsl.plan.storage import PROBLEM, RUN
from gdsl.plan.walking import launches
from gdsl.records import dataclass

_ALIGNMENT = 256
"""Of what lies in one block of memory."""
_WORD = 4
"""Rows begin at a multiple of it: what one value changes by a compare-and-swap of a word is no other value's."""
_FILLED = 0.9
"""Of the free memory that rooms and results take at most."""
_ROUNDS = 4
"""Values that a team runs for until somebody is given the results, who does not want all together."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How many values a launch runs with, by how many teams of how many blocks; why not all, in words."""

    count: int
    teams: int
    blocks: int
    why: str


class Laid:
    """Buffers one behind the other, which many have: where each begins, and how many bytes one has of all."""

    def __init__(self, sizes: dict[tuple[str, str], list[int]]) -> None:
        """By group and name the bytes of each copy."""
        self.offsets: dict[tuple[str, str], list[int]] = {}
        self.stride = 0
        for key, copies in sizes.items():
            self.offsets[key] = []
            for size in copies:
                self.offsets[key].append(self.stride)
                self.stride += -(-max(size, 1) // _ALIGNMENT) * _ALIGNMENT


class TeamRuns:
    """Runs of a program in its form for teams, on one graph and device, for many values."""

    def __init__(
        self,
        device: Device,
        kernel: Callable[[str], Any],
        plan: Plan,
        generated: Generated,
        on_device: GraphOnDevice,
        make_room: Callable[[], bool] = lambda: False,
    ) -> None:
        """`kernel(name)` gives what `Device.launch` takes; `generated` is the text of `plan`; `make_room` frees memory
        that nobody uses at the moment, and says whether there was any."""
        self._make_room = make_room
        assert plan.teams is not None
        self.device, self.plan, self.generated, self.on_device = device, plan, generated, on_device
        self.teams, self.widths, self._launch = plan.teams, on_device.widths, launches(plan)[0]
        self._kernel = kernel(generated.kernels[0])
        self._buffers = {(buffer.group, buffer.name): buffer for buffer in plan.buffers}
        self._control = struct_dtype(control_block(plan), self.widths)
        self._values, self._batch = texts.dtypes(plan, self.widths)

    @property
    def graph(self) -> Graph:
        """What is run on."""
        graph = self.on_device.graph()
        assert graph is not None
        return graph

    def run(self, bound: Sequence[Bindings], limits: Limits, bounds: Bounds) -> Iterator[Part]:
        """All of `bound`, as many at a time as there is memory for; raises as `backends.many` says."""
        self._began, self.limits, self._done = time.monotonic(), limits, bounds.done
        self._measure(bound)
        first = 0
        while first < len(bound):
            check_time(limits, self._began, first)
            part = self._tried(bound, first, self._shape(len(bound) - first, bounds))
            yield part
            first += len(part.iterations)

    def _tried(self, bound: Sequence[Bindings], first: int, shape: Shape) -> Part:
        """A part, with fewer values and teams where there turns out to be no memory for so many."""
        with self.device.reserved(self.limits.left):
            while True:
                try:
                    return self._part(bound, first, shape)
                except GdslError as error:
                    if error.code != "E0912" or (not self._make_room() and shape.count == 1):
                        raise
                    count, teams = max(shape.count // 2, 1), max(shape.teams // 2, 1)
                    shape = Shape(count, min(teams, count), shape.blocks, "for which there is memory")

    def _measure(self, bound: Sequence[Bindings]) -> None:
        """What values and teams take of memory, where params that say how many values an element has may differ among
        them: a team has room for any."""
        counts = {array.count.name for array in self.plan.program.arrays if isinstance(array.count, ParamValue)}
        most = {name: max(each.params[name] for each in bound) for name in counts}
        self._sizes = of_graph(self.graph.num_vertices, self.graph.num_edges, most)

        def laid(keys: tuple[tuple[str, str], ...]) -> Laid:
            return Laid({key: [self._bytes(key)] * max(self._buffers[key].copies, 1) for key in keys})

        self._records, self._zeros, self._rooms = map(laid, (self.teams.records, self.teams.zeros, self.teams.rooms))
        self._rows = [-(-self._bytes(key) // _WORD) * _WORD for key in self.teams.rows]

    def _bytes(self, key: tuple[str, str]) -> int:
        return bytes_of(self._buffers[key], self.widths, self._sizes)

    def _shape(self, left: int, bounds: Bounds) -> Shape:
        """How many of the values that are left there is memory for at a time, and by which teams; one at least."""
        threads = self.plan.sizes.block_threads
        resident = self.device.resident_blocks(self._kernel, threads) * self.device.multiprocessors
        if resident < 1:
            raise GdslError.single("E0905", f"a block of {threads} threads does not fit on this GPU")
        count = min(left, bounds.at_once or left)
        why = "as asked for" if count < left else ""
        blocks = self._blocks(count, resident)
        free = int(self.device.memory()[0] * _FILLED)
        free = free if bounds.memory is None else min(free, bounds.memory)
        each = self._records.stride + sum(self._rows) * (2 if self.on_device.numbering is not None else 1)
        room = max(self._zeros.stride + self._rooms.stride, 1)
        teams = min(count, max(resident // blocks, 1))
        # Few teams leave the device idle, few values at a time only wait for each other now and then.
        teams = max(min(teams, free // (room + each), free // 2 // room), 1)
        most = _ROUNDS * teams if not bounds.whole else left
        if (free - teams * room) // max(each, 1) < min(count, most):
            count, why = max((free - teams * room) // max(each, 1), 1), "for which there is memory"
        count = min(count, most)
        teams = min(teams, count)
        return Shape(count, teams, max(blocks, self._blocks(teams, resident)), why)

    def _blocks(self, values: int, resident: int) -> int:
        """Of a team, where all are for so many values."""
        vertices, edges = self.graph.num_vertices, self.graph.num_edges
        narrow = is_narrow(vertices, edges, self.on_device.largest_degree)
        return team_sizes.blocks_a_team(values, resident, vertices + edges, narrow)

    def _part(self, bound: Sequence[Bindings], first: int, shape: Shape) -> Part:
        count, teams, blocks = shape.count, shape.teams, shape.blocks
        values = bound[first : first + count]
        memory = RunMemory(self.device, self.plan, self.on_device, self._sizes)
        whole = False
        try:
            memory.begin(values[0], self.limits)
            settle(values)
            memory.put_inside()
            rows = [self.device.allocate(count * nbytes) for nbytes in self._rows]
            made = self._allocated(count, teams)
            batch = self._batch_of(memory, values, made)
            record = self._record(memory, rows, made)
            watching = Watching(self.device, count, teams, self._is_late, self._done)
            self.device.start_clock()
            arguments = Arguments(record, batch[0])
            self.device.launch(self._kernel, blocks, self.plan.sizes.block_threads, arguments, teams)
            outside = self._outside(memory, rows, count)
            self.device.stop_clock()
            self.device.end()
            self.device.wait(lambda: watching.look(made["next"]))
            records = self.device.fetch(made["records"], numpy.uint8, count * self._records.stride)
            records = records.reshape(count, self._records.stride)
            control = self._words(records, (RUN, "control"), self._control)[:, 0]
            self._raise_failure(control, values, first)
            part = (*self._gathered(memory, outside, records, rows), control["iterations"].tolist())
            whole = True
            watching.end()
            return Part(*part, self.device.elapsed_ms(), _how(len(bound), shape))
        finally:
            memory.end(whole)

    def _allocated(self, count: int, teams: int) -> dict[str, Buffer]:
        """Records of zeros, and the rooms of the teams."""
        made = {
            "records": self.device.allocate(count * self._records.stride),
            "zeros": self.device.allocate(max(teams * self._zeros.stride, 1)),
            "rooms": self.device.allocate(max(teams * self._rooms.stride, 1)),
        }
        self.device.zero(made["records"])
        if self.teams.zeros:
            self.device.zero(made["zeros"])
        made["next"] = self.device.upload(numpy.array([teams], numpy.uint64))
        return made

    def _batch_of(self, memory: RunMemory, values: Sequence[Bindings], made: dict[str, Buffer]) -> tuple[Any, Buffer]:
        """The second argument, and what keeps the values alive to which it points."""
        params = numpy.zeros(len(values), self._values)
        for param in self.plan.program.params:
            kind = value_dtype(param.type, self.widths)
            found = numpy.array(param_values(values, param.name), kind)
            params[param.name] = memory.all_inside(param.name, found).view(params.dtype[param.name])
        there = self.device.upload(params.view(numpy.uint8))
        batch = numpy.zeros(1, self._batch)
        batch["count"], batch["next"], batch["values"] = len(values), made["next"].pointer, there.pointer
        batch["record"], batch["zeros"] = self._records.stride, self._zeros.stride
        batch["room"] = self._rooms.stride
        batch["rows"][0][: len(self._rows)] = self._rows
        made["values"] = there
        return batch, there

    def _record(self, memory: RunMemory, rows: list[Buffer], made: dict[str, Buffer]) -> Any:
        """The first argument: what the first value and the first team have."""
        record = memory.record
        for key, row in zip(self.teams.rows, rows, strict=True):
            record.pointer(self._buffers[key])[0] = row.pointer
        for laid, name in ((self._records, "records"), (self._zeros, "zeros"), (self._rooms, "rooms")):
            for key, offsets in laid.offsets.items():
                record.pointer(self._buffers[key])[:] = [made[name].pointer + offset for offset in offsets]
        record.set_values(RUN, {"trace_capacity": 0})
        return record.data

    def _is_late(self) -> bool:
        left = self.limits.left
        return left is not None and time.monotonic() - self._began > left

    # What the teams left

    def _words(self, records: Any, key: tuple[str, str], dtype: Any) -> Any:
        """What every record has of a buffer, [count, words]."""
        (first,) = self._records.offsets[key]
        nbytes = -(-self._bytes(key) // numpy.dtype(dtype).itemsize) * numpy.dtype(dtype).itemsize
        return numpy.ascontiguousarray(records[:, first : first + nbytes]).view(dtype)

    def _raise_failure(self, control: Any, values: Sequence[Bindings], first: int) -> None:
        """Raise what stopped the first value that was stopped for a reason of its own, else what stopped all."""
        stopped = numpy.flatnonzero((control["failure"] != 0) | (control["exhausted"] != 0))
        for index in stopped[:1].tolist():
            word = {
                name: int(control[name][index]) for name in ("failure", "exhausted", "failed_value", "failed_length")
            }
            if word["failure"]:
                found = failures.Found(signed(word["failed_value"]), signed(word["failed_length"]))
                site = self.generated.checks.sites[word["failure"] - 1]
                params = values[index].params
                error = failures.check_error(self.plan.program, site, found, self.graph, params)
            else:
                limit = self.limits.max_iterations or 0
                error = failures.iterations_error(self.plan.program, word["exhausted"] - 1, limit)
            raise FailedAtError(first + index, error)
        if (control["arrived"] >> numpy.uint64(STOPPED_FROM_BIT)).any():
            raise failures.timeout_error(self.limits.timeout or 0.0)

    def _outside(self, memory: RunMemory, rows: list[Buffer], count: int) -> dict[str, Buffer] | None:
        """The results in the caller's order, where they are in another."""
        numbering = self.on_device.numbering
        if numbering is None:
            return None
        at = dict(zip(self.teams.rows, zip(rows, self._rows, strict=True), strict=True))
        made = {}
        for name, *_ in memory.results:
            buffer, step = at[PROBLEM, name]
            nbytes = self._bytes((PROBLEM, name))
            made[name] = numbering.put_rows_outside(buffer.pointer, nbytes, memory.holds_ids(name), (count, step))
        return made

    def _gathered(
        self, memory: RunMemory, outside: dict[str, Buffer] | None, records: Any, rows: list[Buffer]
    ) -> tuple[dict[str, Any], dict[str, list[Scalar | Pair]]]:
        """Arrays and scalars."""
        count, program = len(records), self.plan.program
        steps = {name: step for (_, name), step in zip(self.teams.rows, self._rows, strict=True)}
        at = dict(zip(steps, rows, strict=True)) | (outside or {})
        arrays = {}
        for name, kind, dtype, length in memory.results:
            step = steps[name] // dtype.itemsize
            values = self.device.result(at[name], dtype, count * step)
            if kind.is_pair:
                arrays[name] = Pair(*(part.reshape(count, -1) for part in unpacked(values, kind, self.widths)))
            else:
                arrays[name] = values.reshape(count, step)[:, :length]
        own = [scalar for scalar in program.scalars if not scalar.is_local and not scalar.is_input]
        scalars = {scalar.name: self._scalar(memory, records, scalar) for scalar in own}
        return arrays, scalars

    def _scalar(self, memory: RunMemory, records: Any, scalar: Any) -> list[Scalar | Pair]:
        dtype = value_dtype(scalar.type, self.widths)
        words = self._words(records, (PROBLEM, scalar.name), dtype)
        if scalar.type.is_pair:
            return [first_of(unpacked(row, scalar.type, self.widths)) for row in words]
        return [memory.outside(scalar.name, value) for value in words[:, 0].tolist()]


def _how(total: int, shape: Shape) -> str:
    each = "a block each" if shape.blocks == 1 else f"{shape.blocks} blocks each"
    parts = f"{-(-total // shape.count):,} launches of {shape.count:,}" if shape.count < total else "one launch"
    why = f", {shape.why}" if shape.why and shape.count < total else ""
    return f"{parts}{why}, {shape.teams:,} at once, {each}"
