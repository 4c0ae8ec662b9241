"""What must hold of the combinations and copies of frontiers of a plan."""

from __future__ import annotations

import itertools

from gdsl.ir.nodes import Filter, FunctionCall
from gdsl.ir.traversal import contains
from gdsl.ir.verifier import expecting
from gdsl.operations import Domain, SetOperation
from gdsl.plan.hints import FewAsList
from gdsl.plan.nodes import Barrier, Combine, Copy, Form, Members, Operation, Plan, Step, Sweep
from gdsl.plan.walking import blocks_in, combinations, steps_in, sweeps


def verify_combinations(plan: Plan) -> None:
    """Raise `gdsl.ir.verifier.VerificationError` for what cannot be right."""
    expect = expecting(f"plan of {plan.program.name}")
    domains = {frontier.name: frontier.domain for frontier in plan.frontiers}
    lacking, former = _lacking_queues(plan), _former(plan)
    for each in combinations(plan):
        node, walked, asked = each.step, each.walked, each.asked
        turned = (walked.frontier, asked.frontier) == (node.second.frontier, node.first.frontier)
        ordered = (walked.frontier, asked.frontier) == (node.first.frontier, node.second.frontier)
        may_turn = node.operation is not SetOperation.DIFFERENCE and walked.frontier != asked.frontier
        own = domains.get(node.name)
        written, marks_apart = asked.frontier == node.name, plan.target.marks_apart
        fits = {
            "other operands": ordered or (turned and may_turn),
            "sets of another domain": own is not None and walked.domain is own and asked.domain is own,
            "operands in other forms": _forms(each),
            "marks where there are none": each.marks == (marks_apart and each.test is None),
            "a set grows that is not its own operand": not each.grows
            or (own is Domain.VERTEX and node.operation is SetOperation.UNION and walked.frontier == node.name),
            "few members in one sweep that does not grow": not each.few
            or (each.grows and each.marks and plan.target.fused),
            "a queue is walked that there is not": each.words or each.test is not None or not _lacks(each, lacking),
            "words of bitmaps that there are not": not each.words or _lacks(each, lacking),
            "another test": each.test is None or _is_complement(former.get(id(each)), each, plan),
            "a set is marked that is written next": not (written and may_turn),
            "marks are taken out too late": each.waits or not (written and each.marks),
        }
        for what, holds in fits.items():
            expect(holds, f"{node.name}: {what}")


def verify_copies(plan: Plan) -> None:
    """Raise `gdsl.ir.verifier.VerificationError` if a copy has the edge count of other lists than it says."""
    expect = expecting(f"plan of {plan.program.name}")
    counts = {frontier.name: frontier.counts for frontier in plan.frontiers}
    for each in steps_in(plan.schedule):
        if isinstance(each, Copy):
            own, other = counts.get(each.step.name), counts.get(each.step.other)
            fits = each.recounts == (own is not None and own is not other)
            expect(fits, f"{each.step.name} = {each.step.other}: edges of other lists are counted")


def _lacking_queues(plan: Plan) -> frozenset[str]:
    """The frontiers that may be bitmaps alone."""
    collects = (sweep.collect for sweep in sweeps(plan) if sweep.collect is not None)
    lacking = {collect.frontier for collect in collects if collect.form is Form.BITMAP}
    copies = [step.step for step in steps_in(plan.schedule) if isinstance(step, Copy)]
    size = -1
    while size != len(lacking):
        size = len(lacking)
        lacking |= {step.name for step in copies if step.other in lacking}
        lacking |= {each.step.name for each in combinations(plan) if _lacks(each, frozenset(lacking))}
    return frozenset(lacking)


def _lacks(each: Combine, lacking: frozenset[str]) -> bool:
    first, second = each.step.first.frontier in lacking, each.step.second.frontier in lacking
    if each.step.operation is SetOperation.UNION:
        return first or second
    return first and (second or each.step.operation is SetOperation.DIFFERENCE)


def _former(plan: Plan) -> dict[int, Step]:
    """What is right before each combination, but for barriers."""
    formers: dict[int, Step] = {}
    for block in blocks_in(plan.schedule):
        steps = [step for step in block if not isinstance(step, Barrier)]
        formers.update((id(step), former) for former, step in itertools.pairwise(steps))
    return formers


def _is_complement(former: Step | None, each: Combine, plan: Plan) -> bool:
    """Whether a difference takes away what the filter right before it has taken of the same set, so that the test of
    that filter, asked again, gives the same answer."""
    if not isinstance(former, Operation) or not isinstance(former.step, Filter) or not isinstance(former.does, Sweep):
        return False
    own, collect = former.does.own, former.does.collect
    functor = plan.program.vertex_functor(former.step.functor)
    pure = own is not None and bool(own.tests) and not own.body and not own.accepts
    pure = pure and not contains(functor, FunctionCall)
    sets = (each.walked.frontier, each.asked.frontier) == (former.does.members.frontier, collect and collect.frontier)
    rest = each.step.operation is SetOperation.DIFFERENCE and each.walked.frontier != each.asked.frontier
    return pure and sets and rest and each.test == own and former.does.hint(FewAsList) is None


def _forms(each: Combine) -> bool:
    def form(members: Members, wanted: Form) -> bool:
        return members.form is (wanted if members.frontier is not None else None)

    asked = Form.BITMAP if each.asked.domain is Domain.VERTEX else Form.QUEUE
    whole = each.asked.frontier is not None and each.asked.form is asked
    return form(each.walked, Form.QUEUE) and whole
