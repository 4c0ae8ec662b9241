"""The trace of a run from the bytes that the device has written, decoded once somebody looks at it."""

from __future__ import annotations

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
    by_site = {operation.step.site: operation for operation in operations(plan)}
    dtype = struct_dtype(structs.TRACE_RECORD, widths)
    tick = _CYCLES_A_TICK * cycle
    return tuple(_record(by_site[int(each["site"])], each, tick) for each in numpy.frombuffer(records, dtype))


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
