"""The same program called again: what was found out before is not asked again, and what may have changed is."""

from __future__ import annotations

import pickle
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gdsl
from gdsl.backends.cpu import workers
from gdsl.graph import Graph
from gdsl.native import compiler as compilers
from gdsl.types import Widths
from tests.support.graphs import make_graph, path

COUNT = 6
BACKENDS = ["reference", "cpu"]
by_backend = pytest.mark.parametrize("backend", BACKENDS)


def graph_of(count: int = COUNT, **attributes: object) -> Graph:
    given = {name: np.asarray(values) for name, values in attributes.items()}
    made = make_graph(path(count), count)
    return Graph(made.offsets, made.columns, directed=True, vertex_attributes=given)


def code_of(program: gdsl.Program, graph: Graph, backend: str, **values: object) -> str:
    """The code of the error, or nothing."""
    try:
        program(graph, backend=backend, **values)
    except gdsl.GdslError as error:
        return error.code
    return ""


LIMITED = """program p; problem { param limit : int32 = 9; input vertex x : int32 where x < limit; vertex y : int32; }
vertex functor f(v) { apply { y[v] = x[v]; } } schedule { compute(vertices, f); }"""


@by_backend
def test_a_condition_is_tested_again_where_its_params_change(backend: str) -> None:
    program, graph = gdsl.compile(LIMITED), graph_of(x=range(COUNT))
    for limit, code in ((9, ""), (3, "E0608"), (9, ""), (6, ""), (5, "E0608"), (3, "E0608"), (6, "")):
        assert code_of(program, graph, backend, limit=limit) == code
    assert code_of(program, graph_of(x=[0] * 5 + [9]), backend) == "E0608"
    assert code_of(program, graph, backend) == ""


@by_backend
def test_arrays_of_the_caller_are_tested_each_time(backend: str) -> None:
    program, graph = gdsl.compile(LIMITED), graph_of(x=range(COUNT))
    given = np.arange(COUNT, dtype=np.int32)
    for value, code in ((8, ""), (9, "E0608"), (7, ""), (-5, "")):
        given[3] = value
        assert code_of(program, graph, backend, x=given) == code
        if not code:
            assert program(graph, x=given, backend=backend).y.tolist() == given.tolist()
    assert program(graph, backend=backend).y.tolist() == list(range(COUNT)), "the graph's own again"
    given[3] = 9
    assert code_of(program, graph, backend, x=given) == "E0608"


@by_backend
def test_params_are_tested_each_time(backend: str) -> None:
    text = """program p; problem { param source : vertex; param few : int32 = 3; param small : uint32 = 1;
        param part : float32 = 0.5; param loud : bool = false; vertex y : int32; } schedule { y[source] = few; }"""
    program, graph, other = gdsl.compile(text), graph_of(), graph_of(COUNT + 5)
    calls = [
        ({"source": 0}, ""),
        ({"source": COUNT}, "E0604"),
        ({"source": -1}, "E0604"),
        ({"source": True}, "E0603"),
        ({"source": 1.0}, "E0603"),
        ({"source": np.int8(2)}, ""),
        ({"source": COUNT - 1}, ""),
        ({"source": 0, "few": 2**31}, "E0603"),
        ({"source": 0, "few": -(2**31)}, ""),
        ({"source": 0, "small": -1}, "E0603"),
        ({"source": 0, "small": 2**32 - 1}, ""),
        ({"source": 0, "part": 1e39}, "E0603"),
        ({"source": 0, "part": 1}, ""),
        ({"source": 0, "loud": 1}, "E0603"),
        ({"source": 0, "nothing": 1}, "E0602"),
        ({}, "E0601"),
    ]
    for _ in range(2):
        for values, code in calls:
            assert code_of(program, graph, backend, **values) == code, values
        assert code_of(program, other, backend, source=COUNT) == ""


@by_backend
def test_defaults_that_hang_on_the_graph_or_on_other_params(backend: str) -> None:
    text = """program p; problem { param first : int32 = 10; param a : int32 = 2; param v : vertex = 3;
        vertex several[a * 2] : int32 = part; scalar s : int32; } schedule { s = first; several[v][0] = 0; }"""
    program, graphs = gdsl.compile(text), [graph_of(count) for count in (5, 6, 4)]
    for _ in range(2):
        for graph in graphs:
            assert program(graph, backend=backend).s == 10
            for a in (1, 4):
                result = program(graph, a=a, first=7, backend=backend)
                assert result.several.tolist() == [list(range(2 * a))] * graph.num_vertices
                assert result.s == 7
        assert code_of(program, graph_of(3), backend) == "E0604"
        assert code_of(program, graph_of(3), backend, v=2) == ""


@by_backend
def test_numbers_that_are_names_stay_names(backend: str) -> None:
    networkx = pytest.importorskip("networkx")
    program = gdsl.compile("bfs")
    named = Graph.from_networkx(networkx.path_graph([10, 30, 20], create_using=networkx.DiGraph))
    plain = graph_of(3)
    for _ in range(2):
        assert program(named, source=30, backend=backend).distance.tolist() == [-1, 0, 1]
        assert code_of(program, named, backend, source=1) == "E0604"
        assert program(plain, source=1, backend=backend).distance.tolist() == [-1, 0, 1]


