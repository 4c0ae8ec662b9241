"""Puts a barrier before every step that conflicts with the steps since the last barrier.

`gdsl.effects.access` says what a step touches. Two accesses conflict if one of them writes and they may be by different
threads. A step that fills a frontier ends with a barrier of its own (see `phases`); the members go into storage that
is not read yet, or after the present members of a set, so frontiers need no further barriers, except those within a
history. The condition of a loop reads, too, and the body may begin while the end of the last pass is still running. If
only the first pass of a loop must wait before its first step, it waits before the loop. A pass that might meet no
barrier ends with one, since runs are stopped at barriers.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict

from gdsl.effects.access import Access, Accesses, Who, frontiers_of
from gdsl.ir.nodes import Expression, SameGraph, TakeLevel
from gdsl.plan import nodes
from gdsl.plan.contracts import ENDING
from gdsl.plan.functor_facts import Touched, touched_by
from gdsl.plan.fusion import flattened
from gdsl.plan.phases import counts_late
from gdsl.plan.walking import map_blocks, steps_in, with_blocks

Since = frozenset[Access]
"""The accesses since the last barrier on some way that leads here."""

_WALKED = Access("edges walked", True, Who.ANYBODY)
"""What a reduction that does not wait has counted: the trace gets it at the next barrier, so two of them have one
between them."""

_NOTHING: Since = frozenset()
_EVERY_STEP = "a barrier between any two steps"
_STOPPING = "a run can be stopped in every pass"
_TOLD = "edges walked: the trace is told"


def place(launch: nodes.Launch, accesses: Accesses) -> nodes.Launch:
    """`launch` with the barriers that its steps need."""
    placement = _Placement(accesses, launch)
    while True:
        placement.grown = False
        steps, left = placement.steps(launch.steps, _NOTHING)
        if not placement.grown:
            steps = (*steps, nodes.Barrier(_TOLD)) if _WALKED in left else steps
            return dataclasses.replace(launch, steps=steps)


def separated(launch: nodes.Launch) -> nodes.Launch:
    """`launch` with a barrier between any two steps: the plainest correct placement."""
    return dataclasses.replace(launch, steps=_separated(launch.steps))


def _separated(steps: tuple[nodes.Step, ...]) -> tuple[nodes.Step, ...]:
    placed: list[nodes.Step] = []
    for step in steps:
        placed.append(with_blocks(step, _entered))
        if not ends_with_barrier(step):
            placed.append(nodes.Barrier(_EVERY_STEP))
    return tuple(placed)


def _entered(steps: tuple[nodes.Step, ...]) -> tuple[nodes.Step, ...]:
    """A block after a condition, which all threads must have evaluated before the first step changes what it reads."""
    return (nodes.Barrier(_EVERY_STEP), *_separated(steps))


def without(launch: nodes.Launch) -> nodes.Launch:
    """`launch` with no barriers between its steps."""

    def stripped(block: tuple[nodes.Step, ...]) -> tuple[nodes.Step, ...]:
        return tuple(step for step in block if not isinstance(step, nodes.Barrier))

    return dataclasses.replace(launch, steps=map_blocks(launch.steps, stripped))


class _Placement:
    """One round places everything once; what loops begin with grows from round to round until it is all there is."""

    def __init__(self, accesses: Accesses, launch: nodes.Launch) -> None:
        self.accesses = accesses
        steps = tuple(steps_in(launch.steps))
        without_end = [step for step in steps if isinstance(step, nodes.Operation) and not step.waits]
        self.operators: dict[int, Touched] = {step.step.site: _touched_in_sweep(step, accesses) for step in without_end}
        """By site what those do that do not end with a barrier."""
        self.levels = dict(filter(None, map(_level, steps)))
        """For each frontier that is within a history, the array of the history's members."""
        self.at_body: dict[int, Since] = {}
        """What a pass of each loop may begin with, as far as it is known."""
        self.left: defaultdict[int, Since] = defaultdict(frozenset)
        """What a pass of each loop leaves, as far as it is known."""
        self.grown = False
        self._noted: dict[str, set[Access]] = {}
        """By name all accesses that were ever left since a barrier: what a step may meet is looked up here, since a
        block of many steps leaves many."""

    def steps(self, steps: tuple[nodes.Step, ...], since: Since) -> tuple[tuple[nodes.Step, ...], Since]:
        """`steps` with barriers, and what is left since the last of them."""
        placed: list[nodes.Step] = []
        for step in steps:
            touched = self._touched(step)
            reason = self._meeting(since, touched)
            if not reason and isinstance(step, nodes.Loop):
                reason = self._at_entry(step, since | touched)
            if reason:
                placed.append(nodes.Barrier(reason))
                since = _NOTHING
            self._note(touched)
            step, since = self._enter(step, since, touched)
            placed.append(step)
        return tuple(placed), since

    def _enter(self, step: nodes.Step, since: Since, touched: Since) -> tuple[nodes.Step, Since]:
        if isinstance(step, nodes.Barrier):
            return step, _NOTHING
        if isinstance(step, nodes.Loop):
            return self._loop(step, since | touched, touched)
        if isinstance(step, nodes.On):
            body, left = self.steps(step.body, since | touched)
            return dataclasses.replace(step, body=body), left
        if isinstance(step, nodes.Branch):
            then, one = self.steps(step.then, since | touched)
            otherwise, other = self.steps(step.otherwise, since | touched)
            return dataclasses.replace(step, then=then, otherwise=otherwise), one | other
        if isinstance(step, nodes.MakeOnce):
            body, left = self.steps(step.body, since)
            return dataclasses.replace(step, body=body), since | left
        if isinstance(step, nodes.Swap):
            return step, self._renamed(since, {step.step.first: step.step.second, step.step.second: step.step.first})
        if isinstance(step, nodes.Rotate):
            current, following, last = _places(step.step.scalar)
            return step, self._renamed(since | touched, {current: last, following: current, last: following})
        if ends_with_barrier(step):
            return step, _NOTHING
        if isinstance(step, nodes.Operation) and self.operators[step.step.site].waits:
            return step, self._note(self.operators[step.step.site].last | self._members_read(step))
        level = _level(step)
        return step, (self._note(_of_anybody(since, level[0])) if level is not None else since) | touched

    def _at_entry(self, loop: nodes.Loop, since: Since) -> str:
        """Why the first pass of a loop must wait before its first step, where later passes need not."""
        first = self._touched(loop.body[0]) if loop.body else _NOTHING
        return "" if self._meeting(self.left[loop.number], first) else self._meeting(since, first)

    def _loop(self, step: nodes.Loop, since: Since, tested: Since) -> tuple[nodes.Step, Since]:
        entry = self._note(self.at_body.setdefault(step.number, since) | since)
        body, left = self.steps(step.body, entry)
        reason = "" if step.counted else self._meeting(left, tested)
        reason = reason or ("" if _meets_a_barrier(body) else _STOPPING)
        if reason:
            body, left = (*body, nodes.Barrier(reason)), _NOTHING
        left |= _NOTHING if step.counted else tested
        known = self.at_body[step.number], self.left[step.number]
        self.at_body[step.number] |= entry | left
        self.left[step.number] |= left
        self.grown |= known != (self.at_body[step.number], self.left[step.number])
        return dataclasses.replace(step, body=body), since | left

    def _note(self, accesses: Since) -> Since:
        """`accesses`, which may be left since a barrier from now on."""
        for each in accesses:
            self._noted.setdefault(each.name, set()).add(each)
        return accesses

    def _meeting(self, since: Since, touched: Since) -> str:
        """Why `touched` must wait for `since`; empty where it need not."""
        near = ((before, now) for now in touched for before in self._noted.get(now.name, ()) if before in since)
        conflicts = [(before, now) for before, now in near if before.meets(now)]
        if not conflicts:
            return ""
        before, now = min(conflicts, key=_rank)
        words = {True: "write", False: "read"}
        return f"{before.name}: {_did(before)}, then {_who(now)} may {words[now.writes]} it"

    def _renamed(self, since: Since, names: dict[str, str]) -> Since:
        """`since`, now that storage has other names."""
        former = [each for name in names for each in self._noted.get(name, ()) if each in since]
        renamed = frozenset(dataclasses.replace(each, name=names[each.name]) for each in former)
        return since.difference(former) | self._note(renamed)

    def _touched(self, step: nodes.Step) -> Since:
        if isinstance(step, nodes.Operation) and not ends_with_barrier(step):
            return self.operators[step.step.site].first | self._members_read(step)
        if isinstance(step, nodes.Operation):
            return self._members_read(step).union(*(self.accesses.of_step(each.step) for each in flattened(step)))
        if isinstance(
            step,
            (
                nodes.Leader,
                nodes.Fill,
                nodes.Define,
                nodes.Copy,
                nodes.Combine,
                nodes.FarEnds,
                nodes.MakeGraph,
                nodes.OnSets,
            ),
        ):
            return self.accesses.of_step(step.step) | self._members_read(step)
        if isinstance(step, (nodes.Loop, nodes.Branch)):
            return self._read(step.condition)
        if isinstance(step, nodes.Rotate):
            return self._read(step.step.value) | {Access(_places(step.step.scalar)[2], True, Who.LEADER)}
        if isinstance(step, nodes.WriteBack):
            places = [(place, at > 0) for name in step.rotating for at, place in enumerate(_places(name))]
            places += [(name, True) for name in step.private]
            return frozenset(Access(place, writes, Who.LEADER) for place, writes in places)
        if isinstance(step, nodes.Privatize):
            return frozenset(Access(name, False, Who.ANYBODY) for name in step.scalars)
        if isinstance(step, nodes.StorePrivate):
            return self._read(step.step.value)
        return _NOTHING

    def _read(self, expression: Expression) -> Since:
        return self.accesses.of_expression(expression, Who.ANYBODY)

    def _members_read(self, step: nodes.Step) -> Since:
        """The histories that hold the members of the sets that a step reads."""
        if not self.levels or not isinstance(step, (nodes.Operation, nodes.Copy, nodes.Combine, nodes.OnSets)):
            return _NOTHING
        histories = (self.levels[name] for name in frontiers_of(step.step).read if name in self.levels)
        return frozenset(Access(name, False, Who.ANYBODY) for name in histories)


