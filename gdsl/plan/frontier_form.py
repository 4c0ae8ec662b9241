"""Pass `frontier_form`: which frontiers are queues and which are bitmaps, and what follows for sets made of them.

A result is stored as the knob says, otherwise as it comes: a push finds members in no order, a pull goes over all
vertices. A pull whose result must be a queue builds it from the bitmap. Sweeps over a queue that may hold all vertices
do not read it where it does (`whole_sets`); two sets without queues are combined word by word (`combinations`).
"""

from __future__ import annotations

import dataclasses

from gdsl.ir import nodes as ir
from gdsl.ir.traversal import contains, walk
from gdsl.operations import Domain, FrontierForm, SetOperation
from gdsl.plan.deduplication import repeated_of
from gdsl.plan.facts import Facts
from gdsl.plan.hints import WholeSet
from gdsl.plan.nodes import Combine, Dedup, Form, Operation, Plan, Step, Sweep
from gdsl.plan.sweep_nodes import Members, Variant
from gdsl.plan.target import Target
from gdsl.plan.walking import map_blocks, map_sweeps, sweeps

_FORMS = {FrontierForm.QUEUE: Form.QUEUE, FrontierForm.BITMAP: Form.BITMAP}


def run(plan: Plan, facts: Facts) -> Plan:
    """`plan` with the form of every result, the sweeps over whole sets, and the sets combined word by word."""
    repeated = repeated_of(plan)
    whole = whole_sets(plan.program) if plan.target.grid else frozenset[str]()

    def changed(operation: Operation, sweep: Sweep) -> Sweep:
        step, members, collect = operation.step, sweep.members, sweep.collect
        if not isinstance(step, ir.Intersect) and members.form is not None:
            walks_whole = walked_whole(step.frontier, members.form, whole, step.frontier.frontier in repeated)
            sweep = sweep.with_hints(*[WholeSet()] * walks_whole)
        if isinstance(step, ir.Advance) and collect is not None:
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


# Finds the sets that a schedule gives all vertices at some place.
#
# A set of as many members as there are vertices has each of them once, so that their numbers need not be read from
# its queue, which would be one more way to the memory to wait for, and they come in order. It is asked only of sets
# that are ever given all vertices, directly or by way of another set: others are seldom whole.


def whole_sets(program: ir.Program) -> frozenset[str]:
    """The sets of vertices that may be whole; none where a graph may come to be another one."""
    if program.graphs:
        return frozenset()
    steps = list(walk(program.schedule))
    names = {
        step.name
        for step in steps
        if isinstance(step, ir.DefineFrontier) and step.everything and step.domain is Domain.VERTEX
    }
    parts = [(step.name, {step.other}) for step in steps if isinstance(step, ir.CopyFrontier)]
    parts += [
        (step.name, {each.frontier for each in (step.first, step.second) if each.frontier is not None})
        for step in steps
        if isinstance(step, ir.CombineFrontiers) and step.operation is SetOperation.UNION
    ]
    size = -1
    while len(names) != size:
        size = len(names)
        names |= {name for name, others in parts if others & names}
    return frozenset(names)


def walked_whole(source: ir.Elements, form: Form, whole: frozenset[str], repeated: bool) -> bool:
    """Whether a sweep over a set asks if it is whole: one that has a member twice may be as large and is not."""
    return form is Form.QUEUE and source.domain is Domain.VERTEX and source.frontier in whole and not repeated


# Decides how two frontiers become one.
#
# Queues cost what they hold: one set is walked, and of each member it is asked whether it is in the other, by that
# one's bitmap or, where it has none and is small, by marks that are made of its queue. A set that others are added
# to, such as all that has been seen, keeps its bitmap and grows in place, so that each pass costs what it adds.
# Word by word costs a pass over the domain; that is for sets that may have no queue to walk: results of pulls, and
# what is made of them. Sets of edges have queues alone.
#
# What a filter has not taken (`f = filter(a, half); a = a - f;`) passes its test no more than before: the test is
# asked once more, in one sweep, where a queue would be marked, and all would wait, before the other is walked. Of a
# test that calls functions, which may have loops, the cost is unknown.
#
# Few members become one set in a single sweep, each marked as it comes, where a set would be marked first and all
# wait before the other is walked. Where each step is a launch of its own, that takes longer.


