"""Every sample and test program on every backend against what it must answer, on graphs of all awkward kinds."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache

import pytest
from _pytest.mark import ParameterSet
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import gdsl
from gdsl.ir import nodes as ir
from gdsl.ir.traversal import walk
from gdsl.operations import Domain
from tests.oracles import BY_NAME, CASES, LIBRARY, SAMPLES, Case
from tests.oracles.case import symmetric
from tests.support.graphs import graphs, named_graphs

IN_LIBRARY = frozenset(case.name for case in LIBRARY)
BACKENDS = ["reference", "cpu", pytest.param("cuda", marks=pytest.mark.gpu)]
EXAMPLES = {"reference": 12, "cpu": 20, "cuda": 60}
"""Beside the named graphs; GDSL_TEST_EXAMPLES in the environment is a factor, for a longer search."""
PASSES = 1000
"""More than any loop of any program takes on these graphs: a loop that never ends is an error, not a hang."""
NAMED = named_graphs()
by_name = pytest.mark.parametrize("name", BY_NAME)


@cache
def compiled(name: str, tune: tuple[str, ...] = ()) -> gdsl.Program:
    return gdsl.compile(BY_NAME[name].path, tune=tune)


def run(case: Case, graph: gdsl.Graph, seed: int, backend: str, tune: Sequence[str] = ()) -> None:
    """Run the program on the graph and check all that it answers."""
    values = case.values(graph, seed)
    result = compiled(case.name, tuple(tune)).run(graph, values, backend=backend, max_iterations=PASSES)
    case.check(graph, values, {**result.scalars, **result.host_arrays()})


def run_named(name: str, backend: str, seeds: Sequence[int], tune: Sequence[str] = ()) -> None:
    """Run the program on all named graphs that suit it; the failure says on which. The first samples run on each with
    all seeds, the programs of the tests with two in turn, and the rest of the library with one."""
    case, count = BY_NAME[name], len(seeds)
    taken = count if case in SAMPLES else 1 if name in IN_LIBRARY else 2
    for place, (graph_name, graph) in enumerate(NAMED.items()):
        if not case.suits(graph):
            continue
        for seed in dict.fromkeys(seeds[(place + turn) % count] for turn in range(taken)):
            try:
                run(case, graph, seed, backend, tune)
            except Exception as error:
                raise AssertionError(f"{name} on {graph_name}, seed {seed}, {backend}, {tune}: {error}") from error


def test_every_program_has_an_oracle() -> None:
    programs = {path.stem for path in BY_NAME["bfs"].path.parent.glob("*.gdsl")}
    programs |= {path.stem for path in BY_NAME["names"].path.parent.glob("*.gdsl")}
    assert programs == set(BY_NAME)
    assert len(CASES) == len(BY_NAME)


@pytest.mark.parametrize("backend", BACKENDS)
@by_name
@pytest.mark.sampled(168)
def test_named_graphs(name: str, backend: str) -> None:
    run_named(name, backend, (0, 1, 2, 3))


def widened() -> Iterator[ParameterSet]:
    """On a GPU every program that is not of the library; of these the first samples on both other backends, the rest
    on one in turn."""
    for turn, name in enumerate(name for name in BY_NAME if name not in IN_LIBRARY):
        for place, backend in enumerate(("cpu", "reference")):
            if BY_NAME[name] in SAMPLES or turn % 2 == place:
                yield pytest.param(name, backend)
        yield pytest.param(name, "cuda", marks=pytest.mark.gpu)


@pytest.mark.parametrize(("name", "backend"), list(widened()))
@pytest.mark.sampled(252)
def test_named_graphs_with_wide_ids(name: str, backend: str) -> None:
    run_named(name, backend, (2,), ["schedule.ids=64"])


@pytest.mark.parametrize("backend", BACKENDS)
@by_name
@pytest.mark.sampled(6)
def test_any_graph(name: str, backend: str) -> None:
    case = BY_NAME[name]
    directed = False if case.suits is symmetric else None
    examples = EXAMPLES[backend] // (2 if name in IN_LIBRARY else 1)

    @settings(
        max_examples=examples * int(os.environ.get("GDSL_TEST_EXAMPLES", "1")),
        deadline=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
        database=None,
    )
    @given(graphs(directed=directed, min_vertices=0), st.integers(0, 11))
    def check(graph: gdsl.Graph, seed: int) -> None:
        assume(case.suits(graph))
        run(case, graph, seed, backend)

    check()


def advances(name: str) -> list[str]:
    """The labels of the program's advances that may pull."""
    found = [node for node in walk(compiled(name).ir.schedule) if isinstance(node, ir.Advance)]
    labels = {node.label for node in found} - {node.label for node in found if node.to is Domain.EDGE}
    return sorted(label for label in labels if written(name, label))


