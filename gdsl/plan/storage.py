"""Pass `storage`: frontiers of one domain that are never needed at the same time share their storage.

A frontier is needed from where it is defined to the last use of its members or its size, including uses in a later
pass of a loop. A frontier that is used before it is defined is needed from the beginning, as the empty set. An operator
writes its result to the spare storage first, and then the two are exchanged, so a result may replace what it was
computed from. The exception is a result whose members were marked: to clear the marks, the former storage is read once
more after the result is complete.

Sets of names are numbers with a bit for each name. Nothing is walked more than twice, however deeply loops are nested:
what is needed at the head of a loop is needed in all of it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from gdsl.effects.access import frontiers_of, measured_frontiers
from gdsl.ir.nodes import Frontier
from gdsl.operations import Domain
from gdsl.plan.facts import Facts
from gdsl.plan.nodes import (
    Branch,
    Combine,
    Copy,
    Define,
    FarEnds,
    Fill,
    Launch,
    Leader,
    Loop,
    MakeGraph,
    MakeOnce,
    On,
    OnSets,
    Operation,
    Plan,
    Step,
    StorePrivate,
)

OfFrontiers = Operation | Define | Copy | FarEnds | Combine | MakeGraph | Leader | StorePrivate | Fill | OnSets
"""The steps, without others in them, that may touch frontiers."""


def run(plan: Plan, facts: Facts) -> Plan:
    """`plan` with the slots of its frontiers."""
    slot_of = assign(plan.program.frontiers, plan.schedule)
    frontiers = tuple(dataclasses.replace(each, slot=slot_of[each.name]) for each in plan.frontiers)
    return dataclasses.replace(plan, frontiers=frontiers)


def assign(frontiers: tuple[Frontier, ...], steps: tuple[Step, ...]) -> dict[str, int]:
    """The slot of each frontier among those of its domain: the first that is free, in the order of `frontiers`."""
    neighbors = _Needed(frontiers, steps).beside
    slots: dict[str, int] = {}
    for domain in Domain:
        taken: list[tuple[int, int]] = []  # of each slot, the names that have it and those that must not
        for number, frontier in enumerate(frontiers):
            if frontier.domain is not domain:
                continue
            own, others = 1 << number, neighbors[number]
            free = (slot for slot, (names, beside) in enumerate(taken) if not (names & others or beside & own))
            slot = next(free, len(taken))
            if slot == len(taken):
                taken.append((0, 0))
            names, beside = taken[slot]
            taken[slot] = (names | own, beside | others)
            slots[frontier.name] = slot
    return slots


def cleared_later(step: Step) -> str | None:
    """The frontier whose storage is read once more when the result of `step` is complete, to clear its marks."""
    return step.asked.frontier if isinstance(step, Combine) and step.marks else None


class _Needed:
    """What is needed where; `beside` are by number of a name those that are needed when it is given members."""

    def __init__(self, frontiers: tuple[Frontier, ...], steps: tuple[Step, ...]) -> None:
        self._bits = {frontier.name: 1 << number for number, frontier in enumerate(frontiers)}
        self._numbers = {frontier.name: number for number, frontier in enumerate(frontiers)}
        self._asked: dict[int, int] = {}
        """By the identity of a loop, what its body uses before it defines it."""
        self.beside = [0] * len(frontiers)
        self._block(steps)
        at_once = self._before(steps, 0)
        for number in range(len(frontiers)):
            if at_once >> number & 1:
                self.beside[number] |= at_once

    def _mask(self, names: Iterable[str]) -> int:
        mask = 0
        for name in names:
            mask |= self._bits[name]
        return mask

    def _block(self, steps: tuple[Step, ...]) -> tuple[int, int]:
        """What steps use before they define it, and what they define on every path."""
        asked = made = 0
        for step in reversed(steps):
            own, makes = self._step(step)
            asked, made = asked & ~makes | own, made | makes
        return asked, made

    def _step(self, step: Step) -> tuple[int, int]:
        if isinstance(step, Loop):
            self._asked[id(step)], _ = self._block(step.body)
            return self._asked[id(step)] | self._mask(measured_frontiers(step.condition)), 0
        if isinstance(step, Branch):
            (first, made), (second, also) = self._block(step.then), self._block(step.otherwise)
            return first | second | self._mask(measured_frontiers(step.condition)), made & also
        if isinstance(step, MakeOnce):
            return self._block(step.body)[0], 0
        if isinstance(step, (Launch, On)):
            return self._block(step.body if isinstance(step, On) else step.steps)
        if not isinstance(step, OfFrontiers):
            return 0, 0
        use = frontiers_of(step.step)
        return self._mask(use.read), self._mask(use.written)

    def _before(self, steps: tuple[Step, ...], needed: int) -> int:
        """What is needed before steps after which `needed` is."""
        for step in reversed(steps):
            if isinstance(step, Loop):
                condition = self._mask(measured_frontiers(step.condition))
                needed |= self._asked[id(step)]
                self._before(step.body, needed if step.counted else needed | condition)
                needed |= condition
            elif isinstance(step, Branch):
                needed = self._before(step.then, needed) | self._before(step.otherwise, needed)
                needed |= self._mask(measured_frontiers(step.condition))
            elif isinstance(step, MakeOnce):
                needed |= self._before(step.body, needed)
            elif isinstance(step, (Launch, On)):
                needed = self._before(step.body if isinstance(step, On) else step.steps, needed)
            elif isinstance(step, OfFrontiers):
                use, marked = frontiers_of(step.step), cleared_later(step)
                for name in use.written:
                    self.beside[self._numbers[name]] |= needed | self._mask([marked] if marked is not None else [])
                needed = needed & ~self._mask(use.written) | self._mask(use.read)
        return needed
