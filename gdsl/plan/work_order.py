"""Pass `work_order`: worklists worked off from near to far, and members that need no further visit.

`orders` says which loops may have another order than the one in which their bodies leave the members, and why that is
sound; `skips`, which members of other worklists have been visited with the value that they have.
"""

from __future__ import annotations

import dataclasses

from gdsl.ir.nodes import Advance, While
from gdsl.ir.traversal import walk
from gdsl.operations import Balance
from gdsl.plan.facts import Facts
from gdsl.plan.nodes import Dedup, Loop, Operation, Plan, Step, Sweep
from gdsl.plan.orders import orders_of
from gdsl.plan.skips import skips_of
from gdsl.plan.walking import map_blocks, map_sweeps


def run(plan: Plan, facts: Facts) -> Plan:
    """`plan` with the order of each loop, of the sweep that works off its worklist, and what that passes over."""
    counted = [frontier.name for frontier in plan.frontiers if frontier.counts is not None]
    orders = orders_of(plan.program, plan.target, counted)
    skips = skips_of(plan.program, plan.target, counted)
    if not orders and not skips:
        return plan
    loops = (node for node in walk(plan.program.schedule) if isinstance(node, While))
    by_site = {each.site: orders.get(loop.loop) for loop in loops for each in loop.body if isinstance(each, Advance)}

    def ordered(block: tuple[Step, ...]) -> tuple[Step, ...]:
        return tuple(
            dataclasses.replace(step, order=orders.get(step.number)) if isinstance(step, Loop) else step
            for step in block
        )

    def changed(operation: Operation, sweep: Sweep) -> Sweep:
        if not isinstance(operation.step, Advance) or sweep.selection is not None:
            return sweep
        order, skip, collect = by_site.get(operation.step.site), skips.get(operation.step.site), sweep.collect
        if order is not None and collect is not None and plan.target.grid:
            collect = dataclasses.replace(collect, dedup=Dedup.RANK)
        if order is not None or skip is not None:
            sweep = _by_warps(sweep)
        return dataclasses.replace(sweep, order=order, skips=skip, collect=collect)

    return map_sweeps(dataclasses.replace(plan, schedule=map_blocks(plan.schedule, ordered)), changed)


def _by_warps(sweep: Sweep) -> Sweep:
    """`sweep` with whole warps for its members and chunks of long lists, as these worklists need it."""
    walks = tuple(dataclasses.replace(each, shared=each.variant) for each in sweep.walks)
    return dataclasses.replace(sweep, balance=Balance.AUTO, walks=walks)
