"""Programs that several workers run together, each with a share of the graph, give what the reference gives, and the
same bits on all workers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gdsl.backends.interface import Limits, Pair, TraceRecord
from gdsl.backends.reference.interpreter import interpret
from gdsl.backends.workers import share_lists
from gdsl.backends.workers.outcomes import ShareOutcome
from gdsl.binding import bind
from gdsl.diagnostics import GdslError
from gdsl.graph import Graph, rmat
from gdsl.operations import Direction
from gdsl.pipeline import load
from gdsl.plan import target
from gdsl.plan.followers import filters_of_followers
from tests.cpu.running import SMALL, assert_agree
from tests.oracles import BY_NAME, CASES, Case
from tests.support.graphs import graphs, named_graphs, random_graph
from tests.support.share_runs import shared_run

GRAPHS = {**named_graphs(), "rmat": rmat(7, 4, seed=5)}
FEW = ("random_directed", "grid_undirected", "self_loops_directed", "one_vertex_directed", "empty")
VARYING = {
    "sssp",
    "delta_stepping",
    "widest_path",
    "connected_components",
    "pagerank",
    "matching",
    "tree_edges",
    "draws",
}
VARYING |= {case.name for case in CASES if case.varies}
"""Programs whose frontiers or passes depend on the order of calls, or on rounding: only their results are compared."""
QUICK = (
    "sssp",
    "spmv",
    "k_core",
    "triangle_count",
    "max_flow",
    "jaccard",
    "edge_sets",
    "search_levels",
)
"""Programs that between them have every kind of exchange: publish, merge by each operation, turns, sets of vertices and
of edges, graphs that are made, arrays of edges in parts and mirrored."""


def check(case: Case, graph: Graph, size: int, seed: int = 1) -> None:
    """`case` on `graph` with `size` workers."""
    program = load(str(case.path))
    values = case.values(graph, seed)
    bindings = bind(program, graph, values, id_bits=32)
    expected = interpret(program, graph, bindings, Limits(), id_bits=32)
    outcomes, found = shared_run(program, graph, values, size, sizes=SMALL)
    if not case.varies:
        assert_agree(program, expected, found)
    if case.name not in VARYING:
        assert found.iterations == expected.iterations
        others = filters_of_followers(program, target.CPU_WORKERS)  # which have no records of their own
        traces = ([_counts(each) for each in run.trace if each.site not in others] for run in (found, expected))
        assert next(traces) == next(traces)
    case.check(graph, {**bindings.params, **bindings.inputs}, {**found.arrays, **found.scalars})
    assert_same_bits(outcomes)


def _counts(record: TraceRecord) -> tuple[int, int, int, int]:
    """The part of a record that all backends share."""
    return record.site, record.iteration, record.frontier_size, record.edges


def assert_same_bits(outcomes: list[ShareOutcome]) -> None:
    """All workers have the same values and the same trace."""
    first = outcomes[0]
    for other in outcomes[1:]:
        assert other.outcome.trace == first.outcome.trace
        assert repr(other.outcome.scalars) == repr(first.outcome.scalars)
        for name in first.outcome.arrays.keys() - first.parts:
            assert _bits(other.outcome.arrays[name]) == _bits(first.outcome.arrays[name]), name


def _bits(values: Any) -> bytes:
    both = values if isinstance(values, Pair) else (values,)
    return b"".join(each.tobytes() for each in both)


@pytest.mark.parametrize("name", QUICK)
def test_two_and_three_workers(name: str) -> None:
    case = BY_NAME[name]
    for size, graph in ((2, FEW[0]), (3, FEW[1]), (3, FEW[2]), (3, FEW[3]), (2, FEW[4])):
        if case.suits(GRAPHS[graph]):
            check(case, GRAPHS[graph], size)


@pytest.mark.parametrize("name", ["bfs", "sssp", "max_flow", "pagerank_push"])
@pytest.mark.sampled(3)
def test_values_of_few_elements_are_noted(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(share_lists, "FEW", 100)  # any number of them
    for graph in FEW[:3]:
        if BY_NAME[name].suits(GRAPHS[graph]):
            check(BY_NAME[name], GRAPHS[graph], 3)


@pytest.mark.parametrize("words", [[], ["visit.direction=pull"]])
def test_workers_pull(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(share_lists, "FEW", 100)
    program, sources = load(str(BY_NAME["bfs"].path), words), {"source": 0}
    for directed in (False, True):
        graph = rmat(7, 8, seed=3) if not directed else random_graph(150, 1500, seed=2)
        expected = interpret(program, graph, bind(program, graph, sources, id_bits=32), Limits(), id_bits=32)
        for size in (1, 2, 5):
            outcomes, found = shared_run(program, graph, sources, size, sizes=SMALL)
            assert Direction.PULL in [record.direction for record in found.trace]
            assert np.array_equal(found.arrays["distance"], expected.arrays["distance"])
            parents = found.arrays["parent"]
            reached = np.flatnonzero(parents >= 0)
            assert (found.arrays["distance"][parents[reached]] + 1 == found.arrays["distance"][reached]).all()
            assert_same_bits(outcomes)


@pytest.mark.rare(96)
@pytest.mark.slow
@pytest.mark.optimized
@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_program(case: Case, size: int) -> None:
    for name, graph in GRAPHS.items():
        if case.suits(graph):
            try:
                check(case, graph, size)
            except AssertionError as error:
                raise AssertionError(f"on {name}: {error}") from None


@pytest.mark.parametrize("name", ["bfs", "pagerank", "connected_components"])
@settings(max_examples=8, deadline=None)
@given(graph=graphs(), size=st.integers(1, 4), seed=st.integers(0, 3))
@pytest.mark.sampled(3)
def test_any_graph(name: str, graph: Graph, size: int, seed: int) -> None:
    case = BY_NAME[name]
    if case.suits(graph):
        check(case, graph, size, seed)


@pytest.mark.rare(48)
@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@settings(max_examples=20, deadline=None)
@given(graph=graphs(), size=st.integers(1, 4), seed=st.integers(0, 3))
def test_every_program_on_any_graph(case: Case, graph: Graph, size: int, seed: int) -> None:
    if case.suits(graph):
        check(case, graph, size, seed)


def test_edge_arrays_are_held_in_parts_where_nothing_names_other_edges() -> None:
    graph = random_graph(60, 240, seed=1)
    program = load(
        "program halves; problem { input edge weight : float32; edge half : float32 = 0.0; vertex most : float32; }"
        " schedule { compute(edges, (src, dst, e) => { half[e] = weight[e] / 2.0; most[dst] max= half[e]; }); }"
    )
    outcomes, found = shared_run(program, graph, {}, 3)
    assert outcomes[0].parts == {"weight", "half"}
    assert sum(len(each.outcome.arrays["half"]) for each in outcomes) == graph.num_edges
    assert max(len(each.outcome.arrays["half"]) for each in outcomes) < graph.num_edges
    assert np.array_equal(found.arrays["half"], graph.attributes["weight"] / 2)


def test_a_failed_check_of_one_worker_is_raised_on_all() -> None:
    graph = random_graph(30, 60, seed=1)
    text = (
        "program fails; problem { param at : int64; vertex x : int32; vertex y : int32; }"
        " schedule { while (iteration < 3) { compute(vertices, (v) => { if (v == 29) { x[v] = y[vertex(at)]; } }); } }"
    )
    with pytest.raises(GdslError, match="E0801"):
        shared_run(load(text), graph, {"at": 77}, 3)


def test_the_limit_of_iterations_and_the_timeout_stop_all_workers() -> None:
    graph = random_graph(30, 60, seed=1)
    text = (
        "program spins; problem { vertex x : int32; }"
        " schedule { while (true) { compute(vertices, (v) => { x[v] += 1; }); } }"
    )
    with pytest.raises(GdslError, match="E0803"):
        shared_run(load(text), graph, {}, 2, limits=Limits(max_iterations=5))
    with pytest.raises(GdslError, match="E0802"):
        shared_run(load(text), graph, {}, 3, limits=Limits(timeout=0.3))


def test_a_mistake_in_the_edges_of_one_worker_is_raised_on_all() -> None:
    weights = np.ones(60, np.float32)
    weights[59] = -1
    graph = Graph.from_edges(np.arange(60) % 30, (np.arange(60) * 7) % 30, 30, weights)
    text = (
        "program sums; problem { input edge weight : float32 where weight >= 0; vertex x : float32; }"
        " schedule { compute(edges, (src, dst, e) => { x[dst] += weight[e]; }); }"
    )
    with pytest.raises(GdslError, match="E0608"):
        shared_run(load(text), graph, {}, 3)


def test_names_and_missing_arguments() -> None:
    graph = Graph.from_table({"source": ["a", "b", "c"], "target": ["b", "c", "d"]})
    program = load(str(BY_NAME["bfs"].path))
    _, found = shared_run(program, graph, {"source": "b"}, 3)
    assert found.arrays["distance"].tolist() == [-1, 0, 1, 2]
    with pytest.raises(GdslError, match="no vertex of this name"):
        shared_run(program, graph, {"source": "z"}, 3)
    with pytest.raises(GdslError, match="E0601"):
        shared_run(program, graph, {}, 2)


def test_any_pair_wins_over_one_with_a_nan() -> None:
    text = """program pairs;
