"""Pass `fusion`: operators that run in one sweep.

The second operator runs on the members of the first one, and works on each member right after the first has.

In two sweeps, all of the first operator ends before any of the second begins. In one sweep, the second operator's call
for a member comes after the first one's work on that member, in no order with its work on the others. Nobody sees a
difference if everything that both use and one of them writes is an element of the member itself: the call that reads it
comes after the one that wrote it, in the same thread, and no other call uses it. The members must not change in
between, and each must come once. Within one operator, calls are in no order anyway.

The result of a reduction is such an element once all parts of it are combined; those of lists that are cut into chunks
are so after a barrier (`each_hub`). It is not if the reduction reads what it stores, as results are then stored aside
until all are computed, nor if several threads compute parts of any list's result.

On a CPU an operator on vertices runs in the sweep of the reduction before it, and in no other: there it finds the
result in a register and the member's other values in the cache, where two sweeps read all of them from memory once
more. It must be one for which it makes no difference which threads share it (`cpu_threads`).

Stores of the leader and changes of names between the two operators move before the first one if they use nothing of it,
and otherwise after the second one.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass

from gdsl.effects.access import Access, Accesses, frontiers_of
from gdsl.ir import nodes as ir
from gdsl.ir.nodes import Element, ElementTarget, Node, ScalarTarget, ScalarValue
from gdsl.ir.traversal import walk
from gdsl.operations import Balance
from gdsl.plan.deduplication import repeated_of
from gdsl.plan.facts import Facts
from gdsl.plan.functor_facts import own_arrays
from gdsl.plan.hints import Contended, EqualShares
from gdsl.plan.nodes import Leader, MakeOnce, Operation, Plan, Rotate, Step, StorePrivate, Swap, Sweep
from gdsl.plan.walking import with_blocks
from gdsl.source import Span


def run(plan: Plan, facts: Facts) -> Plan:
    """`plan` with operators fused into one sweep."""
    if not plan.target.fused or plan.target.workers:
        return plan
    return dataclasses.replace(plan, schedule=fusion_of(plan, facts).steps(plan.schedule))


def fusion_of(plan: Plan, facts: Facts) -> Fusion:
    """What fuses the operators of `plan`."""
    return Fusion(facts.accesses, repeated_of(plan), plan.target.grid)


MOST_IN_ONE_SWEEP = 32
"""Operators of one sweep: each new one is compared with all of them, and all are code of one loop."""
_IN_PARTS = (Balance.MERGE, Balance.EDGES)
"""With these, several threads may compute parts of the result of any list."""
_BETWEEN = (Leader, Rotate, StorePrivate, Swap)
_MAY_WAIT = (ir.StoreScalar, ir.StoreElement, ir.Swap, ir.Compute, ir.Filter, ir.NeighborReduce)


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why an operator has a sweep of its own, and the place that shows it."""

    why: str
    span: Span


@dataclass(frozen=True, slots=True)
class Pair:
    """Two operators of which one follows the other, and why they do not share a sweep; None: they do."""

    first: Operation
    second: Operation
    obstacle: Obstacle | None


