"""`Program.map` and `Program.imap`: every run is what a call by itself gives."""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gdsl
from gdsl.backends.batch import param_values
from gdsl.backends.cpu import batch as on_cpu
from tests.support.clock import Clock
from tests.support.graphs import make_graph, path

ROOT = Path(__file__).parents[2]
CPU = pytest.param("cpu", marks=pytest.mark.skipif(shutil.which("g++") is None, reason="no g++ on this machine"))
VARIED = """program varied;
problem {
    param start : vertex;
    param shift : int32 = 0;
    param factor : float32 = 1.5;
    input edge cost : int32 where cost > shift;
    vertex level : int32 = -1;
    vertex swapped : int32 = 7;
    vertex share : float32 = 0;
    vertex nearest : (int32, vertex) = (inf, none);
    scalar seen : int64 = 0;
    scalar last : vertex = none;
}
edge functor visit(src, dst, e) { cond level[dst] == -1; apply { level[dst] = iteration + 1; } }
edge functor lower(src, dst, e) { apply { nearest[dst] min= (cost[e], src); } }
vertex functor add(v) {
    apply { if (level[int32(v) + shift] >= 0) { seen += 1; } share[v] = factor * float32(level[v]); swapped[v] = 3; }
}
schedule {
    level[start] = 0;
    last = start;
    frontier f = {start};
    while (f) { f = advance(f, visit); }
    compute(vertices, add);
    advance(vertices, lower, to=none);
    swap(level, swapped);
}
"""
SEVERAL = """program several;
problem { param width : int32 = 2; param shift : int32 = 0; vertex x[width] : int32 = 1; }
vertex functor add(v) { apply { x[v][width - 1] = shift; } }
schedule { compute(vertices, add); }
"""


@pytest.fixture(scope="module")
def karate() -> gdsl.Graph:
    return gdsl.Graph.read(ROOT / "samples" / "graphs" / "karate.mtx")


@pytest.fixture(scope="module")
def line() -> gdsl.Graph:
    made = make_graph(path(9), 9, directed=False)
    return gdsl.Graph(made.offsets, made.columns, directed=False, attributes={"cost": np.arange(1, 17, dtype=np.int32)})


@pytest.fixture(scope="module")
def varied() -> gdsl.Program:
    return gdsl.compile(VARIED, tune=["schedule.bounds=on"])


def same(batch: gdsl.api.batch.Batch, singles: list[Any]) -> None:
    """Of every result the rows, the runs by themselves, and the number of passes."""
    assert len(batch) == len(singles)
    assert batch.iterations.tolist() == [single.iterations for single in singles]
    for number, (run, single) in enumerate(zip(batch, singles, strict=True)):
        assert list(run) == list(single)
        for name, values in single.items():
            for found in (run[name], _row(batch[name], number)):
                assert np.array_equal(np.asarray(found), np.asarray(values)), (number, name)


def _row(stack: Any, number: int) -> Any:
    return tuple(part[number] for part in stack) if isinstance(stack, tuple) else stack[number]


@pytest.mark.parametrize("backend", ["reference", CPU])
def test_every_run_is_what_a_call_gives(varied: gdsl.Program, line: gdsl.Graph, backend: str) -> None:
    starts, factors = [0, 8, 3, 3], np.array([0.5, 1, -2, 0.1], dtype=np.float32)
    batch = varied.map(line, start=starts, factor=factors, backend=backend)
    singles = [
        varied(line, start=start, factor=factor, backend=backend) for start, factor in zip(starts, factors, strict=True)
    ]
    same(batch, singles)
    assert batch.swapped.shape == (4, 9)
    assert batch.share.dtype == np.float32
    assert batch.last.tolist() == starts
    assert batch.nearest.first.shape == (4, 9)
    assert batch.grade == singles[0].grade
    assert [run.last for run in varied.imap(line, start=starts, backend=backend)] == starts
    if backend == "cpu":
        assert "threads" in batch.how or on_cpu.processors() == 1


