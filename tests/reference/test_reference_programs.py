"""What the statements, operators and steps of a program mean, one small program each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gdsl.backends.interface import Limits, Outcome
from gdsl.diagnostics import GdslError
from tests.support.graphs import make_graph, path, star
from tests.support.interpreting import run

EDGES = [(0, 1), (0, 2), (1, 2), (2, 2), (3, 0), (0, 1)]
GRAPH = make_graph(EDGES, 5, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])


def problem(data: str, functors: str, schedule: str, **given: Any) -> Outcome:
    return run(f"program p; problem {{ {data} }} {functors} schedule {{ {schedule} }}", GRAPH, **given)


def test_initial_values() -> None:
    outcome = problem(
        """param k : int32 = 3; vertex own : vertex = id; vertex d : int32 = out_degree(id) * k; vertex z : int32;
        vertex n : vertex; vertex b : bool; edge e : edge = id; scalar s : float64 = num_vertices;
        vertex i : int32 = inf; vertex p : int64 = num_edges;""",
        "",
        "",
    )
    arrays = {name: values.tolist() for name, values in outcome.arrays.items()}
    assert arrays["own"] == [0, 1, 2, 3, 4]
    assert arrays["d"] == [9, 3, 3, 3, 0]
    assert arrays["z"] == [0] * 5
    assert arrays["n"] == [-1] * 5
    assert arrays["b"] == [False] * 5
    assert arrays["e"] == [0, 1, 2, 3, 4, 5]
    assert arrays["i"] == [2**31 - 1] * 5
    assert arrays["p"] == [6] * 5
    assert outcome.scalars == {"s": 5.0}
    assert isinstance(outcome.scalars["s"], float)


def test_dtypes_of_results() -> None:
    types = ("bool", "int32", "uint32", "int64", "uint64", "float32", "float64", "vertex", "edge")
    data = "".join(f"vertex a{name} : {name}; " for name in types)
    for bits in (32, 64):
        outcome = problem(data, "", "", id_bits=bits)
        for name in types:
            expected = f"int{bits}" if name in ("vertex", "edge") else name
            assert outcome.arrays[f"a{name}"].dtype == np.dtype(expected)


def test_local_data_is_no_result() -> None:
    outcome = problem("local vertex a : int32; local scalar s : int32; vertex b : int32;", "", "")
    assert list(outcome.arrays) == ["b"]
    assert outcome.scalars == {}


@pytest.mark.parametrize(
    ("over", "far_of_zero", "count"),
    [("out_edges", [1, 2], 3), ("in_edges", [3], 1), ("all_edges", [1, 2, 3], 4)],
)
def test_advance_visits_the_edges_of_the_frontier(over: str, far_of_zero: list[int], count: int) -> None:
    outcome = problem(
        "scalar visited : int32; vertex seen : bool;",
        "edge functor f(src, dst, e) { apply { visited += 1; } } vertex functor g(v) { apply { seen[v] = true; } }",
        f"frontier f0 = {{ 0 }}; frontier n = advance(f0, f, over={over}); compute(n, g);",
    )
    assert outcome.scalars["visited"] == count
    assert np.flatnonzero(outcome.arrays["seen"]).tolist() == far_of_zero
    assert (outcome.trace[0].frontier_size, outcome.trace[0].edges) == (1, count)
    assert (outcome.trace[1].frontier_size, outcome.trace[1].edges) == (len(far_of_zero), 0)


def test_a_self_loop_is_an_out_edge_and_an_in_edge() -> None:
    outcome = problem(
        "scalar visited : int32;",
        "edge functor f(src, dst, e) { apply { visited += 1; } }",
        "frontier f0 = { 2 }; advance(f0, f, to=none, over=all_edges);",
    )
    assert outcome.scalars["visited"] == 1 + 3


def test_compute_over_edges() -> None:
    outcome = problem(
        "edge from : vertex; edge to : vertex; edge nth : int32;",
        "edge functor f(src, dst, e) { apply { from[e] = src; to[e] = dst; nth[e] = place; } }",
        "compute(edges, f);",
    )
    assert outcome.arrays["from"].tolist() == [0, 0, 0, 1, 2, 3]
    assert outcome.arrays["to"].tolist() == [1, 1, 2, 2, 2, 0]
    assert outcome.arrays["nth"].tolist() == [0, 1, 2, 0, 0, 0]
    assert (outcome.trace[0].frontier_size, outcome.trace[0].edges) == (6, 6)


def test_cond_and_accept_decide_membership() -> None:
    outcome = problem(
        "vertex odd : bool; vertex small : bool;",
        """vertex functor keep_odd(v) { cond int32(v) % 2 == 1; apply { odd[v] = true; } }
        vertex functor keep_small(v) { apply { accept int32(v) < 2; } }
        vertex functor mark(v) { apply { small[v] = true; } }""",
        "frontier f = where(keep_odd); f = filter(f, keep_small); compute(f, mark);",
    )
    assert outcome.arrays["odd"].tolist() == [False, True, False, True, False]
    assert outcome.arrays["small"].tolist() == [False, True, False, False, False]


REDUCTIONS = {
    "sum": ([9, 3, 4, 5], 0),
    "min": ([1, 3, 4, 5], 2**31 - 1),
    "max": ([6, 3, 4, 5], -(2**31)),
    "product": ([12, 3, 4, 5], 1),
    "and": ([0, 3, 4, 5], -1),
    "or": ([7, 3, 4, 5], 0),
    "xor": ([1 ^ 2 ^ 6, 3, 4, 5], 0),
}


@pytest.mark.parametrize("operation", REDUCTIONS)
def test_neighbor_reduce(operation: str) -> None:
    expected, identity = REDUCTIONS[operation]
    outcome = problem(
        "input edge weight : float32; vertex a : int32 = 77;",
        "edge functor f(src, dst, e) -> int32 { value int32(weight[e]); }",
        f"a = neighbor_reduce(vertices, f, {operation});",
    )
    assert outcome.arrays["a"].tolist() == [*expected, identity]


def test_neighbor_reduce_of_bools_and_counts() -> None:
    outcome = problem(
        "vertex some_ : bool; vertex every_ : bool; vertex counted : int32;",
        "edge functor f(src, dst, e) -> bool { value dst == 2; }",
        """some_ = neighbor_reduce(vertices, f, some); every_ = neighbor_reduce(vertices, f, every);
        counted = neighbor_reduce(vertices, f, count);""",
    )
    assert outcome.arrays["some_"].tolist() == [True, True, True, False, False]
    assert outcome.arrays["every_"].tolist() == [False, True, True, False, True]
    assert outcome.arrays["counted"].tolist() == [1, 1, 1, 0, 0]


def test_neighbor_reduce_as_if_all_were_computed_first_and_keeps_the_rest() -> None:
    outcome = problem(
        "vertex a : int32 = int32(id) + 1;",
        "edge functor f(src, dst, e) -> int32 { cond dst != 1; value a[dst]; }",
        "frontier g = { 0, 2, 3 }; a = neighbor_reduce(g, f, sum);",
    )
    assert outcome.arrays["a"].tolist() == [3, 2, 3, 1, 5]


def test_iteration_counts_the_innermost_loop() -> None:
    outcome = problem(
        "scalar text : int64; scalar outer : int32;",
        """vertex functor f(v) { apply { text += int64(iteration); } }""",
        """frontier one = { 0 };
        repeat (2) { text = text * 10 + int64(iteration) + 1;
        while (iteration < 2) { text = text * 10; compute(one, f); }
        text = text * 10 + int64(iteration) + 5; } outer = iteration;""",
    )
    assert outcome.scalars["text"] == int("10152016")
    assert outcome.scalars["outer"] == 0
    assert outcome.iterations == 2
    assert [record.iteration for record in outcome.trace] == [0, 1, 0, 1]


def test_if_fill_swap_and_stores() -> None:
    outcome = problem(
        """param x : vertex; vertex a : int32 = 1; vertex b : int32 = 2; scalar s : int32 = 3; scalar t : int32 = 4;""",
        "",
        """if (s > 3) { fill(a, 9); } else { fill(a, 5); } a[x] = s; swap(a, b); swap(s, t); t += 10; t *= 2;""",
        x=2,
    )
    assert outcome.arrays["a"].tolist() == [2] * 5
    assert outcome.arrays["b"].tolist() == [5, 5, 3, 5, 5]
    assert outcome.scalars == {"s": 4, "t": 26}


def test_frontiers_are_values() -> None:
    outcome = problem(
        "scalar before : int64; scalar after : int64; scalar everything : int64; vertex a : int32;",
        "edge functor f(src, dst, e) { }",
        "frontier f0 = { 0, 3, 0 }; frontier g = f0; f0 = advance(f0, f); before = size(g); after = size(f0);"
        "frontier h = vertices; everything = size(h);",
    )
    assert outcome.scalars == {"before": 2, "after": 3, "everything": 5}


def test_loops_and_locals_in_functors() -> None:
    outcome = problem(
        "vertex a : int32;",
        """function twice(x : int32) -> int32 { if (x > 100) { return 100; } return 2 * x; }
        vertex functor f(v) { apply {
            var total = 0; let own = int32(v);
            for i in 0..own { total += i * 10; if (i == 2) { break; } }
            while (total < 50) { total = twice(total) + 1; if (total > 20) { break; } }
            a[v] = total;
        } }""",
        "compute(vertices, f);",
    )
    assert outcome.arrays["a"].tolist() == [31, 31, 21, 61, 61]


def test_outcomes_of_updates() -> None:
    outcome = problem(
        "vertex a : int32 = 5; vertex changes : int32; vertex former : int32; vertex won : bool;",
        """vertex functor f(v) { apply {
            if (changed(a[v] min= int32(v) + 4)) { changes[v] = 1; }
            former[v] = fetch(a[v] += 10);
            if (cas(a[v], 15, 1)) { won[v] = true; }
        } }""",
        "compute(vertices, f);",
    )
    assert outcome.arrays["changes"].tolist() == [1, 0, 0, 0, 0]
    assert outcome.arrays["former"].tolist() == [4, 5, 5, 5, 5]
    assert outcome.arrays["won"].tolist() == [False, True, True, True, True]
    assert outcome.arrays["a"].tolist() == [14, 1, 1, 1, 1]


@pytest.mark.parametrize(
    ("index", "shown"), [("parent[v]", "none"), ("int32(v) + 4", "5"), ("vertex(int32(v) + 4)", "none")]
)
def test_a_checked_index_names_place_and_value(index: str, shown: str) -> None:
    with pytest.raises(GdslError) as caught:
        problem(
            "vertex parent : vertex; vertex a : int32;",
            f"vertex functor f(v) {{ cond v == 1; apply {{ a[v] = now a[{index}]; }} }}",
            "compute(vertices, f);",
        )
    assert caught.value.code == "E0801"
    message = str(caught.value)
    assert f"index {shown}" in message
    assert "`a`" in message
    assert ":1:" in message


def test_a_frontier_of_none_stops() -> None:
    with pytest.raises(GdslError) as caught:
        problem("vertex a : int32; scalar s : vertex;", "", "frontier f = { s };")
    assert caught.value.code == "E0801"
    assert "index none of `f`" in str(caught.value)


ENDLESS = "scalar s : int32; vertex a : int32;"


def test_timeouts_stop_schedules_and_functors() -> None:
    spinning = "vertex functor f(v) { apply { var i = 0; while (i < 10) { i = i * 2; } a[v] = i; } }"
    for functor, schedule in (("", "while (s == 0) { s = 0; }"), (spinning, "compute(vertices, f);")):
        with pytest.raises(GdslError) as caught:
            problem(ENDLESS, functor, schedule, limits=Limits(timeout=0.05))
        assert caught.value.code == "E0802"


def test_max_iterations() -> None:
    schedule = "repeat (2) { while (iteration < 7) { s += 1; } }"
    assert problem(ENDLESS, "", schedule, limits=Limits(max_iterations=7)).scalars["s"] == 14
    with pytest.raises(GdslError) as caught:
        problem(ENDLESS, "", schedule, limits=Limits(max_iterations=6))
    assert caught.value.code == "E0803"
    assert "6 passes" in str(caught.value)


def test_degrees_directed_and_undirected() -> None:
    text = "program p; problem { vertex o : int32 = out_degree(id); vertex i : int32 = in_degree(id); } schedule { }"
    outcome = run(text, GRAPH)
    assert outcome.arrays["o"].tolist() == [3, 1, 1, 1, 0]
    assert outcome.arrays["i"].tolist() == [1, 2, 3, 0, 0]
    outcome = run(text, make_graph([*star(5), (0, 0)], 6, directed=False))
    assert outcome.arrays["o"].tolist() == outcome.arrays["i"].tolist() == [6, 1, 1, 1, 1, 1]


def test_another_seed_takes_another_order() -> None:
    text = """program p; problem { scalar last : vertex; } vertex functor f(v) { apply { last any= v; } }
    schedule { compute(vertices, f); }"""
    graph = make_graph(path(30), 30)
    found = {run(text, graph, seed=seed).scalars["last"] for seed in range(12)}
    assert len(found) > 4
    assert run(text, graph, seed=3).scalars == run(text, graph, seed=3).scalars


def test_inputs_over_vertices_edges_and_scalars() -> None:
    outcome = problem(
        "input vertex next : vertex; input edge cost : float64; input scalar s : int32; vertex a : int32;",
        """vertex functor f(v) { apply { if (next[v] == none) { a[v] = -1; } else { a[v] = s + int32(next[v]); } } }""",
        "compute(vertices, f);",
        next=np.array([1, -1, 3, 4, 0], np.int32),
        cost=np.arange(6.0),
        s=10,
    )
    assert outcome.arrays["a"].tolist() == [11, -1, 13, 14, 10]
    assert outcome.arrays["next"].tolist() == [1, -1, 3, 4, 0]
    assert outcome.scalars["s"] == 10
    assert outcome.arrays["cost"].dtype == np.float64


def test_scalars_without_an_initial_value_are_zero_or_none() -> None:
    outcome = problem("scalar v : vertex; scalar x : float32; scalar b : bool;", "", "")
    assert outcome.scalars == {"v": -1, "x": 0.0, "b": False}
