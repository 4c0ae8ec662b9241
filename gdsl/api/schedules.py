"""Every legal way to tune a program, and whether they all give what the reference gives."""

from __future__ import annotations

import hashlib
import importlib
import itertools
import math
import random
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gdsl.api.convergence import quiet
from gdsl.api.description import Data, parts_of_data, results_of
from gdsl.api.loading import Types, load
from gdsl.api.program import Program
from gdsl.api.summary import on_host
from gdsl.api.tune_files import NOT_TUNED
from gdsl.backends.interface import TraceRecord, parts_of
from gdsl.diagnostics import Diagnostic, GdslError
from gdsl.graph import Graph
from gdsl.interpreter import make_room, uncollected
from gdsl.ir import nodes as ir
from gdsl.ir.traversal import walk
from gdsl.knobs import KNOBS, Knob, written
from gdsl.operations import Builtin, Grade
from gdsl.plan.printer import print_plan
from gdsl.source import Source
from gdsl.types import Type, Widths

if TYPE_CHECKING:
    from gdsl.pipeline import Tunable

Words = tuple[str, ...]

_UNTUNED = ("bounds",)
"""Knobs of the program that change what a mistake gets, and no result."""
_OF_GRIDS = ("fuse", "block", "layout")
"""Knobs of the program that nothing but a GPU has."""
_SAME = {"dedup": "auto", "ids": "32", "order": "auto", "layout": "auto"}
"""Values that are the same as another, or as none where they may be had."""
_MOST_SHUFFLED = 1 << 14
"""Of more combinations a sample is drawn."""
_MOST_REPEATS = 50
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


_FACTORS = (1 / 4, 4)
"""By how much the numbers of `auto(…)` are tried smaller and larger than their defaults."""
_FIRST, _LAST = ("order", "layout"), ("block", "fuse")
"""Knobs of the program that decide what those of operators apply to, and those that only decide how it is launched."""


@dataclass(frozen=True, slots=True)
class Way:
    """One way to tune a program, and the program so tuned."""

    words: Words
    program: Program


