"""Pass `deduplication`: what keeps a vertex from being collected twice, and which queues may hold one twice.

Where the functor closes, one compare-and-swap does the test and the store, and its single winner collects (`claims`).

With `dedup = none` a push puts a vertex into its result as often as it is reached while the queue has room, and only
from then on by marks. Such queues have room for every vertex twice: the first half takes whatever comes, and what is
left over goes into the second, by its mark once a vertex, so that nothing can overflow and nothing is done twice. Which
programs may ask for that is decided by `gdsl.rules.duplicates`.
"""

from __future__ import annotations

import dataclasses

from gdsl.extents import VERTICES, Extent, Times
from gdsl.ir.nodes import Advance
from gdsl.operations import Domain, Duplicates
from gdsl.plan import variants
from gdsl.plan.claims import claim_of
from gdsl.plan.facts import Facts
from gdsl.plan.nodes import Copy, Dedup, Operation, Plan, Sweep, Variant
from gdsl.plan.walking import map_sweeps, steps_in, sweeps


def run(plan: Plan, facts: Facts) -> Plan:
    """`plan` with claims and late marks in the place of marks."""

    def changed(operation: Operation, sweep: Sweep) -> Sweep:
        step, collect = operation.step, sweep.collect
        if not isinstance(step, Advance) or sweep.selection is not None:
            return sweep
        claimed = _claimed(step, facts)
        if collect is not None and step.to is Domain.VERTEX and collect.dedup is Dedup.MARK:
            asked = plan.program.tuning.sites[step.site].dedup
            late = asked is Duplicates.NONE and plan.target.marks_apart
            dedup = Dedup.CLAIM if claimed is not None else Dedup.LATE if late else Dedup.MARK
            collect = dataclasses.replace(collect, dedup=dedup)
        walks = sweep.walks
        if claimed is not None:
            walks = tuple(
                dataclasses.replace(each, variant=claimed, shared=claimed if each.shared is not None else None)
                for each in walks
            )
        return dataclasses.replace(sweep, walks=walks, collect=collect)

    return map_sweeps(plan, changed)


def _claimed(step: Advance, facts: Facts) -> Variant | None:
    """The push with a claim; None where there is nothing to claim."""
    if step.closing is None:
        return None
    functor = facts.edge_functor(step)
    claim = claim_of(functor, step.over, step.closing, facts.target.grid)
    return variants.claimed(functor, claim) if claim is not None else None


def repeated_of(plan: Plan) -> frozenset[str]:
    """The frontiers of a plan that may hold a vertex twice."""
    collects = (sweep.collect for sweep in sweeps(plan) if sweep.collect is not None)
    copies = [(step.step.name, step.step.other) for step in steps_in(plan.schedule) if isinstance(step, Copy)]
    return _with_copies(frozenset(each.frontier for each in collects if each.dedup is Dedup.LATE), copies)


def room_of(plan: Plan) -> Extent:
    """How many entries a queue of vertices may have."""
    return Times(2, VERTICES) if repeated_of(plan) else VERTICES


def _with_copies(found: frozenset[str], copies: list[tuple[str, str]]) -> frozenset[str]:
    before = frozenset[str]()
    while found != before:
        before = found
        found = found | {name for name, other in copies if other in found}
    return found
