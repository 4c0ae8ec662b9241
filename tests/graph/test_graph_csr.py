"""CSR, CSC and what programs require of a graph, against plain Python and SciPy."""

from __future__ import annotations

import networkx
import numpy as np
import pytest
from graph_cases import assert_same, edge_lists, graph_of, pairs, stored
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from gdsl.diagnostics import GdslError
from gdsl.graph import Graph, csr

NUMBERED = edge_lists(st.integers(0, 1000))


@given(NUMBERED)
def test_edges_are_ordered_by_source_neighbor_and_place(case):
    count, edges = case
    graph = graph_of(count, edges)
    assert stored(graph) == sorted(edges, key=lambda edge: edge[:2])
    assert graph.offsets.tolist() == [sum(edge[0] < vertex for edge in edges) for vertex in range(count + 1)]


@given(NUMBERED)
def test_both_ways_of_sorting_give_the_same_graph(case):
    """Few edges are sorted by NumPy, many by SciPy."""
    count, edges = case
    graphs = []
    for few in (0, 1 << 30):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(csr, "_FEW", few)
            graph = graph_of(count, edges)
            parts = (graph.offsets, graph.columns, graph.in_offsets, graph.in_sources, graph.in_edge_ids)
            graphs.append([*parts, *(graph.attributes[name] for name in sorted(graph.attributes))])
    for one, other in zip(*graphs, strict=True):
        assert one.dtype == other.dtype
        assert one.tolist() == other.tolist()


@given(NUMBERED)
def test_undirected_edges_are_stored_both_ways_and_loops_once(case):
    count, edges = case
    graph = graph_of(count, edges, directed=False)
    both = [edge for u, v, w in edges for edge in ([(u, v, w), (v, u, w)] if u != v else [(u, v, w)])]
    assert stored(graph) == sorted(both, key=lambda edge: edge[:2])
    assert graph.is_symmetric()
    assert graph.first_asymmetric_edge() is None


@given(NUMBERED, st.booleans())
def test_csc_lists_the_edges_that_enter(case, directed):
    count, edges = case
    graph = graph_of(count, edges, directed)
    by_destination = sorted(range(graph.num_edges), key=lambda e: (graph.columns[e], e))
    assert graph.in_edge_ids.tolist() == by_destination
    assert graph.in_sources.tolist() == [graph.edge_sources[e] for e in by_destination]
    assert np.diff(graph.in_offsets).tolist() == graph.in_degrees.tolist()
    assert graph.in_degrees.tolist() == np.bincount(graph.columns, minlength=count).tolist()
    assert graph.out_degrees.tolist() == np.bincount(graph.edge_sources, minlength=count).tolist()
    assert [graph.ends(e) for e in range(graph.num_edges)] == [edge[:2] for edge in stored(graph)]


@given(edge_lists())
def test_first_asymmetric_edge_and_first_duplicate_or_loop(case):
    graph = graph_of(*case)
    edges = [edge[:2] for edge in stored(graph)]
    left, asymmetric = pairs(edges), None
    for place, (source, destination) in enumerate(edges):
        if edges[: place + 1].count((source, destination)) > left[destination, source] and asymmetric is None:
            asymmetric = place
    offenders = [e for e, (u, v) in enumerate(edges) if u == v or (e and edges[e - 1] == (u, v))]
    assert graph.first_asymmetric_edge() == asymmetric
    assert graph.is_symmetric() == (asymmetric is None)
    assert graph.first_duplicate_or_loop() == (offenders[0] if offenders else None)


def test_arrays_cannot_be_changed_and_do_not_follow_the_callers():
    weights = np.array([1.0, 2.0])
    graph = Graph.from_edges([0, 1], [1, 0], weights=weights, vertex_attributes={"site": np.array([True, False])})
    weights[0] = 7
    assert graph.attributes["weight"].tolist() == [1, 2]
    everything = (graph.offsets, graph.columns, graph.attributes["weight"], graph.vertex_attributes["site"])
    for array in (*everything, graph.in_edge_ids, graph.edge_sources, graph.out_degrees):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_no_edges_and_no_vertices():
    assert Graph.from_edges([], []).num_vertices == 0
    graph = Graph.from_edges([], [], num_vertices=3)
    assert (graph.num_vertices, graph.num_edges, graph.in_offsets.tolist()) == (3, 0, [0, 0, 0, 0])
    assert graph.is_symmetric()
    assert graph.first_duplicate_or_loop() is None
    assert "3 vertices" in repr(graph)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint64", ">i4"])
def test_any_integer_type_is_an_id(dtype):
    graph = Graph.from_edges(np.array([2, 0], dtype), np.array([1, 2], dtype))
    assert stored(graph) == [(0, 2), (2, 1)]
    assert graph.columns.dtype == np.int32
    assert graph.id_bits == 32


