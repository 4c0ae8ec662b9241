"""The trace of a run from the bytes that the device has written, decoded once somebody looks at it."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy

from gdsl.backends.interface import TraceRecord
from gdsl.codegen.structs import struct_dtype
from gdsl.operations import Direction, Order
from gdsl.plan import structs
from gdsl.plan.nodes import Operation, Plan
from gdsl.plan.walking import has_direction, operations, sweeps_of
from gdsl.types import Widths

_CYCLES_A_TICK = 32


def decoded(plan: Plan, records: bytes, widths: Widths, cycle: float) -> tuple[TraceRecord, ...]:
    """The records, in order; `cycle`: how many milliseconds one lasted."""
    found = operations(plan)
    by_site = {operation.step.site: operation for operation in found}
    dtype = struct_dtype(structs.TRACE_RECORD, widths)
    tick = _CYCLES_A_TICK * cycle
    trace = [_record(by_site[int(each["site"])], each, tick) for each in numpy.frombuffer(records, dtype)]
    sweeps = {each.step.site: (*(ahead.step.site for ahead in each.ahead), each.step.site) for each in found}
    shared = {site: sites for sites in sweeps.values() if len(sites) > 1 for site in sites}
    return tuple(_with_whose_it_is(trace, shared) if shared else trace)


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


def _with_whose_it_is(trace: list[TraceRecord], shared: dict[int, tuple[int, ...]]) -> list[TraceRecord]:
    """The time of a sweep stands in its first record, and is that of the operator whose sweep it is: of the last of the
    sites that `shared` has for each of them. Their records stand together; of a trace that is cut off they may not."""
    first = 0
    while first < len(trace):
        sites = shared.get(trace[first].site, ())
        rows = trace[first : first + len(sites)]
        if sites and {row.site for row in rows} == {*sites}:
            times = {name: sum(getattr(row, name) for row in rows) for name in ("time_ms", "before_ms", "waiting_ms")}
            none = dict.fromkeys(times, 0.0)
            trace[first : first + len(sites)] = [
                dataclasses.replace(row, **(times if row.site == sites[-1] else none)) for row in rows
            ]
        first += max(len(sites), 1)
    return trace
