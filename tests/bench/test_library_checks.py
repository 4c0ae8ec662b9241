"""The checks of benchmark results accept what NetworkX says and see what is wrong."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import networkx as nx
import numpy as np
import pytest

from bench import library_checks as checks
from bench.graphs import BenchmarkGraph, load
from bench.works import sink_of
from gdsl.graph import Graph


@cache
def graph(name: str) -> tuple[BenchmarkGraph, Any]:
    made = load(name, "cpu", 2)
    other = nx.Graph()
    other.add_nodes_from(range(made.num_vertices))
    ends = (made.edge_sources.tolist(), made.columns.tolist(), made.weights.tolist())
    other.add_weighted_edges_from(zip(*ends, strict=True))
    return made, other


def array_of(values: dict[int, Any]) -> Any:
    return np.array([values[v] for v in range(len(values))])


BOTH = pytest.mark.parametrize("name", ["rmat8", "grid12"])


@BOTH
def test_triangles(name: str) -> None:
    made, other = graph(name)
    count = sum(nx.triangles(other).values()) // 3
    assert checks.check_triangles(made, count) is None
    assert "triangles instead of" in (checks.check_triangles(made, count + 1) or "")
    assert checks.check_triangles(made, count - 1) is not None


def test_triangles_in_several_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    made, other = graph("rmat8")
    monkeypatch.setattr(checks, "_PATHS_AT_ONCE", 100)
    assert checks.count_triangles(made) == sum(nx.triangles(other).values()) // 3


def test_known_counts_are_those_of_one_generator() -> None:
    made, _ = graph("grid12")
    named = replace(made, name="rmat22")  # the known count is that of the graph that CuPy makes
    assert checks.check_triangles(named, checks.count_triangles(made)) is None


@BOTH
def test_cores(name: str) -> None:
    made, other = graph(name)
    core = array_of(nx.core_number(other))
    assert checks.check_cores(made, core) is None
    core[3] += 1
    assert checks.check_cores(made, core) == "1 core numbers are others"
    assert checks.check_cores(made, np.full_like(core, core.min())) is not None


@BOTH
def test_independent_sets(name: str) -> None:
    made, other = graph(name)
    chosen = np.zeros(made.num_vertices, dtype=bool)
    chosen[list(nx.maximal_independent_set(other, seed=1))] = True
    assert checks.check_independent_set(made, chosen) is None
    assert checks.check_independent_set(made, np.ones_like(chosen)) is not None
    assert "could still join" in (checks.check_independent_set(made, np.zeros_like(chosen)) or "")


@BOTH
def test_colorings(name: str) -> None:
    made, other = graph(name)
    color = array_of(nx.greedy_color(other))
    assert checks.check_coloring(made, color) is None
    color[made.columns[0]] = color[made.edge_sources[0]]
    assert checks.check_coloring(made, color) is not None


@BOTH
def test_flows(name: str) -> None:
    made, other = graph(name)
    source, sink = made.sources[0], sink_of(made, made.sources[0])
    flow, found = nx.maximum_flow(other.to_directed(), source, sink, capacity="weight")
    ends = zip(made.edge_sources.tolist(), made.columns.tolist(), strict=True)
    carried = np.array([found[tail].get(head, 0) for tail, head in ends], np.int64)
    assert checks.check_flow(made, source, sink, flow, carried) is None
    assert checks.check_flow(made, source, sink, 0, np.zeros_like(carried)) == "more could flow"
    assert "lost or found" in (checks.check_flow(made, source, sink, flow + 1, carried) or "")
    assert "more than its capacity" in (checks.check_flow(made, source, sink, flow, carried - 1) or "")


@BOTH
def test_forests(name: str) -> None:
    made, other = graph(name)
    forest = list(nx.minimum_spanning_edges(other, data=True))
    weight = sum(data["weight"] for *_, data in forest)
    ids = {ends: e for e, ends in enumerate(zip(made.edge_sources.tolist(), made.columns.tolist(), strict=True))}
    chosen = np.zeros(made.num_edges, dtype=bool)
    chosen[[ids[u, v] for u, v, _ in forest]] = True
    assert checks.check_forest(made, weight, chosen) is None
    assert "instead of" in (checks.check_forest(made, weight + 1, chosen) or "")
    missing = chosen.copy()
    missing[ids[forest[0][:2]]] = False
    assert "edges in the forest instead of" in (checks.check_forest(made, weight, missing) or "")
    missing[ids[forest[1][1], forest[1][0]]] = True  # one edge in both directions
    assert checks.check_forest(made, weight, missing) == "1 edges of the forest close a cycle"
    heavier = nx.maximum_spanning_edges(other, data=True)
    others = np.zeros_like(chosen)
    others[[ids[u, v] for u, v, _ in heavier]] = True
    assert "weighs" in (checks.check_forest(made, weight, others) or "")


@BOTH
def test_dependencies(name: str) -> None:
    made, other = graph(name)
    source = int(made.sources[0])
    distance = np.full(made.num_vertices, -1)
    for vertex, hops in nx.single_source_shortest_path_length(other, source).items():
        distance[vertex] = hops
    halves = nx.betweenness_centrality_subset(other, [source], list(other), normalized=False)
    dependency = 2 * array_of(halves)  # NetworkX halves what it says of undirected graphs
    assert np.array_equal(checks.hop_distances(made, source), distance)
    assert checks.check_dependencies(made, source, dependency) is None
    for vertex in (source, int(distance.argmax()), int(distance.argmin())):
        for wrong in (dependency[vertex] + 1, np.nan, np.inf):
            changed = dependency.copy()
            changed[vertex] = wrong
            assert checks.check_dependencies(made, source, changed) == "1 dependencies are others"


def test_dependencies_where_paths_are_more_than_a_float_can_count() -> None:
    """Squares in a chain: 2^1200 shortest paths from the first vertex to the last one."""
    squares = 1200
    first = 3 * np.arange(squares)
    forth = np.concatenate([first, first, first + 1, first + 2])
    back = np.concatenate([first + 1, first + 2, first + 3, first + 3])
    chain = Graph.from_edges(np.concatenate([forth, back]), np.concatenate([back, forth]), 3 * squares + 1)
    weights = np.ones(chain.num_edges, np.float32)
    made = BenchmarkGraph("chain", chain, np, chain.offsets, chain.columns, chain.edge_sources, [0], weights)
    behind = 3.0 * np.arange(squares, 0, -1)  # vertices behind a square's first one, all of whose paths go through it
    dependency = np.zeros(chain.num_vertices)
    dependency[first] = behind
    dependency[first + 1] = dependency[first + 2] = (behind - 2) / 2
    dependency[0] = 0
    assert checks.check_dependencies(made, 0, dependency) is None
    assert checks.check_dependencies(made, 0, np.full_like(dependency, np.nan)) is not None


@BOTH
def test_communities(name: str) -> None:
    made, other = graph(name)
    communities = nx.community.louvain_communities(other, weight=None, seed=1)
    label = np.zeros(made.num_vertices, np.int64)
    for number, members in enumerate(communities):
        label[list(members)] = 7 * number  # labels need not be consecutive
    quality = nx.community.modularity(other, communities, weight=None)
    assert checks.modularity(made, label) == pytest.approx(quality)
    assert checks.check_communities(made, label, quality) is None
    assert "told" in (checks.check_communities(made, label, quality + 0.01) or "")
    assert "told" in (checks.check_communities(made, label, np.nan) or "")
    assert "no better" in (checks.check_communities(made, np.zeros_like(label), 0.0) or "")
    assert "no community" in (checks.check_communities(made, label - 7, quality) or "")


def test_no_edges() -> None:
    lonely = Graph.from_edges(np.zeros(0, int), np.zeros(0, int), 3)
    none = np.zeros(0, np.float32)
    made = BenchmarkGraph("lonely", lonely, np, lonely.offsets, lonely.columns, lonely.edge_sources, [0], none)
    assert checks.check_triangles(made, 0) is None
    assert checks.check_cores(made, np.zeros(3, int)) is None
    assert checks.check_forest(made, 0.0, np.zeros(0, bool)) is None
    assert checks.check_dependencies(made, 1, np.zeros(3)) is None
    assert checks.check_independent_set(made, np.ones(3, bool)) is None
    assert checks.check_independent_set(made, np.zeros(3, bool)) is not None
    assert checks.check_communities(made, np.arange(3), 0.0) is None