problem {
    input edge weight : float32; local vertex zero : float32;
    vertex a : (float32, int32); vertex b : (float64, edge); vertex c : (float32, int32) = (-0.0, 9);
    scalar d : (int64, float32);
}
schedule {
    compute(vertices, v => {
        let nan = zero[v] / zero[v]; a[v] = (v < 20 ? nan : -nan, 3); b[v] = (float64(a[v].0), edge(0));
        d any= (1, -zero[0] / zero[0]);
    });
    advance(vertices, (u, v, e) => {
        a[v] min= (weight[e], int32(e)); b[v] max= (float64(weight[e]), e); c[v] min= (weight[e] * 0.0, int32(e) % 20);
        d max= (0, weight[e]);
    }, to=none);
}
"""
    weights = np.where(np.arange(160) % 7 == 0, np.nan, np.arange(160) % 13 - 6).astype(np.float32)
    graph = Graph.from_edges(np.arange(160) % 40, np.arange(160) * 11 // 3 % 40, 40, weights)
    program = load(text)
    found = shared_run(program, graph, {}, 3, sizes=SMALL)[1]
    expected = interpret(program, graph, bind(program, graph, {}, id_bits=32), Limits(), id_bits=32)
    assert_agree(program, expected, found)


def test_zeros_that_are_added_change_a_negative_zero() -> None:
    program = load(
        "program zeros; problem { vertex a : float32 = -0.0; vertex b : float32 = -0.0; scalar c : float64 = -0.0; }"
        " schedule { advance(vertices, (u, v, e) => { a[v] += 0.0; b[v] -= 0.0; c += 0.0; }, to=none); }"
    )
    found = shared_run(program, GRAPHS["grid_undirected"], {}, 3, sizes=SMALL)[1]
    assert not np.signbit(found.arrays["a"]).any() and np.signbit(found.arrays["b"]).all()
    assert not np.signbit(found.scalars["c"])


def test_edges_of_a_contraction_are_not_owned_by_their_ids() -> None:
    program = load("""program ends;
