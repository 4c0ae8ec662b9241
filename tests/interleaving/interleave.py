"""Runs whose calls mix, and the search for answers that depend on how they do.

Interleavings show what no order of whole calls does: a value that changes between a test and the store behind it.
Atomic updates and `cas` stay indivisible. A scheduler with a seed decides which call goes on.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy

from gdsl.backends.interface import Bindings, Limits, Outcome, Scalar, parts_of
from gdsl.backends.reference.interpreter import interpret
from gdsl.backends.reference.operators import Call
from gdsl.backends.reference.state import State
from gdsl.diagnostics import GdslError
from gdsl.graph.graph import Graph
from gdsl.ir.nodes import Functor, Program
from interleaving.stepping import SteppedFunctor, Steps

_WIDTHS = (1, 2, 4, 16, 1 << 30)
"""How many calls may be under way at once; one of these, drawn for each operator."""

_STRIDES = (1, 1, 1, 2, 8)
"""How many steps the chosen call goes on; one of these, drawn each time."""

_DEFAULT_LIMITS = Limits(timeout=60.0, max_iterations=1000)


class InterleavedCalls:
    """Makes the calls of one operator step by step, many at once."""

    def __init__(self, state: State) -> None:
        """Draw from the seed of `state`."""
        self.state = state
        self.random = random.Random(int(state.random.integers(1 << 62)))
        self.functors: dict[str, SteppedFunctor] = {}

    def __call__(self, functor: Functor, calls: list[Call], collected: int) -> set[int]:
        """Call `functor` for each of `calls`; gives what the accepted ones have at `collected`."""
        stepped = self.functors.get(functor.name)
        if stepped is None:
            stepped = self.functors[functor.name] = SteppedFunctor(functor, self.state)
        accepted: set[int] = set()
        waiting, live = calls[::-1], list[Steps]()
        width = self.random.choice(_WIDTHS)
        while waiting or live:
            while waiting and len(live) < width:
                live.append(stepped.call(waiting.pop(), accepted, collected))
            self._go_on(live)
        return accepted

    def _go_on(self, live: list[Steps]) -> None:
        """Let one of the calls do some steps; one that ends leaves the list."""
        self.state.clock.poll()
        chosen = self.random.randrange(len(live))
        try:
            for _ in range(self.random.choice(_STRIDES)):
                next(live[chosen])
        except StopIteration:
            live[chosen] = live[-1]
            live.pop()


@dataclass(frozen=True)
class Answer:
    """One of the distinct answers of a program: its arrays and scalars, or the code of the error that ended it.

    `seeds` are the runs that gave this answer.
    """

    arrays: dict[str, Any]
    scalars: dict[str, Scalar]
    error: str | None
    seeds: list[int] = field(default_factory=list)

    def equals(self, other: Answer, tolerance: float) -> bool:
        """Whether both say the same; floats may differ by `tolerance` relative to their size, or absolutely below 1."""
        if self.error != other.error:
            return False
        pairs = [(self.arrays[name], other.arrays[name]) for name in self.arrays]
        pairs += [(numpy.asarray(self.scalars[name]), numpy.asarray(other.scalars[name])) for name in self.scalars]
        return all(_same(first, second, tolerance) for first, second in pairs)


def _same(first: Any, second: Any, tolerance: float) -> bool:
    if first.dtype.kind != "f":
        return bool(numpy.array_equal(first, second))
    return bool(numpy.allclose(first, second, rtol=tolerance, atol=tolerance, equal_nan=True))


def explore(
    program: Program,
    graph: Graph,
    bindings: Bindings,
    seeds: Iterable[int],
    *,
    limits: Limits = _DEFAULT_LIMITS,
    id_bits: int = 32,
    everything: bool = False,
    tolerance: float = 1e-4,
) -> list[Answer]:
    """The distinct answers of `program` under one interleaving for each seed.

    Arrays and scalars that the checker marked not unique are left out unless `everything`. An endless run ends by
    `limits` and counts as the answer that its error's code makes.
    """
    answers: list[Answer] = []
    for seed in seeds:
        try:
            outcome = interpret(
                program, graph, bindings, limits, id_bits=id_bits, seed=seed, make_calls=InterleavedCalls
            )
            answer = _answer(program, outcome, everything)
        except GdslError as error:
            answer = Answer({}, {}, error.code)
        known = next((other for other in answers if other.equals(answer, tolerance)), None)
        if known is None:
            answers.append(answer)
        (known or answer).seeds.append(seed)
    return answers


def _answer(program: Program, outcome: Outcome, everything: bool) -> Answer:
    names = {array.name for array in program.arrays if array.unique or everything}
    names |= {scalar.name for scalar in program.scalars if scalar.unique or everything}
    arrays = {name: values for name, values in outcome.arrays.items() if name in names}
    scalars = {name: value for name, value in outcome.scalars.items() if name in names}
    return Answer(parts_of(arrays), parts_of(scalars), None)