def _places(scalar: str) -> tuple[str, str, str]:
    """What the places of a rotating scalar are called here: the one it has, the next, and the last."""
    return scalar, f"the next {scalar}", f"the last {scalar}"


def _touched_in_sweep(step: nodes.Operation, accesses: Accesses) -> Touched:
    """By an operator that does not end with a barrier and all that runs in its sweep, each member by one thread."""
    together = flattened(step)
    accesses_of_each = [
        touched_by(each.step, each.does, accesses) for each in together if isinstance(each.does, nodes.Sweep)
    ]
    touched = frozenset[Access]().union(*(each.first for each in accesses_of_each))
    if any(isinstance(each.does, nodes.Sweep) and counts_late(each.does) for each in together):
        # The thread of a member is one that has its list, not the one that other sweeps give it.
        touched = frozenset(dataclasses.replace(each, who=Who.ANYBODY, frontier="") for each in touched) | {_WALKED}
        return Touched(touched, touched, False)
    return accesses_of_each[0] if len(accesses_of_each) == 1 else Touched(touched, touched, False)


def _level(step: nodes.Step) -> tuple[str, str] | None:
    """The frontier that becomes a level without being moved, and the array of the history's members."""
    if isinstance(step, nodes.OnSets) and isinstance(step.step, TakeLevel) and not step.waits:
        return step.step.name, step.step.history.members
    return None


