"""Graphs drawn by Hypothesis, and edges as plain Python to compare with."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from hypothesis import strategies as st

from gdsl.graph import Graph

Edge = tuple[Any, ...]


@st.composite
def edge_lists(draw: st.DrawFn, weights: st.SearchStrategy[Any] | None = None) -> tuple[int, list[Edge]]:
    """(vertices, edges); few vertices, so that loops and parallel edges are common. With weights: triples."""
    count = draw(st.integers(1, 8))
    vertex = st.integers(0, count - 1)
    parts = [vertex, vertex] + ([weights] if weights is not None else [])
    return count, draw(st.lists(st.tuples(*parts), max_size=24))


def graph_of(count: int, edges: list[Edge], directed: bool = True) -> Graph:
    columns = list(zip(*edges, strict=True)) if edges else [(), ()]
    weights = columns[2] if len(columns) > 2 else None
    return Graph.from_edges(columns[0], columns[1], count, weights, directed=directed)


def stored(graph: Graph) -> list[Edge]:
    """The stored edges by id: (source, destination[, weight])."""
    columns = [graph.edge_sources.tolist(), graph.columns.tolist()]
    if "weight" in graph.attributes:
        columns.append(graph.attributes["weight"].tolist())
    return list(zip(*columns, strict=True))


def assert_same(one: Graph, other: Graph) -> None:
    assert (one.num_vertices, one.num_edges, one.directed) == (other.num_vertices, other.num_edges, other.directed)
    np.testing.assert_array_equal(one.offsets, other.offsets)
    np.testing.assert_array_equal(one.columns, other.columns)
    assert one.attributes.keys() == other.attributes.keys()
    for name, values in one.attributes.items():
        np.testing.assert_array_equal(values, other.attributes[name])


def pairs(edges: list[Edge]) -> Counter[tuple[int, int]]:
    return Counter((edge[0], edge[1]) for edge in edges)
