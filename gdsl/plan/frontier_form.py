"""Pass `frontier_form`: which frontiers are queues and which are bitmaps, and what follows for sets made of them.

A result is stored as the knob says, otherwise as it comes: a push finds members in no order, a pull goes over all
vertices. A pull whose result must be a queue builds it from the bitmap. Sweeps over a queue that may hold all vertices
do not read it where it does (`whole_sets`); two sets without queues are combined word by word (`combinations`).
"""

from __future__ import annotations

import dataclasses

from gdsl.ir.nodes import Advance, Intersect
from gdsl.operations import Domain, FrontierForm
from gdsl.plan.combinations import lacking_queues, lacks_queues
from gdsl.plan.deduplication import repeated_of
from gdsl.plan.facts import Facts
from gdsl.plan.hints import WholeSet
from gdsl.plan.nodes import Combine, Dedup, Form, Operation, Plan, Step, Sweep
from gdsl.plan.walking import map_blocks, map_sweeps, sweeps
from gdsl.plan.whole_sets import walked_whole, whole_sets

_FORMS = {FrontierForm.QUEUE: Form.QUEUE, FrontierForm.BITMAP: Form.BITMAP}


def run(plan: Plan, facts: Facts) -> Plan:
    """`plan` with the form of every result, the sweeps over whole sets, and the sets combined word by word."""
    repeated = repeated_of(plan)
    whole = whole_sets(plan.program) if plan.target.grid else frozenset[str]()

    def changed(operation: Operation, sweep: Sweep) -> Sweep:
        step, members, collect = operation.step, sweep.members, sweep.collect
        if not isinstance(step, Intersect) and members.form is not None:
            walks_whole = walked_whole(step.frontier, members.form, whole, step.frontier.frontier in repeated)
            sweep = sweep.with_hints(*[WholeSet()] * walks_whole)
        if isinstance(step, Advance) and collect is not None:
            form = form_of_result(plan.program.tuning.sites[step.site].frontier, sweep.selection is not None)
            holds_once = form is Form.BITMAP and step.to is Domain.VERTEX and collect.dedup is not Dedup.RANK
            dedup = Dedup.NONE if holds_once else collect.dedup
            collect = dataclasses.replace(collect, form=form, dedup=dedup)
        return dataclasses.replace(sweep, collect=collect)

    plan = map_sweeps(plan, changed)
    collects = (sweep.collect for sweep in sweeps(plan) if sweep.collect is not None)
    lacking = lacking_queues(plan.program, frozenset(each.frontier for each in collects if each.form is Form.BITMAP))

    def combined(block: tuple[Step, ...]) -> tuple[Step, ...]:
        return tuple(
            dataclasses.replace(step, words=lacks_queues(step.step, lacking)) if isinstance(step, Combine) else step
            for step in block
        )

    return dataclasses.replace(plan, schedule=map_blocks(plan.schedule, combined)) if lacking else plan


def form_of_result(asked: FrontierForm, pulls: bool) -> Form:
    """How the result of an advance is stored."""
    return _FORMS.get(asked, Form.BITMAP if pulls else Form.QUEUE)
