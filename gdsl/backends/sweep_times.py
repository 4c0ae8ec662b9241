"""Whose the times are in the trace of operators that share a sweep."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from gdsl.backends.interface import TraceRecord

if TYPE_CHECKING:
    from gdsl.plan.nodes import Operation

_TIMES = ("time_ms", "before_ms", "waiting_ms")


def with_sweep_times(trace: list[TraceRecord], operators: Sequence[Operation]) -> tuple[TraceRecord, ...]:
    """`trace` with the time of each sweep at the operator that has the sweep, and none at those fused into it.

    Generated code stores it in the first record of the sweep. These records are adjacent, unless the trace was cut off.
    """
    for first, count, owner in sweeps_in(trace, operators):
        rows = trace[first : first + count]
        trace[first : first + count] = [_with_times(row, rows, place == owner) for place, row in enumerate(rows, first)]
    return tuple(trace)


def sweeps_in(trace: Sequence[TraceRecord], operators: Sequence[Operation]) -> Iterator[tuple[int, int, int]]:
    """The sweeps that operators share: (first record, how many, that of the operator that has the sweep)."""
    sweeps = {each.step.site: (*(fused.step.site for fused in each.fused), each.step.site) for each in operators}
    shared = {site: sites for sites in sweeps.values() if len(sites) > 1 for site in sites}
    first = 0 if shared else len(trace)
    while first < len(trace):
        sites = shared.get(trace[first].site, ())
        found = [row.site for row in trace[first : first + len(sites)]]
        if sites and {*found} == {*sites}:
            yield first, len(found), first + found.index(sites[-1])
        first += max(len(sites), 1)


def _with_times(row: TraceRecord, rows: Sequence[TraceRecord], has_sweep: bool) -> TraceRecord:
    """`row` with the times of all `rows`, or with none. Times that are not measured stay so."""
    measured = [name for name in _TIMES if getattr(row, name) is not None]
    times: dict[str, Any] = {name: sum(getattr(each, name) for each in rows) for name in measured}
    return dataclasses.replace(row, **(times if has_sweep else dict.fromkeys(measured, 0.0)))
