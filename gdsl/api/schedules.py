"""Every legal way to tune a program, and whether they all give what the reference gives."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gdsl.api.compiling import load
from gdsl.api.description import Data, results_of
from gdsl.api.program import Program
from gdsl.api.summary import on_host
from gdsl.diagnostics import GdslError
from gdsl.graph import Graph
from gdsl.ir import nodes as ir
from gdsl.ir.traversal import walk
from gdsl.knobs import KNOBS
from gdsl.operations import Builtin, Grade
from gdsl.source import Source
from gdsl.types import Type

Words = tuple[str, ...]

_UNTUNED = ("bounds",)
"""Knobs of the program that change what a mistake gets, and no result."""
_OF_GRIDS = ("fuse", "block")
"""Knobs of the program that nothing but a GPU has."""
_SAME = {"dedup": "auto", "ids": "32"}
"""Values that are the same as another, or as none where they may be had."""
_TOLERANCES = {
    (Grade.ROUNDING, Type.FLOAT32): 2e-5,
    (Grade.ROUNDING, Type.FLOAT64): 1e-9,
    (Grade.CONVERGED, Type.FLOAT32): 1e-2,
    (Grade.CONVERGED, Type.FLOAT64): 1e-2,
}
"""What two runs may differ in, relatively; of what hangs on where a loop of float sums ends, no more is promised."""


_NEAR = frozenset(
    Builtin(word)
    for word in ["exp", "log", "pow", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh"]
)
"""Functions that backends compute to a few units in the last place."""


@dataclass(frozen=True, slots=True)
class Way:
    """One way to tune a program, and the program so tuned."""

    words: Words
    program: Program


class Schedules:
    """The ways to tune the program `source`, beside the words `given`, which hold in all of them.

    `grid`: those of a GPU too. Raises GdslError where the program has mistakes.
    """

    def __init__(self, source: Source, given: Words = (), *, grid: bool = False) -> None:
        self._source, self._given = source, given
        self._set = {"".join(word.partition("=")[0].split()).removeprefix("@") for word in given}
        self.program = Program(load(source, given), source)
        self.choices = (*self._of_operators(), *self._of_program(grid))
        """For each knob of each operator, and of the program, the words to choose from; an empty one is none."""

    @property
    def number(self) -> int:
        """How many combinations there are, those that are refused among them."""
        number = 1
        for values in self.choices:
            number *= len(values)
        return number

    def all(self) -> Iterator[Way]:
        """Every combination that the program takes."""
        return self._legal(range(self.number))

    def sample(self, count: int, seed: int = 1) -> Iterator[Way]:
        """`count` different combinations that the program takes, or all if there are no more; for one seed the same."""
        ways = self._legal(_shuffled(self.number, random.Random(seed)))
        return itertools.islice(ways, min(count, self.number))

    def _legal(self, numbers: Iterable[int]) -> Iterator[Way]:
        for number in numbers:
            words = self._combination(number)
            try:
                yield Way(words, Program(load(self._source, (*words, *self._given)), self._source))
            except GdslError:
                continue

    def _combination(self, number: int) -> Words:
        words = []
        for values in self.choices:
            number, place = divmod(number, len(values))
            words.append(values[place])
        return tuple(word for word in words if word)

    def _of_operators(self) -> Iterator[Words]:
        steps = [node for node in walk(self.program.ir.schedule) if isinstance(node, ir.Operator)]
        for label in dict.fromkeys(step.label for step in steps):
            those = [step for step in steps if step.label == label]
            subjects = {label, *(step.functor for step in those if step.functor is not None)}
            open_ = (knob for knob in KNOBS if not any(f"{subject}.{knob.name}" in self._set for subject in subjects))
            for knob in (knob for knob in open_ if {step.word for step in those} & set(knob.operators)):
                values = (value for value in knob.values if value != _SAME.get(knob.name))
                words = tuple(word for word in (f"{label}.{knob.name}={value}" for value in values) if self._may(word))
                if words:
                    yield words

    def _of_program(self, grid: bool) -> Iterator[Words]:
        for knob in (knob for knob in KNOBS if not knob.operators and knob.name not in _UNTUNED):
            if f"schedule.{knob.name}" not in self._set and (grid or knob.name not in _OF_GRIDS):
                words = (f"schedule.{knob.name}={value}" for value in knob.values if value != _SAME.get(knob.name))
                yield (*words, *([""] if knob.default is None else []))

    def _may(self, word: str) -> bool:
        """Whether a word may stand in a combination: what is refused beside some others may go with others still, but
        nobody can write for what the program's text gives no name."""
        try:
            load(self._source, (*self._given, word))
        except GdslError as error:
            return all(each.code == "E0420" for each in error.diagnostics)
        return True


def _shuffled(number: int, chance: random.Random) -> Iterator[int]:
    """The numbers below `number` in any order, each once."""
    if number <= 1 << 16:
        yield from chance.sample(range(number), number)
        return
    seen: set[int] = set()
    while len(seen) < number // 2:
        found = chance.randrange(number)
        if found not in seen:
            seen.add(found)
            yield found


def run_and_compare(
    way: Way, graph: Graph, values: Mapping[str, Any], expected: Mapping[str, Any], **options: Any
) -> list[str]:
    """Run a tuned program and say what differs from the `expected` results: nothing, if it is as it must be. `options`
    are those of `Program.run`."""
    try:
        found = way.program.run(graph, values, **options)
    except GdslError as error:
        return [f"it ends with {error.diagnostics[0].code}: {error.diagnostics[0].message}"]
    return list(differences(way.program.ir, expected, found))


def differences(program: ir.Program, expected: Mapping[str, Any], found: Mapping[str, Any]) -> Iterator[str]:
    """What differs in the results that all runs have alike: in exact ones anything, in sums of floats what is more
    than rounding. Backends may differ in the last digits of functions such as `exp`, and so in whatever a program that
    uses one has made of floats."""
    used = {node.function for node in walk(program) if isinstance(node, ir.BuiltinCall)}
    near = not used.isdisjoint(_NEAR)
    for data in (data for data in results_of(program) if _is_compared(data)):
        one, other = (np.atleast_1d(on_host(results[data.name])) for results in (expected, found))
        grade = Grade.ROUNDING if data.grade is Grade.EXACT and near else data.grade
        same = _same(one, other, _TOLERANCES.get((grade, data.type)))
        if not same.all():
            at = int(np.flatnonzero(~same)[0])
            place = f"[{at}]" if isinstance(data, ir.Array) else ""
            yield f"{data.name}{place} is {other[at]}, not {one[at]}"


def uncompared(program: ir.Program) -> list[str]:
    """The results that two runs need not have alike, so that nothing can be compared."""
    return [data.name for data in results_of(program) if not _is_compared(data)]


def _same(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any], tolerance: float | None) -> np.ndarray[Any, Any]:
    if tolerance is not None:
        return np.asarray(np.isclose(other, one, rtol=tolerance, atol=tolerance / 100, equal_nan=True))
    return np.asarray((one == other) | ((one != one) & (other != other)))


def _is_compared(data: Data) -> bool:
    """A loop that may make one pass more may also count one more: there only floats are near each other."""
    return data.unique and (data.grade is not Grade.CONVERGED or data.type.is_float)
