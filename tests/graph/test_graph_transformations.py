"""--undirected, --weights and --dedup, against plain Python."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from graph_cases import assert_same, edge_lists, graph_of, stored
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csgraph

from gdsl.diagnostics import GdslError
from gdsl.graph import Graph, GraphOptions, describe, rmat
from gdsl.graph.edge_list import edges_from_arrays


def changed(case, directed=True, **options):
    count, edges = case
    columns = list(zip(*edges, strict=True)) if edges else [(), (), ()]
    attributes = {"weight": columns[2]} if len(columns) > 2 else {}
    arrays = edges_from_arrays(columns[0], columns[1], count, attributes, directed, {})
    return Graph._from_edge_list(GraphOptions(**options).apply_to_edges(arrays))


@given(edge_lists(st.integers(1, 2)))
def test_undirected_pairs_opposites_of_equal_weight(case):
    graph = changed(case, undirected=True)
    given_edges = Counter(case[1])
    expected = Counter()
    for u, v, w in given_edges:
        expected[u, v, w] = max(given_edges[u, v, w], given_edges[v, u, w])
        expected[v, u, w] = expected[u, v, w]
    assert Counter(stored(graph)) == expected
    assert not graph.directed
    assert graph.is_symmetric()
    later = GraphOptions(undirected=True).apply(graph_of(*case))
    assert sorted(stored(later)) == sorted(stored(graph))


@given(edge_lists(st.integers(-3, 3)), st.sampled_from(["min", "sum", "first"]), st.booleans())
def test_dedup(case, how, directed):
    graph = changed(case, directed, dedup=how)
    groups: dict[tuple[int, int], list[int]] = {}
    for u, v, w in case[1]:
        groups.setdefault((u, v) if directed else (min(u, v), max(u, v)), []).append(w)
    combine = {"min": min, "sum": sum, "first": lambda weights: weights[0]}[how]
    edges = [(u, v, combine(weights)) for (u, v), weights in groups.items()]
    assert_same(graph, graph_of(case[0], edges, directed) if edges else graph)


@given(edge_lists(st.integers(1, 9)))
def test_undirected_with_dedup_is_simple_but_for_loops(case):
    graph = changed(case, undirected=True, dedup="sum")
    matrix = np.zeros((case[0], case[0]), dtype=int)
    for u, v, w in case[1]:
        matrix[u, v] += w
        if u != v:
            matrix[v, u] += w
    assert stored(graph) == [(u, v, w) for (u, v), w in np.ndenumerate(matrix) if w]


def test_min_passes_over_nan_and_takes_the_other_attributes_along():
    arrays = edges_from_arrays([0] * 3, [1] * 3, 2, {"weight": [math.nan, 2, 1], "n": [7, 8, 9]}, True, {})
    graph = Graph._from_edge_list(GraphOptions(dedup="min").apply_to_edges(arrays))
    assert graph.attributes["weight"].tolist() == [1]
    assert graph.attributes["n"].tolist() == [9]


def test_opposites_of_equal_nan_are_one_edge():
    assert changed((2, [(0, 1, math.nan), (1, 0, math.nan)]), undirected=True).num_edges == 2


def test_sums_grow_and_overflow_is_refused():
    arrays = edges_from_arrays([0, 0], [1, 1], 2, {"weight": np.array([2**31 - 1] * 2, np.int32)}, True, {})
    assert GraphOptions(dedup="sum").apply_to_edges(arrays).attributes["weight"].tolist() == [2**32 - 2]
    for large in (np.array([2**63 - 1]), np.array([3e38], np.float32), np.array([1.7e308])):
        arrays = edges_from_arrays([0, 0], [1, 1], 2, {"weight": np.repeat(large, 2)}, True, {})
        with pytest.raises(GdslError, match=f"E0712.* does not fit {large.dtype}"):
            GraphOptions(dedup="sum").apply_to_edges(arrays)


def test_random_weights_are_symmetric_pinned_and_replace():
    graph = GraphOptions(weights="random:1").apply(rmat(8))
    weights = graph.attributes["weight"]
    assert weights.dtype == np.int32
    assert (weights.min(), weights.max()) == (1, 64)
    assert np.array_equal(weights, weights[graph.in_edge_ids])
    assert len(np.unique(weights)) == 64
    again = GraphOptions(weights="random:2:1000").apply(graph).attributes["weight"]
    assert again.max() > 900 and again.dtype == np.int32
    long = GraphOptions(weights="random:2:2000000000").apply(graph).attributes["weight"]
    assert long.max() > 2**30 and long.dtype == np.int64
    pinned = GraphOptions(weights="random:0").apply(Graph.from_edges([0, 1, 5], [1, 2, 3]))
    # The weights of the benchmark graphs: seed 0.
    assert pinned.attributes["weight"].tolist() == [42, 28, 7]


@pytest.mark.parametrize("options", [{"dedup": "last"}, {"weights": "random"}, {"weights": "random:x"}, {"weights": 7}])
def test_unknown_options(options):
    with pytest.raises(GdslError, match="E0712"):
        GraphOptions(**options)


def test_description():
    graph = Graph.from_edges([0, 0, 1, 1, 4], [1, 1, 0, 1, 0], 6, [1.0, 2, 3, math.nan, 5])
    info = describe(graph)
    assert (info.vertices, info.edges, info.stored_edges, info.directed, info.symmetric) == (6, 5, 5, True, False)
    assert (info.degree_min, info.degree_max, info.self_loops, info.duplicates, info.isolated) == (0, 2, 1, 1, 3)
    assert (info.components, info.largest_component, info.weight_min, info.weight_max) == (4, 3, 1.0, 5.0)
    assert "5 directed" in str(info)
    assert info.as_dict()["attributes"] == ["weight"]
    loops = describe(Graph.from_edges([0, 0], [0, 1], directed=False))
    assert (loops.edges, loops.stored_edges, loops.isolated) == (2, 3, 0)
    again = describe(Graph.from_edges([0, 1, 1, 1, 2, 2, 2], [1, 0, 0, 2, 2, 2, 2], directed=False))
    assert (again.edges, again.self_loops, again.duplicates) == (7, 3, 4)
    assert describe(Graph.from_edges([], [])).components == 0


@given(edge_lists(), st.booleans())
def test_components_are_those_of_scipy(case, directed):
    graph = graph_of(*case, directed=directed)
    count, labels = csgraph.connected_components(graph.to_scipy(None), directed=True, connection="weak")
    info = describe(graph)
    assert (info.components, info.largest_component) == (count, np.bincount(labels).max())


def test_components_of_small_and_large_graphs():
    path = np.arange(16_000)
    for ends in ((path, path + 1), (path + 1, path), (path[::-1], path[::-1] + 1)):
        assert describe(Graph.from_edges(*ends)).components == 1
    large = np.arange(40_000)
    assert describe(Graph.from_edges(large[::2], large[1::2])).components == 20_000


@given(edge_lists(st.integers(1, 9)))
def test_reverse_arcs_make_a_graph_symmetric_with_as_few_as_will_do(case):
    """Each arc stays, and those that are added have the value 0."""
    graph = graph_of(*case, directed=True) if case[1] else Graph.from_edges([], [], case[0], [])
    found = graph.changed(reverse_arcs=True)
    assert found.is_symmetric() and found.directed
    weights = found.attributes["weight"]
    pairs = sorted(zip(*(each[weights > 0].tolist() for each in (*found.edges, weights)), strict=True))
    assert pairs == sorted(zip(*(each.tolist() for each in (*graph.edges, graph.attributes["weight"])), strict=True))
    added = found.changed(dedup="first").num_edges - graph.changed(dedup="first").num_edges
    assert added <= found.num_edges - graph.num_edges
    assert found.changed(reverse_arcs=True).num_edges == found.num_edges
    with pytest.raises(GdslError, match="E0712"):
        graph.changed(reverse_arcs=True, undirected=True)
