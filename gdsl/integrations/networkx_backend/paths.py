"""Shortest paths, and the edges of a breadth-first search, in NetworkX's order."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from gdsl.integrations.networkx_backend import hops, lengths
from gdsl.integrations.networkx_backend.dispatch import with_options
from gdsl.integrations.networkx_backend.graphs import BackendGraph

_FEW = 16
"""Vertices of a level up to which a loop is faster than NumPy."""


def _search(graph: BackendGraph, start: int, distances: NDArray[Any]) -> Iterator[tuple[list[int], list[int]]]:
    """The vertices of each level of a breadth-first search after the first, and the parent of each, in the order in
    which a queue would take them. `distances` are the hops from `start`."""
    offsets, neighbors = graph.vertices.offsets, graph.neighbors
    level, depth, last = [start], 0, int(distances.max())
    while depth < last:
        depth += 1
        parents: dict[int, int] = {}
        if len(level) <= _FEW:
            for parent in level:
                for child in neighbors[offsets[parent] : offsets[parent + 1]].tolist():
                    if child not in parents and distances[child] == depth:
                        parents[child] = parent
        else:
            froms = np.array(level)
            counts = offsets[froms + 1] - offsets[froms]
            places = np.repeat(offsets[froms] - (np.cumsum(counts) - counts), counts) + np.arange(int(counts.sum()))
            children = neighbors[places]
            reached = distances[children] == depth
            children, origins = children[reached], np.repeat(froms, counts)[reached]
            firsts = np.sort(np.unique(children, return_index=True)[1])
            parents = dict(zip(children[firsts].tolist(), origins[firsts].tolist(), strict=True))
        level = list(parents)
        yield level, list(parents.values())


@with_options
def bfs_edges(
    G: BackendGraph,
    source: Any,
    reverse: bool = False,
    depth_limit: float | None = None,
    sort_neighbors: Callable[..., Any] | None = None,
) -> Iterator[tuple[Any, Any]]:
    """As networkx.bfs_edges, in the same order; of directed graphs not in reverse."""
    if source not in G:
        raise nx.NetworkXError(f"The node {source} is not in the {'digraph' if G.is_directed() else 'graph'}.")
    nodes = G.nodes
    for level, parents in _search(G, G.index[source], hops.hops_from(G, source, depth_limit)):
        for child, parent in zip(level, parents, strict=True):
            yield nodes[parent], nodes[child]


def _paths(graph: BackendGraph, start: int, distances: NDArray[Any]) -> dict[int, list[Any]]:
    """A path of nodes from `start` to each vertex that it reaches."""
    nodes = graph.nodes
    paths = {start: [nodes[start]]}
    for level, parents in _search(graph, start, distances):
        for child, parent in zip(level, parents, strict=True):
            paths[child] = [*paths[parent], nodes[child]]
    return paths


def _path_to(graph: BackendGraph, target: int, distances: NDArray[Any]) -> list[Any]:
    """The nodes of a path to `target`, which is reached, found by walking edges backward."""
    graph_in, back = graph.vertices, [target]
    offsets, sources = graph_in.in_offsets, graph_in.in_sources
    while (depth := int(distances[back[-1]])) > 0:
        before = sources[offsets[back[-1]] : offsets[back[-1] + 1]]
        back.append(int(before[np.argmax(distances[before] == depth - 1)]))
    return graph.nodes_of(np.array(back[::-1]))


class _Method:
    """How paths are measured: by hops, or by an attribute with Dijkstra's or with Bellman and Ford's algorithm."""

    def __init__(self, weight: Hashable | None, method: str) -> None:
        """`method` is NetworkX's."""
        self._weight, self._dijkstra = weight, method == "dijkstra"

    def search(self, graph: BackendGraph, node: Any) -> tuple[BackendGraph, NDArray[Any]]:
        """A graph in which all paths from `node` with the fewest edges are shortest paths, and how many edges these
        have, -1 if there is no path."""
        if self._weight is not None:
            measure = lengths.dijkstra_lengths if self._dijkstra else lengths.bellman_ford_lengths
            graph = _tight(graph, *measure(graph, node, self._weight))
        return graph, hops.hops_from(graph, node)

    def require(self, graph: BackendGraph, source: Any, target: Any | None) -> None:
        """Raises NodeNotFound with the message of the function that NetworkX would call."""
        if target is not None and (self._weight is None or self._dijkstra):
            hops.require_both(graph, source, target)
        elif source not in graph:
            by_node = self._weight is not None and (self._dijkstra or target == source)
            raise nx.NodeNotFound(f"Node {source} not found in graph" if by_node else f"Source {source} not in G")

    def no_path(self, source: Any, target: Any) -> nx.NetworkXNoPath:
        """The error for an unreached target."""
        if self._weight is None or self._dijkstra:
            return nx.NetworkXNoPath(f"No path between {source} and {target}.")
        return nx.NetworkXNoPath(f"Target {target} cannot be reached from given sources")


def _tight(graph: BackendGraph, distances: NDArray[Any], weights: NDArray[Any]) -> BackendGraph:
    """The edges that may be the last ones of a shortest path."""
    sources, destinations = graph.vertices.edges
    reached = ~lengths.is_unreached(distances)[sources]
    tight = reached.copy()
    tight[reached] = distances[sources[reached]] + weights[reached] == distances[destinations[reached]]
    return graph.of_arcs(sources[tight], destinations[tight])


@with_options
def shortest_path(
    G: BackendGraph,
    source: Any = None,
    target: Any = None,
    weight: Hashable | None = None,
    method: str = "dijkstra",
) -> Any:
    """As networkx.shortest_path: a list of nodes, a dict of them by node, or an iterator of a dict for each node. If
    there are several shortest paths, it may choose another one than NetworkX."""
    if method not in ("dijkstra", "bellman-ford"):
        raise ValueError(f"method not supported: {method}")
    measured = _Method(weight, method)
    if source is None and target is None:
        return ((node, _by_target(G, node, measured)) for node in G)
    if target is None:
        return _by_target(G, source, measured)
    if source is None:
        return {node: path[::-1] for node, path in _by_target(G.reverse, target, measured).items()}
    measured.require(G, source, target)
    if source == target:
        return [source]
    graph, distances = measured.search(G, source)
    if target not in G or distances[G.index[target]] < 0:
        raise measured.no_path(source, target)
    return _path_to(graph, G.index[target], distances)


def _by_target(graph: BackendGraph, source: Any, measured: _Method) -> dict[Any, list[Any]]:
    measured.require(graph, source, None)
    predecessors, distances = measured.search(graph, source)
    return {path[-1]: path for path in _paths(predecessors, graph.index[source], distances).values()}
