"""Pass `storage`: frontiers of one domain that are never live at the same time share their storage. It is register
allocation: liveness, interference, and a greedy coloring.

A frontier is live from where it is defined to the last use of its members or its size, including uses in a later pass
of a loop. A frontier that is used before it is defined is live from the beginning, as the empty set. An operator writes
its result to the spare storage first, and then the two are exchanged, so a result may replace what it was computed
from. The exception is a result whose members were marked: to clear the marks, the former storage is read once more
after the result is complete.

Sets of names are numbers with a bit for each name. Nothing is walked more than twice, however deeply loops are nested:
what is live at the head of a loop is live in all of it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from gdsl.effects.access import frontiers_of, measured_frontiers
from gdsl.ir.nodes import Frontier
from gdsl.operations import Domain
from gdsl.plan import nodes
from gdsl.plan.facts import Facts
from gdsl.plan.walking import blocks_of

OfFrontiers = (
    nodes.Operation
    | nodes.Define
    | nodes.Copy
    | nodes.FarEnds
    | nodes.Combine
    | nodes.MakeGraph
    | nodes.Leader
    | nodes.StorePrivate
    | nodes.Fill
    | nodes.OnSets
)
"""The steps, without others in them, that may touch frontiers."""


def run(plan: nodes.Plan, facts: Facts) -> nodes.Plan:
    """`plan` with the slots of its frontiers."""
    slot_of = assign(plan.program.frontiers, plan.schedule)
    frontiers = tuple(dataclasses.replace(each, slot=slot_of[each.name]) for each in plan.frontiers)
    return dataclasses.replace(plan, frontiers=frontiers)


def assign(frontiers: tuple[Frontier, ...], steps: tuple[nodes.Step, ...]) -> dict[str, int]:
    """The slot of each frontier among those of its domain: the first that is free, in the order of `frontiers`."""
    interference = _Liveness(frontiers, steps).interference
    slots: dict[str, int] = {}
    for domain in Domain:
        taken: list[tuple[int, int]] = []  # of each slot, the names that have it and those that must not
        for number, frontier in enumerate(frontiers):
            if frontier.domain is not domain:
                continue
            own, others = 1 << number, interference[number]
            free = (slot for slot, (names, barred) in enumerate(taken) if not (names & others or barred & own))
            slot = next(free, len(taken))
            if slot == len(taken):
                taken.append((0, 0))
            names, barred = taken[slot]
            taken[slot] = (names | own, barred | others)
            slots[frontier.name] = slot
    return slots


def cleared_later(step: nodes.Step) -> str | None:
    """The frontier whose storage is read once more when the result of `step` is complete, to clear its marks."""
    return step.asked.frontier if isinstance(step, nodes.Combine) and step.marks else None


class _Liveness:
    """`interference`: by the number of a name, those that are live when it is defined."""

    def __init__(self, frontiers: tuple[Frontier, ...], steps: tuple[nodes.Step, ...]) -> None:
        self._bits = {frontier.name: 1 << number for number, frontier in enumerate(frontiers)}
        self._numbers = {frontier.name: number for number, frontier in enumerate(frontiers)}
        self._exposed: dict[int, int] = {}
        """By the identity of a loop, the uses in its body that no definition precedes there."""
        self.interference = [0] * len(frontiers)
        self._block(steps)
        live = self._before(steps, 0)
        for number in range(len(frontiers)):
            if live >> number & 1:
                self.interference[number] |= live

    def _mask(self, names: Iterable[str]) -> int:
        mask = 0
        for name in names:
            mask |= self._bits[name]
        return mask

    def _block(self, steps: tuple[nodes.Step, ...]) -> tuple[int, int]:
        """What steps use before they define it, and what they define on every path."""
        exposed = defined = 0
        for step in reversed(steps):
            uses, defines = self._step(step)
            exposed, defined = exposed & ~defines | uses, defined | defines
        return exposed, defined

    def _step(self, step: nodes.Step) -> tuple[int, int]:
        if isinstance(step, nodes.Loop):
            self._exposed[id(step)], _ = self._block(step.body)
            return self._exposed[id(step)] | self._mask(measured_frontiers(step.condition)), 0
        if isinstance(step, nodes.Branch):
            (first, defined), (second, also) = self._block(step.then), self._block(step.otherwise)
            return first | second | self._mask(measured_frontiers(step.condition)), defined & also
        if isinstance(step, (nodes.Launch, nodes.On, nodes.MakeOnce)):
            ((exposed, defined),) = map(self._block, blocks_of(step))
            return exposed, 0 if isinstance(step, nodes.MakeOnce) else defined
        if not isinstance(step, OfFrontiers):
            return 0, 0
        use = frontiers_of(step.step)
        return self._mask(use.read), self._mask(use.written)

    def _before(self, steps: tuple[nodes.Step, ...], live: int) -> int:
        """What is live before steps after which `live` is."""
        for step in reversed(steps):
            if isinstance(step, nodes.Loop):
                condition = self._mask(measured_frontiers(step.condition))
                live |= self._exposed[id(step)]
                self._before(step.body, live if step.counted else live | condition)
                live |= condition
            elif isinstance(step, nodes.Branch):
                live = self._before(step.then, live) | self._before(step.otherwise, live)
                live |= self._mask(measured_frontiers(step.condition))
            elif isinstance(step, (nodes.Launch, nodes.On, nodes.MakeOnce)):
                (block,) = blocks_of(step)
                live = self._before(block, live) | (live if isinstance(step, nodes.MakeOnce) else 0)
            elif isinstance(step, OfFrontiers):
                use, marked = frontiers_of(step.step), cleared_later(step)
                for name in use.written:
                    self.interference[self._numbers[name]] |= live | self._mask([marked] if marked is not None else [])
                live = live & ~self._mask(use.written) | self._mask(use.read)
        return live
