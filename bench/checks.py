"""Whether a result is right, by array operations: each function takes `numpy` or `cupy` and arrays of that module.

Every function returns None, or what is wrong in one line. Edges are visited in chunks, so that a check needs little
more memory than the graph. Graphs are symmetric, without loops and parallel edges.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from bench.graphs import BenchmarkGraph

_CHUNK = 1 << 26
_FEW_EDGES = 1 << 28
_RANK_ERROR = 1e-3
"""Largest relative error of one vertex's float32 rank against float64."""
_SUM_ERROR = 1e-4
"""Largest L1 difference and largest distance of the sum from 1."""


def each_chunk(graph: BenchmarkGraph) -> Iterator[tuple[slice, Any, Any]]:
    """(edges, their sources, their destinations), a chunk at a time."""
    for start in range(0, graph.num_edges, _CHUNK):
        part = slice(start, start + _CHUNK)
        yield part, graph.edge_sources[part], graph.columns[part]


def differences(module: Any, name: str, found: Any, expected: Any) -> str | None:
    """How many elements of an answer that is unique are others; `name` is what they are called."""
    wrong = int(module.sum(found != expected))
    return f"{wrong} {name} are others" if wrong else None


def check_levels(graph: BenchmarkGraph, source: int, distance: Any) -> str | None:
    """Hop distances: the source has 0, no edge spans two levels, every other level is reached from the one before.

    Together these leave one answer: the edges bound a distance from above, the chains of `near` from below.
    """
    module = graph.module
    if distance.shape != (graph.num_vertices,):
        return f"{distance.shape} distances for {graph.num_vertices} vertices"
    if int(distance[source]) != 0 or int(distance.min()) < -1:
        return f"the source has distance {int(distance[source])}, the smallest is {int(distance.min())}"
    near = module.zeros(graph.num_vertices, dtype=bool)
    for _, sources, destinations in each_chunk(graph):
        before, behind = distance[sources], distance[destinations]
        reached = before >= 0
        wrong = reached & ((behind < 0) | (behind > before + 1))
        if bool(wrong.any()):
            return f"{int(wrong.sum())} edges lead from a reached vertex to one that is later than the next level"
        near[destinations[reached & (behind == before + 1)]] = True
    near[source] = True
    lonely = (distance >= 0) & ~near
    return f"{int(lonely.sum())} reached vertices have no neighbor a level nearer" if bool(lonely.any()) else None


def check_parents(graph: BenchmarkGraph, source: int, distance: Any, parent: Any) -> str | None:
    """Parents (-1: none): along an edge, one level nearer, on every reached vertex but the source."""
    module = graph.module
    expected = distance > 0
    if not bool(((parent >= 0) == expected).all()):
        return "the vertices with a parent are not those that were reached from another"
    along_edge = module.zeros(graph.num_vertices, dtype=bool)
    for _, sources, destinations in each_chunk(graph):
        nearer = distance[sources] == distance[destinations] - 1
        along_edge[destinations[(parent[destinations] == sources) & nearer]] = True
    wrong = expected & ~along_edge
    return f"{int(wrong.sum())} parents are no neighbors one level nearer" if bool(wrong.any()) else None


def check_shortest(graph: BenchmarkGraph, source: int, distance: Any) -> str | None:
    """Shortest distances along the weights."""
    return check_cheapest(graph, source, distance, lambda part, _: graph.weights[part])


def check_fares(graph: BenchmarkGraph, source: int, fare: Any, short: float = 30.0) -> str | None:
    """Cheapest fares of `programs/fares.gdsl`, by the same operations in float32."""
    module = graph.module
    half, first = module.float32(0.5), module.float32(short)

    def price(part: slice, destinations: Any) -> Any:
        miles = graph.weights[part]
        ride = module.where(miles <= first, miles, first + half * (miles - first))
        return ride + module.float32(0.25) * (destinations % 16).astype(module.float32)

    return check_cheapest(graph, source, fare, price)


def check_cheapest(graph: BenchmarkGraph, source: int, distance: Any, price: Callable[[slice, Any], Any]) -> str | None:
    """Shortest distances: no edge improves one, and each reached vertex but the source has an edge that gives its own.
    `price` says what edges cost, by their part of all and their destinations.

    Exact in float32, where adding is monotone. Prices are positive, so edges that give a larger distance form no
    cycles; a price that is lost in rounding gives an equal one, and counts only behind a vertex that is explained.
    """
    module = graph.module
    if float(distance[source]) != 0.0 or not bool((distance >= 0).all()):
        return f"the source has distance {float(distance[source])}, or one is negative or NaN"
    explained = module.zeros(graph.num_vertices, dtype=bool)
    for part, sources, destinations in each_chunk(graph):
        before, behind = distance[sources], distance[destinations]
        offered = before + price(part, destinations)
        wrong = ~(behind <= offered)
        if bool(wrong.any()):
            return f"{int(wrong.sum())} edges would still improve a distance"
        explained[destinations[module.isfinite(before) & (behind == offered) & (before < behind)]] = True
    explained[source] = True
    lonely = module.isfinite(distance) & ~explained
    while bool(lonely.any()):
        for part, sources, destinations in each_chunk(graph):
            before = distance[sources]
            equal = (before == distance[destinations]) & (before + price(part, destinations) == before)
            explained[destinations[equal & explained[sources] & lonely[destinations]]] = True
        left = lonely & ~explained
        if int(left.sum()) == int(lonely.sum()):
            break
        lonely = left
    return f"{int(lonely.sum())} distances come from no edge" if bool(lonely.any()) else None


