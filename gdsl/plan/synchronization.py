"""Pass `synchronization`: only the barriers that are needed, and scalars that save some.

`phases` says which operators end with a barrier of their own, `end_barriers` which reductions may omit theirs, and
`barriers` where else a barrier is needed. `scalar_copies` gives scalars several places, or a copy for each thread,
where that saves barriers.
"""

from __future__ import annotations

import dataclasses

from gdsl.ir.nodes import SetStep, TakeLevel
from gdsl.plan import scalar_copies
from gdsl.plan.buffers import marked_domains
from gdsl.plan.contracts import ENDING_SET_STEPS
from gdsl.plan.deduplication import repeated_of
from gdsl.plan.end_barriers import has_optional_end_barrier
from gdsl.plan.facts import Facts
from gdsl.plan.fusion import flattened
from gdsl.plan.nodes import Initial, Launch, OnSets, Operation, Plan, Step
from gdsl.plan.phases import operator_waits, with_marks_held, with_phases
from gdsl.plan.target import Target
from gdsl.plan.walking import map_blocks


def run(plan: Plan, facts: Facts) -> Plan:
    """`plan` with its barriers and the copies of scalars that save some."""
    plan = dataclasses.replace(plan, schedule=_ends(plan))
    if not (plan.target.fused and plan.target.grid):
        return plan
    (launch,) = plan.schedule
    assert isinstance(launch, Launch)
    placed = scalar_copies.place(scalar_copies.without(launch), plan.program, facts.accesses)
    rotations = tuple(Initial(name, value) for name, value in placed.rotations.items())
    plan = dataclasses.replace(plan, schedule=(placed.launch,), rotations=rotations, private_scalars=placed.private)
    return with_marks_held(plan, bool(marked_domains(plan)))


def _ends(plan: Plan) -> tuple[Step, ...]:
    """The schedule of `plan` with what each step needs at its own end."""
    repeated = repeated_of(plan)
    counted = frozenset(each.name for each in plan.frontiers if each.counts is not None)

    def waits(operation: Operation) -> bool:
        several = operation.step.frontier.frontier in repeated and not has_optional_end_barrier(operation)
        return operator_waits(operation.does, plan.program, plan.target) or several

    def changed(step: Step) -> Step:
        if isinstance(step, OnSets):
            return dataclasses.replace(step, waits=_set_step_waits(step.step, counted, plan.target))
        if not isinstance(step, Operation):
            return step
        return with_phases(step, any(map(waits, flattened(step)))) if plan.target.grid else step

    return map_blocks(plan.schedule, lambda block: tuple(map(changed, block)))


def _set_step_waits(step: SetStep, counted: frozenset[str], target: Target) -> bool:
    """Whether a step between sets and data does; the edges of the sets `counted` are counted whenever they are made."""
    if not target.grid:
        return True
    if isinstance(step, TakeLevel):
        return step.name in counted
    return type(step) in ENDING_SET_STEPS
