"""Runs in turns in other forms of a program: always the results of the reference, whichever form is kept."""

from __future__ import annotations

import gc
import pickle
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from typing import Any

import numpy
import pytest
from support.graphs import grid, make_graph, random_graph

import gdsl
from gdsl.backends.cuda import enactor, nvrtc, observed_forms
from gdsl.backends.cuda.backend import CudaBackend
from gdsl.backends.cuda.executable import CudaExecutable
from gdsl.backends.cuda.launching import Launching
from gdsl.backends.interface import Outcome
from gdsl.backends.measuring import measured
from gdsl.diagnostics import GdslError
from gdsl.graph import Graph, rmat
from gdsl.ir.nodes import Program
from gdsl.plan import alternatives

from . import build
from .fake_cupy import FakeCupy
from .forms import by_blocks, deciding, timed, words

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")
LOOPS = make_graph([(0, 0), (0, 1), (0, 1), (1, 2), (2, 0), (3, 3)], 5, directed=False)


@pytest.fixture
def eager(cupy: FakeCupy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is tried as soon as possible, on small graphs, too."""
    monkeypatch.setattr(observed_forms, "TIMES", 0)
    monkeypatch.setattr(observed_forms, "WARM", 1)
    monkeypatch.setattr(alternatives, "LEAST_EDGES", 1)


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


SENDING = """program sending;
problem {
    vertex rank : float64 = 1; local vertex change : float64 = id < 3 ? 1 : 0; local vertex received : float64;
}
edge functor passed_on(src, dst, e) -> float64 { cond change[src] > 1e-6; value change[src] / out_degree(src); }
schedule {
    repeat (6) {
        received = neighbor_reduce(vertices, passed_on, sum, over=in_edges);
        compute(vertices, v => { change[v] = 0.85 * received[v]; rank[v] += change[v]; });
    }
    frontier f = vertices;
    repeat (2) { f = advance(f, (src, dst, e) => rank[src] > 1); }
}
"""
"""A reduction for which neighbors send, in an advance that a pass adds and that has pushed from most vertices."""


def test_operators_that_passes_add_have_no_form_of_their_own(eager: None, monkeypatch: pytest.MonkeyPatch) -> None:
    deciding(monkeypatch, True)
    program, graph = gdsl.compile(SENDING), make_graph(grid(5, 7), 36, directed=False)
    expected = program(graph, backend="reference").rank
    for _ in range(14):
        found = program(graph, backend="cuda")
        assert numpy.allclose(found.rank.get(), expected)
    sites = {record.site for record in found.trace if record.direction is not None}
    assert max(sites) >= len(program.ir.tuning.sites) and words(program, graph).is_settled


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
    assert program.last_run(LOOPS, "cuda")[1]._on(LOOPS).forms is None
    program = gdsl.compile("bfs")
    for _ in range(3):
        program(LOOPS, source=1, backend="cuda", max_iterations=9)
    assert program.last_run(LOOPS, "cuda")[1]._on(LOOPS).forms is None


def test_calls_of_several_threads(eager: None) -> None:
    program = gdsl.compile("bfs")
    expected = [program(LOOPS, source=source, backend="reference").distance for source in range(5)]

    def call(number: int) -> bool:
        found = program(LOOPS, source=number % 5, backend="cuda").distance.get()
        return numpy.array_equal(found, expected[number % 5])

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(call, range(100)))
    assert words(program, LOOPS).lines


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


def test_threads_build_each_form_once(eager: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """One has the turn, the others run the best form; what they keep is what one thread would."""
    timed(monkeypatch, by_blocks)
    built, build = list[int | None](), CudaBackend.build

    def building(self: CudaBackend, program: Program, *given: Any, **named: Any) -> CudaExecutable:
        built.append(program.tuning.block)
        return build(self, program, *given, **named)

    monkeypatch.setattr(CudaBackend, "build", building)
    monkeypatch.setattr(alternatives, "LEAST_EDGES", 1 << 24)
    program = gdsl.compile("bfs", tune=["visit.direction=push"])
    expected = [program(LOOPS, source=source, backend="reference").distance for source in range(5)]

    def call(number: int) -> bool:
        found = program(LOOPS, source=number % 5, backend="cuda").distance.get()
        return numpy.array_equal(found, expected[number % 5])

    assert call(0)  # the program itself is built: threads that call it first build it each for themselves
    with ThreadPoolExecutor(6) as pool:
        assert all(pool.map(call, range(240)))
    forms = words(program, LOOPS)
    assert forms.is_settled and [each.word for each in forms.kept] == ["schedule.block=256"]
    assert built.count(1024) == 1 and len(built) <= 5
    executable: CudaExecutable = program.last_run(LOOPS, "cuda")[1]
    assert executable._on(LOOPS).tried is None and not forms.turn.locked()


def test_waiting_for_other_runs_does_not_count_against_a_form(eager: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(observed_forms, "SHORTEST", 0.05)
    program = gdsl.compile("bfs")
    program(LOOPS, source=1, backend="cuda")
    forms, executable = words(program, LOOPS), program.last_run(LOOPS, "cuda")[1]
    assert forms.tries_next
    forms.usual_ms = forms._slow_ms = 1.0
    executable._device.acquire(None)
    with ThreadPoolExecutor(1) as pool:
        pending = pool.submit(lambda: program(LOOPS, source=1, backend="cuda").form_line)
        time.sleep(0.5)
        executable._device.release(True)
        pending.result()
    assert forms.lines == () and forms._cost_ms < 450


def test_a_timeout_leaves_no_time_for_looking_or_for_building(eager: None, monkeypatch: pytest.MonkeyPatch) -> None:
    program = gdsl.compile("bfs")
    for _ in range(3):
        program(LOOPS, source=1, backend="cuda", timeout=1.0)
    forms = words(program, LOOPS)
    assert forms.alternatives is None, "0.3 seconds, four times as many where the machine is busy"
    program(LOOPS, source=1, backend="cuda")
    assert forms.tries_next
    executable = program.last_run(LOOPS, "cuda")[1]
    for _ in range(3):
        program(LOOPS, source=1, backend="cuda", timeout=1.0)
    assert executable._on(LOOPS).tried is None
    program(LOOPS, source=1, backend="cuda", timeout=60)
    assert executable._on(LOOPS).tried is not None


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_a_try_that_ends_otherwise(eager: None, error: type[BaseException], monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C is Ctrl-C, and the form is tried again; any other error is one of the form."""
    run, raised = CudaExecutable._run, list[int]()

    def ending(self: CudaExecutable, *given: Any) -> Outcome:
        if self.is_alternative and not raised:
            raised.append(1)
            raise error
        return run(self, *given)

    monkeypatch.setattr(CudaExecutable, "_run", ending)
    program = gdsl.compile("bfs")
    expected = program(LOOPS, source=1, backend="reference").distance
    program(LOOPS, source=1, backend="cuda")
    forms = words(program, LOOPS)
    trying = forms.trying
    with pytest.raises(KeyboardInterrupt) if error is KeyboardInterrupt else nullcontext():
        program(LOOPS, source=1, backend="cuda")
    assert raised and not forms.turn.locked()
    if error is KeyboardInterrupt:
        assert forms.trying is trying and forms.lines == ()
    else:
        assert forms.trying is not trying and forms.lines[0].endswith("ended with ValueError")
    for _ in range(60):
        assert numpy.array_equal(program(LOOPS, source=1, backend="cuda").distance.get(), expected)
    assert forms.is_settled


def test_looking_for_forms_ends_no_run(eager: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*given: object) -> None:
        raise AssertionError("a program that nobody thought of")

    monkeypatch.setattr(alternatives, "alternatives", refused)
    program = gdsl.compile("bfs")
    for _ in range(3):
        program(LOOPS, source=1, backend="cuda")
    assert words(program, LOOPS).is_settled and words(program, LOOPS).lines == ("nothing, by AssertionError",)


def test_vertices_by_degree_are_freed_where_they_gain_nothing(eager: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """After all its runs; they stay if they were there before."""
    timed(monkeypatch, lambda executable: 10.0)
    every = alternatives.alternatives
    layout = lambda *given: [each for each in every(*given) if "layout" in each.word]  # noqa: E731
    monkeypatch.setattr(alternatives, "alternatives", layout)
    monkeypatch.setattr(observed_forms, "RUNS", 2)
    for before in (False, True):
        graph, program = make_graph(grid(5, 9), 45, directed=False), gdsl.compile("bfs")
        if before:
            gdsl.compile("bfs", tune=["schedule.layout=by_degree"])(graph, source=1, backend="cuda")
        was_there = False
        for _ in range(120):
            program(graph, source=1, backend="cuda")
            executable: CudaExecutable = program.last_run(graph, "cuda")[1]
            has = executable._graphs.is_by_degree(graph, executable.widths, executable._device)
            was_there |= has
            if words(program, graph).is_settled:
                break
        assert words(program, graph).is_settled and was_there and has is before


def test_the_best_form_has_no_memory_any_more(eager: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then the program runs as it is, as it would have without it."""
    timed(monkeypatch, by_blocks)
    monkeypatch.setattr(alternatives, "LEAST_EDGES", 1 << 24)
    program = gdsl.compile("bfs", tune=["visit.direction=push"])
    expected = program(LOOPS, source=1, backend="reference").distance
    for _ in range(60):
        found = program(LOOPS, source=1, backend="cuda")
    assert found.form_line
    run = CudaExecutable._run

    def full(self: CudaExecutable, *given: Any) -> Outcome:
        if self.is_alternative:
            raise GdslError.single("E0912", "full")
        return run(self, *given)

    monkeypatch.setattr(CudaExecutable, "_run", full)
    for _ in range(3):
        found = program(LOOPS, source=1, backend="cuda")
        assert numpy.array_equal(found.distance.get(), expected) and found.form_line == ""
    assert words(program, LOOPS).lines[-1] == "schedule.block=256 has no memory"
    assert numpy.array_equal(program.submit(LOOPS, source=1, backend="cuda").result().distance.get(), expected)


def test_measured_runs_try_nothing(eager: None) -> None:
    program = gdsl.compile("bfs")
    profile = gdsl.profile(program, LOOPS, source=1, backend="cuda", repeat=5)
    assert words(program, LOOPS).alternatives is None and profile is not None
    with measured():
        program(LOOPS, source=1, backend="cuda")
    assert words(program, LOOPS).alternatives is None
    program(LOOPS, source=1, backend="cuda")
    assert words(program, LOOPS).trying is not None


def test_equal_graphs_have_forms_of_their_own_and_programs_leave_theirs_here(
    eager: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    timed(monkeypatch, by_blocks)
    monkeypatch.setattr(alternatives, "LEAST_EDGES", 1 << 24)
    program = gdsl.compile("bfs", tune=["visit.direction=push"])
    one, same = (make_graph([(0, 1), (1, 2)], 3, directed=False) for _ in range(2))
    kept = [program(one, source=0, backend="cuda") for _ in range(60)]
    assert kept[-1].form_line and not program(same, source=0, backend="cuda").form_line
    assert all(result.distance.get().tolist() == [0, 1, 2] for result in kept), "results of forms that are freed"
    other = pickle.loads(pickle.dumps(program))
    assert other(one, source=0, backend="cuda").form_line == ""
    records: Any = program.last_run(one, "cuda")[1]._records
    del one, kept
    gc.collect()
    assert len(records) == 1, "they go with the graph"


def test_results_of_many_runs_while_a_form_takes_over(eager: None, monkeypatch: pytest.MonkeyPatch) -> None:
    deciding(monkeypatch, True)
    graph, program = make_graph(grid(5, 7), 36, directed=False), gdsl.compile("bfs")
    expected = [program(graph, source=source, backend="reference").distance for source in range(12)]
    pending = [program.submit(graph, source=source, backend="cuda") for source in range(12)]
    for source, found in enumerate(program.imap(graph, source=range(12), backend="cuda", batch=2)):
        assert numpy.array_equal(found.host_arrays()["distance"], expected[source])
        assert numpy.array_equal(program(graph, source=source, backend="cuda").distance.get(), expected[source])
    assert len(words(program, graph).kept) > 1
    for source, each in enumerate(pending):
        assert numpy.array_equal(each.result().distance.get(), expected[source])


def test_the_order_of_work_is_still_observed(eager: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A form that was found in the order as given does not keep a later run from being stopped and made again."""
    timed(monkeypatch, lambda executable: 8.0 if executable.is_alternative else 10.0)
    every = alternatives.alternatives
    monkeypatch.setattr(alternatives, "alternatives", lambda *given: list(every(*given))[:1])
    made, program = random_graph(90, 900, seed=2), gdsl.compile("sssp")
    weight = numpy.random.default_rng(4).integers(1, 1000, made.num_edges).astype(numpy.float32)
    graph = Graph(made.offsets, made.columns, directed=True, attributes={"weight": weight})
    expected = program(graph, source=3, backend="reference").distance
    for _ in range(20):
        found = program(graph, source=3, backend="cuda")
    assert found.form_line and words(program, graph).is_settled
    executable: Any = program.last_run(graph, "cuda")[1]
    executable._on(graph).order.most_visits = 3
    for _ in range(3):
        found = program(graph, source=3, backend="cuda")
        assert numpy.array_equal(found.distance.get(), expected) and found.order_line and not found.form_line
    assert "visits too many edges" in words(program, graph).lines[-1]


def test_runs_with_more_to_do_begin_anew(eager: None, monkeypatch: pytest.MonkeyPatch) -> None:
    longer = [1.0]
    timed(monkeypatch, lambda executable: by_blocks(executable) * longer[0])
    every = alternatives.alternatives
    monkeypatch.setattr(alternatives, "alternatives", lambda *given: list(every(*given))[:1])
    program = gdsl.compile("bfs")
    expected = program(LOOPS, source=1, backend="reference").distance
    for _ in range(20):
        found = program(LOOPS, source=1, backend="cuda")
    assert found.form_line
    longer[0] = 20.0
    lines = [program(LOOPS, source=1, backend="cuda").form_line for _ in range(6)]
    assert lines[2] and not lines[3], "the program as it is"
    for _ in range(20):
        found = program(LOOPS, source=1, backend="cuda")
        assert numpy.array_equal(found.distance.get(), expected)
    assert found.form_line and len(words(program, LOOPS).lines) == 3


def test_one_block_a_multiprocessor(eager: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the same machine code, in a grid of its own."""
    timed(monkeypatch, lambda executable: 8.0 if executable.blocks_each == 1 else 10.0)
    every = alternatives.alternatives
    monkeypatch.setattr(enactor, "blocks_a_multiprocessor", lambda *given: 3)
    monkeypatch.setattr(Launching, "resident_blocks", lambda *given: 3)
    grids = lambda *given: [each for each in every(*given) if each.blocks_each]  # noqa: E731
    monkeypatch.setattr(alternatives, "alternatives", grids)
    graph, program = make_graph(grid(5, 9), 45, directed=False), gdsl.compile("bfs")
    expected = program(graph, source=7, backend="reference").distance
    program(graph, source=7, backend="cuda")
    executable: CudaExecutable = program.last_run(graph, "cuda")[1]
    assert executable._on(graph).enactor.blocks > executable._device.multiprocessors
    for _ in range(20):
        found = program(graph, source=7, backend="cuda")
        assert numpy.array_equal(found.distance.get(), expected)
    forms = words(program, graph)
    assert forms.is_settled and forms.line == "form: one block a multiprocessor, as runs showed"
    assert dict(executable.build(graph).facts)["grid"].endswith("1 a multiprocessor")