def balanced(name: str) -> list[str]:
    """The labels of the operators whose balance can be tuned."""
    operators = (ir.Advance, ir.NeighborReduce)
    labels = {node.label for node in walk(compiled(name).ir.schedule) if isinstance(node, operators)}
    return sorted(label for label in labels if written(name, label))


def written(name: str, label: str) -> bool:
    """Whether the program's text has a functor or a label of that name: what lowering adds nobody can tune."""
    return re.search(rf"(functor|@)\s*{re.escape(label)}\b", BY_NAME[name].path.read_text()) is not None


def subject(name: str, label: str) -> str:
    """What a tuning word calls an operator: the functor by name, a label behind an @."""
    functors = {functor.name for functor in (*compiled(name).ir.edge_functors, *compiled(name).ir.vertex_functors)}
    return label if label in functors else f"@{label}"


def fitting(name: str, knob: str, value: str, labels: Sequence[str]) -> list[str]:
    """The words that give `knob` this value, of those calls where it fits beside the program's own knobs."""
    words = []
    for label in labels:
        word = f"{subject(name, label)}.{knob}={value}"
        with suppress_unfit():
            compiled(name, (word,))
            words.append(word)
    return words


@contextmanager
def suppress_unfit() -> Iterator[None]:
    """A word that a program refuses for what it says itself (E0413, E0420) is no failure."""
    try:
        yield
    except gdsl.GdslError as error:
        if {diagnostic.code for diagnostic in error.diagnostics} - {"E0413", "E0420"}:
            raise


DIRECTIONS = ("push", "pull", "auto(alpha=2, beta=2)")


def that_call(operator: str) -> list[str]:
    """The programs whose text has such a call: to compile all of them would take longer than to gather all tests."""
    return [name for name, case in BY_NAME.items() if re.search(rf"\b{operator}\(", case.path.read_text())]


def directed() -> Iterator[ParameterSet]:
    """On a GPU every direction; on the cpu backend of the samples every one, of other programs one in turn."""
    for turn, name in enumerate(that_call("advance")):
        sample = BY_NAME[name] in SAMPLES
        for place, direction in enumerate(DIRECTIONS):
            if sample or turn % len(DIRECTIONS) == place:
                yield pytest.param(name, "cpu", direction)
            yield pytest.param(name, "cuda", direction, marks=pytest.mark.gpu)


@pytest.mark.parametrize(("name", "backend", "direction"), list(directed()))
@pytest.mark.sampled(90)
def test_every_direction(name: str, backend: str, direction: str) -> None:
    run_named(name, backend, (0, 1), fitting(name, "direction", direction, advances(name)))


@pytest.mark.parametrize("balance", ["thread", "block"])
@pytest.mark.parametrize("name", that_call("(advance|neighbor_reduce)"))
@pytest.mark.parametrize("backend", [pytest.param("cuda", marks=pytest.mark.gpu)])
def test_every_balance(name: str, backend: str, balance: str) -> None:
    run_named(name, backend, (0, 1), fitting(name, "balance", balance, balanced(name)))


@pytest.mark.parametrize("words", [["schedule.fuse=off"], ["bounds=off"], ["schedule.block=64"]], ids=str)
@pytest.mark.parametrize("backend", [pytest.param("cuda", marks=pytest.mark.gpu)])
@by_name
def test_other_forms(name: str, backend: str, words: list[str]) -> None:
    run_named(name, backend, (0, 1), words)