@by_backend
def test_what_is_required_of_a_graph_is_asked_once(backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "program p; requires symmetric, simple; problem { vertex a : int32 = 4; } schedule { }"
    program, asked = gdsl.compile(text), []
    symmetric = make_graph(path(COUNT), COUNT, directed=False)
    real = Graph.first_duplicate_or_loop
    monkeypatch.setattr(Graph, "first_duplicate_or_loop", lambda graph: asked.append(graph) or real(graph))
    for _ in range(3):
        assert program(symmetric, backend=backend).a.tolist() == [4] * COUNT
        assert code_of(program, graph_of(), backend) == "E0609"
    assert asked == [symmetric]
    loops = Graph.from_edges([0, 0], [0, 1], directed=False)
    assert [code_of(program, loops, backend) for _ in range(2)] == ["E0609"] * 2


def test_what_is_in_machine_code_needs_no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    graph, program, other = graph_of(), gdsl.compile("bfs"), gdsl.compile("sssp")
    before = program(graph, source=0, backend="cpu").distance.tolist()
    monkeypatch.setattr(compilers, "find_compiler", lambda: None)
    assert program(graph, source=0, backend="cpu").distance.tolist() == before
    assert code_of(other, graph, "cpu", source=0, weight=np.ones(COUNT - 1)) == "E0902"


@by_backend
def test_traces_are_whole_whenever_they_are_looked_at(backend: str) -> None:
    program, graph = gdsl.compile("bfs"), graph_of(200)
    results = [program(graph, source=source, backend=backend) for source in (0, 100, 0)]
    del program, graph
    traces = [result.trace for result in results]
    assert [len(trace) for trace in traces] == [200, 100, 200]
    assert traces[0] == traces[2]
    assert results[0].trace is traces[0]
    assert pickle.loads(pickle.dumps(results[1])).trace == traces[1]


def test_threads_of_runs_are_kept_and_are_few() -> None:
    graph, program = graph_of(), gdsl.compile("bfs")
    together = threading.Barrier(8)

    def work(source: int) -> bool:
        together.wait()
        runs = [program(graph, source=source % COUNT, backend="cpu").distance.tolist() for _ in range(20)]
        return runs == [[-1] * (source % COUNT) + list(range(COUNT - source % COUNT))] * 20

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))
    assert 1 <= len(workers._idle) <= workers._MOST_IDLE
    before = set(workers._idle)
    for _ in range(5):
        program(graph, source=0, backend="cpu")
    assert set(workers._idle) == before


DIVIDED = {
    "param": "program p; problem { param p : float32 where 1.0 / p > 0.0; vertex y : float32 = p; } schedule { }",
    "attribute": """program p; problem { param p : float32; input vertex x : float32 where x / p > 0.0;
    vertex y : float32 = p; } schedule { }""",
}


@by_backend
@pytest.mark.parametrize("text", DIVIDED.values(), ids=DIVIDED)
def test_what_held_of_zero_is_tested_again_of_minus_zero(backend: str, text: str) -> None:
    program, graph = gdsl.compile(text), graph_of(x=np.ones(COUNT, np.float32))
    given = {"x": graph.vertex_attributes["x"]} if "x" in program.inputs else {}
    for value, code in ((0.0, ""), (-0.0, "E0608"), (0, ""), (np.float32(-0.0), "E0608"), (1, ""), (-1, "E0608")):
        assert code_of(program, graph, backend, p=value) == code
        assert code_of(program, graph, backend, p=value, **given) == code


def test_what_held_of_no_edges_is_tested_of_vertices() -> None:
    graph = Graph([0, 0], [], directed=True, attributes={"x": np.zeros(0)}, vertex_attributes={"x": np.zeros(1)})
    for domain, code in (("edge", ""), ("vertex", "E0608")):
        text = f"program p; problem {{ param n : int32; input {domain:6} x : float64 where n > 0; }} schedule {{ }}"
        assert code_of(gdsl.compile(text), graph, "reference", n=0) == code


@pytest.mark.skipif(compilers.find_compiler() is None, reason="no C++ compiler on this machine")
def test_ctrl_c_as_a_run_begins_waits_for_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    program, graph = gdsl.compile("bfs"), graph_of()
    program(graph, source=0, backend="cpu")
    executable: Any = program._executables["cpu", Widths.both(32)]
    log: list[str] = []
    library, begin = executable.library, workers._Worker.begin

    def run(host: object) -> int:
        time.sleep(0.2)
        log.append("ran")
        return 0

    def interrupted(*values: Any) -> None:
        begin(*values)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(executable, "library", SimpleNamespace(run=run, release=lambda _: log.append("freed")))
        patched.setattr(workers._Worker, "begin", interrupted)
        with pytest.raises(KeyboardInterrupt):
            program(graph, source=0, backend="cpu")
    assert log == ["ran", "freed"]
    assert executable.library is library
    assert program(graph, source=0, backend="cpu").distance.tolist() == list(range(COUNT))
