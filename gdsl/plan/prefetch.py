"""Pass `prefetch`: what is read or fetched before it is needed. Hints only: none of them changes a result. A CPU
fetches lists (`fetched_lists`); all others are for a grid.

Reads before their use: `early` (several elements side by side), `looks` (worklists that pass over members),
`side_by_side` (edges of a reduced list). Fetches into a cache: `upcoming` (the lists of the next level of a history),
`sectors` (what is beside an element), `rows_ahead` (the vertices that come
next).
"""

from __future__ import annotations

import dataclasses

from gdsl.ir.nodes import Advance, Compute, EdgeFunctor, NeighborReduce, VertexFunctor
from gdsl.operations import Balance
from gdsl.plan.facts import Facts
from gdsl.plan.fetched_lists import fetch_lists
from gdsl.plan.hints import EdgesSideBySide, ReadAhead
from gdsl.plan.nodes import Operation, Plan, Sweep, Walk
from gdsl.plan.read_ahead import early_of, early_of_worklist, edges_side_by_side
from gdsl.plan.rows_ahead import fetch_rows
from gdsl.plan.sectors import fetch_beside
from gdsl.plan.upcoming import upcoming
from gdsl.plan.walking import map_sweeps, own_sweeps


def run(plan: Plan, facts: Facts) -> Plan:
    """`plan` with all of these hints."""
    if not plan.target.grid:
        return fetch_lists(plan)
    program, target = plan.program, plan.target
    plan = map_sweeps(plan, _Reads(plan, facts).changed)
    schedule = upcoming(plan.schedule, program, target)
    schedule = fetch_rows(fetch_beside(schedule, program, target), program, target)
    return dataclasses.replace(plan, schedule=schedule)


class _Reads:
    """What sweeps read before its use."""

    def __init__(self, plan: Plan, facts: Facts) -> None:
        self.facts = facts
        self.alone = {each.step.site for each in own_sweeps(plan) if not each.ahead}
        """Operators that share their sweep with no other: what others read, another one may write."""

    def changed(self, operation: Operation, sweep: Sweep) -> Sweep:
        step = operation.step
        if isinstance(step, Compute) and step.site in self.alone:
            functor = self.facts.functor(step)
            if isinstance(functor, VertexFunctor) and sweep.own is not None:
                early = early_of(functor, sweep.own, self.facts.functions)
                return sweep.with_hints(early) if early is not None else sweep
        if isinstance(step, Advance) and sweep.selection is None:
            edge_functor = self.facts.edge_functor(step)
            found = (self._of_edges(step, edge_functor, each, sweep) for each in sweep.walks)
            return sweep.with_hints(*(each for each in found if each is not None))
        if isinstance(step, NeighborReduce) and sweep.segment is not None:
            edge_functor = self.facts.edge_functor(step)
            count = edges_side_by_side(step, edge_functor, self.facts.program)
            return sweep.with_hints(EdgesSideBySide(count)) if count > 1 else sweep
        return sweep

    def _of_edges(self, step: Advance, functor: EdgeFunctor, walk: Walk, sweep: Sweep) -> ReadAhead | None:
        """What a push reads before its use."""
        if sweep.balance is not Balance.AUTO or sweep.order is not None:
            return None
        if sweep.skips is not None:
            return early_of_worklist(step, functor, walk.variant, sweep.skips, self.facts.program)
        early = early_of(functor, walk.variant, self.facts.functions)
        return dataclasses.replace(early, over=walk.over) if early is not None else None
