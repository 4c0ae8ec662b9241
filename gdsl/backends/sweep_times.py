"""Whose the times are in the trace of operators that share a sweep."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

from gdsl.backends.interface import TraceRecord

if TYPE_CHECKING:
    from gdsl.plan.nodes import Operation

_TIMES = ("time_ms", "before_ms", "waiting_ms")


def given_to_sweeps(trace: list[TraceRecord], operators: Sequence[Operation]) -> tuple[TraceRecord, ...]:
    """`trace` with the time of each sweep at the operator that has the sweep, and none at those fused into it.

    Generated code stores it in the first record of the sweep. These records are adjacent, unless the trace was cut off.
    """
    sweeps = {each.step.site: (*(fused.step.site for fused in each.fused), each.step.site) for each in operators}
    shared = {site: sites for sites in sweeps.values() if len(sites) > 1 for site in sites}
    first = 0 if shared else len(trace)
    while first < len(trace):
        sites = shared.get(trace[first].site, ())
        rows = trace[first : first + len(sites)]
        if sites and {row.site for row in rows} == {*sites}:
            trace[first : first + len(sites)] = [_with_times(row, rows, row.site == sites[-1]) for row in rows]
        first += max(len(sites), 1)
    return tuple(trace)


def _with_times(row: TraceRecord, rows: Sequence[TraceRecord], has_sweep: bool) -> TraceRecord:
    """`row` with the times of all `rows`, or with none. Times that are not measured stay so."""
    measured = [name for name in _TIMES if getattr(row, name) is not None]
    return dataclasses.replace(
        row, **{name: sum(getattr(each, name) for each in rows) if has_sweep else 0.0 for name in measured}
    )