def combine(step: ir.CombineFrontiers, target: Target) -> Combine:
    """The plan of one operation on frontiers that have queues."""
    walked, asked = step.first, step.second
    if step.operation is not SetOperation.DIFFERENCE and asked.frontier == step.name:
        walked, asked = asked, walked  # what is written next should not be what was marked
    of_vertices = walked.domain is Domain.VERTEX
    grows = of_vertices and step.operation is SetOperation.UNION and walked.frontier == step.name
    return Combine(
        step=step,
        walked=members_of(walked, Form.QUEUE),
        asked=members_of(asked, Form.BITMAP if of_vertices else Form.QUEUE),
        grows=grows,
        few=grows and target.marks_apart and target.fused,
        marks=target.marks_apart,
        words=False,
        waits=target.marks_apart and asked.frontier == step.name,
    )


def with_tests(steps: tuple[Step, ...], program: ir.Program, target: Target) -> tuple[Step, ...]:
    """`steps`, as they are run, of whose differences some ask tests."""

    def asked(former: Step | None, step: Step) -> Step:
        test = test_of(former, step, program, target) if isinstance(step, Combine) else None
        if test is None or not isinstance(step, Combine):
            return step
        return dataclasses.replace(step, test=test, marks=False, words=False, waits=False)

    return map_blocks(steps, lambda block: tuple(map(asked, (None, *block[:-1]), block)))


def test_of(former: Step | None, step: Combine, program: ir.Program, target: Target) -> Variant | None:
    """The test that tells who is in the second set of a difference, where the step right before it is a filter of the
    first."""
    if (
        not isinstance(former, Operation)
        or not isinstance(former.step, ir.Filter)
        or not isinstance(former.does, Sweep)
    ):
        return None
    taken, own, collect = former.step, former.does.own, former.does.collect
    if own is None or collect is None or not (target.fused and target.grid):
        return None
    is_rest = step.step.operation is SetOperation.DIFFERENCE and step.walked.domain is Domain.VERTEX
    of_both = (step.walked.frontier, step.asked.frontier) == (former.does.members.frontier, collect.frontier)
    if not (is_rest and of_both) or step.walked.frontier == step.asked.frontier:
        return None
    functor = program.vertex_functor(taken.functor)
    tells = bool(own.tests) and own.claim is None and not own.body and not own.accepts
    return own if tells and not contains(functor, ir.FunctionCall) else None


def lacking_queues(program: ir.Program, bitmaps: frozenset[str]) -> frozenset[str]:
    """The frontiers that may be without a queue, where `bitmaps` are those that operators collect so."""
    steps = [node for node in walk(program.schedule) if isinstance(node, (ir.CombineFrontiers, ir.CopyFrontier))]
    lacking, before = bitmaps, frozenset[str]()
    while lacking != before:
        before = lacking
        copied = {each.name for each in steps if isinstance(each, ir.CopyFrontier) and each.other in lacking}
        combined = {
            each.name for each in steps if isinstance(each, ir.CombineFrontiers) and lacks_queues(each, lacking)
        }
        lacking = lacking | copied | combined
    return lacking


def lacks_queues(step: ir.CombineFrontiers, lacking: frozenset[str]) -> bool:
    """Whether the queues that an operation walks may be missing."""
    first, second = step.first.frontier in lacking, step.second.frontier in lacking
    if step.operation is SetOperation.UNION:
        return first or second
    return first and (second or step.operation is SetOperation.DIFFERENCE)


def members_of(source: ir.Elements, form: Form) -> Members:
    """What a sweep goes over: a frontier as `form`, or everything."""
    return Members(source.domain, source.frontier, None if source.everything else form)


# Pass `complement_tests`: `a - f`, right after `f = filter(a, half)`, asks the test of `half` again.
#
# That is one sweep where a queue would be marked, and all would wait, before the other is walked (`combinations`).


def with_complement_tests(plan: Plan, facts: Facts) -> Plan:
    """`plan` with the tests of such differences."""
    if not (plan.target.fused and plan.target.grid):
        return plan
    return dataclasses.replace(plan, schedule=with_tests(plan.schedule, plan.program, plan.target))
