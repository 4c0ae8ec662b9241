"""From a program, as the passes of the IR leave it, to its plan for a target."""

from __future__ import annotations

from gdsl.ir.nodes import Program
from gdsl.plan.facts import Facts
from gdsl.plan.fusion import Pair, fusion_of
from gdsl.plan.graph_class import GENERAL, GraphClass
from gdsl.plan.lower import lower
from gdsl.plan.nodes import Plan
from gdsl.plan.own_members import with_own_members
from gdsl.plan.passes import LOWER, PLAN_PASSES
from gdsl.plan.sending import with_senders
from gdsl.plan.target import Sizes, Target


def build(
    program: Program,
    target: Target,
    sizes: Sizes | None = None,
    *,
    graph: GraphClass = GENERAL,
    verify: bool = True,
    after: str | None = None,
) -> Plan:
    """The plan of `program` for graphs of the class `graph`; `verify` is False where it was verified before.

    `after`: the plan as it is when the pass of that name has run, which may lack what later passes add, and is not
    verified. Raises `gdsl.ir.verifier.VerificationError` for a mistake of the compiler.
    """
    facts = Facts(_directed(program, target), target, sizes, graph)
    plan = _passed(facts, after)
    if after is None and verify:
        from gdsl.plan import verifier

        verifier.verify(plan)
    return plan


def neighbors(program: Program, target: Target) -> tuple[Pair, ...]:
    """The operators of which one follows the other, with what keeps them from having one sweep."""
    if not (target.fused and target.grid):
        return ()
    facts = Facts(_directed(program, target), target)
    plan = _passed(facts, "cpu_threads")
    fusion = fusion_of(plan, facts)
    fusion.steps(plan.schedule)
    return tuple(fusion.pairs)


def _directed(program: Program, target: Target) -> Program:
    """`program` with the part of the pass `direction` that is written in operators. Workers gather: what is sent would
    be merged, in an array of its own that all of them have; instances that run together have no reductions. On a grid,
    the members of a worker are written in operators, too."""
    if target.workers and target.grid:
        return with_own_members(program)
    left_out = target.workers or target.instances or "direction" in {*program.tuning.without, *target.without}
    return program if left_out else with_senders(program)


def _passed(facts: Facts, last: str | None) -> Plan:
    """The plan behind the pass `last`; None: behind all."""
    plan, without = lower(facts), {*facts.program.tuning.without, *facts.target.without}
    passes = iter(PLAN_PASSES)
    name = LOWER
    while name != last and (each := next(passes, None)) is not None:
        name = each.name
        if name not in without:
            plan = each.run(plan, facts)
    return plan
