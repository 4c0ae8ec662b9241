"""Decides how two frontiers become one.

Queues cost what they hold: one set is walked, and of each member it is asked whether it is in the other, by that one's
bitmap or, where it has none and is small, by marks that are made of its queue. A set that others are added to, such as
all that has been seen, keeps its bitmap and grows where it lies, so that each pass costs what it adds. Word by word
costs a pass over the domain; that is for sets that may have no queue to walk: results of pulls, and what is made of
them. Sets of edges have queues alone.

What a filter has not taken (`f = filter(a, half); a = a - f;`) passes its test no more than before: the test is asked
once more, in one sweep, where a queue would be marked, and all would wait, before the other is walked. Of a test that
calls functions, which may have loops, nobody knows what it takes.

Few members become one set in a single sweep, each marked as it comes, where a set would be marked first and all wait
before the other is walked. Where each step is a launch of its own, that takes longer.
"""

from __future__ import annotations

import dataclasses

from gdsl.ir.nodes import CombineFrontiers, CopyFrontier, Elements, Filter, FunctionCall, Program
from gdsl.ir.traversal import walk
from gdsl.operations import Domain, SetOperation
from gdsl.plan.nodes import Combine, Operation, Step
from gdsl.plan.sweep_nodes import Form, Members, Sweep, Variant
from gdsl.plan.target import Target
from gdsl.plan.walking import map_blocks


def combine(step: CombineFrontiers, target: Target) -> Combine:
    """The plan of one operation on frontiers that have queues."""
    walked, asked = step.first, step.second
    if step.operation is not SetOperation.DIFFERENCE and asked.frontier == step.name:
        walked, asked = asked, walked  # what is written next should not be what was marked
    of_vertices = walked.domain is Domain.VERTEX
    grows = of_vertices and step.operation is SetOperation.UNION and walked.frontier == step.name
    return Combine(
        step=step,
        walked=_members(walked, Form.QUEUE),
        asked=_members(asked, Form.BITMAP if of_vertices else Form.QUEUE),
        grows=grows,
        few=grows and target.marks_apart and target.fused,
        marks=target.marks_apart,
        words=False,
        waits=target.marks_apart and asked.frontier == step.name,
    )


def with_tests(steps: tuple[Step, ...], program: Program, target: Target) -> tuple[Step, ...]:
    """`steps`, as they are run, of whose differences some ask tests."""

    def asked(former: Step | None, step: Step) -> Step:
        test = test_of(former, step, program, target) if isinstance(step, Combine) else None
        if test is None or not isinstance(step, Combine):
            return step
        return dataclasses.replace(step, test=test, marks=False, words=False, waits=False)

    return map_blocks(steps, lambda block: tuple(map(asked, (None, *block[:-1]), block)))


def test_of(former: Step | None, step: Combine, program: Program, target: Target) -> Variant | None:
    """The test that tells who is in the second set of a difference, where the step right before it is a filter of the
    first."""
    if not isinstance(former, Operation) or not isinstance(former.step, Filter) or not isinstance(former.does, Sweep):
        return None
    taken, own, collect = former.step, former.does.own, former.does.collect
    if own is None or collect is None or not (target.fused and target.grid):
        return None
    is_rest = step.step.operation is SetOperation.DIFFERENCE and step.walked.domain is Domain.VERTEX
    of_both = (step.walked.frontier, step.asked.frontier) == (former.does.members.frontier, collect.frontier)
    if not (is_rest and of_both) or step.walked.frontier == step.asked.frontier:
        return None
    functor = next(each for each in program.vertex_functors if each.name == taken.functor)
    tells = bool(own.tests) and own.claim is None and not own.body and not own.accepts
    return own if tells and not any(isinstance(each, FunctionCall) for each in walk(functor)) else None


def lacking_queues(program: Program, bitmaps: frozenset[str]) -> frozenset[str]:
    """The frontiers that may be without a queue, where `bitmaps` are those that operators collect so."""
    steps = [node for node in walk(program.schedule) if isinstance(node, (CombineFrontiers, CopyFrontier))]
    found, before = bitmaps, frozenset[str]()
    while found != before:
        before = found
        copied = {each.name for each in steps if isinstance(each, CopyFrontier) and each.other in found}
        combined = {each.name for each in steps if isinstance(each, CombineFrontiers) and lacks_queues(each, found)}
        found = found | copied | combined
    return found


def lacks_queues(step: CombineFrontiers, lacking: frozenset[str]) -> bool:
    """Whether the queues that an operation walks may be missing."""
    first, second = step.first.frontier in lacking, step.second.frontier in lacking
    if step.operation is SetOperation.UNION:
        return first or second
    return first and (second or step.operation is SetOperation.DIFFERENCE)


def _members(source: Elements, form: Form) -> Members:
    return Members(source.domain, source.frontier, None if source.everything else form)
