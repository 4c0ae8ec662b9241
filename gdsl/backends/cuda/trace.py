"""The trace of a run, decoded from the device's bytes when it is first accessed."""

from __future__ import annotations

import os
import weakref
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

from gdsl.backends.cuda.observed_blocks import Work
from gdsl.backends.gpu_lanes import GpuLanes
from gdsl.backends.interface import TraceRecord
from gdsl.backends.sweep_times import sweeps_in, with_sweep_times
from gdsl.codegen.structs import struct_dtype
from gdsl.operations import Direction, Order
from gdsl.plan import structs
from gdsl.plan.nodes import Operation, Plan
from gdsl.plan.walking import has_direction, operations, sweeps_of
from gdsl.types import Widths

_CYCLES_A_TICK = 32


class Written:
    """The trace of a run, decoded when it is first accessed.

    The next run of the same program overwrites the records. It copies them first if they may still be needed: copying
    thousands takes as long as everything else after a run.
    """

    __slots__ = ("__weakref__", "_here", "_kept", "_plan", "_size", "_widths", "header", "most")

    def __init__(self, plan: Plan, widths: Widths, here: NDArray[Any], size: int) -> None:
        """`here`: the bytes of as many records as are copied to the host, each of `size`."""
        self._plan, self._widths, self._size = plan, widths, size
        self._here: NDArray[Any] | None = here
        self._kept: bytes | None = None
        self.most = len(here) // size
        """Records on the host."""
        self.header: Sequence[int] = (0, 0, 0)
        """How many records there are, and how long the run lasted: cycles, and nanoseconds."""

    def __call__(self) -> tuple[TraceRecord, ...]:
        """The records, in order."""
        return decoded(self._plan, self.keep(), self._widths, *self.header[1:])

    def work(self) -> Work:
        """What the operators did whose records are on the host."""
        dtype = struct_dtype(structs.TRACE_RECORD, self._widths)
        here = self._kept if self._here is None else self._here[: min(self.header[0], self.most) * self._size].tobytes()
        records = numpy.frombuffer(here or b"", dtype)
        visits = numpy.maximum(records["size"], records["edges"])
        return Work(int(records["size"].sum()), visits.astype(numpy.int64))

    def keep(self, records: bytes | None = None) -> bytes:
        """Copy the records: `records`, or those on the host. This is called before they are overwritten, so that a copy
        that another thread makes at that time is not used."""
        here = self._here
        if self._kept is None:
            if records is None:
                if here is None or not self.header[0]:  # there is nothing, perhaps not yet
                    return b""
                records = here[: self.header[0] * self._size].tobytes()
            if self._kept is None:
                self._kept = records
        self._here = None
        return self._kept


class Traces:
    """The traces of a program's runs on a graph, each written where the one before was."""

    def __init__(self, plan: Plan, widths: Widths, size: int) -> None:
        """`size`: the bytes of a record."""
        self._plan, self._widths, self._size = plan, widths, size
        self._latest: weakref.ref[Written] | None = None
        _all.add(weakref.ref(self, _all.discard))

    def begun(self, here: NDArray[Any], is_written_over: bool) -> Written:
        """The trace of a run that writes to `here`; `is_written_over`: whether the next run writes there as well."""
        written = Written(self._plan, self._widths, here, self._size)
        if is_written_over:
            self._latest = weakref.ref(written)
        return written

    def keep(self) -> None:
        """Called before the records are overwritten."""
        latest = self._latest() if self._latest is not None else None
        if latest is not None:
            latest.keep()


_all: set[weakref.ref[Traces]] = set()


def _keep_all() -> None:
    for each in list(_all):
        traces = each()
        if traces is not None:
            traces.keep()


os.register_at_fork(before=_keep_all)  # a forked process has no pinned memory


def decoded(plan: Plan, records: bytes, widths: Widths, cycles: int, nanoseconds: int) -> tuple[TraceRecord, ...]:
    """The records, in order, of a run that lasted that many cycles and nanoseconds."""
    operators = operations(plan)
    by_site = {operation.step.site: operation for operation in operators}
    dtype = struct_dtype(structs.TRACE_RECORD, widths)
    tick = _CYCLES_A_TICK * (nanoseconds / 1e6 / max(cycles, 1))
    trace = [_record(by_site[int(each["site"])], each, tick) for each in numpy.frombuffer(records, dtype)]
    return with_sweep_times(trace, operators)


def lanes_of(
    plan: Plan, trace: Sequence[TraceRecord], lanes: Sequence[NDArray[Any]], gpus: Sequence[int], vertices: int
) -> GpuLanes:
    """The lanes of a run on `gpus` with this trace, of each the bytes of its records, on a graph with so many
    vertices."""
    dtype = struct_dtype(structs.LANE_RECORD, Widths.both(32))
    tables = [lane.view(dtype) for lane in lanes]
    records = numpy.stack([table[1 : len(trace) + 1] for table in tables])
    ticks = numpy.array([[int(table[0]["before"]) / 1e6 / max(int(table[0]["took"]), 1)] for table in tables])
    took, before, waited = (records[name].astype(numpy.float64) * ticks for name in ("took", "before", "waited"))
    columns = [numpy.maximum(took + before - waited, 0.0), waited, records["members"].astype(numpy.int64)]
    for first, count, owner in sweeps_in(trace, operations(plan)):
        rows = slice(first, first + count)
        for column in columns:
            whole = column[:, rows].sum(axis=1)
            column[:, rows] = whole[:, None] if column is columns[2] else 0  # all of them run on the same members
            column[:, owner] = whole
    members = columns[2]
    for row, (total, record) in enumerate(zip(members.sum(axis=0).tolist(), trace, strict=True)):
        if total != record.frontier_size and not (record.direction is Direction.PULL and total == vertices):
            members[:, row] = -1
    kernels = Counter(gpus)
    names = [f"GPU {gpu}" + (f", kernel {number}" if kernels[gpu] > 1 else "") for number, gpu in enumerate(gpus)]
    return GpuLanes(tuple(names), tuple(record.label for record in trace), columns[0], columns[1], members)


def _record(operation: Operation, record: Any, tick: float) -> TraceRecord:
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
        *(int(record[name]) * tick for name in ("took", "before", "waited")),
    )
