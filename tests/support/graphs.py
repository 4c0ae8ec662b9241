"""Graphs for tests: a fixed collection of the awkward ones, and Hypothesis strategies.

Edge weights are called `weight`: float32, multiples of 1/4 from 0 to 64, so that sums along paths are exact.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from gdsl.graph import Graph

Edges = Sequence[tuple[int, int]]


def make_graph(
    edges: Edges, num_vertices: int, weights: Sequence[float] | None = None, *, directed: bool = True
) -> Graph:
    """The graph of `edges`; without `weights` they are 0, 1/4, 2/4, … by the place of the edge."""
    if weights is None:
        weights = [(place * 7 % 13) / 4 for place in range(len(edges))]
    sources = np.array([edge[0] for edge in edges], np.int64)
    destinations = np.array([edge[1] for edge in edges], np.int64)
    return Graph.from_edges(sources, destinations, num_vertices, np.array(weights, np.float32), directed=directed)


def assert_same(one: Graph, other: Graph) -> None:
    """The same vertices, names, edges and values."""
    assert (one.num_vertices, one.directed, one.names) == (other.num_vertices, other.directed, other.names)
    assert np.array_equal(one.offsets, other.offsets) and np.array_equal(one.columns, other.columns)
    for mine, others in ((one.attributes, other.attributes), (one.vertex_attributes, other.vertex_attributes)):
        assert {name: values.tolist() for name, values in mine.items()} == {
            name: values.tolist() for name, values in others.items()
        }


def star(leaves: int) -> list[tuple[int, int]]:
    """Vertex 0 with an edge to each of 1 … leaves."""
    return [(0, leaf) for leaf in range(1, leaves + 1)]


def complete(count: int) -> list[tuple[int, int]]:
    """Each pair of vertices once, the smaller one first."""
    return [(a, b) for a in range(count) for b in range(a + 1, count)]


def grid(rows: int, columns: int) -> list[tuple[int, int]]:
    """A grid with row-major ids."""
    right = [(r * columns + c, r * columns + c + 1) for r in range(rows) for c in range(columns - 1)]
    return right + [(r * columns + c, (r + 1) * columns + c) for r in range(rows - 1) for c in range(columns)]


def path(count: int) -> list[tuple[int, int]]:
    """0 – 1 – … – count-1."""
    return [(place, place + 1) for place in range(count - 1)]


_SHAPES: dict[str, tuple[Edges, int]] = {
    "one_vertex": ([], 1),
    "no_edges": ([], 5),
    "self_loop": ([(0, 0)], 1),
    "self_loops": ([(0, 0), (0, 1), (1, 1), (1, 1), (2, 2), (1, 2)], 4),
    "one_edge": ([(0, 1)], 2),
    "edge_back": ([(1, 0)], 2),
    "duplicates": ([(0, 1), (0, 1), (0, 1), (1, 2), (2, 0), (1, 2), (2, 3)], 4),
    "disconnected": ([(0, 1), (1, 2), (3, 4), (4, 5), (5, 3), (7, 8)], 10),
    "cycle": ([*path(9), (8, 0)], 9),
    "path": (path(40), 40),
    "path_backwards": ([(b, a) for a, b in path(12)], 12),
    "star": (star(70), 71),
    "star_inwards": ([(leaf, 0) for _, leaf in star(70)], 71),
    "two_hubs": ([*star(40), *[(41, leaf) for leaf in range(1, 41)], (0, 41)], 42),
    "complete": (complete(9), 9),
    "grid": (grid(6, 7), 42),
    "tree": ([((child - 1) // 2, child) for child in range(1, 31)], 31),
    "isolated_first": ([(3, 4), (4, 5)], 6),
}


def named_graphs(*, with_empty: bool = True) -> dict[str, Graph]:
    """The fixed collection, each shape directed and undirected, once with zero weights only, by a telling name.

    `with_empty`: also a graph without vertices, which has no source to start from.
    """
    graphs = {}
    for name, (edges, count) in _SHAPES.items():
        graphs[f"{name}_directed"] = make_graph(edges, count)
        graphs[f"{name}_undirected"] = make_graph(edges, count, directed=False)
    edges, count = _SHAPES["grid"]
    graphs["grid_zero_weights"] = make_graph(edges, count, [0.0] * len(edges), directed=False)
    graphs["random_directed"] = random_graph(60, 240, seed=1)
    graphs["random_undirected"] = random_graph(80, 160, seed=2, directed=False)
    if with_empty:
        graphs["empty"] = make_graph([], 0)
    return graphs


def random_graph(num_vertices: int, num_edges: int, *, seed: int, directed: bool = True) -> Graph:
    """Edges between uniformly drawn ends, self-loops and duplicates among them, with random weights."""
    random = np.random.default_rng(seed)
    ends = random.integers(0, num_vertices, (num_edges, 2))
    weights = (random.integers(0, 257, num_edges) / 4).tolist()
    return make_graph([(int(a), int(b)) for a, b in ends], num_vertices, weights, directed=directed)


def simple_part(graph: Graph) -> Graph:
    """Undirected and without weights: each two vertices that an edge joins, once; no self-loops."""
    pairs = np.sort(np.stack([graph.edge_sources, graph.columns]), axis=0)
    ends = np.unique(pairs[:, pairs[0] < pairs[1]], axis=1)
    return Graph.from_edges(ends[0], ends[1], graph.num_vertices, directed=False)


@st.composite
def graphs(
    draw: st.DrawFn,
    *,
    directed: bool | None = None,
    min_vertices: int = 1,
    max_vertices: int = 14,
    max_edges: int = 40,
) -> Graph:
    """Any small graph: self-loops, parallel edges, isolated vertices, zero weights; None draws whether directed."""
    count = draw(st.integers(min_vertices, max_vertices))
    vertex = st.integers(0, max(count - 1, 0))
    edges = draw(st.lists(st.tuples(vertex, vertex), max_size=max_edges if count else 0))
    quarters = st.one_of(st.just(0), st.integers(0, 256))
    weights = draw(st.lists(quarters, min_size=len(edges), max_size=len(edges)))
    if directed is None:
        directed = draw(st.booleans())
    return make_graph(edges, count, [quarter / 4 for quarter in weights], directed=directed)


@st.composite
def graphs_with_source(
    draw: st.DrawFn, *, directed: bool | None = None, max_vertices: int = 14, max_edges: int = 40
) -> tuple[Graph, int]:
    """A graph as `graphs` draws it, and one of its vertices."""
    graph = draw(graphs(directed=directed, max_vertices=max_vertices, max_edges=max_edges))
    return graph, draw(st.integers(0, graph.num_vertices - 1))
