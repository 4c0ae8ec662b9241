"""Pass `list_bounds`: lists that need not be walked to their ends.

A push or a reduction along out-edges stops at the first edge that the condition excludes by its place
(`place_limits`), a reduction at the first result that no further edge changes (`stopping`).
"""

from __future__ import annotations

import dataclasses

from gdsl.ir.nodes import Advance, NeighborReduce
from gdsl.operations import Over
from gdsl.plan.facts import Facts
from gdsl.plan.nodes import Operation, Plan, Sweep
from gdsl.plan.place_limits import place_limit
from gdsl.plan.stopping import result_that_stays
from gdsl.plan.walking import map_sweeps


def run(plan: Plan, facts: Facts) -> Plan:
    """`plan` with the bounds of its lists."""

    def changed(operation: Operation, sweep: Sweep) -> Sweep:
        step = operation.step
        if not isinstance(step, (Advance, NeighborReduce)) or sweep.selection is not None:
            return sweep
        functor, segment = facts.edge_functor(step), sweep.segment
        limit = facts.remember(place_limit, functor)
        walks = sweep.walks
        if limit is not None:
            walks = tuple(
                dataclasses.replace(each, first_places=limit) if each.lists is Over.OUT_EDGES else each
                for each in walks
            )
        if segment is not None and isinstance(step, NeighborReduce):
            segment = dataclasses.replace(segment, stops_at=result_that_stays(step, functor))
        return dataclasses.replace(sweep, walks=walks, segment=segment)

    return map_sweeps(plan, changed)
