"""From a program, as the passes of the IR leave it, to its plan for a target."""

from __future__ import annotations

from collections.abc import Collection

from gdsl.ir.nodes import Program
from gdsl.plan.facts import Facts
from gdsl.plan.fusion import Pair, fusion_of
from gdsl.plan.lower import lower
from gdsl.plan.nodes import Plan
from gdsl.plan.passes import LOWER, PLAN_PASSES
from gdsl.plan.target import Sizes, Target


def build(program: Program, target: Target, sizes: Sizes | None = None, *, again: bool = False) -> Plan:
    """The plan of `program`, verified, unless the same is planned `again` whose plan was verified then."""
    facts = Facts(program, target, sizes)
    without = program.tuning.without
    plan = lower(facts)
    for each in PLAN_PASSES:
        if each.name not in without:
            plan = each.run(plan, facts)
    if False and not again and not without:
        from gdsl.plan import verifier

        verifier.verify(plan)
    return plan


def after(program: Program, target: Target, name: str) -> Plan:
    """The plan of `program` as it is when the pass `name` has run; `lower` comes before all."""
    return _until(Facts(program, target), name, program.tuning.without)


def neighbours(program: Program, target: Target) -> tuple[Pair, ...]:
    """The operators of which one follows the other, with what keeps them from having one sweep."""
    if not (target.fused and target.grid):
        return ()
    facts = Facts(program, target)
    plan = _until(facts, "cpu_threads", program.tuning.without)
    fusion = fusion_of(plan, facts)
    fusion.steps(plan.schedule)
    return tuple(fusion.pairs)


def _until(facts: Facts, last: str, without: Collection[str]) -> Plan:
    plan = lower(facts)
    if last == LOWER:
        return plan
    for each in PLAN_PASSES:
        if each.name not in without:
            plan = each.run(plan, facts)
        if each.name == last:
            break
    return plan
