"""Builds the plan of a program for a target, after the passes of the IR."""

from __future__ import annotations

import dataclasses
from importlib import import_module

from gdsl.ir.nodes import Program
from gdsl.plan import far_values, followers, gathering, hoisted_scalars
from gdsl.plan.facts import Facts
from gdsl.plan.fusion import Pair, fusion_of
from gdsl.plan.graph_class import GENERAL, GraphClass
from gdsl.plan.lower import lower
from gdsl.plan.nodes import Plan
from gdsl.plan.passes import LOWER, PLAN_PASSES, PROGRAM_PASSES
from gdsl.plan.target import Sizes, Target
from gdsl.plan.walking import operations

_VERIFIERS = {
    hoisted_scalars.run: ("gdsl.plan.verifier_hoisted_scalars", "verify_hoisted_scalars"),
    followers.run: ("gdsl.plan.verifier_followers", "verify_followers"),
    far_values.run: ("gdsl.plan.verifier_far_values", "verify_far_values"),
    gathering.run: ("gdsl.plan.verifier_gathering", "verify_gathering"),
}
"""What compares the programs before and after a pass that is written in operators: a module, read when it is needed."""


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
    as_sized = target if sizes is None else dataclasses.replace(target, sizes=sizes)
    facts = Facts(_written_in_operators(program, as_sized, verify), target, sizes, graph)
    plan = _passed(facts, after)
    if after is None and verify:
        from gdsl.plan import verifier

        verifier.verify(plan)
    return plan


def neighbors(program: Program, target: Target) -> tuple[Pair, ...]:
    """The pairs of operators that follow each other, each with what prevents their fusion."""
    if not (target.fused and target.grid):
        return ()
    facts = Facts(_written_in_operators(program, target, False), target)
    plan = _passed(facts, "in_place")
    fusion = fusion_of(plan, facts)
    fusion.steps(plan.schedule)
    in_place = [Pair(first, second, None) for second in operations(plan) for first in second.fused]
    return tuple(sorted((*fusion.pairs, *in_place), key=lambda pair: pair.second.step.site))


def _written_in_operators(program: Program, target: Target, verify: bool) -> Program:
    """`program` with the parts of passes that are written in operators."""
    without = {*program.tuning.without, *target.without}
    for name, run in PROGRAM_PASSES:
        if name not in without:
            before, program = program, run(program, target)
            if verify and program is not before and run in _VERIFIERS:
                module, function = _VERIFIERS[run]
                getattr(import_module(module), function)(before, program)
    return program


def _passed(facts: Facts, last: str | None) -> Plan:
    """The plan after the pass `last`; None: after all."""
    plan, without = lower(facts), {*facts.program.tuning.without, *facts.target.without}
    passes = iter(PLAN_PASSES)
    name = LOWER
    while name != last and (each := next(passes, None)) is not None:
        name, run = each
        if name not in without:
            plan = run(plan, facts)
    return plan
