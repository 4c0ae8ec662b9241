"""The ways to tune a program, and every sample under legal ones on the cpu backend.

A few combinations each, always the same ones; GDSL_TEST_EXAMPLES=2 in the environment, or more, asks for all.
"""

from __future__ import annotations

import dataclasses
import os

import numpy as np
import pytest
from oracles import SAMPLES, Case
from support.graphs import random_graph

from gdsl.api.schedules import Schedules, differences, run_and_compare, uncompared
from gdsl.backends import registry
from gdsl.ir import nodes
from gdsl.operations import Grade
from gdsl.source import Source

COUNT = max(1, 20 // len(SAMPLES))
GRAPHS = (
    random_graph(3000, 40000, seed=3, directed=False),
    random_graph(90, 200, seed=4, directed=False),
    random_graph(5, 0, seed=5, directed=False),
)
TWICE = """program twice;
problem { param source : vertex; vertex level : int32 = -1; vertex parent : vertex; scalar mass : float32; }
edge functor visit(src, dst, e) { cond level[dst] == -1; apply { level[dst] = iteration + 1; parent[dst] any= src; } }
edge functor weigh(src, dst, e) -> int32 { value 1; }
vertex functor add(v) { apply { mass += 0.1; } }
schedule {
    level[source] = 0;
    frontier f = { source };
    while (f) { f = advance(f, visit); f = advance(f, visit) @second; }
    compute(vertices, add);
}
"""


def schedules_of(text: str, *given: str, grid: bool = False) -> Schedules:
    return Schedules(Source("<text>", text), given, grid=grid)


@pytest.mark.skipif(not registry.availability("cpu").ok, reason="no C++ compiler")
@pytest.mark.parametrize("case", SAMPLES, ids=lambda case: case.name)
def test_every_combination_gives_what_the_reference_gives(case: Case) -> None:
    schedules = schedules_of(case.path.read_text(encoding="utf-8"))
    everything = int(os.environ.get("GDSL_TEST_EXAMPLES", "1")) > 1
    graphs = [(graph, case.values(graph, 1)) for graph in GRAPHS if case.suits(graph)]
    expected = [schedules.program.run(graph, values, backend="reference") for graph, values in graphs]
    ways = schedules.all() if everything else schedules.sample(COUNT)
    for way in ways:
        for (graph, values), wanted in zip(graphs, expected, strict=True):
            assert run_and_compare(way, graph, values, wanted, backend="cpu") == [], way.words


def test_combinations_are_those_of_every_operator_by_itself() -> None:
    schedules = schedules_of(TWICE)
    directions, balances, forms, duplicates = 3, 7, 3, 2
    assert schedules.number == (directions * balances * forms * duplicates) ** 2 * 2
    assert schedules_of(TWICE, grid=True).number == schedules.number * 2 * 7
    ways = list(schedules.sample(12))
    assert len({way.words for way in ways}) == 12
    assert [way.words for way in ways] == [way.words for way in schedules.sample(12)]
    for way in ways:
        for knobs in way.program.ir.tuning.sites[:2]:
            assert knobs.balance.value == "auto" or knobs.direction is None or knobs.direction.value != "pull"


def test_words_that_are_given_hold_in_all_ways() -> None:
    schedules = schedules_of(TWICE, "visit.direction = pull", "@second.direction=push", "schedule.ids=64")
    assert schedules.number == (7 * 3 * 2) ** 2
    for way in schedules.sample(5):
        first, second = way.program.ir.tuning.sites[:2]
        assert (first.direction.value, second.direction.value) == ("pull", "push")
        assert way.program.ir.tuning.ids == 64
    of_functor = schedules_of(TWICE, "visit.direction=pull", "visit.dedup=exact", "visit.frontier=auto")
    assert of_functor.number == 7**2 * 2, "the functor's knobs hold for what a label names, too"


def test_all_are_as_many_as_are_legal() -> None:
    text = TWICE.replace(" f = advance(f, visit) @second;", "")
    ways = list(schedules_of(text, "schedule.ids=32").all())
    assert len(ways) == len({way.words for way in ways})
    push = 2 * (7 * (2 * 2 + 1))  # push and auto; a queue with or without duplicates, or a bitmap
    pull = 3  # of any form; neither balance nor duplicates
    assert len(ways) == push + pull
    for count in (10_000, 2**63, 10**30):
        assert len(list(schedules_of(text, "schedule.ids=32").sample(count))) == len(ways)


def test_results_are_compared_by_their_grades() -> None:
    program = schedules_of(TWICE).program.ir
    assert uncompared(program) == ["parent"]
    level, parent = np.array([0, 1, 2]), np.array([-1, 0, 1])
    one = {"level": level, "parent": parent, "mass": 1.0}
    assert not list(differences(program, one, {**one, "parent": parent[::-1], "mass": 1.0 + 1e-6}))
    assert list(differences(program, one, {**one, "mass": 1.001})) == ["mass is 1.001, not 1.0"]
    assert list(differences(program, one, {**one, "level": np.array([0, 1, 3])})) == ["level[2] is 3, not 2"]


def test_functions_that_backends_compute_to_some_digits_are_compared_so() -> None:
    text = "program p; problem {{ vertex x : float64; }} vertex functor f(v) {{ apply {{ x[v] = {}; }} }}"
    for call, differ in (("sin(0.5)", 0), ("sqrt(0.5)", 1)):
        program = schedules_of(text.format(call) + " schedule { compute(vertices, f); }").program.ir
        one, other = ({"x": np.array([value])} for value in (1.0, 1.0 + 2e-16 * 2))
        assert len(list(differences(program, one, other))) == differ


def test_a_count_of_passes_that_rounding_decides_is_not_compared() -> None:
    program = schedules_of(TWICE).program.ir
    passes = [dataclasses.replace(each, grade=Grade.CONVERGED) for each in program.arrays if each.name == "level"]
    changed = dataclasses.replace(program, arrays=(*passes, *(a for a in program.arrays if a.name != "level")))
    assert uncompared(changed) == ["level", "parent"]
    assert isinstance(changed.arrays[0], nodes.Array)


def test_a_run_that_ends_with_an_error_differs() -> None:
    graph = GRAPHS[1]
    schedules = schedules_of(TWICE)
    expected = schedules.program.run(graph, {"source": 0}, backend="reference")
    (way,) = schedules.sample(1)
    (line,) = run_and_compare(way, graph, {"source": 0}, expected, backend="reference", max_iterations=0)
    assert line.startswith("it ends with E08")