def iterated_ranks(graph: BenchmarkGraph, damping: float, iterations: int) -> Any:
    """float64[V]: PageRank after so many iterations from 1/V, dangling ranks spread over all vertices."""
    module, count = graph.module, graph.num_vertices
    degrees = module.diff(graph.offsets)
    rank = module.full(count, 1.0 / count)
    for _ in range(iterations):
        share = rank / module.maximum(degrees, 1)
        received = module.zeros(count)
        for _, sources, destinations in each_chunk(graph):
            received += module.bincount(destinations, weights=share[sources], minlength=count)
        dangling = float(rank[degrees == 0].sum())
        rank = (1 - damping) / count + damping * (received + dangling / count)
    return rank


def check_ranks(graph: BenchmarkGraph, rank: Any, expected: Any) -> str | None:
    """Ranks against `iterated_ranks`: the sum, the L1 difference and each vertex by itself."""
    module = graph.module
    rank = rank.astype(np.float64)
    total, difference = float(rank.sum()), float(module.abs(rank - expected).sum())
    worst = float((module.abs(rank - expected) / expected).max())
    if abs(total - 1) <= _SUM_ERROR and difference <= _SUM_ERROR and worst <= _RANK_ERROR:
        return None
    return f"ranks sum to {total:.6f}, L1 difference {difference:.2e}, largest relative error of a vertex {worst:.2e}"


def number_of_components(graph: BenchmarkGraph) -> int:
    """By SciPy, on the host, or, where it would take minutes there, by joining labels; counted once a graph."""
    if graph.components is None:
        few = graph.module is np or graph.num_edges < _FEW_EDGES
        graph.components = _counted_by_scipy(graph) if few else counted_by_labels(graph)
    return graph.components


def _counted_by_scipy(graph: BenchmarkGraph) -> int:
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    host = graph.graph
    ones = np.ones(host.num_edges, dtype=np.float64)  # the type that SciPy would convert to
    matrix = csr_array((ones, host.columns, host.offsets.astype(np.int32)), shape=(host.num_vertices,) * 2)
    # The matrix is symmetric, so its strong components are the weak ones, found without transposing it.
    return int(connected_components(matrix, directed=True, connection="strong")[0])


def counted_by_labels(graph: BenchmarkGraph) -> int:
    """Of two labels that an edge joins the larger gets the smaller one's as its own, until every edge joins equals.

    Labels are shortened after each chunk of edges, so that most edges of the next one join equals already: those that
    do not all come to the labels of the few hubs, one after the other.
    """
    module = graph.module
    label = module.arange(graph.num_vertices, dtype=np.int32)
    joins = True
    while joins:
        joins = False
        for _, sources, destinations in each_chunk(graph):
            one, other = label[sources], label[destinations]
            apart = one != other
            if bool(apart.any()):
                joins = True
                one, other = one[apart], other[apart]
                module.minimum.at(label, module.maximum(one, other), module.minimum(one, other))
                label = _shortened(label)
    return int((label == module.arange(graph.num_vertices)).sum())


def _shortened(label: Any) -> Any:
    """`label` with every chain of labels followed to its end."""
    further = label[label]
    while not bool((further == label).all()):
        label, further = further, further[further]
    return label


def check_components(graph: BenchmarkGraph, component: Any) -> str | None:
    """Labels: equal along edges, each a vertex that has itself as label and is the smallest, as many as components."""
    module = graph.module
    vertices = module.arange(graph.num_vertices, dtype=component.dtype)
    if int(component.min()) < 0 or not bool((component <= vertices).all()):
        return "a label is larger than its vertex, or none"
    if not bool((component[component] == component).all()):
        return "a label's own label is another"
    for _, sources, destinations in each_chunk(graph):
        wrong = component[sources] != component[destinations]
        if bool(wrong.any()):
            return f"{int(wrong.sum())} edges join different labels"
    found, expected = int((component == vertices).sum()), number_of_components(graph)
    return f"{found} components instead of {expected}" if found != expected else None