def test_many_more_than_threads(karate: gdsl.Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("g++") is None:
        pytest.skip("no g++ on this machine")
    monkeypatch.setattr(on_cpu, "processors", lambda: 3)
    monkeypatch.setattr(on_cpu, "_PART", 2)
    batch = gdsl.samples.bfs.map(karate, source=range(34), backend="cpu")
    assert batch.how == "3 threads, one value each"
    expected = gdsl.samples.bfs.map(karate, source=range(34), backend="reference")
    assert np.array_equal(batch.distance, expected.distance)
    each = list(gdsl.samples.bfs.imap(karate, source=range(34), backend="cpu"))
    assert np.array_equal(np.stack([run.distance for run in each]), expected.distance)
    few = gdsl.samples.bfs.map(karate, source=range(34), backend="cpu", memory=1)
    assert few.how == "one by one"


def test_lists_of_every_kind(karate: gdsl.Graph) -> None:
    bfs = gdsl.samples.bfs
    expected = bfs.map(karate, source=[1, 2], backend="reference").distance
    for values in (
        (1, 2),
        range(1, 3),
        np.array([1, 2]),
        np.array([1, 2], np.uint8),
        {1: 0, 2: 0}.keys(),
        iter([1, 2]),
    ):
        assert np.array_equal(bfs.map(karate, source=values, backend="reference").distance, expected)
    assert np.array_equal(bfs.map(karate, {"source": [1, 2]}, backend="reference").distance, expected)
    one = bfs.map(karate, source=[2], backend="reference")
    assert one.distance.shape == (1, 34)
    none = bfs.map(karate, source=[], backend="reference")
    assert (len(none), none.distance.shape, none.parent.dtype) == (0, (0, 34), np.int32)
    assert list(bfs.imap(karate, source=[], backend="reference")) == []


def test_names(karate: gdsl.Graph) -> None:
    networkx = pytest.importorskip("networkx")
    graph = networkx.Graph([("Ann", "Bob"), ("Bob", (1, 2)), ("Eve", "Bob")])
    batch = gdsl.samples.bfs.map(graph, source=["Eve", (1, 2), "Ann"], backend="reference")
    assert batch.distance.tolist() == [[2, 1, 2, 0], [2, 1, 0, 2], [0, 1, 2, 2]]
    assert batch.values == {"source": ["Eve", (1, 2), "Ann"]}
    with pytest.raises(gdsl.GdslError, match=r"number 1 of the 2 values.*source='Anna'"):
        gdsl.samples.bfs.map(graph, source=["Ann", "Anna"], backend="reference")


def test_a_batch_is_a_sequence(karate: gdsl.Graph) -> None:
    batch = gdsl.samples.bfs.map(karate, source=range(4), backend="reference")
    assert batch[-1].distance[3] == 0
    assert [run.distance[0] for run in batch[1:3]] == batch.distance[1:3, 0].tolist()
    assert batch.results[2].distance[2] == 0
    assert batch["parent"] is batch.parent
    assert "distance" in dir(batch)
    assert batch.host_arrays().keys() == {"distance", "parent"}
    with pytest.raises(IndexError):
        batch[4]
    with pytest.raises(AttributeError, match="it has distance, parent"):
        _ = batch.distances


@pytest.mark.parametrize(
    "values, kind, said",
    [
        ({"start": 3}, TypeError, "a list of values for at least one param.*; start is the one value 3$"),
        ({"start": "03"}, TypeError, "start is the one value '03'"),
        ({"start": None}, TypeError, "start is the one value None"),
        ({}, TypeError, r"such as start=\[…\] or shift=\[…\] or factor=\[…\]$"),
        ({"strat": [3]}, gdsl.GdslError, r"E0602[\s\S]*did you mean `start`"),
        ({"start": [1, 2], "factor": [1.0]}, ValueError, "2 of start, 1 of factor"),
        ({"start": np.zeros((2, 2), int)}, ValueError, "one dimension"),
        ({"start": [1], "batch": 0}, ValueError, "batch must be at least 1"),
        ({"start": [1], "memory": 0.5}, TypeError, "memory must be a number of bytes"),
        ({"start": [1], "timeout": -1}, ValueError, "timeout must be"),
        ({"start": [1], "backend": "gpu"}, ValueError, "backend must be"),
        ({"start": [1], "begin": [2]}, gdsl.GdslError, "E0602"),
        ({"begin": 3, "start": []}, gdsl.GdslError, "E0602"),
        ({"start": [1], "workers": 2}, TypeError, "workers is an option of a single run"),
        ({"start": [1], "resume": True}, TypeError, "resume is an option of a single run"),
        ({"start": [1, 9]}, gdsl.GdslError, r"E0604[\s\S]*number 1 of the 2 values, counted from 0: start=9"),
        ({"start": [9, 1]}, gdsl.GdslError, r"E0604[\s\S]*number 0 of the 2 values, counted from 0: start=9"),
        ({"start": [1, 2], "factor": [1, "x"]}, gdsl.GdslError, r"E0603[\s\S]*number 1 .*: start=2, factor='x'"),
        ({"start": [1, 2], "shift": [0, 1]}, gdsl.GdslError, r"E0608[\s\S]*number 1 of the 2 values"),
    ],
)
def test_what_is_refused(varied: gdsl.Program, line: gdsl.Graph, values: Any, kind: Any, said: str) -> None:
    for call in (varied.map, varied.imap):
        with pytest.raises(kind, match=said):
            call(line, **{"backend": "reference", **values})


@pytest.mark.parametrize("backend", ["reference", CPU])
def test_a_run_that_fails_is_named(varied: gdsl.Program, line: gdsl.Graph, backend: str) -> None:
    shifts = [0, 0, 0, -3, 0, -4]
    with pytest.raises(gdsl.GdslError, match=r"E0801[\s\S]*number 3 of the 6 values, counted from 0: shift=-3"):
        varied.map(line, start=2, shift=shifts, backend=backend)
    found = []
    with pytest.raises(gdsl.GdslError, match="number 3"):
        found.extend(varied.imap(line, start=2, shift=shifts, batch=1, backend=backend))
    with pytest.raises(gdsl.GdslError, match=r"E0803[\s\S]*number 0"):
        varied.map(line, start=[0, 1, 2], max_iterations=2, backend=backend)
    assert varied.map(line, start=[0, 1, 2], backend=backend).last.tolist() == [0, 1, 2]


@pytest.mark.parametrize("backend", ["reference", CPU])
def test_the_timeout_is_for_all(backend: str) -> None:
    text = "problem { param k : int64; scalar n : int64; } schedule { while (n < k) { n = n + 0; } }"
    with pytest.raises(gdsl.GdslError, match="E0802"):
        gdsl.compile(f"program endless; {text}").map(make_graph(path(3), 3), k=[0, 1, 2], timeout=0.3, backend=backend)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("backend", ["reference", CPU])
@pytest.mark.slow
def test_runs_that_are_each_short_end_with_the_timeout(
    karate: gdsl.Graph, backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(monkeypatch)
    runs = gdsl.samples.bfs.imap(karate, source=[0, 33] * 500, timeout=90, backend=backend)
    next(runs)
    clock.advance(91)
    with pytest.raises(gdsl.GdslError, match=r"E0802[\s\S]*of the 1,000 values"):
        list(runs)


AT_ONCE = """program at_once;
problem { param start : vertex; param width : int32 = 3; param more : int32 = 4; vertex x : int32 = width + more; }
schedule { x[start] = width; }
"""


@pytest.mark.parametrize(
    ("shared", "varied", "together"),
    [
        ({"more": 1}, {"start": [8, 0, 3], "width": range(3)}, True),
        ({"width": 2, "more": 7}, {"start": (4, 5)}, True),
        ({}, {"start": [4, 5]}, True),
        ({"more": 1}, {"start": [8, np.int32(2)]}, False),
        ({"more": 1}, {"start": [2, True]}, False),
        ({"more": 1}, {"start": [1, 9]}, False),
        ({"more": 1}, {"start": [1, -1]}, False),
        ({"more": 1}, {"width": [2**31, 2], "start": [1, 1]}, None),
    ],
)
def test_numbers_are_looked_at_together(line: gdsl.Graph, shared: Any, varied: Any, together: bool | None) -> None:
    binder = gdsl.compile(AT_ONCE)._binder
    if together is None:
        with pytest.raises(gdsl.GdslError, match="E0603"):
            binder.bind_all(line, shared, varied)
        return
    found = binder.bind_all(line, shared, varied)
    assert (found is not None) == together
    if found is not None:
        rows = [dict(zip(varied, row, strict=True)) for row in zip(*varied.values(), strict=True)]
        alone = [binder.bind(line, {**shared, **row}) for row in rows]
        assert (list(found), len(found), list(found[1:])) == (alone, len(alone), alone[1:])
        assert list(param_values(found[1:], "width")) == [each.params["width"] for each in alone[1:]]


def test_several_values_an_element(line: gdsl.Graph) -> None:
    program = gdsl.compile(SEVERAL)
    batch = program.map(line, width=3, shift=[5, 6], backend="reference")
    assert batch.x.shape == (2, 9, 3)
    assert batch[1].x[4].tolist() == [1, 1, 6]
    with pytest.raises(ValueError, match="how many values an element of `x` has: 2 in run 0, 3 in run 1;"):
        program.map(line, width=[2, 3], backend="reference")


@pytest.mark.parametrize("backend", ["reference", CPU])
def test_more_values_than_anybody_counts(line: gdsl.Graph, backend: str) -> None:
    endless = range(10**12)
    with pytest.raises(gdsl.GdslError, match="number 9 of the 1,000,000,000,000 values"):
        gdsl.samples.bfs.map(line, source=endless, backend=backend)
    program = gdsl.compile(
        "program p; problem { param s : int64; scalar t : int64; vertex a : int64 = s; } schedule {}"
    )
    with pytest.raises(gdsl.GdslError, match="there is not enough free memory") as caught:
        program.map(line, s=endless, backend=backend)
    assert caught.value.code == "E0912"
    assert next(program.imap(line, s=endless, backend=backend)).a.tolist() == [0] * len(line)


@pytest.mark.slow
def test_an_iterator_that_does_not_end(line: gdsl.Graph) -> None:
    for many in (gdsl.samples.bfs.map, gdsl.samples.bfs.imap):
        with pytest.raises(ValueError, match="more than 16,777,216 values of source, and may not end"):
            many(line, source=itertools.count(), backend="reference")
    assert len(gdsl.samples.bfs.map(line, source=iter([1, 2]), backend="reference")) == 2


def test_the_programs_own_names_come_first(karate: gdsl.Graph) -> None:
    pagerank = gdsl.samples.pagerank
    batch = pagerank.map(karate, max_iterations=[1, 2, 3], tolerance=0, backend="reference")
    assert batch.iterations.tolist() == [1, 2, 3]
    with pytest.raises(gdsl.GdslError, match="E0803"):
        pagerank.map(karate, {"damping": [0.5, 0.9]}, max_iterations=1, backend="reference")
    with pytest.raises(TypeError, match="'damping' is not one"):
        pagerank.map(karate, {"damping": [0.5]}, damping=3)


@pytest.mark.parametrize("backend", ["reference", CPU])
def test_several_values_of_none_and_of_what_is_not_a_result(karate: gdsl.Graph, backend: str) -> None:
    """Without runs a result has the shape that shared params say; what nobody is given may differ from run to run."""
    program = gdsl.compile("""program several;
problem {
    param n : int32;
    param k : int32;
    vertex a[n + 1] : int32;
    vertex two[2] : int32;
    local vertex work[k] : int32 = 3;
}
schedule { compute(vertices, v => { for i in 0..k { a[v][0] += work[v][i]; } }); }
""")
    none = program.map(karate, n=2, k=[], backend=backend)
    assert (none.a.shape, none.two.shape, len(none)) == ((0, 34, 3), (0, 34, 2), 0)
    assert program.map(karate, n=[], k=1, backend=backend).two.shape == (0, 34, 2)
    found = program.map(karate, n=2, k=[1, 4, 2], backend=backend).a
    assert found[:, 0].tolist() == [[3, 0, 0], [12, 0, 0], [6, 0, 0]]
