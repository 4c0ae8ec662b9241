"""Decides what is done against duplicates in a result, and follows the queues that may hold a vertex twice.

With `dedup = none` a push puts a vertex into its result as often as it is reached while the queue has room, and only
from then on by marks. Such queues have room for every vertex twice: the first half takes whatever comes, and what is
left over goes into the second, by its mark once a vertex, so that nothing can overflow and nothing is done twice. Which
programs may ask for that is decided by `gdsl.rules.duplicates`.
"""

from __future__ import annotations

from collections.abc import Iterable

from gdsl.extents import VERTICES, Extent, Times
from gdsl.ir.nodes import Advance, CopyFrontier, Program
from gdsl.ir.traversal import walk
from gdsl.operations import Domain, Duplicates, Over
from gdsl.plan.nodes import Copy, Dedup, Form, Plan
from gdsl.plan.target import Target
from gdsl.plan.walking import steps_in, sweeps


def dedup_of(step: Advance, asked: Duplicates, target: Target, form: Form, claimed: bool) -> Dedup:
    """Of a push: several edges lead to one vertex; an edge itself comes up twice only from both of its ends. A bitmap
    holds nothing twice."""
    if step.to is Domain.EDGE:
        return Dedup.MARK if step.over is Over.ALL_EDGES else Dedup.NONE
    if form is Form.BITMAP:
        return Dedup.NONE
    if claimed:
        return Dedup.CLAIM
    return Dedup.LATE if asked is Duplicates.NONE and target.marks_apart else Dedup.MARK


def repeated_in(program: Program, made: Iterable[str]) -> frozenset[str]:
    """The frontiers that may hold a vertex twice, where `made` are collected so."""
    copies = [(node.name, node.other) for node in walk(program.schedule) if isinstance(node, CopyFrontier)]
    return _with_copies(frozenset(made), copies)


def repeated_of(plan: Plan) -> frozenset[str]:
    """The same of a plan."""
    collects = (sweep.collect for sweep in sweeps(plan) if sweep.collect is not None)
    copies = [(step.step.name, step.step.other) for step in steps_in(plan.schedule) if isinstance(step, Copy)]
    return _with_copies(frozenset(each.frontier for each in collects if each.dedup is Dedup.LATE), copies)


def room_of(plan: Plan) -> Extent:
    """How many entries a queue of vertices may have."""
    return Times(2, VERTICES) if repeated_of(plan) else VERTICES


def _with_copies(found: frozenset[str], copies: list[tuple[str, str]]) -> frozenset[str]:
    before = frozenset[str]()
    while found != before:
        before = found
        found = found | {name for name, other in copies if other in found}
    return found
