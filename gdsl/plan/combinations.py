"""Decides how two frontiers become one.

Queues cost what they hold: one set is walked, and of each member it is asked whether it is in the other, by that one's
bitmap or, where it has none and is small, by marks that are made of its queue. A set that others are added to, such as
all that has been seen, keeps its bitmap and grows where it lies, so that each pass costs what it adds. Word by word
costs a pass over the domain; that is for sets that have no queue to walk, which no frontier is without where no result
is collected as a bitmap.
"""

from __future__ import annotations

from gdsl.ir.nodes import Advance, CombineFrontiers, Elements, Program
from gdsl.ir.traversal import walk
from gdsl.operations import Direction, SetOperation
from gdsl.plan.choices import Directions
from gdsl.plan.nodes import Combine
from gdsl.plan.sweep_nodes import Form, Members
from gdsl.plan.target import Target


def combine(step: CombineFrontiers, target: Target, words: bool) -> Combine:
    """The plan of one operation; `words`: whether a set may be without a queue."""
    walked, asked = step.first, step.second
    if step.operation is not SetOperation.DIFFERENCE and asked.frontier == step.name:
        walked, asked = asked, walked  # what is written next should not be what was marked
    return Combine(
        step=step,
        walked=_members(walked, Form.QUEUE),
        asked=_members(asked, Form.BITMAP),
        grows=step.operation is SetOperation.UNION and walked.frontier == step.name,
        marks=target.marks_apart,
        words=words and not walked.everything,
        waits=target.marks_apart and asked.frontier == step.name,
    )


def may_lack_a_queue(program: Program, directions: Directions) -> bool:
    """Whether any frontier is collected as a bitmap: the result of an advance that may pull."""
    advances = (node for node in walk(program.schedule) if isinstance(node, Advance))
    return any(each.result is not None and directions.of_site[each.site] is not Direction.PUSH for each in advances)


def _members(source: Elements, form: Form) -> Members:
    return Members(source.domain, source.frontier, None if source.everything else form)
