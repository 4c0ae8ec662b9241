"""Decides how two frontiers become one.

Queues cost what they hold: one set is walked, and of each member it is asked whether it is in the other, by that one's
bitmap or, where it has none and is small, by marks that are made of its queue. A set that others are added to, such as
all that has been seen, keeps its bitmap and grows where it lies, so that each pass costs what it adds. Word by word
costs a pass over the domain; that is for sets that may have no queue to walk: results of pulls, and what is made of
them. Sets of edges have queues alone.

Few members become one set in a single sweep, each marked as it comes, where a set would be marked first and all wait
before the other is walked. Where each step is a launch of its own, that takes longer.
"""

from __future__ import annotations

from gdsl.ir.nodes import CombineFrontiers, CopyFrontier, Elements, Program
from gdsl.ir.traversal import walk
from gdsl.operations import Domain, SetOperation
from gdsl.plan.nodes import Combine
from gdsl.plan.sweep_nodes import Form, Members
from gdsl.plan.target import Target


def combine(step: CombineFrontiers, target: Target, lacking: frozenset[str]) -> Combine:
    """The plan of one operation; `lacking` are the frontiers that may be without a queue."""
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
        words=lacks_queues(step, lacking),
        waits=target.marks_apart and asked.frontier == step.name,
    )


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
