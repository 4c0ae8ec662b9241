"""Pass `small_frontiers`: sweeps of few members. Hints only.

**Lists of few members (cuda).** Places in the result are reserved before it is known which vertices are accepted.
A level of a search on a road network has two thousand members and four thousand edges, an edge for every eighth thread.
Each thread then waits for one memory access after another: for the member, its list, the neighbor, whether this call is
the first to reach it, a place in the queue, and the size of the queue. So for few members:

- a place is reserved for every edge as soon as a warp knows its number of edges, while neighbors are being read; the
  place of an edge that accepts no vertex stays empty;
- an entry has the list of its member, which is read while the exchange that decides about acceptance is in flight;
- places and members are counted in the word at which blocks arrive at the barrier, so that a block that has waited for
  the last arrival has read both. Each walked edge reserves a place, so the trace gets its number of edges, too.

A member then takes one access for itself, one for its neighbors, and one for their values. Reading empty places
costs nothing while the grid has a thread for each. The edges of accepted vertices are not counted, so their number must
be bounded, too: `fits_small_frontier` of the runtime checks both. Larger sets are ordinary queues, and a loop converts
between the two forms.

This is done on deep graphs and in loops from near to far, if the loop has one such push and uses the members of its
worklist nowhere else. Where runs begin again from near to far after wide passes it is not: as many blocks as passes
have edges for (`backends.cuda.observed_blocks`) gain more there than lists, which take registers. The members in this
form are lost at the end of the loop, so a loop that runs again must leave none (`while (f)`) or define its worklist
each time.

**Half of the warps each (cuda).**
A reduction that ends without a barrier may still be running when the next operator begins, which does not depend on it.
But a warp that has members of both processes one after the other, and each is a chain of dependent loads: a member, its
list, neighbors, their values. If there are few members, there are enough warps for both. So the members of the first of
two such operators go to the last half of the warps, and those of the second to the first half, twice as many for each
warp, and the two chains overlap. With work for all warps, all of them get members of both.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import replace

from gdsl.effects.access import frontiers_of
from gdsl.ir.nodes import FrontierNotEmpty
from gdsl.operations import Balance, Domain
from gdsl.plan.barriers import ends_with_barrier
from gdsl.plan.facts import Facts
from gdsl.plan.hints import FewAsList, Hint, NextLevel, ReadAhead, Warps, WarpShare, WholeSet
from gdsl.plan.nodes import (
    Barrier,
    Branch,
    Choice,
    Combine,
    Copy,
    Define,
    FarEnds,
    Launch,
    Loop,
    MakeGraph,
    On,
    OnSets,
    Operation,
    Plan,
    Step,
    Sweep,
)
from gdsl.plan.phases import counts_late
from gdsl.plan.prefetch import has_small_frontiers
from gdsl.plan.sweep_nodes import Dedup, Form
from gdsl.plan.walking import blocks_of, map_operations, push_of, steps_in, sweeps_of


def run(plan: Plan, facts: Facts) -> Plan:
    """`plan` with few members as lists, and with the sweeps that share the warps."""
    return list_few_members(share_warps(plan))


_MOST_THREADS = 512
"""Of a block that keeps few members as a list: each thread of a larger one has 64 registers, and spills for it."""
_AT_ONCE = (Dedup.CLAIM, Dedup.RANK)
"""What decides whether an edge is accepted without a later test."""


def list_few_members(plan: Plan) -> Plan:
    """`plan` with the pushes that keep few members as a list."""
    target = plan.target
    if not target.fused or not target.grid or target.teams or plan.program.graphs:
        return plan
    if (plan.program.tuning.block or 0) > _MOST_THREADS:
        return plan
    sites = {push.step.site for push in _pushes(plan)}

    def marked(operation: Operation) -> Operation:
        return _with_hint(operation, FewAsList()) if operation.step.site in sites else operation

    return dataclasses.replace(plan, schedule=map_operations(plan.schedule, marked))


def is_listed(operation: Operation) -> bool:
    """Whether an operation keeps few members so."""
    return any(sweep.hint(FewAsList) for sweep in sweeps_of(operation))


def push_in(loop: Loop) -> Operation | None:
    """The push of a loop that does so; None without one."""
    pushes = (step for step in loop.body if isinstance(step, Operation) and is_listed(step))
    return next(pushes, None)


def _with_hint(operation: Operation, hint: Hint) -> Operation:
    """An operation whose sweep, of a choice the push, has that hint."""
    does = operation.does
    if isinstance(does, Choice):
        return replace(operation, does=replace(does, no=does.no.with_hints(hint)))
    return replace(operation, does=does.with_hints(hint))


def _pushes(plan: Plan) -> Iterator[Operation]:
    everything = list(steps_in(plan.schedule))
    for loop, defined in _loops(plan.schedule, None):
        within = list(steps_in(loop.body))
        pushes = [step for step in loop.body if isinstance(step, Operation) and _may(step, plan)]
        if len(pushes) == 1 and not any(isinstance(step, Loop) for step in within):
            (push,) = pushes
            name = push_of(push).members.frontier
            made = any(isinstance(step, Define) and step.step.name == name for step in within)
            leaves = defined is not None and name not in defined and not _ends_empty(loop, name)
            if not made and not leaves and all(step is push or not _touches(step, name) for step in everything):
                yield push


def _ends_empty(loop: Loop, frontier: str | None) -> bool:
    return isinstance(loop.condition, FrontierNotEmpty) and loop.condition.frontier == frontier


def _loops(steps: tuple[Step, ...], defined: frozenset[str] | None) -> Iterator[tuple[Loop, frozenset[str] | None]]:
    """Every loop, with the frontiers that are defined between the beginning of a pass of the loop around it and itself;
    None without a loop around it."""
    for step in steps:
        if isinstance(step, Define) and defined is not None:
            defined |= {step.step.name}
        elif isinstance(step, Loop):
            yield step, defined
        for block in blocks_of(step):
            yield from _loops(block, frozenset() if isinstance(step, Loop) else defined)


def _touches(step: Step, frontier: str | None) -> bool:
    """Whether a step asks for the members of a frontier, or makes it of others. Its size is known in either form, and
    what is defined before the loop begins is a queue there."""
    if not isinstance(step, (Operation, Copy, FarEnds, Combine, OnSets, MakeGraph)):
        return False
    use = frontiers_of(step.step)
    return frontier in (*use.read, *use.written)


def _may(operation: Operation, plan: Plan) -> bool:
    push = push_of(operation)
    collect, members = push.collect, push.members
    if collect is None or len(push.walks) != 1 or operation.fused or not operation.waits:
        return False
    (walk,) = push.walks
    from_queue = members.form is Form.QUEUE and members.domain is Domain.VERTEX and push.hint(WholeSet) is None
    into_queue = collect.form is Form.QUEUE and collect.domain is Domain.VERTEX and collect.dedup in _AT_ONCE
    others = (push.selection, push.segment, push.vote, push.intersection, push.skips, push.rounds, walk.first_places)
    hints = (push.hint(ReadAhead, walk.over), push.hint(WarpShare))
    plain = push.balance is Balance.AUTO and not push.totals and all(each is None for each in (*others, *hints))
    own = members.frontier == collect.frontier
    return from_queue and into_queue and plain and own and has_small_frontiers(push, plan)


Sites = frozenset[int]
_NONE: Sites = frozenset()


def share_warps(plan: Plan) -> Plan:
    """`plan` with the sweeps that have half of the warps."""
    target = plan.target
    if not target.fused or not target.grid or target.teams:
        return plan
    neighbors = _Neighbors()
    neighbors.steps(plan.schedule, _NONE)
    warps = dict.fromkeys(neighbors.former, Warps.LAST) | dict.fromkeys(neighbors.following, Warps.FIRST)
    schedule = map_operations(plan.schedule, lambda operation: _with(operation, warps))
    return dataclasses.replace(plan, schedule=schedule)


def _with(operation: Operation, warps: dict[int, Warps]) -> Operation:
    operation = replace(operation, fused=tuple(_with(each, warps) for each in operation.fused))
    own = warps.get(operation.step.site)
    return operation if own is None else _with_hint(operation, WarpShare(own))


class _Neighbors:
    """Goes through a schedule with what is under way since the last barrier on some way that leads here."""

    def __init__(self) -> None:
        self.former = set[int]()
        """The sites of sweeps that another one follows immediately."""
        self.following = set[int]()
        """And of those."""

    def steps(self, steps: tuple[Step, ...], since: Sites) -> Sites:
        """The operators that may still be running after `steps`."""
        for step in steps:
            since = self._step(step, since)
        return since

    def _step(self, step: Step, since: Sites) -> Sites:
        if isinstance(step, Launch):
            return self.steps(step.steps, _NONE)
        if isinstance(step, Loop):
            return self._loop(step)
        if isinstance(step, On):
            return self.steps(step.body, since)
        if isinstance(step, Branch):
            return self.steps(step.then, since) | self.steps(step.otherwise, since)
        if isinstance(step, Operation):
            return self._operation(step, since)
        return _NONE if isinstance(step, Barrier) or ends_with_barrier(step) else since

    def _loop(self, step: Loop) -> Sites:
        """An operator that follows once, before or after all passes, is not worth half of the warps in each pass."""
        begins, left = _NONE, self.steps(step.body, _NONE)
        while not left <= begins:
            begins |= left
            left = self.steps(step.body, begins)
        return _NONE

    def _operation(self, operation: Operation, since: Sites) -> Sites:
        first = operation.fused[0] if operation.fused else operation
        sweep = first.does.no if isinstance(first.does, Choice) else first.does
        if since and _shares_lists(sweep):
            self.former |= since
            self.following.add(first.step.site)
        if operation.meets_barrier:
            return _NONE
        leaves = _shares_lists(sweep) and counts_late(sweep)
        return since | {first.step.site} if leaves else since


def _shares_lists(sweep: Sweep) -> bool:
    """Whether warps share the lists of a queue's members evenly, few members among all warps."""
    if sweep.members.form is not Form.QUEUE or sweep.balance is not Balance.AUTO or not sweep.walks:
        return False
    if sweep.segment is not None:
        return sweep.segment.stops_at is None and sweep.hint(NextLevel) is None
    return sweep.is_plain and sweep.skips is None and sweep.collect is not None