def _of_anybody(since: Since, frontier: str) -> Since:
    """`since`, now that `frontier` has other members."""
    own = [each for each in since if each.frontier == frontier and each.who is Who.MEMBER]
    return since.difference(own).union(Access(each.name, each.writes, Who.ANYBODY) for each in own)


def ends_with_barrier(step: nodes.Step) -> bool:
    """Whether a step ends with a barrier of its own."""
    if isinstance(step, nodes.Operation):
        return step.waits
    if isinstance(step, nodes.MakeGraph) and isinstance(step.step, SameGraph):
        return False  # a name for the graph around: nothing runs
    return isinstance(step, (*ENDING, nodes.Initialize)) or (isinstance(step, nodes.OnSets) and step.waits)


def _meets_a_barrier(steps: tuple[nodes.Step, ...]) -> bool:
    """Whether every way through `steps` does; a loop may have no pass."""
    for step in steps:
        if isinstance(step, nodes.Barrier) or ends_with_barrier(step):
            return True
        if isinstance(step, nodes.Operation) and step.meets_barrier:
            return True
        if isinstance(step, nodes.Branch) and _meets_a_barrier(step.then) and _meets_a_barrier(step.otherwise):
            return True
        if isinstance(step, nodes.On) and _meets_a_barrier(step.body):
            return True
    return False


def _rank(pair: tuple[Access, Access]) -> tuple[object, ...]:
    before, now = pair
    return (before.name, before.writes, now.writes, _who(before), _who(now))


def _did(access: Access) -> str:
    return f"{_who(access)} {'wrote' if access.writes else 'may have read'} it"


def _who(access: Access) -> str:
    return f"{access.who.value} {access.frontier}".rstrip()
