"""Loops over buckets whose width finds itself, and the plain worklists that they stand for.

`while (b) { b.push(advance(b.pop(), relax)); }` is, as lowered, a worklist of which each pass takes what lies up to a
bound that is for the run to choose. What is left without the choice is `while (w) { w = advance(w, relax); }`: whoever
waits is visited after it came there in both, and nobody else is (`gdsl.uniqueness.split_worklists`). So where the
visits may be made in any order both end in the same values.
"""

from __future__ import annotations

import dataclasses

from gdsl.ir.nodes import (
    Advance,
    ChooseBound,
    CombineFrontiers,
    Compute,
    Element,
    Elements,
    Filter,
    FrontierNotEmpty,
    Node,
    Program,
    StoreScalar,
    While,
)
from gdsl.ir.traversal import walk
from gdsl.operations import Domain

_FORM = (StoreScalar, StoreScalar, Compute, ChooseBound, Filter, Filter, Advance, CombineFrontiers)
"""What a pop and a push around an advance are lowered to."""


def plain(loop: While) -> While:
    """`loop` without what only chooses whom a pass takes; the same object where it is no such loop."""
    if tuple(map(type, loop.body)) != _FORM or not isinstance(loop.condition, FrontierNotEmpty):
        return loop
    nearest, farthest, measure, bound, take, keep, advance, union = loop.body
    assert isinstance(nearest, StoreScalar) and isinstance(farthest, StoreScalar) and isinstance(measure, Compute)
    assert isinstance(bound, ChooseBound) and isinstance(take, Filter) and isinstance(keep, Filter)
    assert isinstance(advance, Advance) and isinstance(union, CombineFrontiers)
    waiting, part, found = loop.condition.frontier, take.result, advance.result
    stored = (nearest.scalar, farthest.scalar) == (bound.nearest, bound.farthest)
    looked_at = {measure.frontier.frontier, bound.waiting, take.frontier.frontier, keep.frontier.frontier}
    split = looked_at == {waiting} and keep.result == waiting != part and advance.frontier.frontier == part
    joined = {union.first.frontier, union.second.frontier} == {waiting, found} and union.name == waiting
    if not (stored and split and joined and advance.to is Domain.VERTEX):
        return loop
    members = Elements(advance.frontier.span, Domain.VERTEX, waiting)
    return dataclasses.replace(loop, body=(dataclasses.replace(advance, frontier=members, result=waiting),))


def seen_elsewhere(loop: While, program: Program) -> str | None:
    """A set of vertices that `plain(loop)` does not make, though something beside `loop` names it."""
    made = {step.result for step in loop.body if isinstance(step, Advance | Filter)}
    made -= {step.result for step in plain(loop).body if isinstance(step, Advance)}
    inside = {id(node) for node in walk(loop)}
    outside = (node for node in walk(program.schedule) if id(node) not in inside)
    return next((name for node in outside for name in made if name in _named(node)), None)


def key(loop: While, program: Program) -> str | None:
    """The array by which buckets order what waits."""
    take = next(step for step in loop.body if isinstance(step, Filter))
    functor = next(each for each in program.vertex_functors if each.name == take.functor)
    return next((node.array for node in walk(functor.condition) if isinstance(node, Element)), None)


def names_in(part: object) -> set[str]:
    """All names that the nodes of a part of the schedule have."""
    return {name for node in walk(part) for name in _named(node)}


def _named(node: Node) -> set[str]:
    fields = (getattr(node, field.name) for field in dataclasses.fields(node))
    return {value for value in fields if isinstance(value, str)}