@dataclass
class Fusion:
    """Fuses the operators of one program; `repeated` are the frontiers that may hold a member twice."""

    accesses: Accesses
    repeated: frozenset[str]
    grid: bool = True

    def __post_init__(self) -> None:
        self.pairs: list[Pair] = []
        """The pairs that were examined, in the order of the text."""
        self._alone: dict[int, Operation] = {}
        """By site what an operator is without those in its sweep."""
        self._owned: dict[int, frozenset[str]] = {}
        """By site what `_own` has found: every operator of a block is examined, and a functor may be long."""

    def steps(self, steps: tuple[Step, ...]) -> tuple[Step, ...]:
        """A block, and all blocks in it, with the operators that have one sweep in one."""
        placed: list[Step] = []
        for step in steps:
            if isinstance(step, Operation):
                self._append(placed, step)
            else:
                placed.append(step if isinstance(step, MakeOnce) else with_blocks(step, self.steps))
        return tuple(placed)

    def _append(self, placed: list[Step], step: Operation) -> None:
        self._alone[step.step.site] = step
        at = len(placed) - 1
        while at >= 0 and isinstance(placed[at], _BETWEEN):
            at -= 1
        former = placed[at] if at >= 0 else None
        if not isinstance(former, Operation):
            placed.append(step)
            return
        between = placed[at + 1 :]
        obstacle = self.obstacle(former, step)
        commutes = all(self._apart(each, former) is None for each in between)
        late = all(self._apart(each, step) is None for each in between)
        if obstacle is None and not commutes and not late:
            obstacle = next(filter(None, (self._apart(each, step) for each in between)))
        self.pairs.append(Pair(former, step, obstacle))
        if obstacle is not None:
            placed.append(step)
            return
        if not self.grid:
            step = _without_shares(step)
        operations = (*former.fused, self._alone[former.step.site])
        fused = dataclasses.replace(step, fused=operations)
        placed[at:] = [*between, fused] if commutes else [fused, *between]

    def obstacle(self, former: Operation, step: Operation) -> Obstacle | None:
        """Why `step` does not run in the sweep of `former`, and of what runs in that; None where it does."""
        own, span = step.does, step.step.span
        if not (isinstance(own, Sweep) and own.own is not None):
            return Obstacle(f"{step.step.word} walks edges, which may lead to members that are not finished yet", span)
        if own.lanes or (isinstance(former.does, Sweep) and former.does.lanes):
            lanes, place = (step, span) if own.lanes else (former, former.step.span)
            return Obstacle(f"{lanes.step.word} gives whole warps to vertices with long lists", place)
        if len(former.fused) + 1 >= MOST_IN_ONE_SWEEP:
            return Obstacle(f"a sweep has at most {MOST_IN_ONE_SWEEP} operators", span)
        if not self.grid and not follows_reduction(former, own):
            return Obstacle(f"threads share {step.step.word} in another way", span)
        for each in (*former.fused, former):
            obstacle = self._as_first(each, own, step.step.span) or self._between_calls(each, step)
            if obstacle is not None:
                return obstacle
        return None

    def _as_first(self, former: Operation, own: Sweep, place: Span) -> Obstacle | None:
        """Why `own`, which is written at `place`, does not run in the sweep of `former`, whatever they use."""
        does, word, span = former.does, former.step.word, former.step.span
        if not isinstance(does, Sweep) or (does.own is None and does.segment is None):
            return Obstacle(f"the result of {word} is complete only when all of it has ended", span)
        if does.collect is not None:
            return Obstacle(f"{word} makes the set that the next operator runs on", span)
        if (does.members.domain, does.members.frontier) != (own.members.domain, own.members.frontier):
            return Obstacle("they run on different members", place)
        if does.members.frontier in self.repeated:
            return Obstacle(f"a member may come twice in `{does.members.frontier}`", span)
        if does.segment is None:
            return None
        if does.segment.staging is not None:
            return Obstacle(
                f"{word} reads `{does.segment.array}`: its results are stored aside until all are computed", span
            )
        if does.balance in _IN_PARTS:
            return Obstacle(f"with balance={does.balance.value} several threads compute parts of one result", span)
        if own.collect is not None:
            return Obstacle(
                f"a set is collected by whole warps, but results of {word} are complete one at a time", place
            )
        return None

    def _between_calls(self, former: Operation, step: Operation) -> Obstacle | None:
        """What one of them does that another call of the other one could see."""
        alone = self._own(former) & self._own(step)
        for name in _conflicts(self.accesses.of_step(former.step), self.accesses.of_step(step.step)):
            if name not in alone:
                seen = "adds up" if name in _scalars(self.accesses) else "uses at other members, too"
                label, first = former.step.label, former if name not in self._own(former) else step
                why = f"`{name}`, which `{first.step.label}` {seen}, is complete only when all of `{label}` is done"
                return Obstacle(why, self._place(name, step) or step.step.span)
        return None

    def _own(self, operation: Operation) -> frozenset[str]:
        """The arrays of which the work on a member touches the member's element and no other."""
        site = operation.step.site
        if site not in self._owned:
            self._owned[site] = self._owned_by(operation)
        return self._owned[site]

    def _owned_by(self, operation: Operation) -> frozenset[str]:
        step, functor = operation.step, self.accesses.functor_of(operation.step)
        if step.stores is not None:
            read = any(each.name == step.stores and not each.writes for each in self.accesses.of_step(step))
            single = {array.name for array in self.accesses.program.arrays if array.count is None}
            return frozenset({step.stores} & single) if not read else frozenset()
        return own_arrays(functor, self.accesses.program) if functor is not None else frozenset()

    def _apart(self, between: Step, operation: Operation) -> Obstacle | None:
        """Why `between` does not go to the other side of an operator and of what runs in its sweep."""
        assert isinstance(between, _BETWEEN)
        for each in (*operation.fused, operation):
            conflict = next(self._conflicts(between.step, each.step), None)
            if conflict is not None:
                return Obstacle(f"`{conflict}` is assigned in between", between.step.span)
        return None

    def meets(self, step: Step, other: ir.Step) -> bool:
        """Whether `step` must not run before `other`, which precedes it in the program."""
        if not isinstance(step, (Operation, *_BETWEEN)) or not isinstance(other, _MAY_WAIT):
            return True
        return any(self._conflicts(step.step, other))

    def _conflicts(self, step: ir.Step, other: ir.Step) -> Iterator[str]:
        """What keeps two steps in order: data, and sets whose size one step changes and the other uses."""
        yield from _conflicts(self.accesses.with_swaps(step), self.accesses.with_swaps(other))
        uses = frontiers_of(step), frontiers_of(other)
        yield from sorted({*uses[0].read} & {*uses[1].written} | {*uses[1].read} & {*uses[0].written})

    def _place(self, name: str, operation: Operation) -> Span | None:
        """Where an operator's functor touches `name`."""
        functor = self.accesses.functor_of(operation.step)
        return next((node.span for node in walk(functor) if _name_of(node) == name), None)


