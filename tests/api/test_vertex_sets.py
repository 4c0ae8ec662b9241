"""Params that are sets of vertices: what is taken for one, what is refused, and what the schedule may do with it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gdsl
from gdsl.diagnostics import GdslError
from gdsl.graph import Graph
from gdsl.pipeline import load

TEXT = """program marks;
problem { param k : int32 = 3; param sites : vertex set; input vertex given : bool; vertex d : bool; scalar n : int64; }
schedule { compute(sites, v => { d[v] = true; }); n = size(sites); }
"""


def line(count: int = 4) -> Graph:
    return Graph.from_edges(np.arange(count - 1), np.arange(1, count), num_vertices=count)


def members(given: Any, graph: Graph | None = None) -> list[int]:
    graph = graph or line()
    values = {"sites": given, "given": np.zeros(graph.num_vertices, bool)}
    result = gdsl.compile(TEXT).run(graph, values, backend="reference")
    assert result.n == result.d.sum()
    return [int(vertex) for vertex in np.flatnonzero(result.d)]


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ([1, 3, 3], [1, 3]),
        ((2,), [2]),
        ({3, 1}, [1, 3]),
        (frozenset(), []),
        (range(2), [0, 1]),
        ({2: "x"}.keys(), [2]),
        (np.array([3, 0], np.uint64), [0, 3]),
        (np.array([1], np.int8), [1]),
        (np.array([]), []),
        ([np.int8(3), 2], [2, 3]),
        (np.array([True, False, True, False]), [0, 2]),
        ([True, False, False, True], [0, 3]),
        (np.array([3, 9, 1])[::2], [1, 3]),
    ],
)
def test_what_is_a_set(given: Any, wanted: list[int]) -> None:
    assert members(given) == wanted


@pytest.mark.parametrize(
    ("given", "code", "message"),
    [
        ([1, 9], "E0604", "has 9, which is not a vertex of the graph (vertices 0 to 3)"),
        ([-1], "E0604", "has -1"),
        ([10**30], "E0604", "which is not a vertex"),
        (np.array([2**63], np.uint64), "E0604", "has 9223372036854775808"),
        (np.array([0, 4]), "E0604", "has 4"),
        ([1.0], "E0603", "made of integers"),
        (np.array([1.5]), "E0603", "dtype float64"),
        (["1"], "E0603", "made of integers"),
        ([True, 2], "E0603", "made of integers"),
        ("1,2", "E0603", "not a set, sequence or array"),
        (b"12", "E0603", "not a set, sequence or array"),
        (3, "E0603", "write [3]"),
        (None, "E0603", "not a set, sequence or array"),
        ({1: 2}, "E0603", "not a set, sequence or array"),
        ([True], "E0606", "1 bools"),
        (np.zeros(5, bool), "E0606", "5 bools"),
        (np.array([[1]]), "E0603", "the shape (1, 1)"),
        (np.array(2), "E0603", "write [2]"),
        (np.int64(2), "E0603", "write [2]"),
        (np.float64(2), "E0603", "is float64(2.0), and not a set"),
        (np.ma.array([1, 2], mask=[True, False]), "E0603", "masked"),
    ],
)
def test_what_is_none(given: Any, code: str, message: str) -> None:
    with pytest.raises(GdslError) as caught:
        members(given)
    assert caught.value.code == code and message in str(caught.value)


def test_it_is_a_param() -> None:
    program = gdsl.compile(TEXT)
    assert program.params == ("k", "sites") and program.inputs == ("given",)
    with pytest.raises(GdslError) as caught:
        program.run(line(), {"given": np.zeros(4, bool)})
    assert caught.value.code == "E0601" and "`sites` has no value" in str(caught.value)
    assert members([], line(1)) == []


@pytest.mark.parametrize("backend", ["reference", "cpu"])
def test_the_schedule_reads_it_everywhere(backend: str) -> None:
    text = """program p;
    problem { param a : vertex set; param b : vertex set; param unused : vertex set; vertex x : int32;
        scalar n : int64; }
    schedule {
        frontier f = a;
        repeat (2) { f = f - { 0 } | advance(a & vertices, (s, t, e) => true); n += size(a); }
        compute(f - b, v => { x[v] += 1; });
        if (a) { compute(filter(a, v => v > 0), v => { x[v] += 10; }); }
    }"""
    program = gdsl.compile(text)
    result = program.run(line(), {"a": [0, 2], "b": {1}, "unused": ()}, backend=backend)
    assert result.x.tolist() == [0, 0, 11, 1] and result.n == 4
    assert program.run(line(), {"a": [], "b": [], "unused": ()}, backend=backend).x.tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize(
    ("problem", "schedule", "code"),
    [
        ("param s : vertex set;", "s = vertices;", "E0214"),
        ("param s : vertex set = 3;", "", "E0224"),
        ("vertex s : vertex set;", "", "E0225"),
        ("scalar s : vertex set;", "", "E0225"),
        ("param s : vertex set where s;", "", "E0210"),
        ("param s : vertex set; vertex b : bool;", "compute(vertices, v => { b[v] = s[v]; });", "E0204"),
        ("param s : vertex set; scalar n : int64;", "n = s;", "E0204"),
        ("param s : vertex set;", "frontier s = vertices;", "E0202"),
        ("param s : vertex set;", "edge frontier e = s;", "E0416"),
    ],
)
def test_what_it_is_not_for(problem: str, schedule: str, code: str) -> None:
    with pytest.raises(GdslError) as caught:
        load(f"program p; problem {{ {problem} }} schedule {{ {schedule} }}")
    assert caught.value.code == code and len(caught.value.diagnostics) == 1


@pytest.mark.parametrize("given", [range(10**12), range(3, 2**62), range(2**70), range(-1, 2**62), range(2**64, 2**65)])
@pytest.mark.parametrize("names", [None, ["a", "b", "c", "d"]])
def test_a_range_costs_what_the_graph_has(given: range, names: list[str] | None) -> None:
    graph = line()
    if names is not None:
        networkx = pytest.importorskip("networkx")
        graph = Graph.from_networkx(networkx.relabel_nodes(networkx.path_graph(4), dict(enumerate(names))))
    with pytest.raises(GdslError) as caught:
        members(given, graph)
    assert caught.value.code == "E0604"
