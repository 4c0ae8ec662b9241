"""The samples, against SciPy and plain NumPy; parents by what makes one: a neighbor one hop nearer."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, connected_components, dijkstra

from gdsl.graph import Graph

from .case import Answers, Case, Values, distinct, ends, not_empty, same, source_of

DAMPING = 0.85


def pattern(graph: Graph) -> csr_array:
    """The adjacency matrix of ones, parallel edges merged."""
    source, destination = ends(graph)
    size = max(graph.num_vertices, 1)
    key = distinct(source * size + destination)
    return csr_array((np.ones(len(key)), (key // size, key % size)), shape=(graph.num_vertices,) * 2)


def hops(graph: Graph, source: int) -> np.ndarray:
    """Hop distances by SciPy's breadth-first order, -1 where there is no path."""
    order, before = breadth_first_order(pattern(graph), source, directed=True, return_predecessors=True)
    # Each vertex stands behind its predecessor in the order: the depth of level k is known once k-1's is.
    depth = np.full(graph.num_vertices, -1, np.int64)
    depth[source] = 0
    rest = order[1:]
    while len(rest):
        known = depth[before[rest]] >= 0
        depth[rest[known]] = depth[before[rest[known]]] + 1
        rest = rest[~known]
    return depth


def check_parents(graph: Graph, source: int, distance: np.ndarray, parent: np.ndarray) -> None:
    """Assert that parents are neighbors one hop nearer, and that nothing else has one."""
    found = parent >= 0
    assert np.array_equal(found, distance > 0), "exactly the vertices that were found on the way have a parent"
    child = np.flatnonzero(found)
    assert np.array_equal(distance[parent[child]] + 1, distance[child]), "a parent is one hop nearer"
    tails, heads = ends(graph)
    size = max(graph.num_vertices, 1)
    arcs, wanted = tails * size + heads, parent[child].astype(np.int64) * size + child
    at = np.minimum(np.searchsorted(arcs, wanted), max(len(arcs) - 1, 0))  # arcs are ascending, as a CSR has them
    assert np.array_equal(arcs[at] if len(wanted) else wanted, wanted), "a parent is a neighbor"


def check_bfs(graph: Graph, values: Values, answers: Answers) -> None:
    source = values["source"]
    same(answers, distance=hops(graph, source))
    check_parents(graph, source, np.asarray(answers["distance"]), np.asarray(answers["parent"]))


def weights_of(graph: Graph, seed: int) -> np.ndarray:
    """The graph's weights where none is negative, else others: quarters from 0 to 16, every eighth of them zero."""
    given = graph.attributes.get("weight")
    if given is not None and not (given < 0).any():
        return given.astype(np.float32)
    mixed = (np.arange(graph.num_edges, dtype=np.uint64) + np.uint64(seed)) * np.uint64(0x9E3779B97F4A7C15)
    quarters = (mixed >> np.uint64(58)).astype(np.float32)
    return np.where(quarters < 8, np.float32(0), quarters / 4).astype(np.float32)


def sssp_values(graph: Graph, seed: int) -> Values:
    return {"source": source_of(graph, seed), "weight": weights_of(graph, seed)}


def shortest(graph: Graph, source: int, weight: np.ndarray) -> np.ndarray:
    """Shortest distances by SciPy's Dijkstra in float64; of parallel edges the lightest counts."""
    tails, heads = ends(graph)
    order = np.lexsort((weight, heads, tails))
    tails, heads, weight = tails[order], heads[order], weight[order].astype(np.float64)
    first = np.ones(len(tails), bool)
    first[1:] = (tails[1:] != tails[:-1]) | (heads[1:] != heads[:-1])
    offsets = np.zeros(graph.num_vertices + 1, np.int64)
    np.cumsum(np.bincount(tails[first], minlength=graph.num_vertices), out=offsets[1:])
    matrix = csr_array((weight[first], heads[first], offsets), shape=(graph.num_vertices,) * 2)
    return dijkstra(matrix, directed=True, indices=source)


def check_sssp(graph: Graph, values: Values, answers: Answers) -> None:
    source, weight = values["source"], values["weight"]
    distance = np.asarray(answers["distance"])
    np.testing.assert_allclose(distance, shortest(graph, source, weight), rtol=1e-5, atol=1e-6)
    tails, heads = ends(graph)
    through = distance[tails] + weight
    assert through.dtype == np.float32
    assert (distance[heads] <= through).all(), "no edge can be relaxed any more"
    tight = np.zeros(graph.num_vertices, bool)
    tight[heads[distance[heads] == through]] = True
    tight[source] = True
    assert tight[np.isfinite(distance)].all(), "every distance comes along an edge"


def ranks(graph: Graph, damping: float = DAMPING) -> np.ndarray:
    """PageRank in float64 by power iteration to 1e-13."""
    count = graph.num_vertices
    tails, heads = ends(graph)
    degree = np.bincount(tails, minlength=count)
    pull = csr_array((np.ones(len(tails)), (heads, tails)), shape=(count, count))
    rank = np.full(count, 1 / max(count, 1))
    for _ in range(1000):
        share = np.divide(rank, degree, out=np.zeros(count), where=degree > 0)
        after = (1 - damping) / count + damping * (pull @ share + rank[degree == 0].sum() / count)
        change = np.abs(after - rank).sum()
        rank = after
        if change < 1e-13:
            break
    return rank


def check_pagerank(graph: Graph, values: Values, answers: Answers) -> None:
    rank = np.asarray(answers["rank"], np.float64)
    if graph.num_vertices == 0:
        assert rank.shape == (0,)
        return
    assert np.abs(rank - ranks(graph)).sum() < 3e-5
    assert abs(rank.sum() - 1) < 1e-4
    assert 0 <= answers["error"] <= 2e-6 + 1e-7 * graph.num_vertices**0.5
    assert answers["converged"] == (answers["error"] <= values.get("tolerance", 1e-6))


def smallest_of_component(graph: Graph) -> np.ndarray:
    """The smallest vertex of each vertex's weak component."""
    if graph.num_vertices == 0:
        return np.zeros(0, np.int64)
    count, label = connected_components(pattern(graph), directed=True, connection="weak")
    first = np.full(count, graph.num_vertices)
    np.minimum.at(first, label, np.arange(graph.num_vertices))
    return first[label]


def check_components(graph: Graph, values: Values, answers: Answers) -> None:
    same(answers, component=smallest_of_component(graph))


SAMPLES = (
    Case("bfs", check_bfs, lambda graph, seed: {"source": source_of(graph, seed)}, not_empty),
    Case("sssp", check_sssp, sssp_values, not_empty),
    Case("pagerank", check_pagerank),
    Case("connected_components", check_components),
)