def follows_reduction(former: Operation, own: Sweep) -> bool:
    """Whether `former` is a reduction alone, and `own` an operator on vertices whose sweep any threads may do."""
    does = former.does
    reduces = isinstance(does, Sweep) and does.segment is not None and not former.fused
    return reduces and own.collect is None and own.hint(Contended) is None


def _without_shares(step: Operation) -> Operation:
    """`step` without parts of the vertices for each thread."""
    does = step.does
    assert isinstance(does, Sweep)
    hints = tuple(each for each in does.hints if not isinstance(each, EqualShares))
    return dataclasses.replace(step, does=dataclasses.replace(does, hints=hints))


def flattened(step: Operation) -> tuple[Operation, ...]:
    """An operator with those that run in its sweep, in the order of the text."""
    return (*step.fused, dataclasses.replace(step, fused=()))


def _conflicts(some: frozenset[Access], others: frozenset[Access]) -> Iterator[str]:
    """A conflict: what both use and one of them writes."""
    written = {each.name for each in some if each.writes}, {each.name for each in others if each.writes}
    names = {each.name for each in some}, {each.name for each in others}
    yield from sorted((written[0] & names[1]) | (written[1] & names[0]))


def _scalars(accesses: Accesses) -> frozenset[str]:
    return frozenset(each.name for each in accesses.program.scalars)


def _name_of(node: Node) -> str | None:
    if isinstance(node, (Element, ElementTarget)):
        return node.array
    if isinstance(node, ScalarTarget):
        return node.scalar
    return node.name if isinstance(node, ScalarValue) else None