@pytest.mark.parametrize(
    ("code", "part", "arguments"),
    [
        ("E0711", "destinations 1", ([0, 1], [1])),
        ("E0711", "float64", ([0.5], [1])),
        ("E0711", "2 dimensions", ([[0]], [1])),
        ("E0711", "weight has 1", ([0, 1], [1, 0], 2, [1])),
        ("E0711", "weight has the type", ([0], [1], 2, ["x"])),
        ("E0711", "num_vertices is -1", ([], [], -1)),
        ("E0707", "sources[1] is -1", ([0, -1], [1, 0])),
        ("E0707", "destinations[0] is 2", ([0, 1], [2, 0], 2)),
        ("E0709", "too large", ([0], [2**62])),
        ("E0711", "type object", ([0], [2**70])),
        ("E0707", "is 18446744073709551615", (np.array([2**64 - 1], dtype=np.uint64), [0])),
        ("E0711", "not an array", ([[0], [1, 2]], [0, 1])),
    ],
)
def test_unusable_arrays(code, part, arguments):
    with pytest.raises(GdslError) as caught:
        Graph.from_edges(*arguments)
    assert caught.value.code == code
    assert part in str(caught.value)


def test_more_vertices_than_memory(monkeypatch):
    monkeypatch.setattr("gdsl.graph.memory.available_memory", lambda: 10**10)
    with pytest.raises(GdslError) as caught:
        Graph.from_edges([0], [3_000_000_000], 3_000_000_001)
    assert caught.value.code == "E0708"


@given(edge_lists(st.floats(allow_nan=True, width=32)), st.sampled_from(["coo", "csr", "csc"]))
def test_scipy_keeps_parallel_entries_and_zeros(case, layout):
    count, edges = case
    columns = list(zip(*edges, strict=True)) if edges else [(), (), ()]
    shape = (count, count)
    matrix = sparse.coo_array((np.array(columns[2], float), (columns[0], columns[1])), shape=shape, dtype=float)
    matrix.has_canonical_format = True  # so that SciPy's own conversions keep parallel entries too
    graph = Graph.from_scipy(matrix.asformat(layout))
    assert pairs(stored(graph)) == pairs(edges)
    if layout == "coo":
        assert_same(graph, graph_of(count, edges) if edges else graph)
    assert_same(graph, Graph.from_scipy(graph.to_scipy()))


def test_scipy_booleans_are_no_weights_and_symmetry_is_checked():
    assert not Graph.from_scipy(sparse.eye(3, dtype=bool, format="csr")).attributes
    path = sparse.csr_array(np.array([[0, 2.0], [2.0, 0]]))
    assert not Graph.from_scipy(path, directed=False).directed
    for wrong in ([[0, 2.0], [0, 0]], [[0, 2.0], [3.0, 0]]):
        with pytest.raises(GdslError, match="E0704") as caught:
            Graph.from_scipy(sparse.csr_array(np.array(wrong)), directed=False)
        assert "(0, 1) and (1, 0) differ" in str(caught.value)


@pytest.mark.parametrize(
    ("code", "matrix"),
    [
        ("E0711", np.eye(2)),
        ("E0711", None),
        ("E0704", sparse.csr_array((2, 3))),
        ("E0704", sparse.csr_array((2, 2), dtype=complex)),
    ],
)
def test_matrices_that_are_no_graphs(code, matrix):
    with pytest.raises(GdslError, match=code):
        Graph.from_scipy(matrix)


@given(edge_lists(st.integers(-5, 5)), st.booleans())
def test_networkx_there_and_back(case, directed):
    graph = graph_of(*case, directed=directed)
    assert_same(graph, Graph.from_networkx(graph.to_networkx()))


def test_networkx_names_weights_and_attributes():
    made = networkx.DiGraph()
    made.add_node("b", x=1.5, label="no number")
    made.add_node("a", x=2)
    made.add_edge("a", "b", weight=3, capacity=1.5, kind="road")
    made.add_edge("b", "a", capacity=2)
    graph = Graph.from_networkx(made)
    assert stored(graph) == [(0, 1, 1), (1, 0, 3)]
    assert graph.attributes.keys() == {"weight", "capacity"}
    assert graph.vertex_attributes["x"].tolist() == [1.5, 2]
    shuffled = networkx.Graph([(2, 0), (0, 1)])
    assert stored(Graph.from_networkx(shuffled)) == [(0, 1), (0, 2), (1, 0), (2, 0)]
    with pytest.raises(GdslError, match="E0711"):
        Graph.from_networkx([(0, 1)])
    with pytest.raises(GdslError, match="E0711"):
        Graph.from_networkx(networkx.Graph([(0, 1, {"weight": "heavy"})]))
