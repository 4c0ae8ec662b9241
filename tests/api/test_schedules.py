"""The ways to tune a program, and every sample under legal ones on the cpu backend (and on a GPU)."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable

import numpy as np
import pytest
from oracles import SAMPLES, Case
from support.graphs import random_graph
from support.tuning import by_sample, by_turn, chosen, different, schedules_of, suited, thorough

from gdsl.api.program import Program
from gdsl.api.schedules import Schedules, Way, code_of, covering, differences, run_and_compare, uncompared
from gdsl.backends import registry
from gdsl.ir import nodes
from gdsl.operations import Grade
from gdsl.pipeline import load
from gdsl.source import Source

LARGE = random_graph(3000, 40000, seed=3, directed=False)
GRAPHS = (random_graph(90, 200, seed=4, directed=False), random_graph(5, 0, seed=5, directed=False))
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


def schedules_in(text: str, *given: str, grid: bool = False) -> Schedules:
    return Schedules(Source("<text>", text), given, grid=grid)


def unavailable(backend: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(not registry.availability(backend).ok, reason=f"no {backend} backend")


def tuned(case: Case, backend: str) -> Schedules:
    if backend == "cuda":
        return schedules_of(case, "schedule.ids=32", "schedule.block=64", grid=True)
    return schedules_of(case, "schedule.ids=32")


ONE_ON_CPU = ("warp", "block", "merge", "bins", "edges")
"""Balances that threads of the cpu backend know no other than `auto`; `thread` leaves long lists whole."""


def every_way(schedules: Schedules, backend: str) -> Iterable[Way]:
    """Those that may come to other code on the backend."""
    left_out = tuple(f".balance={value}" for value in ONE_ON_CPU) if backend == "cpu" else ()
    return (way for way in thorough(schedules) if not any(word.endswith(left_out) for word in way.words))


def code_on(backend: str, way: Way) -> str:
    return code_of(way.program.ir, backend, 32)


def compare(case: Case, program: Program, ways: Iterable[Way], backend: str) -> None:
    """Nothing differs from what the reference makes of the untuned `program`, and the oracle agrees."""
    graphs = suited(case, (*GRAPHS, LARGE) if case in SAMPLES else GRAPHS)
    given = [(graph, case.values(graph, 1)) for graph in graphs]
    expected = [program.run(graph, values, backend="reference") for graph, values in given]
    for way in ways:
        for (graph, values), wanted in zip(given, expected, strict=True):
            found = way.program.run(graph, values, backend=backend)
            assert list(differences(way.program.ir, wanted, found)) == [], way.words
            case.check(graph, values, {**found.scalars, **found.host_arrays()})


@pytest.mark.parametrize(
    "backend", [pytest.param("cpu", marks=unavailable("cpu")), pytest.param("cuda", marks=pytest.mark.gpu)]
)
@by_turn
@pytest.mark.sampled(72)
@pytest.mark.slow
def test_chosen_combinations_give_what_the_reference_gives(case: Case, place: int, backend: str) -> None:
    schedules = tuned(case, backend)
    compare(case, schedules.program, chosen(schedules, place, lambda way: code_on(backend, way)), backend)


@pytest.mark.thorough
@pytest.mark.timeout(0)
@pytest.mark.parametrize("backend", [pytest.param(name, marks=unavailable(name)) for name in ("cpu", "cuda")])
@by_sample
def test_every_combination_gives_what_the_reference_gives(case: Case, place: int, backend: str) -> None:
    schedules = tuned(case, backend)
    compare(
        case, schedules.program, different(every_way(schedules, backend), lambda way: code_on(backend, way)), backend
    )


def codes_by_balance(case: Case, values: Iterable[str]) -> set[str]:
    """The codes on the cpu backend of the sample as it stands, and with each balance in all operators that know it."""
    choices = [word for choices in schedules_of(case).choices for word in choices]
    words = [sorted({word for word in choices if word.endswith(f".balance={value}")}) for value in values]
    programs = [load(case.path, (*given, "schedule.order=as_given")) for given in ((), *words)]
    return {code_of(program, "cpu", 32) for program in programs}


@by_sample
@pytest.mark.sampled(45)
def test_these_balances_are_one_on_the_cpu_backend(case: Case, place: int) -> None:
    values = ONE_ON_CPU if case in SAMPLES else (ONE_ON_CPU[place % len(ONE_ON_CPU)],)
    assert len(codes_by_balance(case, values)) == 1


@pytest.mark.thorough
@by_sample
def test_each_of_these_balances_is_one_on_the_cpu_backend(case: Case, place: int) -> None:
    assert len(codes_by_balance(case, ONE_ON_CPU)) == 1


@pytest.mark.parametrize(
    "sizes", [(), (4,), (5, 3), (3, 3, 3), (7, 2, 2, 2), (4, 4, 3, 2, 2), (9, 8, 8, 8, 8, 8, 2, 1)]
)
def test_covering_rows_have_any_two_numbers_together(sizes: tuple[int, ...]) -> None:
    rows = list(covering(sizes))
    for one, other in itertools.combinations(range(len(sizes)), 2):
        assert {(row[one], row[other]) for row in rows} == set(
            itertools.product(range(sizes[one]), range(sizes[other]))
        )
    assert all(number < size for row in rows for number, size in zip(row, sizes, strict=True))
    assert len({*rows}) <= len(rows) <= 2 * max(1, sizes[0] if sizes else 1) * max([1, *sizes[1:]]) + 50


def test_pairs_are_every_two_operators_in_all_their_combinations() -> None:
    """Of two operators these are all; of three no more are needed for any two of them."""
    labels = ("visit", "@second", "@third")
    fixed = [f"{label}.{word}" for label in labels for word in ("frontier=auto", "balance=auto")]
    two = schedules_in(TWICE, "schedule.ids=32", *fixed[:4])
    every = {way.words for way in two.all()}
    assert {way.words for way in two.pairs()} == every == {way.words for way in thorough(two)}
    three = schedules_in(TWICE.replace("@second;", "@second; f = advance(f, visit) @third;"), "schedule.ids=32", *fixed)
    pairs = {way.words for way in thorough(three, most=100)}
    for absent in ("visit.", "second.", "third."):
        assert len({tuple(word for word in words if not word.startswith(absent)) for words in pairs}) == len(every)
    assert len(pairs) < len(list(three.all()))


def test_knobs_that_make_no_difference_make_no_other_code() -> None:
    """Threads of the cpu backend share vertices whatever a warp would do; on a GPU a balance is another kernel."""
    one, two = (next(schedules_in(TWICE, f"visit.balance={word}").all()) for word in ("warp", "merge"))
    assert code_on("cpu", one) == code_on("cpu", two) != code_of(one.program.ir, "cpu", 64)
    assert code_on("cuda", one) != code_on("cuda", two)
    assert code_on("reference", one) != code_on("reference", two)


def test_combinations_are_those_of_every_operator_by_itself() -> None:
    schedules = schedules_in(TWICE)
    directions, balances, forms, duplicates = 3, 7, 3, 2
    assert schedules.number == (directions * balances * forms * duplicates) ** 2 * 2
    assert schedules_in(TWICE, grid=True).number == schedules.number * 2 * 7 * 2
    ways = list(schedules.sample(12))
    assert len({way.words for way in ways}) == 12
    assert [way.words for way in ways] == [way.words for way in schedules.sample(12)]
    for way in ways:
        for knobs in way.program.ir.tuning.sites[:2]:
            assert knobs.balance.value == "auto" or knobs.direction is None or knobs.direction.value != "pull"


def test_words_that_are_given_hold_in_all_ways() -> None:
    schedules = schedules_in(TWICE, "visit.direction = pull", "@second.direction=push", "schedule.ids=64")
    assert schedules.number == (7 * 3 * 2) ** 2
    for way in schedules.sample(5):
        first, second = way.program.ir.tuning.sites[:2]
        assert (first.direction.value, second.direction.value) == ("pull", "push")
        assert way.program.ir.tuning.ids == 64
    of_functor = schedules_in(TWICE, "visit.direction=pull", "visit.dedup=exact", "visit.frontier=auto")
    assert of_functor.number == 7**2 * 2, "the functor's knobs hold for what a label names, too"


@pytest.mark.slow
def test_all_are_as_many_as_are_legal() -> None:
    text = TWICE.replace(" f = advance(f, visit) @second;", "")
    ways = list(schedules_in(text, "schedule.ids=32").all())
    assert len(ways) == len({way.words for way in ways})
    push = 2 * (7 * (2 * 2 + 1))  # push and auto; a queue with or without duplicates, or a bitmap
    pull = 3  # of any form; neither balance nor duplicates
    assert len(ways) == push + pull
    for count in (10_000, 2**63, 10**30):
        assert len(list(schedules_in(text, "schedule.ids=32").sample(count))) == len(ways)


def test_results_are_compared_by_their_grades() -> None:
    program = schedules_in(TWICE).program.ir
    assert uncompared(program) == ["parent"]
    level, parent = np.array([0, 1, 2]), np.array([-1, 0, 1])
    one = {"level": level, "parent": parent, "mass": 1.0}
    assert not list(differences(program, one, {**one, "parent": parent[::-1], "mass": 1.0 + 1e-6}))
    assert list(differences(program, one, {**one, "mass": 1.001})) == ["mass is 1.001, not 1.0"]
    assert list(differences(program, one, {**one, "level": np.array([0, 1, 3])})) == ["level[2] is 3, not 2"]


def test_functions_that_backends_compute_to_some_digits_are_compared_so() -> None:
    text = "program p; problem {{ vertex x : float64; }} vertex functor f(v) {{ apply {{ x[v] = {}; }} }}"
    for call, differ in (("sin(0.5)", 0), ("sqrt(0.5)", 1)):
        program = schedules_in(text.format(call) + " schedule { compute(vertices, f); }").program.ir
        one, other = ({"x": np.array([value])} for value in (1.0, 1.0 + 2e-16 * 2))
        assert len(list(differences(program, one, other))) == differ


def test_a_count_of_passes_that_rounding_decides_is_not_compared() -> None:
    program = schedules_in(TWICE).program.ir
    passes = [dataclasses.replace(each, grade=Grade.CONVERGED) for each in program.arrays if each.name == "level"]
    changed = dataclasses.replace(program, arrays=(*passes, *(a for a in program.arrays if a.name != "level")))
    assert uncompared(changed) == ["level", "parent"]
    assert isinstance(changed.arrays[0], nodes.Array)


def test_a_run_that_ends_with_an_error_differs() -> None:
    graph = GRAPHS[0]
    schedules = schedules_in(TWICE)
    expected = schedules.program.run(graph, {"source": 0}, backend="reference")
    (way,) = schedules.sample(1)
    (line,) = run_and_compare(way, graph, {"source": 0}, expected, backend="reference", max_iterations=0)
    assert line.startswith("it ends with E08")
