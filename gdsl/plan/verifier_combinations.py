"""Checks the combinations of frontiers of a plan: every field that a decision sets."""

from __future__ import annotations

from gdsl.ir.verifier import VerificationError
from gdsl.operations import Domain, SetOperation
from gdsl.plan.combinations import lacking_queues, lacks_queues, test_of
from gdsl.plan.nodes import Barrier, Combine, Form, Members, Plan, Variant
from gdsl.plan.walking import blocks_in, combinations, sweeps


def verify_combinations(plan: Plan) -> None:
    """Raise `VerificationError` for what does not fit."""
    domains = {frontier.name: frontier.domain for frontier in plan.frontiers}
    collects = (sweep.collect for sweep in sweeps(plan) if sweep.collect is not None)
    bitmaps = frozenset(collect.frontier for collect in collects if collect.form is Form.BITMAP)
    lacking = lacking_queues(plan.program, bitmaps)
    tests = _tests(plan)
    for each in combinations(plan):
        node, walked, asked = each.step, each.walked, each.asked
        turned = (walked.frontier, asked.frontier) == (node.second.frontier, node.first.frontier)
        ordered = (walked.frontier, asked.frontier) == (node.first.frontier, node.second.frontier)
        may_turn = node.operation is not SetOperation.DIFFERENCE and walked.frontier != asked.frontier
        own = domains.get(node.name)
        written, apart = asked.frontier == node.name, plan.target.marks_apart and each.test is None
        fits = {
            "other operands": ordered or (turned and may_turn),
            "sets of another domain": own is not None and walked.domain is own and asked.domain is own,
            "operands in other forms": _forms(each),
            "marks where there are none": each.marks == apart,
            "a set grows where it may not": each.grows
            == (own is Domain.VERTEX and node.operation is SetOperation.UNION and walked.frontier == node.name),
            "few members in one sweep where they may not be": each.few == (each.grows and apart and plan.target.fused),
            "word by word where queues are": each.words == (each.test is None and lacks_queues(node, lacking)),
            "another test": each.test == tests[id(each)],
            "a set is marked that is written next": not (written and may_turn),
            "a wait for nothing": each.waits == (written and apart),
        }
        for what, holds in fits.items():
            if not holds:
                raise VerificationError(f"plan of {plan.program.name}: {node.name}: {what}")


def _tests(plan: Plan) -> dict[int, Variant | None]:
    """What tells of each who is in the set that is asked."""
    found: dict[int, Variant | None] = {}
    for block in blocks_in(plan.schedule):
        steps = [step for step in block if not isinstance(step, Barrier)]
        for former, step in zip((None, *steps), steps, strict=False):
            if isinstance(step, Combine):
                found[id(step)] = test_of(former, step, plan.program, plan.target)
    return found


def _forms(each: Combine) -> bool:
    def form(members: Members, wanted: Form) -> bool:
        return members.form is (wanted if members.frontier is not None else None)

    asked = Form.BITMAP if each.asked.domain is Domain.VERTEX else Form.QUEUE
    whole = each.asked.frontier is not None and each.asked.form is asked
    as_they_lie = not each.walked.whole and not each.asked.whole
    return form(each.walked, Form.QUEUE) and whole and as_they_lie