problem { vertex label : int32 = int32(id) // 2; edge weight : int64 = 1; edge ends : int32 = -1; }
edge functor note(src, dst, e) { apply { ends[e] = int32(src) * 1000 + int32(dst); } }
schedule { graph h = contract(label, weight); on h { compute(edges, note); } }
""")
    graph = random_graph(60, 240, seed=1, directed=False)
    outcomes, found = shared_run(program, graph, {}, 3, sizes=SMALL)
    assert_agree(program, interpret(program, graph, bind(program, graph, {}, id_bits=32), Limits(), id_bits=32), found)
    assert_same_bits(outcomes)


CLAIMS = """program claims;
problem {
    local vertex a : bool; local vertex b : bool; local vertex c : bool; local vertex s[2] : bool;
    local scalar d : bool;
    vertex bits : uint64; vertex first : int64 = inf; vertex last : int64 = -1; vertex low : bool; vertex high : bool;
    vertex twice : bool; scalar mask : uint64;
    local vertex g : bool; local vertex h : bool; vertex won : bool; vertex by : vertex; vertex even : bool;
}
schedule {
    advance(vertices, (u, v, e) => { if (changed(a[v] |= true)) { bits[v] |= uint64(1) << int32(e); } }, to=none);
    advance(vertices, (u, v, e) => {
        if (changed(b[v] |= true)) { first[v] min= int64(e); last[v] max= int64(e); }
    }, to=none);
    advance(vertices, (u, v, e) => {
        if (changed(c[v] |= true)) { if (place == 0) { low[v] |= true; } else { high[v] |= true; } }
    }, to=none);
    advance(vertices, (u, v, e) => { twice[v] |= !changed(s[v][1] |= true); }, to=none);
    compute(edges, (u, v, e) => { if (changed(d |= true)) { mask |= uint64(1) << int32(e); } });
    advance(vertices, (u, v, e) => { if (changed(g[v] |= true)) { let also = changed(won[u] |= true); } }, to=none);
    frontier f = advance(vertices, (u, v, e) => {
        let told = changed(h[v] |= true); accept told; if (int32(u) % 2 == 1) { accept false; }
        if (told) { by[v] any= u; }
    });
    compute(f, v => { even[v] = true; });
}
"""
"""Of the calls on one element, one is told that it changed it."""


@pytest.mark.parametrize("size", [2, 3])
def test_one_call_is_told_of_a_change(size: int) -> None:
    program = load(CLAIMS)
    for shape in ("grid_undirected", "self_loops_directed", "complete_directed", "star_inwards_directed"):
        graph = GRAPHS[shape]
        found = shared_run(program, graph, {}, size, sizes=SMALL)[1]
        arrays, degree = found.arrays, np.bincount(graph.columns, minlength=graph.num_vertices)
        assert [bin(int(each)).count("1") for each in arrays["bits"]] == np.minimum(degree, 1).tolist(), shape
        reached = degree > 0
        assert np.array_equal(arrays["first"][reached], arrays["last"][reached]), shape
        assert not np.any(arrays["low"] & arrays["high"]), shape
        assert np.array_equal(arrays["twice"], degree > 1), shape
        assert bin(found.scalars["mask"]).count("1") == 1, shape
        assert arrays["won"].sum() <= reached.sum(), shape
        assert np.array_equal(arrays["even"][reached], arrays["by"][reached] % 2 == 0), shape
