"""Runs in turns in other forms of a program: always the results of the reference, whichever form is kept."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy
import pytest
from support.graphs import grid, make_graph

import gdsl
from gdsl.backends.cuda import nvrtc, observed_forms
from gdsl.backends.cuda.backend import CudaBackend
from gdsl.backends.cuda.executable import CudaExecutable
from gdsl.backends.cuda.observed_forms import ObservedForms
from gdsl.backends.interface import Outcome
from gdsl.diagnostics import GdslError
from gdsl.graph import Graph, rmat
from gdsl.plan import alternatives

from . import build
from .fake_cupy import FakeCupy

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")
LOOPS = make_graph([(0, 0), (0, 1), (0, 1), (1, 2), (2, 0), (3, 3)], 5, directed=False)


@pytest.fixture
def eager(cupy: FakeCupy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is tried as soon as possible, on small graphs, too."""
    monkeypatch.setattr(observed_forms, "TIMES", 0)
    monkeypatch.setattr(observed_forms, "WARM", 1)
    monkeypatch.setattr(alternatives, "LEAST_EDGES", 1)


def deciding(monkeypatch: pytest.MonkeyPatch, kept: bool) -> None:
    """The first run of each form decides."""

    def note_try(self: ObservedForms, ms: float) -> bool:
        if kept:
            assert self.trying is not None
            self.kept, self.trying = (*self.kept, self.trying), None
        else:
            self.lose("is slower here")
        return kept

    monkeypatch.setattr(ObservedForms, "note_try", note_try)


def words(program: Any, graph: Graph) -> ObservedForms:
    executable: CudaExecutable = program.last_run(graph, "cuda")[1]
    assert executable._forms is not None
    return executable._forms[graph]


