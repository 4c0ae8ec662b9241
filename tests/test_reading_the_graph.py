"""What functors read of the graph: against NetworkX, and where a run stops because there is nothing to read."""

from __future__ import annotations

from functools import cache
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gdsl
from gdsl.diagnostics import GdslError
from tests.oracles.lists import reverse_edges
from tests.support.graphs import graphs, make_graph, named_graphs

BACKENDS = ["reference", "cpu", pytest.param("cuda", marks=pytest.mark.gpu)]

CLUSTERING = """program clustering;
requires symmetric, simple;
problem { vertex coefficient : float64; }
vertex functor look(v) {
    apply {
        var links : int64 = 0;
        for u in neighbors(v) {
            for w in neighbors(v) { if (u < w && has_edge(u, w)) { links += 1; } }
        }
        let degree = int64(out_degree(v));
        if (degree > 1) { coefficient[v] = 2 * float64(links) / (degree * (degree - 1)); }
    }
}
schedule { compute(vertices, look); }
"""
RECIPROCITY = """program reciprocity;
requires simple;
problem { vertex mutual : int32; vertex either : int32; scalar all : int64; }
edge functor look(src, dst, e) {
    apply {
        let back = reverse(e);
        either[src(e)] += 1;
        either[dst(e)] += 1;
        if (back != none) {
            all += 1;
            mutual[src(back)] += 1;
            mutual[dst(back)] += 1;
        }
    }
}
schedule { advance(vertices, look, to=none); }
"""


@cache
def compiled(text: str, *tune: str) -> gdsl.Program:
    return gdsl.compile(text, tune=tune)


@st.composite
def simple_edges(draw: st.DrawFn, directed: bool) -> tuple[int, list[tuple[int, int]]]:
    """How many vertices, and pairs of them: few or many."""
    count = draw(st.integers(1, 16))
    pairs = [(a, b) for a in range(count) for b in range(count) if a != b and (directed or a < b)]
    if not pairs:
        return count, []
    chosen = draw(st.sets(st.sampled_from(pairs), max_size=3 * count))
    left_out = draw(st.booleans())
    return count, [pair for pair in pairs if (pair in chosen) != left_out]


def searching(examples: int) -> Any:
    checks = list(HealthCheck)
    return settings(max_examples=examples, deadline=None, derandomize=True, suppress_health_check=checks, database=None)


@pytest.mark.parametrize("backend", BACKENDS)
def test_clustering_coefficients(backend: str) -> None:
    @searching(30)
    @given(simple_edges(directed=False))
    def check(drawn: tuple[int, list[tuple[int, int]]]) -> None:
        count, edges = drawn
        graph = nx.Graph(edges)
        graph.add_nodes_from(range(count))
        known = nx.clustering(graph)
        result = compiled(CLUSTERING).run(make_graph(edges, count, directed=False), backend=backend)
        np.testing.assert_allclose(result.host_arrays()["coefficient"], [known[v] for v in range(count)], rtol=1e-12)

    check()


@pytest.mark.parametrize("backend", BACKENDS)
def test_reciprocity(backend: str) -> None:
    @searching(30)
    @given(simple_edges(directed=True))
    def check(drawn: tuple[int, list[tuple[int, int]]]) -> None:
        count, edges = drawn
        result = compiled(RECIPROCITY).run(make_graph(edges, count), backend=backend)
        found = result.host_arrays()
        graph = nx.DiGraph(edges)
        if edges:
            assert result["all"] / len(edges) == nx.overall_reciprocity(graph)
        for v, known in nx.reciprocity(graph, list(graph)).items():
            assert found["mutual"][v] / found["either"][v] == pytest.approx(known)

    check()


# ---------------------------------------------------------------- edges that lead back


@pytest.mark.slow
def test_edges_are_paired_in_the_order_of_their_lists() -> None:
    @searching(200)
    @given(graphs(min_vertices=0))
    def check(graph: gdsl.Graph) -> None:
        assert graph.reverse_edges.tolist() == reverse_edges(graph).tolist()

    check()
    for graph in named_graphs().values():
        assert graph.reverse_edges.tolist() == reverse_edges(graph).tolist()


def test_parallel_edges_and_loops_that_lead_back() -> None:
    edges = [(0, 1), (0, 1), (0, 1), (1, 0), (1, 0), (2, 2), (2, 2), (2, 0)]
    graph = make_graph(edges, 3)
    assert graph.reverse_edges.tolist() == [3, 4, -1, 0, 1, -1, 6, 7]
    assert not graph.reverse_edges.flags.writeable


