"""Puts grid barriers between the steps of a fused schedule that need one.

Operators end with a barrier of their own. A scalar, an element or an array that the schedule itself writes is written
by some threads while others may still read what stood there before, or go on to read it too early.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field

from gdsl.ir.nodes import (
    Advance,
    Barrier,
    Compute,
    CopyFrontier,
    DefineFrontier,
    EdgeFunctor,
    Expression,
    Fill,
    Filter,
    If,
    Operator,
    Program,
    Repeat,
    ScalarTarget,
    ScalarValue,
    Step,
    StoreElement,
    StoreScalar,
    Swap,
    VertexFunctor,
    While,
)
from gdsl.ir.traversal import walk
from gdsl.passes.writers import targets
from gdsl.source import NOWHERE


@dataclass
class _Since:
    """What has happened since the last barrier."""

    read: set[str] = field(default_factory=set)
    """Scalars that every thread has read."""
    stored: set[str] = field(default_factory=set)
    """Scalars and arrays written by one thread."""
    filled: set[str] = field(default_factory=set)
    """Arrays written by all threads."""


def run(program: Program) -> Program:
    """Insert `Barrier` steps."""
    functors: list[VertexFunctor | EdgeFunctor] = [*program.vertex_functors, *program.edge_functors]
    reduced = {
        functor.name: {target.scalar for target in targets(functor) if isinstance(target, ScalarTarget)}
        for functor in functors
    }
    return dataclasses.replace(program, schedule=_Placement(reduced).place(program.schedule, _Since()))


class _Placement:
    def __init__(self, reduced: dict[str, set[str]]) -> None:
        self.reduced = reduced
        """The scalars that each functor writes."""
        self._placed: dict[tuple[object, ...], tuple[tuple[Step, ...], _Since]] = {}
        """What was found for a block and what had happened before it: a loop looks at its body twice, and so a loop
        inside it four times, and so on."""

    def place(self, steps: tuple[Step, ...], since: _Since) -> tuple[Step, ...]:
        """`steps` with barriers where they are needed; `since` goes on to what has happened at their end."""
        key = (id(steps), *(frozenset(names) for names in (since.read, since.stored, since.filled)))
        if key not in self._placed:
            after = _Since(set(since.read), set(since.stored), set(since.filled))
            self._placed[key] = (self._place(steps, after), after)
        placed, after = self._placed[key]
        since.read, since.stored, since.filled = set(after.read), set(after.stored), set(after.filled)
        return placed

    def _place(self, steps: tuple[Step, ...], since: _Since) -> tuple[Step, ...]:
        placed: list[Step] = []
        for step in steps:
            if self._must_wait(step, since):
                placed.append(Barrier(NOWHERE))
                _clear(since)
            placed.append(self._enter(step, since))
        return tuple(placed)

    def _must_wait(self, step: Step, since: _Since) -> bool:
        written = since.stored | since.filled
        if isinstance(step, (Advance, Filter, Compute)):
            return bool(written) or bool(since.read & self.reduced[step.functor])
        if isinstance(step, Swap):
            return bool(written) or (step.of_scalars and bool(since.read))
        if isinstance(step, StoreScalar):
            return step.scalar in since.read
        if isinstance(step, StoreElement):
            return step.target.array in since.filled
        if isinstance(step, Fill):
            return step.array in written or bool(_scalars(step.value) & written)
        if isinstance(step, If):
            return bool(_scalars(step.condition) & written)
        return bool(written)

    def _enter(self, step: Step, since: _Since) -> Step:
        """Account for `step`, placing barriers inside it."""
        if isinstance(step, (Operator, DefineFrontier, CopyFrontier)):
            _clear(since)
        elif isinstance(step, StoreScalar):
            since.stored.add(step.scalar)
        elif isinstance(step, StoreElement):
            since.stored.add(step.target.array)
        elif isinstance(step, Fill):
            since.filled.add(step.array)
            since.read |= _scalars(step.value)
        elif isinstance(step, (While, Repeat)):
            return self._loop(step, since)
        elif isinstance(step, If):
            return self._branch(step, since)
        return step

    def _loop(self, step: While | Repeat, since: _Since) -> Step:
        """A body begins with what its head and the end of the last pass have read, and ends with nothing unseen."""
        head = _scalars(step.condition if isinstance(step, While) else step.count)
        since.read |= head
        trial = _Since(set(since.read))
        self.place(step.body, trial)
        since.read |= trial.read
        body = self.place(step.body, since)
        if since.stored or since.filled:
            body = (*body, Barrier(NOWHERE))
            _clear(since)
        since.read |= head
        return dataclasses.replace(step, body=body)

    def _branch(self, step: If, since: _Since) -> Step:
        since.read |= _scalars(step.condition)
        other = _Since(set(since.read), set(since.stored), set(since.filled))
        then = self.place(step.then, since)
        otherwise = self.place(step.otherwise, other)
        since.read |= other.read
        since.stored |= other.stored
        since.filled |= other.filled
        return dataclasses.replace(step, then=then, otherwise=otherwise)


def _scalars(expression: Expression) -> set[str]:
    return {node.name for node in walk(expression) if isinstance(node, ScalarValue)}


def _clear(since: _Since) -> None:
    since.read.clear()
    since.stored.clear()
    since.filled.clear()