@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("graph", [rmat(6, 5, seed=5), LOOPS], ids=["hubs", "loops"])
def test_every_form_gives_the_results(eager: None, graph: Graph, kept: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    deciding(monkeypatch, kept)
    program = gdsl.compile("bfs")
    expected = [program(graph, source=source, backend="reference").distance for source in range(3)]
    for turn in range(12):
        found = program(graph, source=turn % 3, backend="cuda")
        assert numpy.array_equal(found.distance.get(), expected[turn % 3])
    forms = words(program, graph)
    tried = {"schedule.block=256", "schedule.block=1024", "schedule.layout=by_degree"}
    assert forms.is_settled and tried <= {each.word for each in forms.kept} | {line.split()[0] for line in forms.lines}
    assert found.form_line == forms.line and bool(forms.line) is kept
    build = program.last_run(graph, "cuda")[1].build(graph)
    assert build.plan.sizes.block_threads == (1024 if kept else 512)
    assert kept or "tried" in dict(build.facts)
    pending = program.submit(graph, source=1, backend="cuda").result()
    assert numpy.array_equal(pending.distance.get(), expected[1])
    batch = list(program.map(graph, source=[1, 2], backend="cuda"))
    assert numpy.array_equal(batch[1].distance, expected[2])


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["sssp", "k_core", "connected_components", "pagerank", "louvain", "coloring", "random_walk"]
)
def test_samples(eager: None, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    deciding(monkeypatch, True)
    graph = rmat(6, 4, seed=3) if name == "random_walk" else make_graph(grid(5, 7), 36, directed=False)
    values: dict[str, Any] = {"sssp": {"source": 3}, "random_walk": {"starts": [1, 5, 1]}}.get(name, {})
    if name in ("sssp", "louvain"):
        weight = numpy.ones(graph.num_edges, numpy.float32)
        graph = Graph(graph.offsets, graph.columns, directed=False, attributes={"weight": weight})
    program = gdsl.compile(name)
    expected = program(graph, **values, backend="reference")
    for _ in range(14):
        found = program(graph, **values, backend="cuda")
        for result, value in expected.items():
            here = getattr(found[result], "get", lambda there=found[result]: there)()
            if found.grade[result] == "exact":
                assert numpy.array_equal(here, value), result
            elif found.grade[result] != "not unique":
                assert numpy.allclose(here, value, rtol=1e-3, atol=1e-5), result
    assert words(program, graph).is_settled and len(words(program, graph).kept) > 1


def test_times_decide(eager: None, monkeypatch: pytest.MonkeyPatch) -> None:
    run, blocks = CudaExecutable._run, list[int]()

    def timed(self: CudaExecutable, *given: Any) -> Outcome:
        outcome = run(self, *given)
        blocks.append(self.plan.sizes.block_threads)
        outcome.time_ms = {512: 10.0, 256: 8.0, 1024: 12.0}[blocks[-1]]
        return outcome

    monkeypatch.setattr(CudaExecutable, "_run", timed)
    monkeypatch.setattr(alternatives, "LEAST_EDGES", 1 << 24)
    graph = make_graph(grid(5, 9), 45, directed=False)
    program = gdsl.compile("bfs", tune=["visit.direction=push"])
    for _ in range(60):
        found = program(graph, source=7, backend="cuda")
    assert found.form_line == "form: schedule.block=256, as runs showed"
    assert [line.split(",")[0] for line in words(program, graph).lines] == [
        "schedule.block=256 8 ms for 10",
        "schedule.block=1024 12 ms for 8",
        "visit.balance=thread 8 ms for 8",
    ]
    assert blocks[:4] == [512, 256, 512, 256] and blocks[-9:] == [256] * 9
    assert program(graph, source=7, backend="cuda", max_iterations=99).form_line == ""
    assert blocks[-1] == 512, "passes are those of the form as it is"


@pytest.mark.parametrize("code", ["E0802", "E0912", "E0905"])
def test_a_form_that_fails_is_not_tried_again(eager: None, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run, refused = CudaExecutable._run, list[int]()

    def refusing(self: CudaExecutable, *given: Any) -> Outcome:
        if self._program.tuning.block is not None:
            refused.append(1)
            raise GdslError.single(code, "not here")
        return run(self, *given)

    monkeypatch.setattr(CudaExecutable, "_run", refusing)
    monkeypatch.setattr(alternatives, "LEAST_EDGES", 1 << 24)
    program = gdsl.compile("bfs", tune=["visit.direction=push"])
    expected = program(LOOPS, source=1, backend="reference").distance
    for _ in range(5):
        assert numpy.array_equal(program(LOOPS, source=1, backend="cuda").distance.get(), expected)
    assert len(refused) == 2 and len(words(program, LOOPS).lines) == 2


def test_where_nothing_is_tried(eager: None) -> None:
    program = gdsl.compile("bfs", tune=["schedule.block=32"])
    program(LOOPS, source=1, backend="cuda")
    assert program.last_run(LOOPS, "cuda")[1]._forms is None
    program = gdsl.compile("bfs")
    for _ in range(3):
        program(LOOPS, source=1, backend="cuda", max_iterations=9)
    assert LOOPS not in program.last_run(LOOPS, "cuda")[1]._forms


def test_calls_of_several_threads(eager: None) -> None:
    program = gdsl.compile("bfs")
    expected = [program(LOOPS, source=source, backend="reference").distance for source in range(5)]

    def call(number: int) -> bool:
        found = program(LOOPS, source=number % 5, backend="cuda").distance.get()
        return numpy.array_equal(found, expected[number % 5])

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(call, range(100)))
    assert len(words(program, LOOPS).lines) >= 3


def test_without_a_compiler_nothing_is_tried(eager: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """As with packages that bring their machine code."""
    program = gdsl.compile("k_core")
    expected = program(LOOPS, backend="reference").core
    monkeypatch.setattr(nvrtc, "is_there", lambda: False)
    monkeypatch.setattr(CudaBackend, "_is_built", lambda *given: False)
    for _ in range(3):
        assert numpy.array_equal(program(LOOPS, backend="cuda").core.get(), expected)
    assert words(program, LOOPS).is_settled and words(program, LOOPS).lines == ()


def test_tries_begin_as_soon_as_runs_have_taken_ten_times_as_long(
    cupy: FakeCupy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Looking for them takes time as well, which must not put them off again and again."""
    monkeypatch.setattr(observed_forms, "TIMES", 10)
    monkeypatch.setattr(CudaBackend, "_is_built", lambda *given: time.sleep(0.02) or True)
    run = CudaExecutable._run

    def timed(self: CudaExecutable, *given: Any) -> Outcome:
        outcome = run(self, *given)
        outcome.time_ms = 50.0 if self._program.tuning.block is None else 40.0
        return outcome

    monkeypatch.setattr(CudaExecutable, "_run", timed)
    program = gdsl.compile("bfs")
    for _ in range(400):
        found = program(LOOPS, source=1, backend="cuda")
        if found.form_line:
            break
    assert found.form_line == "form: schedule.block=256, as runs showed"
    forms = words(program, LOOPS)
    assert forms._cost_ms * 10 < forms._all_ms


def test_a_form_that_cannot_be_built_ends_no_run(eager: None, monkeypatch: pytest.MonkeyPatch) -> None:
    program = gdsl.compile("k_core")
    expected = program(LOOPS, backend="reference").core
    assert numpy.array_equal(program(LOOPS, backend="cuda").core.get(), expected)

    def refused(*given: object) -> None:
        raise AssertionError("a plan that is refused")

    monkeypatch.setattr(program.last_run(LOOPS, "cuda")[1], "_build", refused)
    for _ in range(30):
        assert numpy.array_equal(program(LOOPS, backend="cuda").core.get(), expected)
    lines = words(program, LOOPS).lines
    assert lines and all("could not be built (AssertionError)" in line for line in lines)
