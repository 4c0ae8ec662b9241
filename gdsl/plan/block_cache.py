"""Pass `block_cache`: values that each block keeps in its own memory. Hints only.

`first_values`: the values of the first vertices, from which lists are reduced. `hub_bounds`: bounds of the values of
hubs, at which worklists look before they look at the values.
"""

from __future__ import annotations

from gdsl.ir.nodes import Advance
from gdsl.plan.facts import Facts
from gdsl.plan.first_values import keeps_first
from gdsl.plan.hints import BlockCache, HubBounds, ReadAhead
from gdsl.plan.hub_bounds import may_bound
from gdsl.plan.nodes import Operation, Plan, Sweep
from gdsl.plan.walking import map_sweeps


def run(plan: Plan, facts: Facts) -> Plan:
    """`plan` with what blocks keep."""
    kept = keeps_first(plan.program, plan.target)
    if not kept and not plan.program.tuning.hub_bounds:
        return plan

    def changed(operation: Operation, sweep: Sweep) -> Sweep:
        step, skips = operation.step, sweep.skips
        if sweep.segment is not None:
            return sweep.with_hints(BlockCache(kept[step.site])) if step.site in kept else sweep
        if skips is None or not isinstance(step, Advance) or not may_bound(step, skips, plan.program, plan.target):
            return sweep
        ahead = (sweep.hint(ReadAhead, walk.over) for walk in sweep.walks)
        looks = (each for each in ahead if each is not None and each.seen is not None)
        return sweep.with_hints(*(HubBounds(skips.operation, over=each.over) for each in looks))

    return map_sweeps(plan, changed)
