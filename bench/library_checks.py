"""Whether results of the further samples are right, by array operations of NumPy or CuPy that share nothing with gdsl.

As `bench.checks`: every function returns None, or what is wrong in one line; graphs are symmetric (but for strong
components), without loops and parallel edges. Where an answer is unique it is computed once more, else it is validated.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from bench.checks import differences, each_chunk, number_of_components
from bench.graphs import BenchmarkGraph

KNOWN_TRIANGLES = {("cupy", "rmat22"): 2_111_425_355, ("numpy", "rmat18"): 83_170_211}
"""By the generator's module and the graph: counts on which several libraries agree, too many for each run."""
_PATHS_AT_ONCE = 1 << 25
_RELATIVE_ERROR = 1e-3
"""Of sums of float32 against sums of float64."""
_MODULARITY_ERROR = 1e-4


def check_strong_components(graph: BenchmarkGraph, component: Any) -> str | None:
    """Labels against the smallest vertex of each strong component that SciPy finds, on the host."""
    csgraph = importlib.import_module("scipy.sparse.csgraph")
    sparse = importlib.import_module("scipy.sparse")
    offsets, columns = (array.get() if hasattr(array, "get") else array for array in (graph.offsets, graph.columns))
    shape = (graph.num_vertices, graph.num_vertices)
    matrix = sparse.csr_array((np.ones(columns.size, np.int8), columns, offsets), shape=shape)
    count, labels = csgraph.connected_components(matrix, directed=True, connection="strong")
    smallest = np.full(count, graph.num_vertices, np.int64)
    np.minimum.at(smallest, labels, np.arange(graph.num_vertices))
    return differences(graph.module, "components", component, graph.module.asarray(smallest[labels]))


def check_flow(graph: BenchmarkGraph, source: int, sink: int, flow: int, carried: Any) -> str | None:
    """Within the capacities (`graph.weights`), kept at every vertex but the two, and without a residual path from
    source to sink, which proves that no flow is larger."""
    module, count, capacity = graph.module, graph.num_vertices, graph.weights.astype(np.int64)
    if bool((carried < 0).any()) or bool((carried > capacity).any()):
        return "an edge carries more than its capacity, or less than nothing"
    balance = module.bincount(graph.columns, weights=carried, minlength=count)
    balance -= module.bincount(graph.edge_sources, weights=carried, minlength=count)
    balance[sink] -= int(flow)
    balance[source] += int(flow)
    if bool(balance.any()):
        return f"flow is lost or found at {int((balance != 0).sum())} vertices"
    back = module.argsort(graph.columns.astype(np.int64) * count + graph.edge_sources)
    left = (capacity - carried > 0) | (carried[back] > 0)
    offsets = module.concatenate([module.zeros(1, np.int64), module.cumsum(left.astype(np.int64))])[graph.offsets]
    parts = (array.get() if hasattr(array, "get") else array for array in (graph.columns[left], offsets))
    columns, starts = parts
    sparse, csgraph = (importlib.import_module(name) for name in ("scipy.sparse", "scipy.sparse.csgraph"))
    residual = sparse.csr_array((np.ones(columns.size, np.int8), columns, starts), shape=(count, count))
    reached = csgraph.breadth_first_order(residual, source, return_predecessors=False)
    return "more could flow" if bool((reached == sink).any()) else None


def check_triangles(graph: BenchmarkGraph, triangles: int) -> str | None:
    """The number of triangles against what is known, or against a count of closed paths of two edges."""
    expected = KNOWN_TRIANGLES.get((graph.module.__name__, graph.name))
    if expected is None:
        expected = count_triangles(graph)
    return None if int(triangles) == expected else f"{int(triangles):,} triangles instead of {expected:,}"


def count_triangles(graph: BenchmarkGraph) -> int:
    """How many triangles there are."""
    return sum(int(first.size) for first, _, _ in each_triangle(graph))


def each_triangle(graph: BenchmarkGraph) -> Iterator[tuple[Any, Any, Any]]:
    """The corners of all triangles, a chunk at a time, each triangle once: at the edge of its two lowest vertices by
    (degree, id), from which few paths lead on."""
    module, count = graph.module, graph.num_vertices
    order = module.argsort(module.diff(graph.offsets) * count + module.arange(count))
    rank = module.empty(count, np.int64)
    rank[order] = module.arange(count)
    upwards = [
        (rank[sources] * count + rank[destinations])[rank[sources] < rank[destinations]]
        for _, sources, destinations in each_chunk(graph)
    ]
    keys = module.sort(module.concatenate(upwards)) if upwards else module.zeros(0, np.int64)
    low, high = keys // count, keys % count
    offsets = module.searchsorted(keys, module.arange(count + 1) * count)
    lengths = module.diff(offsets)
    shorter = lengths[low] <= lengths[high]
    walked, searched = module.where(shorter, low, high), module.where(shorter, high, low)
    ends = module.cumsum(lengths[walked])
    first, paths = 0, 0
    while first < keys.size:
        behind = max(first + 1, int(module.searchsorted(ends, paths + _PATHS_AT_ONCE, side="right")))
        owner, place = expanded(module, offsets[walked[first:behind]], lengths[walked[first:behind]])
        wanted = searched[first:behind][owner] * count + high[place]
        found = module.minimum(module.searchsorted(keys, wanted), keys.size - 1)
        owner, third = owner[keys[found] == wanted] + first, high[place][keys[found] == wanted]
        yield order[low[owner]], order[high[owner]], order[third]
        first, paths = behind, int(ends[behind - 1])


