"""What searches from many vertices add up to: paths through a vertex, distances, the largest of these."""

from __future__ import annotations

import numpy as np
from scipy.sparse.csgraph import shortest_path

from gdsl.graph import Graph

from ..case import Answers, Case, Values, close, ends, levels, members, random_of, same, symmetric
from ..samples import pattern


def few_sources(graph: Graph, seed: int) -> Values:
    """Nobody, which means all, on small graphs; else up to three vertices."""
    if graph.num_vertices <= 10 and (seed % 2 == 0 or graph.num_vertices == 0):
        return {"sources": []}
    return {"sources": sorted(set(random_of(graph, seed).integers(0, graph.num_vertices, 3).tolist()))}


def sources_of(graph: Graph, values: Values) -> list[int]:
    asked = members(values["sources"]).tolist()
    return asked or list(range(graph.num_vertices))


def dependencies(graph: Graph, source: int) -> np.ndarray:
    """Of a source on all vertices: Brandes' two passes over arcs, a path for each of parallel edges."""
    count = graph.num_vertices
    tails, heads = ends(graph)
    depth = levels(count, tails, heads, [source])
    on_paths = (depth[tails] >= 0) & (depth[heads] == depth[tails] + 1)
    tails, heads = tails[on_paths], heads[on_paths]
    paths, dependency = np.zeros(count), np.zeros(count)
    paths[source] = 1
    for level in range(1, int(depth.max()) + 1):
        arriving = depth[heads] == level
        np.add.at(paths, heads[arriving], paths[tails[arriving]])
    for level in range(int(depth.max()) - 1, 0, -1):
        leaving = depth[tails] == level
        share = paths[tails[leaving]] / paths[heads[leaving]] * (1 + dependency[heads[leaving]])
        np.add.at(dependency, tails[leaving], share)
    return dependency


def check_betweenness(graph: Graph, values: Values, answers: Answers) -> None:
    total = np.zeros(graph.num_vertices)
    for source in sources_of(graph, values):
        total += dependencies(graph, source)
    close(answers, 1e-9, centrality=total)


def hops_to(graph: Graph, targets: list[int]) -> np.ndarray:
    """Hops from every vertex to each target by SciPy, inf where there is no path; float64[targets, V]."""
    return np.atleast_2d(shortest_path(pattern(graph).T.tocsr(), unweighted=True, indices=targets))


def check_closeness(graph: Graph, values: Values, answers: Answers) -> None:
    wanted = np.zeros(graph.num_vertices)
    targets = sources_of(graph, values)
    if targets:
        for target, hops in zip(targets, hops_to(graph, targets), strict=True):
            found = hops[np.isfinite(hops)]
            if found.sum() > 0:
                reached = len(found) - 1
                wanted[target] = reached / found.sum() * reached / (graph.num_vertices - 1)
    close(answers, 1e-12, centrality=wanted)


def check_diameter(graph: Graph, values: Values, answers: Answers) -> None:
    hops = hops_to(graph, list(range(graph.num_vertices))) if graph.num_vertices else np.zeros((1, 1))
    same(answers, diameter=int(hops[np.isfinite(hops)].max()))
    same(answers, searches=searches_needed(graph, hops))


def searches_needed(graph: Graph, hops: np.ndarray) -> int:
    """The starts that the bounds of Takes and Kosters choose, until no vertex can beat the largest eccentricity."""
    count, largest = 0, 0.0
    least = np.zeros(graph.num_vertices)
    most = np.where(graph.out_degrees > 0, np.inf, 0)
    rest = np.flatnonzero(most > 0)
    while len(rest):
        start = rest[most[rest].argmax() if count % 2 == 0 else least[rest].argmin()]
        reached = np.isfinite(hops[start])
        depth = hops[start][reached].max()
        least[reached] = np.maximum(least[reached], np.maximum(hops[start], depth - hops[start])[reached])
        most[reached] = np.minimum(most[reached], (depth + hops[start])[reached])
        count, largest = count + 1, max(largest, depth)
        rest = rest[most[rest] > largest]
    return count


SEARCHES = (
    Case("betweenness", check_betweenness, few_sources),
    Case("closeness", check_closeness, few_sources),
    Case("diameter", check_diameter, suits=symmetric),
)
