"""Puts a barrier before every step that would meet what steps since the last barrier have done.

What a step touches says `gdsl.effects.access`; two accesses meet where one of them writes and no thread's own order
keeps them apart. Operators and whatever else makes a frontier end with a barrier of their own, since what they
collect is complete only then; what they collect goes into storage that nobody reads, or behind what a set holds
already, so that frontiers ask for nothing more. A loop's test reads too, and its body may begin with what the end of
the last pass has left.
"""

from __future__ import annotations

import dataclasses
import itertools

from gdsl.effects.access import Access, Accesses, Who
from gdsl.ir.nodes import Expression
from gdsl.plan.nodes import (
    Barrier,
    Branch,
    Combine,
    Copy,
    Define,
    FarEnds,
    Fill,
    Initialise,
    Launch,
    Leader,
    Loop,
    MakeGraph,
    On,
    OnSets,
    Operation,
    Step,
    Swap,
)
from gdsl.plan.walking import steps_in

Since = frozenset[Access]
"""The accesses since the last barrier on some way that leads here."""

_NOTHING: Since = frozenset()
_EXACT_ROUNDS = 20
"""So often swaps in loops are followed one by one. Through a long row of them storage wanders a name a pass, and then
it is taken to be under any name that they lead to: a barrier too many does no harm."""
_FORMS = tuple(itertools.product((False, True), Who))
"""The ways in which a piece of storage may be touched."""


def place(launch: Launch, accesses: Accesses) -> Launch:
    """`launch` with the barriers that its steps need."""
    placement = _Placement(accesses)
    for number in itertools.count():
        placement.grown = False
        if number == _EXACT_ROUNDS:
            placement.groups = _groups(launch)
        steps, _ = placement.steps(launch.steps, _NOTHING)
        if not placement.grown:
            return dataclasses.replace(launch, steps=steps)
    raise AssertionError("what loops begin with grows and grows")


def without(launch: Launch) -> Launch:
    """`launch` with no barriers between its steps."""
    return dataclasses.replace(launch, steps=_stripped(launch.steps))


def _stripped(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    kept: list[Step] = []
    for step in steps:
        if isinstance(step, (Loop, On)):
            kept.append(dataclasses.replace(step, body=_stripped(step.body)))
        elif isinstance(step, Branch):
            then, otherwise = _stripped(step.then), _stripped(step.otherwise)
            kept.append(dataclasses.replace(step, then=then, otherwise=otherwise))
        elif not isinstance(step, Barrier):
            kept.append(step)
    return tuple(kept)


class _Placement:
    """One round places everything once; what loops begin with grows from round to round until it is all there is."""

    def __init__(self, accesses: Accesses) -> None:
        self.accesses = accesses
        self.at_body: dict[int, Since] = {}
        """What a pass of each loop may begin with, as far as it is known."""
        self.grown = False
        self.groups: dict[str, frozenset[str]] = {}
        """By name those that swaps may give its storage, once loops are not followed exactly any more."""

    def steps(self, steps: tuple[Step, ...], since: Since) -> tuple[tuple[Step, ...], Since]:
        """`steps` with barriers, and what is left since the last of them."""
        placed: list[Step] = []
        for step in steps:
            touched = self._touched(step)
            reason = meeting(since, touched)
            if reason:
                placed.append(Barrier(reason))
                since = _NOTHING
            step, since = self._enter(step, since, touched)
            placed.append(step)
        return tuple(placed), since

    def _enter(self, step: Step, since: Since, touched: Since) -> tuple[Step, Since]:
        if isinstance(step, Loop):
            return self._loop(step, since | touched, touched)
        if isinstance(step, On):
            body, left = self.steps(step.body, since | touched)
            return dataclasses.replace(step, body=body), left
        if isinstance(step, Branch):
            then, one = self.steps(step.then, since | touched)
            otherwise, other = self.steps(step.otherwise, since | touched)
            return dataclasses.replace(step, then=then, otherwise=otherwise), one | other
        if isinstance(step, Swap):
            return step, _swapped(since, step)
        if isinstance(step, (Operation, Define, Copy, Combine, FarEnds, MakeGraph, Initialise, OnSets)):
            return step, _NOTHING
        return step, since | touched

    def _loop(self, step: Loop, since: Since, tested: Since) -> tuple[Step, Since]:
        entry = self.at_body.setdefault(step.number, since) | since
        body, left = self.steps(step.body, entry)
        if not step.counted:
            reason = meeting(left, tested)
            if reason:
                body, left = (*body, Barrier(reason)), _NOTHING
            left |= tested
        if not entry | left <= self.at_body[step.number]:
            self.at_body[step.number] = self._widened(entry | left)
            self.grown = True
        return dataclasses.replace(step, body=body), since | left

    def _widened(self, since: Since) -> Since:
        swapped = {(self.groups[a.name], a.writes, a.who) for a in since if a.name in self.groups}
        return since.union(Access(name, writes, who) for names, writes, who in swapped for name in names)

    def _touched(self, step: Step) -> Since:
        if isinstance(step, (Operation, Leader, Fill, Define, Copy, Combine, FarEnds, MakeGraph, OnSets)):
            return self.accesses.of_step(step.step)
        if isinstance(step, (Loop, Branch)):
            return self._read(step.condition)
        return _NOTHING

    def _read(self, expression: Expression) -> Since:
        return self.accesses.of_expression(expression, Who.ANYBODY)


def meeting(since: Since, touched: Since) -> str:
    """Why `touched` must wait for `since`; empty where it need not."""
    if len(since) <= len(touched):
        found = [(before, now) for before in since for now in _of_name(before.name, touched) if before.meets(now)]
    else:
        found = [(before, now) for now in touched for before in _of_name(now.name, since) if before.meets(now)]
    if not found:
        return ""
    before, now = min(found, key=_rank)
    words = {True: "write", False: "read"}
    return f"{before.name}: {_did(before)}, then {now.who.value} may {words[now.writes]} it"


def _of_name(name: str, among: Since) -> list[Access]:
    return [access for access in (Access(name, *form) for form in _FORMS) if access in among]


def _rank(pair: tuple[Access, Access]) -> tuple[object, ...]:
    before, now = pair
    return (before.name, before.writes, now.writes, before.who.value, now.who.value)


def _did(access: Access) -> str:
    return f"{access.who.value} {'wrote' if access.writes else 'may have read'} it"


def _groups(launch: Launch) -> dict[str, frozenset[str]]:
    """Of all names that are swapped those that swaps lead to."""
    beside: dict[str, list[str]] = {}
    for step in steps_in(launch.steps):
        if isinstance(step, Swap):
            beside.setdefault(step.step.first, []).append(step.step.second)
            beside.setdefault(step.step.second, []).append(step.step.first)
    groups: dict[str, frozenset[str]] = {}
    for start in beside:
        if start not in groups:
            reached = dict.fromkeys([start])
            waiting = [start]
            while waiting:
                new = dict.fromkeys(other for other in beside[waiting.pop()] if other not in reached)
                reached.update(new)
                waiting += new
            groups |= dict.fromkeys(reached, frozenset(reached))
    return groups


def _swapped(since: Since, swap: Swap) -> Since:
    first, second = swap.step.first, swap.step.second
    former = [*_of_name(first, since), *_of_name(second, since)]
    names = {first: second, second: first}
    return since.difference(former).union(dataclasses.replace(each, name=names[each.name]) for each in former)