def expanded(module: Any, first: Any, lengths: Any) -> tuple[Any, Any]:
    """(owner, place) of each element of the runs `first[i]`, `first[i] + 1`, … of `lengths[i]` places."""
    some = module.flatnonzero(lengths > 0)
    if some.size == 0:
        return some, some
    lengths = lengths[some]
    starts = module.cumsum(lengths) - lengths
    marks = module.zeros(int(lengths.sum()), np.int64)
    marks[starts[1:]] = 1
    run = module.cumsum(marks)
    owner = some[run]
    return owner, first[owner] + (module.arange(run.size) - starts[run])


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
    """Every vertex has a color (from 0), which no neighbor has."""
    if int(color.min()) < 0:
        return "a vertex has no color"
    for _, sources, destinations in each_chunk(graph):
        same = color[sources] == color[destinations]
        if bool(same.any()):
            return f"{int(same.sum())} edges join one color"
    return None


def check_cores(graph: BenchmarkGraph, core: Any) -> str | None:
    """Core numbers against those of a peeling, round by round (Batagelj and Zaversnik 2003 for the definition)."""
    module = graph.module
    degrees = module.diff(graph.offsets).astype(np.int64)
    expected = module.zeros(graph.num_vertices, np.int64)
    rest, level = module.arange(graph.num_vertices), 0
    while rest.size:
        weak = degrees[rest] <= level
        if not bool(weak.any()):
            level = int(degrees[rest].min())
            continue
        peeled, rest = rest[weak], rest[~weak]
        expected[peeled] = level
        degrees -= module.bincount(graph.columns[edges_of(graph, peeled)], minlength=graph.num_vertices)
    return differences(module, "core numbers", core, expected)


def edges_of(graph: BenchmarkGraph, vertices: Any) -> Any:
    """The ids of the edges that leave `vertices`."""
    first = graph.offsets[vertices]
    return expanded(graph.module, first, graph.offsets[vertices + 1] - first)[1]


def check_forest(graph: BenchmarkGraph, weight: float, chosen: Any) -> str | None:
    """No cycle, as many edges as a spanning forest has, and the weight of Borůvka's with ties broken otherwise."""
    module = graph.module
    edges, expected_edges = int(chosen.sum()), graph.num_vertices - number_of_components(graph)
    if edges != expected_edges:
        return f"{edges} edges in the forest instead of {expected_edges}"
    sources, destinations = graph.edge_sources[chosen], graph.columns[chosen]
    kept = lightest_forest(module, graph.num_vertices, sources, destinations)
    if kept.size != edges:
        return f"{edges - int(kept.size)} edges of the forest close a cycle"
    total, expected = float(graph.weights[chosen].astype(np.float64).sum()), _forest_weight(graph)
    if total != expected or float(weight) != expected:
        return f"the forest weighs {total:.0f} (told {float(weight):.0f}) instead of {expected:.0f}"
    return None


def _forest_weight(graph: BenchmarkGraph) -> float:
    """Of a minimum spanning forest; weights are whole numbers, so that the sum is exact."""
    once = graph.edge_sources < graph.columns
    sources, destinations, weights = graph.edge_sources[once], graph.columns[once], graph.weights[once]
    order = graph.module.argsort(weights)
    forest = lightest_forest(graph.module, graph.num_vertices, sources[order], destinations[order])
    return float(weights[order][forest].astype(np.float64).sum())


def lightest_forest(module: Any, count: int, sources: Any, destinations: Any) -> Any:
    """Places of a spanning forest's edges, where earlier edges are lighter than later ones."""
    chosen = module.zeros(sources.size, bool)
    label = module.arange(count)
    between = module.arange(sources.size, dtype=np.int32)  # CuPy's minimum.at has no int64
    while True:
        tails, heads = label[sources[between]], label[destinations[between]]
        apart = tails != heads
        between, tails, heads = between[apart], tails[apart], heads[apart]
        if between.size == 0:
            return module.flatnonzero(chosen)
        none = np.iinfo(np.int32).max
        best = module.full(count, none, np.int32)
        module.minimum.at(best, tails, between)
        module.minimum.at(best, heads, between)
        roots = module.flatnonzero(best != none)
        least = best[roots]
        chosen[least] = True
        label = _joined(module, label, roots, label[sources[least]], label[destinations[least]])


