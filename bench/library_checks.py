"""Whether results of the further samples are right, by array operations of NumPy or CuPy that share nothing with gdsl.

As `bench.checks`: every function returns None, or what is wrong in one line; graphs are symmetric, without loops and
parallel edges. Where an answer is unique it is computed once more, else it is validated.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from bench.checks import each_chunk, number_of_components
from bench.graphs import BenchmarkGraph

KNOWN_TRIANGLES = {"rmat22": 2_111_425_355}
"""Counts on which several libraries agree; too many to count once more in each run."""
_RELATIVE_ERROR = 1e-3
"""Of sums of float32 against sums of float64."""


def check_triangles(graph: BenchmarkGraph, triangles: int) -> str | None:
    """The number of triangles against what is known, or against a product of sparse matrices on the host."""
    expected = KNOWN_TRIANGLES.get(graph.name)
    if expected is None:
        expected = _triangles_by_scipy(graph)
    return None if int(triangles) == expected else f"{int(triangles):,} triangles instead of {expected:,}"


def _triangles_by_scipy(graph: BenchmarkGraph) -> int:
    """Each triangle once: its edges from the lower to the higher of (degree, id), which keeps the product small."""
    from scipy.sparse import csr_array

    host = graph.graph
    offsets, columns = np.asarray(host.offsets), np.asarray(host.columns)
    degrees = np.diff(offsets)
    sources = np.repeat(np.arange(host.num_vertices), degrees)
    rank = np.empty(host.num_vertices, np.int64)
    rank[np.argsort(degrees, kind="stable")] = np.arange(host.num_vertices)
    upwards = rank[sources] < rank[columns]
    ends = (rank[sources[upwards]], rank[columns[upwards]])
    upper = csr_array((np.ones(len(ends[0]), np.int64), ends), shape=(host.num_vertices,) * 2)
    return int((upper @ upper).multiply(upper).sum())


def check_independent_set(graph: BenchmarkGraph, chosen: Any) -> str | None:
    """No edge within the set, and every other vertex beside a member of it."""
    module = graph.module
    covered = chosen.astype(bool).copy()
    for _, sources, destinations in each_chunk(graph):
        both = chosen[sources] & chosen[destinations]
        if bool(both.any()):
            return f"{int(both.sum())} edges lie within the set"
        covered[destinations[chosen[sources]]] = True
    return None if bool(covered.all()) else f"{int(module.sum(~covered))} vertices could still join the set"


def check_coloring(graph: BenchmarkGraph, color: Any) -> str | None:
    """Every vertex has a colour (from 0), which no neighbour has."""
    if int(color.min()) < 0:
        return "a vertex has no colour"
    for _, sources, destinations in each_chunk(graph):
        same = color[sources] == color[destinations]
        if bool(same.any()):
            return f"{int(same.sum())} edges join one colour"
    return None


def check_cores(graph: BenchmarkGraph, core: Any) -> str | None:
    """Core numbers against those of a peeling, round by round (Batagelj and Zaversnik 2003 for the definition)."""
    module = graph.module
    degrees = module.diff(graph.offsets).astype(np.int64)
    expected = module.full(graph.num_vertices, -1, np.int64)
    level = 0
    while True:
        left = expected < 0
        if not bool(left.any()):
            break
        peeled = module.flatnonzero(left & (degrees <= level))
        if peeled.size == 0:
            level = int(degrees[left].min())
            continue
        expected[peeled] = level
        degrees -= module.bincount(graph.columns[_edges_of(graph, peeled)], minlength=graph.num_vertices)
    wrong = expected != core
    return f"{int(wrong.sum())} core numbers are others" if bool(wrong.any()) else None


def _edges_of(graph: BenchmarkGraph, vertices: Any) -> Any:
    """The ids of the edges that leave `vertices`."""
    module = graph.module
    first, behind = graph.offsets[vertices], graph.offsets[vertices + 1]
    some = behind > first
    first, behind = first[some], behind[some]
    if first.size == 0:
        return module.zeros(0, graph.offsets.dtype)
    steps = module.ones(int((behind - first).sum()), np.int64)
    steps[module.cumsum(behind - first)[:-1]] = first[1:] - behind[:-1] + 1
    steps[0] = first[0]
    return module.cumsum(steps)


def check_forest(graph: BenchmarkGraph, weight: float, chosen: Any) -> str | None:
    """The forest's weight against Borůvka's with ties broken by the ends, and the number of its edges."""
    expected_weight = _forest_weight(graph)
    edges, expected_edges = int(chosen.sum()), graph.num_vertices - number_of_components(graph)
    if edges != expected_edges:
        return f"{edges} edges in the forest instead of {expected_edges}"
    total = float(graph.weights[chosen].astype(np.float64).sum())
    if total != expected_weight or float(weight) != expected_weight:
        return f"the forest weighs {total:.0f} (told {float(weight):.0f}) instead of {expected_weight:.0f}"
    return None


def _forest_weight(graph: BenchmarkGraph) -> float:
    """Of a minimum spanning forest; weights are whole numbers."""
    module, count = graph.module, graph.num_vertices
    bits = max(1, (count - 1).bit_length())
    low, high = module.minimum(graph.edge_sources, graph.columns), module.maximum(graph.edge_sources, graph.columns)
    keys = (graph.weights.astype(np.int64) << (2 * bits)) | (low.astype(np.int64) << bits) | high
    label = module.arange(count, dtype=np.int64)
    sources, destinations = graph.edge_sources, graph.columns
    none, total = np.iinfo(np.int64).max, 0
    while True:
        between = label[sources] != label[destinations]
        sources, destinations, keys = sources[between], destinations[between], keys[between]
        if sources.size == 0:
            return float(total)
        best = module.full(count, none, np.int64)
        module.minimum.at(best, label[sources], keys)
        roots = module.flatnonzero(best != none)
        least = best[roots]
        total += int((module.unique(least) >> (2 * bits)).sum())
        mask = (1 << bits) - 1
        ends = label[least & mask], label[(least >> bits) & mask]
        other = module.where(ends[0] == roots, ends[1], ends[0])
        parent = module.arange(count, dtype=np.int64)
        parent[roots] = other
        mutual = (parent[other] == roots) & (roots < other)
        parent[roots[mutual]] = roots[mutual]
        while not bool((parent[parent] == parent).all()):
            parent = parent[parent]
        label = parent[label]


def check_dependencies(graph: BenchmarkGraph, source: int, centrality: Any, distance: Any) -> str | None:
    """Dependencies of all vertices on paths from `source` (Brandes 2001) against float64 sums level by level.

    `distance` are hop distances that `checks.check_levels` has found right.
    """
    module, count = graph.module, graph.num_vertices
    tight = (distance[graph.edge_sources] >= 0) & (distance[graph.columns] == distance[graph.edge_sources] + 1)
    sources, destinations = graph.edge_sources[tight], graph.columns[tight]
    order = module.argsort(distance[sources])
    sources, destinations = sources[order], destinations[order]
    levels = distance[sources]
    bounds = [*module.searchsorted(levels, module.arange(int(distance.max()) + 1)).tolist(), int(levels.size)]
    paths = module.zeros(count)
    paths[source] = 1.0
    for first, behind in pairwise(bounds):
        part = slice(first, behind)
        paths += module.bincount(destinations[part], weights=paths[sources[part]], minlength=count)
    expected = module.zeros(count)
    for behind, first in pairwise(reversed(bounds)):
        part = slice(first, behind)
        u, w = sources[part], destinations[part]
        expected += module.bincount(u, weights=paths[u] / paths[w] * (1 + expected[w]), minlength=count)
    expected[source] = 0.0
    wrong = module.abs(centrality - expected) > _RELATIVE_ERROR * (1 + expected)
    return f"{int(wrong.sum())} dependencies are others" if bool(wrong.any()) else None