class Schedules:
    """The ways to tune the program `source`, beside the words `given`, which hold in all of them.

    `grid`: those of a GPU too. Raises GdslError where the program has mistakes.
    """

    def __init__(self, source: Source, given: Words = (), *, grid: bool = False, types: Types = ()) -> None:
        self._source, self._given, self._types = source, given, types
        self._set = {"".join(word.partition("=")[0].split()).removeprefix("@") for word in given}
        self.program = Program(load(source, given, types), source, chosen=dict(types))
        self._tunable: Tunable | None = None
        self._parts = (*self._of_operators(), tuple(self._of_program(grid)))
        """The choices of each operator's knobs, and those of the program's."""
        self._fitting: dict[Words, bool] = {}
        self.choices = tuple(choice for part in self._parts for choice in part)
        """For each knob of each operator, and of the program, the words to choose from; an empty one is none."""

    @property
    def number(self) -> int:
        """How many combinations there are, those that are refused among them."""
        return math.prod(map(len, self.choices))

    def all(self) -> Iterator[Way]:
        """Every combination that the program takes."""
        return self._ways(itertools.product(*self._legal_parts()))

    def pairs(self) -> Iterator[Way]:
        """Every legal combination of one operator's knobs beside every one of every other operator's, and of the
        program's: what two operators do to each other, in far fewer ways than all where there are many operators."""
        parts = self._legal_parts()
        order = sorted(range(len(parts)), key=lambda place: -len(parts[place]))
        found = (dict(zip(order, row, strict=True)) for row in covering([len(parts[place]) for place in order]))
        return self._ways([part[places[place]] for place, part in enumerate(parts)] for places in found)

    def thorough(self, most: int = 1000) -> Iterator[Way]:
        """All ways, or, where these are more than `most`, those of `pairs`."""
        return self.all() if math.prod(map(len, self._legal_parts())) <= most else self.pairs()

    def sample(self, count: int, seed: int = 1) -> Iterator[Way]:
        """`count` different combinations that the program takes, or all if there are no more; for one seed the same."""
        chance = random.Random(seed)
        drawn = self._shuffled(chance) if self.number <= _MOST_SHUFFLED else self._drawn(chance)
        return itertools.islice(self._ways(drawn), min(count, sys.maxsize))

    def _legal_parts(self) -> list[list[Words]]:
        return [[words for words in itertools.product(*part) if self._fits(words)] for part in self._parts]

    def _shuffled(self, chance: random.Random) -> Iterator[tuple[Words, ...]]:
        """All legal combinations in any order, each once."""
        for number in chance.sample(range(self.number), self.number):
            parts = self._combination(number)
            if all(self._fits(words) for words in parts):
                yield parts

    def _drawn(self, chance: random.Random) -> Iterator[tuple[Words, ...]]:
        """All legal combinations, each once: at random while most draws are new, then the rest in order."""
        seen: set[tuple[Words, ...]] = set()
        repeats = 0
        while repeats < _MOST_REPEATS:
            found = tuple(self._drawn_part(part, chance) for part in self._parts)
            repeats = repeats + 1 if found in seen else 0
            if not repeats:
                seen.add(found)
                yield found
        yield from (parts for parts in itertools.product(*self._legal_parts()) if parts not in seen)

    def _drawn_part(self, part: tuple[Words, ...], chance: random.Random) -> Words:
        while True:
            words = tuple(chance.choice(values) for values in part)
            if self._fits(words):
                return words

    def _ways(self, combinations: Iterable[Iterable[Words]]) -> Iterator[Way]:
        """Those that the program takes of `combinations` of legal parts, which may still contradict each other: an
        order from near to far and an operator's own word on how its worklist is walked."""
        for parts in combinations:
            words = tuple(word for part in parts for word in part if word)
            try:
                program = self._tuned(words)
            except GdslError as error:
                if {each.code for each in error.diagnostics} != {"E0420"}:
                    raise
                continue
            yield Way(words, Program(program, self._source, chosen=dict(self._types)))

    def _combination(self, number: int) -> tuple[Words, ...]:
        """The words of each part in the combination of this number."""
        parts = []
        for part in self._parts:
            words = []
            for values in part:
                number, place = divmod(number, len(values))
                words.append(values[place])
            parts.append(tuple(words))
        return tuple(parts)

    def _fits(self, words: Words) -> bool:
        """Whether the program takes the words of one part."""
        if words not in self._fitting:
            self._fitting[words] = not self._refused(words)
        return self._fitting[words]

    def _refused(self, words: Words) -> tuple[Diagnostic, ...]:
        try:
            self._tuned(tuple(filter(None, words)))
        except GdslError as error:
            return error.diagnostics
        return ()

    def _tuned(self, words: Words) -> ir.Program:
        """The program with these words beside the given ones. Raises GdslError where it does not take them."""
        make_room()
        with uncollected():
            if self._tunable is None:
                from gdsl.pipeline import Tunable  # and with it the parser, which nobody else here needs

                self._tunable = Tunable(self._source, self._types)
            return self._tunable.tuned((*words, *self._given))

    def _of_operators(self) -> Iterator[tuple[Words, ...]]:
        for label, those in tuned_operators(self.program.ir).items():
            subjects = {label, *(step.functor for step in those if step.functor is not None)}
            open_ = (knob for knob in KNOBS if not any(f"{subject}.{knob.name}" in self._set for subject in subjects))
            fitting = (knob for knob in open_ if {step.word for step in those} & set(knob.operators))
            choices = tuple(filter(None, (self._of_knob(label, knob) for knob in fitting)))
            if choices:
                yield choices

    def _of_knob(self, label: str, knob: Knob) -> Words:
        """The words for one knob of an operator that may stand in a combination: what is refused beside some others may
        go with others still, but nobody can write for what the program's text gives no name."""
        words = (f"{label}.{knob.name}={value}" for value in knob.values if value != _SAME.get(knob.name))
        return tuple(word for word in words if all(each.code == "E0420" for each in self._refused((word,))))

    def _of_program(self, grid: bool) -> Iterator[Words]:
        for knob in (knob for knob in KNOBS if not knob.operators and knob.name not in _UNTUNED):
            if f"schedule.{knob.name}" not in self._set and (grid or knob.name not in _OF_GRIDS):
                words = tuple(f"schedule.{knob.name}={value}" for value in knob.values if value != _SAME.get(knob.name))
                if knob.name == "order" and any(map(self._refused, zip(words))):
                    continue  # no loop has another
                if knob.name == "layout" and any(map(self._refused, zip(words))):
                    continue  # ids could be seen
                yield (*words, *([""] if knob.default is None or knob.name == "order" else []))