def _joined(module: Any, label: Any, roots: Any, tails: Any, heads: Any) -> Any:
    """New labels where each of `roots` is joined with the other end of its edge."""
    other = module.where(tails == roots, heads, tails)
    parent = module.arange(label.size)
    parent[roots] = other
    leads = (parent[other] == roots) & (roots < other)
    parent[roots[leads]] = roots[leads]
    while True:
        further = parent[parent]
        if bool((further == parent).all()):
            return parent[label]
        parent = further


def hop_distances(graph: BenchmarkGraph, source: int) -> Any:
    """int32[V]: the fewest edges from `source`, -1 where no path leads; level by level."""
    module = graph.module
    distance = module.full(graph.num_vertices, -1, np.int32)
    distance[source] = level = 0
    frontier = module.full(1, source, np.int64)
    while frontier.size:
        level += 1
        near = graph.columns[edges_of(graph, frontier)]
        near = near[distance[near] < 0]
        distance[near] = level
        frontier = module.unique(near) if near.size else near
    return distance


def check_dependencies(graph: BenchmarkGraph, source: int, centrality: Any) -> str | None:
    """Dependencies of `source` on all vertices (Brandes 2001) against float64 sums level by level."""
    module = graph.module
    distance = hop_distances(graph, source)
    reached = module.flatnonzero(distance >= 0)
    reached = reached[module.argsort(distance[reached])]
    starts = module.searchsorted(distance[reached], module.arange(int(distance.max()) + 2)).tolist()
    expected = module.zeros(graph.num_vertices)
    expected[reached] = _dependencies(module, starts, *_steps(graph, distance, reached))
    expected[source] = 0.0
    right = module.abs(centrality - expected) <= _RELATIVE_ERROR * (1 + expected)  # no NaN is
    return None if bool(right.all()) else f"{int(module.sum(~right))} dependencies are others"


def _steps(graph: BenchmarkGraph, distance: Any, reached: Any) -> tuple[Any, Any]:
    """Both ends of all edges to a next level, as places in `reached`, ordered by the nearer end."""
    module = graph.module
    place = module.full(graph.num_vertices, -1, np.int64)
    place[reached] = module.arange(reached.size)
    near, far = [], []
    for _, sources, destinations in each_chunk(graph):
        tight = (distance[sources] >= 0) & (distance[destinations] == distance[sources] + 1)
        near.append(place[sources[tight]])
        far.append(place[destinations[tight]])
    nearer, farther = (module.concatenate([module.zeros(0, np.int64), *parts]) for parts in (near, far))
    order = module.argsort(nearer)
    return nearer[order], farther[order]


def _dependencies(module: Any, starts: list[int], near: Any, far: Any) -> Any:
    """Of the vertices ordered by level, where a level begins at each of `starts` and the last of these is the end.

    Numbers of paths are kept as logarithms: those of a large grid are beyond float64.
    """
    paths, dependency = module.zeros(starts[-1]), module.zeros(starts[-1])
    bounds = module.searchsorted(near, module.asarray(starts)).tolist()
    levels = [
        (slice(first, behind), begin, end)
        for (first, behind), (begin, end) in zip(pairwise(bounds), pairwise(starts), strict=True)
        if behind > first
    ]
    for part, _, begin in levels:
        u, w = near[part], far[part] - begin
        width = int(w.max()) + 1
        most = module.full(width, -np.inf)
        module.maximum.at(most, w, paths[u])
        shares = module.bincount(w, weights=module.exp(paths[u] - most[w]), minlength=width)
        paths[begin : begin + width] = most + module.log(shares)
    for part, begin, end in reversed(levels):
        u, w = near[part], far[part]
        given = module.exp(paths[u] - paths[w]) * (1 + dependency[w])
        dependency[begin:end] = module.bincount(u - begin, weights=given, minlength=end - begin)
    return dependency


def modularity(graph: BenchmarkGraph, community: Any) -> float:
    """Of a partition, every edge with weight 1 (Newman and Girvan 2004)."""
    module = graph.module
    inner = sum(
        int((community[sources] == community[destinations]).sum()) for _, sources, destinations in each_chunk(graph)
    )
    _, label = module.unique(community, return_inverse=True)
    degrees = module.bincount(label, weights=module.diff(graph.offsets).astype(np.float64))
    edges = max(graph.num_edges, 1)
    return inner / edges - float(((degrees / edges) ** 2).sum())


def check_communities(graph: BenchmarkGraph, community: Any, told: float) -> str | None:
    """Every vertex has a community; the modularity told is that of the partition, and better than that of none."""
    if community.shape != (graph.num_vertices,) or int(community.min()) < 0:
        return "a vertex has no community"
    found = modularity(graph, community)
    if not abs(float(told) - found) <= _MODULARITY_ERROR:
        return f"a modularity of {found:.6f}, told {float(told):.6f}"
    return None if found > 0 or graph.num_edges == 0 else f"a modularity of {found:.6f} is no better than one community"
