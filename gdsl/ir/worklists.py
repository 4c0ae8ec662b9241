"""Which monotone loops may be processed from near to far: what that needs besides that any order is right.

A loop over automatic buckets, `while (b) { b.push(advance(b.pop(), relax)); }`, is such a worklist in parts: without
the choice of a pop it is `while (w) { w = advance(w, relax); }`. In both, exactly the vertices that came to wait are
visited later (`gdsl.uniqueness.split_worklists`). So where the visits may be in any order, both end alike.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from gdsl.ir import nodes as ir
from gdsl.ir.traversal import walk
from gdsl.operations import Balance, Direction, Domain, Duplicates, FrontierForm, Order, Over, ReduceOperation
from gdsl.types import Type

_RANKED = (Type.INT32, Type.UINT32, Type.INT64, Type.UINT64, Type.FLOAT32, Type.FLOAT64)
"""Types whose distances are meaningful; those of labels (ids) are not."""


def _over_buckets(loop: ir.While) -> tuple[ir.PopBuckets, ir.Advance] | None:
    """The pop and the advance of a loop over automatic buckets."""
    if len(loop.body) != 3 or not isinstance(loop.condition, ir.FrontierNotEmpty):
        return None
    pop, advance, push = loop.body
    if not (isinstance(pop, ir.PopBuckets) and isinstance(advance, ir.Advance) and isinstance(push, ir.PushBuckets)):
        return None
    waiting = loop.condition.frontier
    same = pop.buckets.waiting == push.buckets.waiting == waiting != pop.result and pop.buckets.automatic
    passed_on = advance.frontier.frontier == pop.result and push.members.frontier == advance.result is not None
    return (pop, advance) if same and passed_on and advance.to is Domain.VERTEX else None


def without_buckets(loop: ir.While) -> ir.While:
    """`loop` as a plain worklist where it is a loop over automatic buckets; else the same object."""
    worklist = _over_buckets(loop)
    if worklist is None:
        return loop
    pop, advance = worklist
    members = ir.Elements(advance.frontier.span, Domain.VERTEX, pop.buckets.waiting)
    return dataclasses.replace(loop, body=(dataclasses.replace(advance, frontier=members, result=pop.buckets.waiting),))


def _used_elsewhere(loop: ir.While, pop: ir.PopBuckets, advance: ir.Advance, program: ir.Program) -> str | None:
    """A set of vertices that `without_buckets(loop)` lacks, although something outside `loop` names it."""
    lacking = {pop.result, advance.result} - {pop.buckets.waiting}
    inside = {id(node) for node in walk(loop)}
    outside = (node for node in walk(program.schedule) if id(node) not in inside)
    return next((name for node in outside for name in lacking if name in _named(node)), None)


def worklist_loops(program: ir.Program) -> list[ir.While]:
    """The loops over automatic buckets that may as well be plain worklists from near to far."""
    if program.tuning.order is Order.AS_GIVEN:
        return []
    loops = (node for node in walk(program.schedule) if isinstance(node, ir.While) and node.monotone)
    return [loop for loop in loops if _over_buckets(loop) is not None and hindrance(loop, program) is None]


def names_in(part: object) -> set[str]:
    """All names that the nodes of a part of the schedule have."""
    return {name for node in walk(part) for name in _named(node)}


def _named(node: ir.Node) -> set[str]:
    fields = (getattr(node, field.name) for field in dataclasses.fields(node))
    return {value for value in fields if isinstance(value, str)}


def hindrance(loop: ir.While, program: ir.Program) -> str | None:
    """Why the monotone `loop` has no order from near to far; None where it may have one."""
    changed = changed_in(loop, program).array
    kind = program.array(changed).type
    if kind not in _RANKED:
        return f"values of the type {kind} are not near or far"
    return fixed_order(loop, program)


def fixed_order(loop: ir.While, program: ir.Program) -> str | None:
    """Why the members of the monotone `loop`'s worklist are all visited, each time; None where they need not be."""
    step, changed = advance_in(loop), changed_in(loop, program).array
    if step.over is Over.ALL_EDGES:
        return "both lists of a vertex are visited"
    if program.graphs:
        return "the program makes graphs"
    if not program.tuning.fuse:
        return "one kernel per step keeps no order"
    over_buckets = _over_buckets(loop)
    if over_buckets is not None:
        pop, advance = over_buckets
        if pop.buckets.array != changed or update_in(loop, program).operation is not ReduceOperation.MIN:
            return f"its buckets are not ordered by the least `{changed}`"
        used = _used_elsewhere(loop, pop, advance, program)
        if used is not None:
            return f"`{used}`, which exists only in this order, is used elsewhere"
    other = _choosing(step, program)
    if other is not None:
        return (
            f"`{other.label}` may pull and shares `{step.frontier.frontier}`, so the edges of its members are counted"
        )
    twice = _left_twice(step, program)
    if twice is not None:
        return f"`{twice.label}.dedup` may leave members of `{step.frontier.frontier}` twice"
    knob = _set_otherwise(program.tuning.sites[step.site])
    return f"`{step.label}.{knob}` determines how its worklist is processed" if knob is not None else None


