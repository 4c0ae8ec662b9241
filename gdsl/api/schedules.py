"""Enumerates the legal settings of a program's knobs, and compares their results with the reference."""

from __future__ import annotations

import hashlib
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
from gdsl.backends import cpu, cuda
from gdsl.backends.interface import TraceRecord, parts_of
from gdsl.diagnostics import Diagnostic, GdslError
from gdsl.graph import Graph
from gdsl.interpreter import make_room, uncollected
from gdsl.ir import nodes as ir
from gdsl.ir.traversal import walk
from gdsl.knobs import KNOBS, Knob, written
from gdsl.operations import APPROXIMATE, Grade
from gdsl.plan.graph_class import GENERAL, GraphClass
from gdsl.plan.printer import print_plan
from gdsl.source import Source
from gdsl.types import Type, Widths

if TYPE_CHECKING:
    from gdsl.pipeline import Tunable

Words = tuple[str, ...]

_UNTUNED = ("bounds",)
"""Knobs of the program that affect errors, but no result."""
_OF_GRIDS = ("fuse", "block", "layout")
"""Knobs of the program that only affect GPUs."""
_SAME = {"dedup": "auto", "ids": "32", "order": "auto", "layout": "auto"}
"""Values that are equal to another value, or to no value."""
_MOST_SHUFFLED = 1 << 14
"""If there are more combinations, a sample is drawn."""
_MOST_REPEATS = 50
_TOLERANCES = {
    (Grade.ROUNDING, Type.FLOAT32): 2e-5,
    (Grade.ROUNDING, Type.FLOAT64): 1e-9,
    (Grade.CONVERGED, Type.FLOAT32): 1e-2,
    (Grade.CONVERGED, Type.FLOAT64): 1e-2,
}
"""The relative tolerances of results. For those that depend on when a loop of float sums ends, no more is promised."""


_FACTORS = (1 / 4, 4)
"""By how much the numbers of `auto(…)` are tried smaller and larger than their defaults."""
_FIRST, _LAST = ("order", "layout"), ("block", "fuse")
"""Knobs of the program that decide what those of operators apply to, and those that only decide how it is launched."""


@dataclass(frozen=True, slots=True)
class Way:
    """One setting of the knobs, and the program with it."""

    words: Words
    program: Program


