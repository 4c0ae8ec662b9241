"""The trace of a run from the bytes that the device has written, decoded once somebody looks at it."""

from __future__ import annotations

import dataclasses
import os
import weakref
from collections.abc import Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

from gdsl.backends.interface import TraceRecord
from gdsl.codegen.structs import struct_dtype
from gdsl.operations import Direction, Order
from gdsl.plan import structs
from gdsl.plan.nodes import Operation, Plan
from gdsl.plan.walking import has_direction, operations, sweeps_of
from gdsl.types import Widths

_CYCLES_A_TICK = 32


class Written:
    """What a run has written of its trace, decoded once somebody asks for it.

    The records are where the next run of the same program writes its own, which has them kept before, if somebody may
    still ask: a copy of thousands takes as long as all else that is done behind a run.
    """

    __slots__ = ("__weakref__", "_here", "_kept", "_plan", "_size", "_widths", "most", "told")

    def __init__(self, plan: Plan, widths: Widths, here: NDArray[Any], size: int) -> None:
        """`here`: the bytes of as many records as come to the host, each of `size`."""
        self._plan, self._widths, self._size = plan, widths, size
        self._here: NDArray[Any] | None = here
        self._kept: bytes | None = None
        self.most = len(here) // size
        """Records that are here."""
        self.told: Sequence[int] = (0, 0, 0)
        """How many records there are, and how long the run lasted: cycles, and nanoseconds."""

    def __call__(self) -> tuple[TraceRecord, ...]:
        """The records, in order."""
        return decoded(self._plan, self.keep(), self._widths, *self.told[1:])

    def keep(self, records: bytes | None = None) -> bytes:
        """Have them by itself from now on: `records`, or what is here. Whoever writes there asks for it before, so that
        what another thread copies at that time is not used."""
        here = self._here
        if self._kept is None:
            if records is None:
                if here is None or not self.told[0]:  # there is nothing, perhaps as yet
                    return b""
                records = here[: self.told[0] * self._size].tobytes()
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
        """That of a run that writes `here`; whether the next one does so as well."""
        made = Written(self._plan, self._widths, here, self._size)
        if is_written_over:
            self._latest = weakref.ref(made)
        return made

    def keep(self) -> None:
        """Before something is written there."""
        latest = self._latest() if self._latest is not None else None
        if latest is not None:
            latest.keep()


_all: set[weakref.ref[Traces]] = set()


def _keep_all() -> None:
    for each in list(_all):
        traces = each()
        if traces is not None:
            traces.keep()


if hasattr(os, "register_at_fork"):  # a forked process has no memory that is pinned
    os.register_at_fork(before=_keep_all)


def decoded(plan: Plan, records: bytes, widths: Widths, cycles: int, nanoseconds: int) -> tuple[TraceRecord, ...]:
    """The records, in order, of a run that lasted so many cycles and nanoseconds."""
    found = operations(plan)
    by_site = {operation.step.site: operation for operation in found}
    dtype = struct_dtype(structs.TRACE_RECORD, widths)
    tick = _CYCLES_A_TICK * (nanoseconds / 1e6 / max(cycles, 1))
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