def tuned_operators(program: ir.Program) -> dict[str, list[ir.Operator]]:
    """The operators that knobs stand on, by label, in the order of the text."""
    found: dict[str, list[ir.Operator]] = {}
    for node in walk(program.schedule):
        if isinstance(node, ir.Operator):
            found.setdefault(node.label, []).append(node)
    return found


def covering(sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Rows of numbers, the one in each column below its size, so that of any two columns every two numbers stand
    together in a row. `sizes` falls. The rows are about as many as the product of the first two sizes."""
    if not sizes:
        yield ()
        return
    least = max([*sizes[1:2], len(sizes) - 1, 1])
    prime = next(n for n in itertools.count(least) if all(n % divisor for divisor in range(2, n)))
    for first in range(max(sizes[0], prime) if len(sizes) > 2 else sizes[0]):
        for other in range(prime):
            # Two of the latter columns determine `first` modulo the prime, as their factors differ, and then `other`.
            yield (first % sizes[0], *((other + first * place) % prime % size for place, size in enumerate(sizes[1:])))


def code_of(program: ir.Program, backend: str, widths: Widths) -> str:
    """A hash of what `backend` makes of a tuned program: of two that come to the same, one run is enough. The reference
    makes nothing, so there every tuning counts."""
    if backend == "reference":
        return hash_of(repr(program.tuning))
    made = importlib.import_module(f"gdsl.backends.{backend}")
    return hash_of(made.source_text(program, widths), print_plan(made.plan_of(program)))


def hash_of(*texts: str) -> str:
    """One for all of the texts."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def run_and_compare(
    way: Way, graph: Graph, values: Mapping[str, Any], expected: Mapping[str, Any], **options: Any
) -> list[str]:
    """Run a tuned program and say what differs from the `expected` results: nothing, if it is as it must be. `options`
    are those of `Program.run`."""
    try:
        with quiet():
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
    parts = [parts_of(results) for results in (expected, found)]
    declared = (part for data in results_of(program) for part in parts_of_data(data))
    for data in filter(_is_compared, declared):
        one, other = (np.atleast_1d(on_host(results[data.name])) for results in parts)
        grade = Grade.ROUNDING if data.grade in (Grade.EXACT, Grade.TRIED) and near else data.grade
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


@dataclass(frozen=True, slots=True)
class KnobChoice:
    """One knob. words: what it may be set to; an empty one leaves it as the program has it."""

    name: str
    words: tuple[str, ...]


def knob_choices(program: ir.Program, trace: Sequence[TraceRecord]) -> list[KnobChoice]:
    """All knobs that there are, those first from which most may come: of operators that have the most to do in `trace`.
    Which of their values the program takes, and which of these make a difference, is not known yet."""
    own = {knob.name: knob for knob in KNOBS if not knob.operators and knob.name not in NOT_TUNED}
    work = _work(trace)
    operators = sorted(tuned_operators(program).items(), key=lambda found: -work.get(found[0], 0))
    return [
        *(_knob_choice("", own[name]) for name in _FIRST),
        *(
            _knob_choice(label, knob)
            for label, steps in operators
            for knob in KNOBS
            if {step.word for step in steps} & set(knob.operators)
        ),
        *(_knob_choice("", own[name]) for name in _LAST),
    ]


def _work(trace: Sequence[TraceRecord]) -> Mapping[str, int]:
    """By label how many elements and edges an operator has gone through."""
    found: dict[str, int] = {}
    for record in trace:
        found[record.label] = found.get(record.label, 0) + record.frontier_size + record.edges
    return found


def _knob_choice(label: str, knob: Knob) -> KnobChoice:
    name = f"{label}.{knob.name}" if label else written(knob)
    return KnobChoice(name, ("", *(f"{name}={value}" for value in _knob_values(knob))))


def _knob_values(knob: Knob) -> Iterator[str]:
    yield from knob.values
    for argument in knob.arguments:
        yield from (f"auto({argument.name}={max(1, round(argument.default * factor))})" for factor in _FACTORS)