class Schedules:
    """The settings of the program `source` that include the words `fixed`.

    `grid`: include those of a GPU. Raises GdslError if the program has mistakes.
    """

    def __init__(self, source: Source, fixed: Words = (), *, grid: bool = False, types: Types = ()) -> None:
        self._source, self._given, self._types = source, fixed, types
        self._set = {"".join(word.partition("=")[0].split()).removeprefix("@") for word in fixed}
        self.program = Program(load(source, fixed, types), source, chosen=dict(types))
        self._tunable: Tunable | None = None
        self._parts = (*self._of_operators(), tuple(self._of_program(grid)))
        """The choices of each operator's knobs, and those of the program's."""
        self._fitting: dict[Words, bool] = {}
        self.choices = tuple(choice for part in self._parts for choice in part)
        """For each knob of each operator, and of the program, the words to choose from; an empty one means none."""

    @property
    def number(self) -> int:
        """The number of combinations, including those that are refused."""
        return math.prod(map(len, self.choices))

    @property
    def number_of_legal(self) -> int:
        """The number of combinations whose parts fit their operators."""
        return math.prod(map(len, self._legal_parts()))

    def all(self) -> Iterator[Way]:
        """Every combination that the program accepts."""
        return self._ways(itertools.product(*self._legal_parts()))

    def pairs(self) -> Iterator[Way]:
        """For each two operators, every combination of the settings of the first and the second, and likewise of the
        program's knobs: this tests how two operators affect each other, with far fewer combinations than all."""
        parts = self._legal_parts()
        order = sorted(range(len(parts)), key=lambda place: -len(parts[place]))
        choices = (dict(zip(order, row, strict=True)) for row in covering([len(parts[place]) for place in order]))
        return self._ways([part[places[place]] for place, part in enumerate(parts)] for places in choices)

    def sample(self, count: int, seed: int = 1) -> Iterator[Way]:
        """`count` different combinations that the program accepts, or all if there are no more; the same for the same
        seed."""
        chance = random.Random(seed)
        drawn = self._shuffled(chance) if self.number <= _MOST_SHUFFLED else self._drawn(chance)
        return itertools.islice(self._ways(drawn), min(count, sys.maxsize))

    def _legal_parts(self) -> list[list[Words]]:
        return [[words for words in itertools.product(*part) if self._fits(words)] for part in self._parts]

    def _shuffled(self, chance: random.Random) -> Iterator[tuple[Words, ...]]:
        """All legal combinations in random order, each once."""
        for number in chance.sample(range(self.number), self.number):
            parts = self._combination(number)
            if all(self._fits(words) for words in parts):
                yield parts

    def _drawn(self, chance: random.Random) -> Iterator[tuple[Words, ...]]:
        """All legal combinations, each once: at random while most draws are new, then the rest in order."""
        seen: set[tuple[Words, ...]] = set()
        repeats = 0
        while repeats < _MOST_REPEATS:
            choice = tuple(self._drawn_part(part, chance) for part in self._parts)
            repeats = repeats + 1 if choice in seen else 0
            if not repeats:
                seen.add(choice)
                yield choice
        yield from (parts for parts in itertools.product(*self._legal_parts()) if parts not in seen)

    def _drawn_part(self, part: tuple[Words, ...], chance: random.Random) -> Words:
        while True:
            words = tuple(chance.choice(values) for values in part)
            if self._fits(words):
                return words

    def _ways(self, combinations: Iterable[Iterable[Words]]) -> Iterator[Way]:
        """Those of the `combinations` of legal parts that the program accepts: an order from near to far may contradict
        an operator's own setting of how its worklist is walked."""
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
        """The words of each part in the combination with this number."""
        parts = []
        for part in self._parts:
            words = []
            for values in part:
                number, place = divmod(number, len(values))
                words.append(values[place])
            parts.append(tuple(words))
        return tuple(parts)

    def _fits(self, words: Words) -> bool:
        """Whether the program accepts the words of one part."""
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
        """The program with these words and the given ones. Raises GdslError if it does not accept them."""
        make_room()
        with uncollected():
            if self._tunable is None:
                from gdsl.pipeline import Tunable  # it imports the parser, which nothing else here needs

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
        """The words for one knob of an operator that may be part of a combination: a word that is refused next to some
        others may be accepted next to different ones, but an operator without a name in the text accepts none."""
        words = (f"{label}.{knob.name}={value}" for value in knob.values if value != _SAME.get(knob.name))
        return tuple(word for word in words if all(each.code == "E0420" for each in self._refused((word,))))

    def _of_program(self, grid: bool) -> Iterator[Words]:
        for knob in (knob for knob in KNOBS if not knob.operators and knob.name not in _UNTUNED):
            if f"schedule.{knob.name}" not in self._set and (grid or knob.name not in _OF_GRIDS):
                words = tuple(f"schedule.{knob.name}={value}" for value in knob.values if value != _SAME.get(knob.name))
                if knob.name in ("order", "layout") and any(map(self._refused, zip(words))):
                    continue  # no loop has another order, or ids would be visible
                yield (*words, *([""] if knob.default is None or knob.name == "order" else []))


def tuned_operators(program: ir.Program) -> dict[str, list[ir.Operator]]:
    """The operators that knobs apply to, by label, in the order of the text."""
    by_functor: dict[str, list[ir.Operator]] = {}
    for node in walk(program.schedule):
        if isinstance(node, ir.Operator):
            by_functor.setdefault(node.label, []).append(node)
    return by_functor


