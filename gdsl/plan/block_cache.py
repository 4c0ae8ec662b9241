"""Pass `block_cache`: values that each block keeps in its own memory. Hints only.

`first_values`: the values of the first vertices, from which lists are reduced. `hub_bounds`: bounds of the values of
hubs, at which worklists look before they look at the values.
"""

from __future__ import annotations

import dataclasses

from gdsl.ir.nodes import Advance
from gdsl.plan.facts import Facts
from gdsl.plan.first_values import keeps_first
from gdsl.plan.hub_bounds import may_bound
from gdsl.plan.nodes import Operation, Plan, Sweep, Walk
from gdsl.plan.walking import map_sweeps


def run(plan: Plan, facts: Facts) -> Plan:
    """`plan` with what blocks keep."""
    kept = keeps_first(plan.program, plan.target)
    if not kept and not plan.program.tuning.hub_bounds:
        return plan

    def changed(operation: Operation, sweep: Sweep) -> Sweep:
        step, skips = operation.step, sweep.skips
        if sweep.segment is not None:
            return dataclasses.replace(sweep, segment=dataclasses.replace(sweep.segment, kept=kept.get(step.site)))
        if skips is None or not isinstance(step, Advance) or not may_bound(step, skips, plan.program, plan.target):
            return sweep

        def bounded(walk: Walk) -> Walk:
            if walk.early is None or walk.early.seen is None:
                return walk
            return dataclasses.replace(walk, early=dataclasses.replace(walk.early, bounds=skips.operation))

        return dataclasses.replace(sweep, walks=tuple(map(bounded, sweep.walks)))

    return map_sweeps(plan, changed)
