"""Pass `cpu_threads`: what one thread of the cpu backend does alone, and how it avoids branches.

Where there is little to do no other thread joins, and every write is plain (`variants.by_one_thread`, `masks`); a
reduction asks for the tests of an edge only where its value would change the result (`values_first`), or reads both
sides of a choice before it takes one (`both_sides`).
"""

from __future__ import annotations

import dataclasses

from gdsl.ir.nodes import Advance, Compute, Filter, NeighborReduce
from gdsl.operations import Domain
from gdsl.plan import variants
from gdsl.plan.both_sides import reads_both_sides
from gdsl.plan.facts import Facts
from gdsl.plan.nodes import Operation, Plan, Sweep
from gdsl.plan.values_first import looks_at_value_first
from gdsl.plan.walking import map_sweeps


def run(plan: Plan, facts: Facts) -> Plan:
    """`plan` with the forms for one thread; of a grid, as it is, whose threads are always there."""
    if plan.target.grid:
        return plan

    def changed(operation: Operation, sweep: Sweep) -> Sweep:
        step = operation.step
        if isinstance(step, Advance) and sweep.selection is None:
            functor = facts.edge_functor(step)
            by_one = facts.remember(variants.by_one_thread, functor)
            walks = tuple(dataclasses.replace(each, by_one=by_one) for each in sweep.walks)
            over = tuple(each.over for each in walks)
            contended = variants.contends(functor, walks[0].variant, by_one, over)
            return dataclasses.replace(sweep, walks=walks, contended=contended)
        if isinstance(step, (Filter, Compute)) and step.frontier.domain is Domain.VERTEX:
            own = facts.functor(step)
            by_one = facts.remember(variants.by_one_thread, own)
            return dataclasses.replace(sweep, own_by_one=by_one, contended=variants.contends(own, sweep.own, by_one))
        if isinstance(step, NeighborReduce) and sweep.segment is not None:
            functor = facts.edge_functor(step)
            segment = dataclasses.replace(
                sweep.segment,
                value_first=looks_at_value_first(step, functor),
                both_sides=reads_both_sides(step, functor),
            )
            return dataclasses.replace(sweep, segment=segment)
        return sweep

    return map_sweeps(plan, changed)