def test_pairs_of_an_undirected_graph_are_one_edge() -> None:
    """Both directions of an edge carry what it was given, parallel edges too."""
    graph = gdsl.Graph.from_edges([0, 1, 0, 2, 1], [1, 0, 1, 2, 2], 3, weights=[5, 6, 7, 8, 9], directed=False)
    weight, back = graph.attributes["weight"], graph.reverse_edges
    assert weight[back].tolist() == weight.tolist()
    assert back[back].tolist() == list(range(graph.num_edges))


# ---------------------------------------------------------------- where a run stops

PATH = make_graph([(0, 1), (1, 2), (1, 2), (2, 0)], 4)
EDGELESS = make_graph([], 2)
STOPS = [
    ("if (v == 3) { a[v] = int32(neighbor(v, 0)); }", "place 0 of `neighbor`", PATH),
    ("if (v == 1) { a[v] = int32(neighbor(v, 2)); }", "place 2 of `neighbor`", PATH),
    ("if (v == 1) { a[v] = int32(neighbor(v, -1)); }", "place -1 of `neighbor`", PATH),
    ("if (v == 1) { a[v] = int32(out_edge(v, uint32(a[v]) - 1)); }", "place 4294967295 of `out_edge`", PATH),
    ("if (v == 1) { a[v] = int32(out_edge(v, int64(1) << 40)); }", "place 1099511627776 of `out_edge`", PATH),
    ("if (v == 0) { a[v] = int32(neighbor(b[v], 0)); }", "index none of `neighbor`", PATH),
    ("if (v == 0) { a[v] = int32(out_edge(b[v], 0)); }", "index none of `out_edge`", PATH),
    ("if (v == 0) { a[v] = int32(src(c[v])); }", "index none of `src`", PATH),
    ("if (v == 0) { a[v] = int32(dst(edge(4))); }", "index none of `dst`", PATH),
    ("if (v == 0) { a[v] = int32(reverse(c[v])); }", "index none of `reverse`", PATH),
    ("if (v == 0) { for u in neighbors(b[v]) { a[u] += 1; } }", "index none of `neighbors`", PATH),
    ("if (v == 0) { a[v] = int32(neighbor(v, 0)); }", "place 0 of `neighbor`", EDGELESS),
    ("if (v == 0) { a[v] = int32(dst(out_edge(v, 0))); }", "place 0 of `out_edge`", EDGELESS),
    ("if (v == 0) { a[v] = int32(src(c[v])); }", "index none of `src`", EDGELESS),
    ("if (v == 0) { a[v] = (v != 0) & (src(c[v]) == v) ? 1 : 2; }", "index none of `src`", PATH),
    ("if (v == 0) { var t = true; t |= src(c[v]) == v; a[v] = int32(t); }", "index none of `src`", PATH),
]


def stopping(text: str) -> str:
    data = "vertex a : int32; vertex b : vertex; vertex c : edge;"
    functor = f"vertex functor f(v) {{ apply {{\n{text} }} }}"
    return f"program stops; problem {{ {data} }}\n{functor} schedule {{ compute(vertices, f); }}"


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("text", "message", "graph"), STOPS, ids=[text for text, *_ in STOPS])
@pytest.mark.sampled(6)
def test_a_run_stops_where_there_is_nothing(text: str, message: str, graph: gdsl.Graph, backend: str) -> None:
    with pytest.raises(GdslError) as caught:
        compiled(stopping(text)).run(graph, backend=backend)
    [found] = caught.value.diagnostics
    assert (found.code, found.message[: len(message)]) == ("E0801", message)
    assert found.span is not None and found.span.line == 3


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("bounds", ["on", "off"])
def test_without_checks_what_is_there_is_read(bounds: str, backend: str) -> None:
    reads = "b[v] = neighbor(v, a[v]); c[v] = out_edge(dst(out_edge(v, 0)), 0);"
    loop = "for u, x in neighbors(b[v]) { a[v] += 10 * int32(dst(x)) + int32(u); }"
    text = stopping(f"if (v < 3) {{ {reads} {loop} }}")
    found = compiled(text, f"bounds={bounds}").run(PATH, backend=backend).host_arrays()
    assert found["b"].tolist() == [1, 2, 0, -1]
    assert found["c"].tolist() == [1, 3, 0, -1]
    assert found["a"].tolist() == [44, 0, 11, 0]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.slow
@pytest.mark.rare(3)
def test_long_lists_in_each_other_are_left_when_time_is_over(backend: str) -> None:
    loops = "for u in neighbors(v) { for w in neighbors(v) { for x in neighbors(v) { a[x] += int32(u) * int32(w); } } }"
    program = compiled(stopping(loops))
    with pytest.raises(GdslError) as caught:
        program.run(make_graph([(0, leaf) for leaf in range(1, 30_000)], 30_000), backend=backend, timeout=5.0)
    assert caught.value.code == "E0802"
