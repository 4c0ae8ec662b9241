"""The checks of benchmark results accept what NetworkX says and see what is wrong."""

from __future__ import annotations

from functools import cache
from typing import Any

import networkx as nx
import numpy as np
import pytest

from bench import library_checks as checks
from bench.graphs import BenchmarkGraph, load


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


@BOTH
def test_cores(name: str) -> None:
    made, other = graph(name)
    core = array_of(nx.core_number(other))
    assert checks.check_cores(made, core) is None
    core[3] += 1
    assert checks.check_cores(made, core) == "1 core numbers are others"


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
def test_forests(name: str) -> None:
    made, other = graph(name)
    forest = list(nx.minimum_spanning_edges(other, data=True))
    weight = sum(data["weight"] for *_, data in forest)
    ids = {ends: e for e, ends in enumerate(zip(made.edge_sources.tolist(), made.columns.tolist(), strict=True))}
    chosen = np.zeros(made.num_edges, dtype=bool)
    chosen[[ids[u, v] for u, v, _ in forest]] = True
    assert checks.check_forest(made, weight, chosen) is None
    assert "instead of" in (checks.check_forest(made, weight + 1, chosen) or "")
    chosen[ids[forest[0][:2]]] = False
    assert "edges in the forest instead of" in (checks.check_forest(made, weight, chosen) or "")


@BOTH
def test_dependencies(name: str) -> None:
    made, other = graph(name)
    source = int(made.sources[0])
    distance = np.full(made.num_vertices, -1)
    for vertex, hops in nx.single_source_shortest_path_length(other, source).items():
        distance[vertex] = hops
    halves = nx.betweenness_centrality_subset(other, [source], list(other), normalized=False)
    dependency = 2 * array_of(halves)  # NetworkX halves what it says of undirected graphs
    assert checks.check_dependencies(made, source, dependency, distance) is None
    dependency[int(distance.argmax())] += 1
    assert checks.check_dependencies(made, source, dependency, distance) == "1 dependencies are others"
