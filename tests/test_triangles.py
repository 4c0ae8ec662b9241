"""Triangles of simple undirected graphs against NetworkX, on every backend."""

from __future__ import annotations

from functools import cache

import networkx as nx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gdsl
from tests.oracles import BY_NAME
from tests.support.graphs import make_graph

BACKENDS = ["reference", "cpu", pytest.param("cuda", marks=pytest.mark.gpu)]
MOST = 24


@cache
def triangles() -> gdsl.Program:
    return gdsl.compile(BY_NAME["triangles"].path)


@st.composite
def simple_edges(draw: st.DrawFn) -> tuple[int, list[tuple[int, int]]]:
    """How many vertices, and pairs of them: few, many, or all but a few, so that cliques and hubs are among them."""
    count = draw(st.integers(0, MOST))
    pairs = [(a, b) for a in range(count) for b in range(a + 1, count)]
    if not pairs:
        return count, []
    chosen = draw(st.sets(st.sampled_from(pairs), max_size=3 * count))
    left_out = draw(st.booleans())
    return count, [pair for pair in pairs if (pair in chosen) != left_out]


@pytest.mark.parametrize("backend", BACKENDS)
def test_against_networkx(backend: str) -> None:
    @settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck), database=None)
    @given(simple_edges())
    def check(drawn: tuple[int, list[tuple[int, int]]]) -> None:
        count, edges = drawn
        graph = nx.Graph(edges)
        graph.add_nodes_from(range(count))
        known = nx.triangles(graph)
        result = triangles().run(make_graph(edges, count, directed=False), backend=backend)
        assert result["triangles"] == sum(known.values()) // 3
        assert result.host_arrays()["in_triangle"].tolist() == [known[vertex] > 0 for vertex in range(count)]

    check()


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("count", [3, 4, 33, 70])
def test_cliques(count: int, backend: str) -> None:
    edges = [(a, b) for a in range(count) for b in range(a)]
    found = triangles().run(make_graph(edges, count, directed=False), backend=backend)
    assert found["triangles"] == count * (count - 1) * (count - 2) // 6
    assert found["corners"] == count
