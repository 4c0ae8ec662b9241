"""`betweenness` where there are more shortest paths than a float64 can count."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from gdsl import samples
from gdsl.graph import Graph
from tests.support.graphs import grid, make_graph, path

BACKENDS = ["reference", "cpu", pytest.param("cuda", marks=pytest.mark.gpu)]


def diamonds(count: int) -> list[tuple[int, int]]:
    """A chain of squares from corner to corner: each doubles the paths that come in."""
    square = ((0, 1), (0, 2), (1, 3), (2, 3))
    return [(3 * number + tail, 3 * number + head) for number in range(count) for tail, head in square]


def exact(graph: Graph, source: int) -> np.ndarray:
    """What `source` adds to every vertex, with whole numbers of any length."""
    offsets, columns = graph.offsets.tolist(), graph.columns.tolist()
    heads = [columns[first:last] for first, last in itertools.pairwise(offsets)]
    depth, paths, order = {source: 0}, [0] * graph.num_vertices, [source]
    paths[source] = 1
    for near in order:
        for far in heads[near]:
            if far not in depth:
                depth[far] = depth[near] + 1
                order.append(far)
            paths[far] += paths[near] if depth[far] == depth[near] + 1 else 0
    behind = [Fraction(0)] * graph.num_vertices
    for near in reversed(order):
        for far in heads[near]:
            if depth[far] == depth[near] + 1:  # rounded to 2^-100, so that the denominators do not grow
                behind[near] += Fraction(int((1 + behind[far]) * paths[near] * 2**100 / paths[far]), 2**100)
    behind[source] = Fraction(0)
    return np.array([float(each) for each in behind])


SQUARES = diamonds(1100)
GRAPHS = {
    "squares": make_graph(SQUARES, 3301, directed=False),
    "squares one way": make_graph(SQUARES, 3301),
    "two edges for each": make_graph([*path(1200), *path(1200)], 1200),
    "grid": make_graph(grid(12, 560), 12 * 560, directed=False),
    "as deep as can be counted": make_graph([*path(505), *((504 + a, 504 + b) for a, b in diamonds(3))], 514),
}


@pytest.mark.sampled(12)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", GRAPHS)
def test_no_number_of_paths_is_too_large(name: str, backend: str) -> None:
    graph = GRAPHS[name]
    sources = [0] if name != "squares" else [0, 1500]
    found = samples.betweenness(graph, sources=sources, backend=backend)["centrality"]
    assert np.allclose(found, sum(exact(graph, source) for source in sources), rtol=1e-9, atol=1e-9)