def advance_in(loop: ir.While) -> ir.Advance:
    """The one advance of a monotone loop, from all that waits."""
    (step,) = without_buckets(loop).body
    assert isinstance(step, ir.Advance)
    return step


def changed_in(loop: ir.While, program: ir.Program) -> ir.ElementTarget:
    """The target that the functor of a monotone loop changes."""
    return update_in(loop, program).target  # type: ignore[return-value]


def update_in(loop: ir.While, program: ir.Program) -> ir.Update:
    """The one thing that the functor of a monotone loop does."""
    step = advance_in(loop)
    functor = program.edge_functor(step.functor)
    return next(node for node in walk(functor.body) if isinstance(node, ir.Update))


def _choosing(step: ir.Advance, program: ir.Program) -> ir.Advance | None:
    """An advance of the worklist which does not always push."""
    sharing = _sharing(program)
    sharers = sharing.of(step, sharing.reading)
    return next((each for each in sharers if may_pull(each, program.tuning.sites[each.site])), None)


def _left_twice(step: ir.Advance, program: ir.Program) -> ir.Advance | None:
    """Another advance into the worklist, which may put a vertex there more than once."""
    sharing = _sharing(program)
    sharers = sharing.of(step, sharing.giving)
    return next((each for each in sharers if program.tuning.sites[each.site].dedup is Duplicates.NONE), None)


class _Sharing:
    """The advances of a program by the frontiers that they read and give, copies of one being one."""

    def __init__(self, program: ir.Program) -> None:
        self.groups = copied(program)
        self.reading: dict[str, list[ir.Advance]] = {}
        self.giving: dict[str, list[ir.Advance]] = {}
        for node in walk(program.schedule):
            if isinstance(node, ir.Advance):
                for name, by_name in ((node.frontier.frontier, self.reading), (node.result, self.giving)):
                    if name is not None:
                        by_name.setdefault(self.groups[name], []).append(node)

    def of(self, step: ir.Advance, by_name: dict[str, list[ir.Advance]]) -> Iterator[ir.Advance]:
        """The other advances in `by_name` of the frontier that `step` runs on."""
        own = self.groups.get(step.frontier.frontier or "")
        return (node for node in by_name.get(own or "", ()) if node.site != step.site)


_latest: list[tuple[ir.Program, _Sharing]] = []
"""Of the program that was asked about last: each loop of it asks again."""


def _sharing(program: ir.Program) -> _Sharing:
    for known, sharing in _latest[:]:
        if known is program:
            return sharing
    sharing = _Sharing(program)
    _latest[:] = [(program, sharing)]
    return sharing


def may_pull(step: ir.Advance, knobs: ir.OperatorKnobs) -> bool:
    """Whether an advance does not push every time."""
    everything = step.frontier.everything and knobs.direction is Direction.AUTO
    pushes = step.to is Domain.EDGE or step.over is Over.ALL_EDGES or everything
    return not pushes and knobs.direction not in (None, Direction.PUSH)


def copied(program: ir.Program) -> dict[str, str]:
    """For each frontier variable, the representative of all that are copied from or to it."""
    leader = {frontier.name: frontier.name for frontier in program.frontiers}

    def find(name: str) -> str:
        while leader[name] != name:
            leader[name] = name = leader[leader[name]]
        return name

    for node in walk(program.schedule):
        if isinstance(node, ir.CopyFrontier):
            leader[find(node.other)] = find(node.name)
    return {name: find(name) for name in leader}


def _set_otherwise(knobs: ir.OperatorKnobs) -> str | None:
    """The first knob that the program sets for how a worklist is walked or stored."""
    if knobs.direction not in (None, Direction.PUSH):
        return "direction"
    if knobs.balance is not Balance.AUTO:
        return "balance"
    if knobs.frontier is FrontierForm.BITMAP:
        return "frontier"
    return "dedup" if knobs.dedup is Duplicates.NONE else None