def covering(sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Rows of numbers, each column below its size, such that for any two columns every pair of numbers is in some row.
    `sizes` must be descending. The number of rows is about the product of the first two sizes."""
    if not sizes:
        yield ()
        return
    least = max([*sizes[1:2], len(sizes) - 1, 1])
    prime = next(n for n in itertools.count(least) if all(n % divisor for divisor in range(2, n)))
    for first in range(max(sizes[0], prime) if len(sizes) > 2 else sizes[0]):
        for other in range(prime):
            # Two of the later columns determine `first` modulo the prime, as their factors differ, and then `other`.
            yield (first % sizes[0], *((other + first * place) % prime % size for place, size in enumerate(sizes[1:])))


def code_of(program: ir.Program, backend: str, widths: Widths, graph_class: GraphClass = GENERAL) -> str:
    """A hash of the code that `backend` generates for a tuned program and a class of graphs: equal code need only run
    once. The reference generates none, so every setting counts."""
    if backend == "reference":
        return hash_of(repr(program.tuning))
    if backend == "cpu":
        return hash_of(cpu.source_text(program, widths), print_plan(cpu.plan_of(program)))
    plan = cuda.plan_of(program, graph=graph_class)
    return hash_of(cuda.source_text(program, widths, graph_class), print_plan(plan, classes=False))


def hash_of(*texts: str) -> str:
    """A single hash of all texts."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def run_and_compare(
    way: Way, graph: Graph, values: Mapping[str, Any], expected: Mapping[str, Any], **options: Any
) -> list[str]:
    """Run a tuned program and report how it differs from the `expected` results; empty if it does not. `options` are
    those of `Program.run`."""
    try:
        with quiet():
            result = way.program.run(graph, values, **options)
    except GdslError as error:
        return [f"it ends with {error.diagnostics[0].code}: {error.diagnostics[0].message}"]
    return list(differences(way.program.ir, expected, result))


def differences(program: ir.Program, expected: Mapping[str, Any], actual: Mapping[str, Any]) -> Iterator[str]:
    """The differences in results that all runs must agree on: exact ones must be equal, sums of floats may differ by
    rounding. Backends may differ in the last digits of functions such as `exp`, and so in all floats computed from
    them."""
    used = {node.function for node in walk(program) if isinstance(node, ir.BuiltinCall)}
    near = not used.isdisjoint(APPROXIMATE)
    parts = [parts_of(results) for results in (expected, actual)]
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
    """The results that may differ between runs, so that they cannot be compared."""
    return [data.name for data in results_of(program) if not _is_compared(data)]


def _same(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any], tolerance: float | None) -> np.ndarray[Any, Any]:
    if tolerance is not None:
        return np.asarray(np.isclose(other, one, rtol=tolerance, atol=tolerance / 100, equal_nan=True))
    return np.asarray((one == other) | ((one != one) & (other != other)))


def _is_compared(data: Data) -> bool:
    """A loop that may make one more pass may also count one more: only its floats are comparable."""
    return data.unique and (data.grade is not Grade.CONVERGED or data.type.is_float)


@dataclass(frozen=True, slots=True)
class KnobChoice:
    """One knob. words: its settings; an empty one leaves it as the program has it."""

    name: str
    words: tuple[str, ...]


def knob_choices(program: ir.Program, trace: Sequence[TraceRecord]) -> list[KnobChoice]:
    """All knobs, the most promising first: those of the operators with the most work in `trace`. Which of their values
    the program accepts, and which make a difference, is not known yet."""
    own = {knob.name: knob for knob in KNOBS if not knob.operators and knob.name not in NOT_TUNED}
    work = _work(trace)
    operators = sorted(tuned_operators(program).items(), key=lambda item: -work.get(item[0], 0))
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
    """The number of elements and edges that each operator has processed, by label."""
    counts: dict[str, int] = {}
    for record in trace:
        counts[record.label] = counts.get(record.label, 0) + record.frontier_size + record.edges
    return counts


def _knob_choice(label: str, knob: Knob) -> KnobChoice:
    name = f"{label}.{knob.name}" if label else written(knob)
    return KnobChoice(name, ("", *(f"{name}={value}" for value in _knob_values(knob))))


def _knob_values(knob: Knob) -> Iterator[str]:
    yield from knob.values
    for argument in knob.arguments:
        yield from (f"auto({argument.name}={max(1, round(argument.default * factor))})" for factor in _FACTORS)
