"""Every sample under legal combinations of knobs on the emulator: no finding, and the reference's results."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from oracles import CASES, SAMPLES, Case
from support.graphs import random_graph
from support.tuning import by_sample, chosen, different, in_parts, part_of, schedules_of, suited, thorough

import gdsl
from gdsl.api.schedules import Schedules, Way, differences, hash_of
from gdsl.backends.cuda import plan_of
from gdsl.binding import bind
from gdsl.codegen.cuda.generate import generate
from gdsl.ir.nodes import Program
from gdsl.plan.printer import print_plan

from . import build
from .running import NARROW, SMALL, TINY, device_for, emulated, expect

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")

GRAPHS = (
    random_graph(160, 700, seed=3, directed=False),
    random_graph(70, 280, seed=3, directed=False),
    random_graph(40, 60, seed=4, directed=False),
    random_graph(9, 30, seed=5, directed=False),
)


def tuned(case: Case) -> Schedules:
    return schedules_of(case, "schedule.ids=32", "schedule.block=32", grid=True)


def code(way: Way) -> str:
    plan = plan_of(way.program.ir, SMALL)
    return hash_of(generate(plan, NARROW).text, print_plan(plan))


def compare(case: Case, program: Program, ways: Iterable[Way], first: int) -> None:
    """Nothing differs from what the reference makes of the untuned `program`, and the oracle agrees. The first samples
    run on the largest graph."""
    graphs = [graph for graph in GRAPHS if graph is not GRAPHS[case in SAMPLES]]
    given = [(graph, case.values(graph, 1)) for graph in suited(case, graphs)]
    bound = [(graph, values, bind(program, graph, values)) for graph, values in given]
    expected = [expect(program, graph, bindings) for graph, _, bindings in bound]
    for place, way in enumerate(ways, first):
        built = emulated(way.program.ir, (SMALL, TINY)[place % 2])
        for (graph, values, bindings), wanted in zip(bound, expected, strict=True):
            found = built.run(graph, bindings, device_for(place, blocks=1 + place % 4))
            wanted_and_found = [{**outcome.arrays, **outcome.scalars} for outcome in (wanted, found)]
            assert list(differences(way.program.ir, *wanted_and_found)) == [], way.words
            case.check(graph, values, wanted_and_found[1])


@by_sample
@pytest.mark.sampled(27)
def test_chosen_combinations_give_what_the_reference_gives(case: Case, place: int) -> None:
    schedules = tuned(case)
    compare(case, schedules.program.ir, chosen(schedules, place, code), place)


@pytest.mark.thorough
@pytest.mark.timeout(0)
@in_parts
@by_sample
def test_every_combination_gives_what_the_reference_gives(case: Case, place: int, part: int) -> None:
    schedules = tuned(case)
    compare(case, schedules.program.ir, different(part_of(thorough(schedules), part), code), place + part)


def test_members_that_come_twice_are_read_as_they_are_written() -> None:
    """Two threads run `settle` for one vertex, which reads what it has just written."""
    case = next(case for case in CASES if case.name == "geolocation")
    words = ("unknown.direction=push", "unknown.balance=thread", "unknown.frontier=queue", "unknown.dedup=none")
    program = gdsl.compile(case.path, tune=[*words, "schedule.fuse=off"])
    compare(case, program.ir, [Way(words, program)], 0)
