"""The memory of teams of blocks: rows and records for each value, zeroed and other buffers for each team."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy

from gdsl.backends.batch import param_values
from gdsl.backends.cuda.memory import GraphOnDevice, value_dtype
from gdsl.backends.cuda.protocol import Buffer, Device
from gdsl.backends.cuda.run_memory import RunMemory
from gdsl.backends.interface import Bindings, Pair, Scalar
from gdsl.backends.needs import bytes_of
from gdsl.backends.pairs import first_of, unpacked
from gdsl.codegen.cuda.layout import batch_dtypes
from gdsl.codegen.structs import struct_dtype
from gdsl.extents import of_graph
from gdsl.plan.buffer_nodes import PROBLEM, RUN
from gdsl.plan.buffers import control_block
from gdsl.plan.nodes import Plan
from gdsl.records import dataclass

_ALIGNMENT = 256
"""Alignment of buffers in one block of memory."""
_WORD = 4
"""Rows begin at a multiple of this: a compare-and-swap of a word never touches another value's data."""


class BufferLayout:
    """Consecutive buffers, of which there are many sets: the offset of each, and the bytes of a set."""

    def __init__(self, sizes: Mapping[tuple[str, str], list[int]]) -> None:
        """The bytes of each copy, by group and name."""
        self.offsets: dict[tuple[str, str], list[int]] = {}
        self.stride = 0
        for key, copies in sizes.items():
            self.offsets[key] = []
            for size in copies:
                self.offsets[key].append(self.stride)
                self.stride += -(-max(size, 1) // _ALIGNMENT) * _ALIGNMENT


@dataclass(frozen=True, slots=True)
class TeamLaunchMemory:
    """The memory of one launch: a row of every array and a record for each value, zeroed and other buffers for the
    teams; the counter of values that teams have taken, followed by their params; and the records on the host,
    uint8[count, bytes]."""

    count: int
    rows: list[Buffer]
    records: Buffer
    zeros: Buffer
    scratch: Buffer
    taken: Buffer
    records_here: Any


class TeamMemory:
    """The memory of values and teams on one graph, the same for every launch.

    most: the largest value of each param that says how many values an element has; a team has room for any.
    """

    def __init__(self, device: Device, plan: Plan, on_device: GraphOnDevice, most: Mapping[str, int]) -> None:
        assert plan.teams is not None
        self._device, self._plan, self._on_device, self.most = device, plan, on_device, dict(most)
        self.widths, self._rows_of = on_device.widths, plan.teams.rows
        self._buffers = {(buffer.group, buffer.name): buffer for buffer in plan.buffers}
        graph = on_device.source
        self._sizes = of_graph(graph.num_vertices, graph.num_edges, self.most)

        def layout(keys: tuple[tuple[str, str], ...]) -> BufferLayout:
            return BufferLayout({key: [self._bytes(key)] * max(self._buffers[key].copies, 1) for key in keys})

        self._records, self._zeros, self._scratch = map(
            layout, (plan.teams.records, plan.teams.zeros, plan.teams.scratch)
        )
        self._rows = [-(-self._bytes(key) // _WORD) * _WORD for key in self._rows_of]
        self._control = struct_dtype(control_block(plan), self.widths)
        self._values, self._batch = batch_dtypes(plan, self.widths)

    def _bytes(self, key: tuple[str, str]) -> int:
        return bytes_of(self._buffers[key], self.widths, self._sizes)

    @property
    def of_a_value(self) -> int:
        """Bytes per value, including its results in the caller's order."""
        return self._records.stride + sum(self._rows) * (2 if self._on_device.numbering is not None else 1)

    @property
    def of_a_team(self) -> int:
        """Bytes per team."""
        return max(self._zeros.stride + self._scratch.stride, 1)

    @cached_property
    def run(self) -> RunMemory:
        """What all values share, as in a single run. Raises E0912."""
        return RunMemory(self._device, self._plan, self._on_device, self._sizes)

    # Before a launch

    def allocate(self, values: Sequence[Bindings], teams: int) -> TeamLaunchMemory:
        """Memory for a launch with `values`, of which each team starts with one. Raises E0912."""
        count, allocate = len(values), self._device.allocate
        rows = [allocate(count * nbytes) for nbytes in self._rows]
        records, zeros, scratch = (
            allocate(max(times * layout.stride, 1))
            for times, layout in ((count, self._records), (teams, self._zeros), (teams, self._scratch))
        )
        self._device.zero(records)
        if self._zeros.stride:
            self._device.zero(zeros)
        taken = self._device.upload(self._params_of(values, teams))
        here = self._device.pinned(count * self._records.stride).reshape(count, -1)
        return TeamLaunchMemory(count, rows, records, zeros, scratch, taken, here)

    def _params_of(self, values: Sequence[Bindings], teams: int) -> Any:
        """The bytes of the counter's first value, and of all params."""
        whole = numpy.zeros(_ALIGNMENT + len(values) * self._values.itemsize, numpy.uint8)
        whole[:8].view(numpy.uint64)[0] = teams
        params = whole[_ALIGNMENT:].view(self._values)
        for param in self._plan.program.params:
            converted = numpy.array(param_values(values, param.name), value_dtype(param.type, self.widths))
            params[param.name] = self.run.ids.all_inside(param.name, converted).view(params.dtype[param.name])
        return whole

    def batch(self, made: TeamLaunchMemory) -> Any:
        """The second argument of the kernel."""
        batch = numpy.zeros(1, self._batch)
        batch["count"], batch["next"], batch["values"] = made.count, made.taken.pointer, made.taken.pointer + _ALIGNMENT
        batch["record"], batch["zeros"] = self._records.stride, self._zeros.stride
        batch["room"] = self._scratch.stride
        batch["rows"][0][: len(self._rows)] = self._rows
        return batch

    def record(self, made: TeamLaunchMemory) -> Any:
        """The first argument of the kernel: the memory of the first value and the first team."""
        record = self.run.record
        for key, row in zip(self._rows_of, made.rows, strict=True):
            record.pointer(self._buffers[key])[0] = row.pointer
        for layout, block in ((self._records, made.records), (self._zeros, made.zeros), (self._scratch, made.scratch)):
            for key, offsets in layout.offsets.items():
                record.pointer(self._buffers[key])[:] = [block.pointer + offset for offset in offsets]
        record.set_values(RUN, {"trace_capacity": 0})
        return record.data

    # After a launch

    def outside(self, made: TeamLaunchMemory) -> dict[str, Buffer] | None:
        """The results in the caller's order, if the device's is another one."""
        numbering = self._on_device.numbering
        if numbering is None:
            return None
        at = dict(zip(self._rows_of, zip(made.rows, self._rows, strict=True), strict=True))
        put = {}
        for name, *_ in self.run.results.arrays:
            buffer, step = at[PROBLEM, name]
            nbytes, of_ids = self._bytes((PROBLEM, name)), self.run.ids.are_in(name)
            put[name] = numbering.put_rows_outside(buffer.pointer, nbytes, of_ids, (made.count, step))
        return put

    def fetch(self, made: TeamLaunchMemory) -> None:
        """Queue the copy of the records to the host."""
        self._device.fetch_into(made.records_here.reshape(-1), made.records)

    def controls(self, made: TeamLaunchMemory) -> Any:
        """The control block of each value, on the host."""
        return self._words(made.records_here, (RUN, "control"), self._control)[:, 0]

    def _words(self, records: Any, key: tuple[str, str], dtype: Any) -> Any:
        """The contents of a buffer in every record, [count, words]."""
        (first,) = self._records.offsets[key]
        size = numpy.dtype(dtype).itemsize
        nbytes = -(-self._bytes(key) // size) * size
        return numpy.ascontiguousarray(records[:, first : first + nbytes]).view(dtype)

    def scalar(self, made: TeamLaunchMemory, scalar: Any) -> list[Scalar | Pair]:
        """A scalar of each value, on the host."""
        dtype = value_dtype(scalar.type, self.widths)
        words = self._words(made.records_here, (PROBLEM, scalar.name), dtype)
        if scalar.type.is_pair:
            return [first_of(unpacked(row, scalar.type, self.widths)) for row in words]
        return [self.run.ids.outside(scalar.name, value) for value in words[:, 0].tolist()]

    def arrays(self, made: TeamLaunchMemory, outside: dict[str, Buffer] | None) -> dict[str, Any]:
        """The array results by name, [count, elements]."""
        steps = {name: step for (_, name), step in zip(self._rows_of, self._rows, strict=True)}
        at = dict(zip(steps, made.rows, strict=True)) | (outside or {})
        arrays = {}
        for name, kind, dtype, length in self.run.results.arrays:
            step = steps[name] // dtype.itemsize
            values = self._device.result(at[name], dtype, made.count * step)
            if kind.is_pair:
                parts = unpacked(values, kind, self.widths)
                arrays[name] = Pair(*(part.reshape(made.count, -1) for part in parts))
            else:
                arrays[name] = values.reshape(made.count, step)[:, :length]
        return arrays
