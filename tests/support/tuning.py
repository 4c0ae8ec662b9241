"""The samples under combinations of knobs: which ones, and on which graphs.

Every run of the tests takes a few combinations of each sample, always the same ones, another part of all for each
sample; `pytest -m thorough` takes all, or, where these are more than a thousand, all of any two operators.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator

import pytest
from oracles import LIBRARY, SAMPLES, Case

from gdsl.api.schedules import Schedules, Way
from gdsl.graph import Graph
from gdsl.source import Source

from .graphs import simple_part

TUNED: tuple[Case, ...] = (*SAMPLES, *LIBRARY)
MOST_DRAWN = 60
"""Combinations that are looked at for those of a run of the tests; others may all come to the code of the first."""
_PLACES = [pytest.param(case, place, id=case.name) for place, case in enumerate(TUNED)]
by_sample = pytest.mark.parametrize(("case", "place"), _PLACES)
by_turn = pytest.mark.parametrize(("case", "place"), [*_PLACES[: len(SAMPLES)], *_PLACES[len(SAMPLES) :: 2]])
"""The first samples, and every second one of the rest."""
PARTS = 8
in_parts = pytest.mark.parametrize("part", range(PARTS))
"""A sample's thorough test is several, for as many processes."""


def schedules_of(case: Case, *given: str, grid: bool = False) -> Schedules:
    """The ways to tune a sample."""
    return Schedules(Source(case.path.name, case.path.read_text(encoding="utf-8")), given, grid=grid)


def chosen(schedules: Schedules, place: int, code: Callable[[Way], str]) -> Iterator[Way]:
    """The ways of a run of the tests: of the first samples three, of the others one, and none that comes to the code
    of the sample as it stands."""
    drawn = schedules.sample(MOST_DRAWN, seed=place)
    count = 3 if place < len(SAMPLES) else 1
    return itertools.islice(different(drawn, code, code(Way((), schedules.program))), count)


def part_of(ways: Iterable[Way], part: int) -> Iterator[Way]:
    """Those of a thorough test's part: one in turn."""
    return itertools.islice(ways, part, None, PARTS)


def different(ways: Iterable[Way], code: Callable[[Way], str], *known: str) -> Iterator[Way]:
    """Of ways that come to the same code the first, and none that comes to a `known` one."""
    seen = set(known)
    for way in ways:
        found = code(way)
        if found not in seen:
            seen.add(found)
            yield way


def suited(case: Case, graphs: Iterable[Graph]) -> list[Graph]:
    """Those that the sample runs on, else their simple parts."""
    found = [graph for graph in (*graphs, *map(simple_part, graphs)) if case.suits(graph)]
    assert found, case.name
    return found[: len(list(graphs))]


def thorough(schedules: Schedules, most: int = 1000) -> Iterator[Way]:
    """All settings, or, if these are more than `most`, those of pairs of operators."""
    return schedules.all() if schedules.number_of_legal <= most else schedules.pairs()
