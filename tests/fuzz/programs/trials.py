"""A program with its graph and values, what it answers in many orders, and whether answers are the same."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy

from fuzz.expressions.running import apart
from fuzz.programs.graphs import Pools, Shape
from fuzz.programs.running import PASSES, Answer, Place, Runner, on_reference
from gdsl.api.summary import on_host
from gdsl.backends.interface import Outcome
from gdsl.binding import problem_data
from gdsl.ir import nodes as ir
from gdsl.operations import Grade
from gdsl.types import Type

STOPS = ("E0802", "E0803")
"""A run that its limits ended: it may be endless."""
_PATIENCE = 20
"""How much longer a run may take before it counts as endless where another has ended."""
_NEAR = 1e-3
_HEADER = "# repeat: "


@dataclass(frozen=True)
class Trial:
    """All that a run is made from; what the caller gives is kept apart from the graph, so that both can shrink."""

    text: str
    shape: Shape
    pools: Pools = field(default_factory=dict)

    def header(self) -> str:
        """The graph and the values, as one comment line of a program."""
        data = {
            "vertices": self.shape.vertices,
            "edges": self.shape.edges,
            "directed": self.shape.directed,
            "values": {name: values for name, values in self.pools.items() if re.search(rf"\b{name}\b", self.text)},
        }
        return _HEADER + json.dumps(data)


def trial_of(text: str) -> Trial:
    """The trial that a file with such a header holds. Raises ValueError where it has none."""
    for line in text.splitlines():
        if line.startswith(_HEADER):
            data = json.loads(line[len(_HEADER) :])
            shape = Shape(data["vertices"], tuple((a, b) for a, b in data["edges"]), data["directed"])
            return Trial(text, shape, {name: tuple(values) for name, values in data["values"].items()})
    raise ValueError(f"no line begins with {_HEADER.strip()!r}")


# ---------------------------------------------------------------- what must be the same


def is_exact(declared: ir.Array | ir.Scalar) -> bool:
    """Whether the checker says that a result has one value, bit for bit."""
    return declared.grade in (Grade.EXACT, Grade.TRIED)


def is_compared(declared: ir.Array | ir.Scalar) -> bool:
    """Whether two runs must agree, to the bit or nearly."""
    return declared.grade in (Grade.EXACT, Grade.TRIED, Grade.ROUNDING)


def is_wholly_exact(program: ir.Program) -> bool:
    """Whether no decision of the program can depend on an order, so that even its errors are the same."""
    return all(is_exact(declared) for declared in problem_data(program))


def difference(program: ir.Program, first: Answer, second: Answer) -> str | None:
    """How two answers disagree in what must be the same; None where they do not."""
    if isinstance(first, Outcome) and isinstance(second, Outcome):
        return next(_differing(program, first, second, compared_only=True), (None, None))[1]
    if _stops(first) != _stops(second) and all(is_compared(declared) for declared in problem_data(program)):
        return "one run ends and another goes on without end"
    codes = [answer if isinstance(answer, str) else "an answer" for answer in (first, second)]
    if codes[0] == codes[1] or (codes[0] in STOPS and codes[1] in STOPS) or not is_wholly_exact(program):
        return None
    return f"{codes[0]}, and {codes[1]}"


def differing_names(program: ir.Program, first: Answer, second: Answer) -> set[str]:
    """All results in which two answers differ, whatever their grade."""
    if isinstance(first, Outcome) and isinstance(second, Outcome):
        return {name for name, _ in _differing(program, first, second, compared_only=False)}
    return set() if first == second else {declared.name for declared in problem_data(program)}


def _differing(
    program: ir.Program, first: Outcome, second: Outcome, *, compared_only: bool
) -> Iterator[tuple[str, str]]:
    for declared in problem_data(program):
        if declared.is_local or (compared_only and not is_compared(declared)):
            continue
        is_array = isinstance(declared, ir.Array)
        sides: list[Any] = [(side.arrays if is_array else side.scalars)[declared.name] for side in (first, second)]
        for place, kind in enumerate(declared.type.parts or (declared.type,)):
            values = [side[place] for side in sides] if declared.type.is_pair else sides
            both = [numpy.atleast_1d(on_host(value)).ravel() for value in values]
            if not is_array:
                both = [numpy.asarray(side, dtype="int64" if kind.is_id else kind.name) for side in both]
            wrong = numpy.flatnonzero(_apart(declared, kind, *both))
            if wrong.size:
                at = f"[{wrong[0]}]" if is_array else ""
                shown = " and ".join(repr(side[wrong[0]].item()) for side in both)
                yield declared.name, f"{declared.name}{at} is {shown} ({declared.grade.value})"
                break


def _apart(declared: ir.Array | ir.Scalar, kind: Type, first: Any, second: Any) -> Any:
    if declared.grade is not Grade.ROUNDING or not kind.is_float:
        return apart(first, second) > 0
    size = max((float(numpy.abs(side[numpy.isfinite(side)]).max(initial=0)) for side in (first, second)), default=0)
    return ~numpy.isclose(first, second, rtol=_NEAR, atol=_NEAR * (1 + size), equal_nan=True)


# ---------------------------------------------------------------- orders


@dataclass
class Orders:
    """What the reference answers under several orders."""

    answer: Answer
    """That of the first."""
    seed: int
    conflict: tuple[int, str] | None = None
    """The first order whose answer disagrees, and how."""
    differed: set[str] = field(default_factory=set)
    """Results that differed, whatever their grade."""


def under_orders(program: ir.Program, trial: Trial, seeds: Iterable[int]) -> Orders:
    """Run until two orders disagree in what must be the same, or `seeds` are over. Raises what binding raises."""
    place, run = Place(trial.shape.graph, trial.pools), on_reference(program)
    numbers = iter(seeds)
    first = next(numbers)
    found = Orders(run(place, first, 1), first)
    for count, seed in enumerate(numbers):
        how = compare(program, place, found, run, seed)
        if how is not None:
            found.conflict = (seed, how)
            break
        if _stops(found.answer) and (count or found.answer == "E0802"):
            break  # endless in all orders, it seems
    return found


def compare(program: ir.Program, place: Place, found: Orders, run: Runner, seed: int) -> str | None:
    """How an answer of `run` disagrees with the reference's `found`, which it adds to; None where it does not."""
    answer = run(place, seed, 1)
    if _stops(answer) != _stops(found.answer):
        # One has ended: let the other take much longer before it counts as endless.
        if _stops(answer):
            answer = run(place, seed, _PATIENCE)
        else:
            found.answer = on_reference(program)(place, found.seed, _PATIENCE)
    found.differed |= differing_names(program, found.answer, answer)
    return difference(program, found.answer, answer)


def compare_stopped(program: ir.Program, place: Place, found: Orders, run: Runner, passes: int) -> str | None:
    """As `compare`, for a run whose loops may have so few passes: it gives the same answer, or is stopped."""
    answer = run(place, 0, passes / PASSES)
    return None if _stops(answer) or _stops(found.answer) else difference(program, found.answer, answer)


def _stops(answer: Answer) -> bool:
    return isinstance(answer, str) and answer in STOPS
