"""Lengths of weighted paths: Dijkstra's, with weights that are not negative, and Bellman and Ford's."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from gdsl.integrations.networkx_backend import hops
from gdsl.integrations.networkx_backend.dispatch import run, with_options
from gdsl.integrations.networkx_backend.graphs import BackendGraph
from gdsl.integrations.networkx_backend.weights import checked_weights, finite_weights

Number = float  # an int if all weights are ints


def dijkstra_lengths(graph: BackendGraph, node: Any, weight: Hashable) -> tuple[NDArray[Any], NDArray[Any]]:
    """The lengths of the shortest paths from `node` to each vertex, [V], and the weights of the edges, [E]; both int64
    or float64."""
    return _dijkstra(graph, [graph.index[node]], weight), graph.weights(weight)


def bellman_ford_lengths(graph: BackendGraph, node: Any, weight: Hashable) -> tuple[NDArray[Any], NDArray[Any]]:
    """As `dijkstra_lengths`, for weights of any sign."""
    return _bellman_ford(graph, node, weight), graph.weights(weight)


def is_unreached(distances: NDArray[Any]) -> NDArray[np.bool_]:
    """bool[V]: whether the distance of each vertex is the program's `inf`."""
    infinite = np.inf if distances.dtype.kind == "f" else np.iinfo(distances.dtype).max
    mask: NDArray[np.bool_] = distances == infinite
    return mask


def _dijkstra(graph: BackendGraph, sources: list[int], weight: Hashable) -> NDArray[Any]:
    weights = checked_weights(graph, weight)
    distances: NDArray[Any] = run("lengths", graph, sources=sources, weight=weights)["distance"]
    return distances


def _dijkstra_dict(
    graph: BackendGraph, sources: list[Any], cutoff: Number | None, weight: Hashable
) -> dict[Any, Number]:
    starts = list(dict.fromkeys(graph.index[node] for node in sources))
    distances = _dijkstra(graph, starts, weight)
    reached = ~is_unreached(distances)
    if cutoff is not None:
        reached &= ~(distances > cutoff)  # all for NaN, as in NetworkX
        reached[starts] = True  # NetworkX applies the cutoff from the first edge on
    return _from_zero(graph, distances, reached, starts)


def _from_zero(
    graph: BackendGraph, distances: NDArray[Any], reached: NDArray[np.bool_], starts: list[int]
) -> dict[Any, Number]:
    """The distances by node; sources have the int 0, as in NetworkX, whatever the weights are."""
    lengths = hops.in_order(graph, distances, reached)
    for start in starts:
        if distances[start] == 0:
            lengths[graph.nodes[start]] = 0
    return lengths


@with_options
def single_source_dijkstra_path_length(
    G: BackendGraph,
    source: Any,
    cutoff: Number | None = None,
    weight: Hashable = "weight",
) -> dict[Any, Number]:
    """As networkx.single_source_dijkstra_path_length."""
    _require(G, [source])
    return _dijkstra_dict(G, [source], cutoff, weight)


@with_options
def multi_source_dijkstra_path_length(
    G: BackendGraph,
    sources: Iterable[Any],
    cutoff: Number | None = None,
    weight: Hashable = "weight",
) -> dict[Any, Number]:
    """As networkx.multi_source_dijkstra_path_length."""
    if not sources:
        raise ValueError("sources must not be empty")
    nodes = list(sources)
    _require(G, nodes)
    return _dijkstra_dict(G, nodes, cutoff, weight)


@with_options
def all_pairs_dijkstra_path_length(
    G: BackendGraph,
    cutoff: Number | None = None,
    weight: Hashable = "weight",
) -> Iterator[tuple[Any, dict[Any, Number]]]:
    """As networkx.all_pairs_dijkstra_path_length, a source at a time."""
    for node in G:
        yield node, _dijkstra_dict(G, [node], cutoff, weight)


@with_options
def dijkstra_path_length(G: BackendGraph, source: Any, target: Any, weight: Hashable = "weight") -> Number:
    """As networkx.dijkstra_path_length."""
    _require(G, [source])
    if source == target:
        return 0
    distances = _dijkstra(G, [G.index[source]], weight)
    if target not in G or is_unreached(distances)[G.index[target]]:
        raise nx.NetworkXNoPath(f"Node {target} not reachable from {source}")
    return _number(distances[G.index[target]])


def _require(graph: BackendGraph, nodes: list[Any]) -> None:
    for node in nodes:
        if node not in graph:
            raise nx.NodeNotFound(f"Node {node} not found in graph")


def _signed(graph: BackendGraph, sources: list[int], weight: Hashable) -> tuple[NDArray[Any], bool]:
    weights = finite_weights(graph, weight)
    result = run("signed_lengths", graph, sources=sources, weight=weights)
    return result["distance"], bool(result["negative_cycle"])


@with_options
def single_source_bellman_ford_path_length(
    G: BackendGraph,
    source: Any,
    weight: Hashable = "weight",
) -> dict[Any, Number]:
    """As networkx.single_source_bellman_ford_path_length."""
    distances = _bellman_ford(G, source, weight)
    return _from_zero(G, distances, ~is_unreached(distances), [G.index[source]])


@with_options
def all_pairs_bellman_ford_path_length(
    G: BackendGraph,
    weight: Hashable = "weight",
) -> Iterator[tuple[Any, dict[Any, Number]]]:
    """As networkx.all_pairs_bellman_ford_path_length, a source at a time."""
    for node in G:
        distances = _bellman_ford(G, node, weight)
        yield node, _from_zero(G, distances, ~is_unreached(distances), [G.index[node]])


@with_options
def bellman_ford_path_length(G: BackendGraph, source: Any, target: Any, weight: Hashable = "weight") -> Number:
    """As networkx.bellman_ford_path_length."""
    if source == target:
        _require(G, [source])
        return 0
    distances = _bellman_ford(G, source, weight)
    if target not in G or is_unreached(distances)[G.index[target]]:
        raise nx.NetworkXNoPath(f"node {target} not reachable from {source}")
    return _number(distances[G.index[target]])


def _bellman_ford(graph: BackendGraph, source: Any, weight: Hashable) -> NDArray[Any]:
    if source not in graph:
        raise nx.NodeNotFound(f"Source {source} not in G")
    distances, negative_cycle = _signed(graph, [graph.index[source]], weight)
    if negative_cycle:
        raise nx.NetworkXUnbounded("Negative cycle detected.")
    return distances


@with_options
def negative_edge_cycle(G: BackendGraph, weight: Hashable = "weight", heuristic: bool = True) -> bool:
    """As networkx.negative_edge_cycle; `heuristic` changes no answer."""
    return bool(G.number_of_edges()) and _signed(G, list(range(len(G))), weight)[1]


@with_options
def shortest_path_length(
    G: BackendGraph,
    source: Any = None,
    target: Any = None,
    weight: Hashable | None = None,
    method: str = "dijkstra",
) -> Any:
    """As networkx.shortest_path_length: a number, a dict by node, or an iterator of a dict for each node."""
    if method not in ("dijkstra", "bellman-ford"):
        raise ValueError(f"method not supported: {method}")
    if source is None and target is None:
        if weight is None:
            return hops.all_pairs_shortest_path_length(G)
        pairs = all_pairs_dijkstra_path_length if method == "dijkstra" else all_pairs_bellman_ford_path_length
        return pairs(G, weight=weight)
    if source is not None and target is not None:
        if weight is None:
            return _hops_between(G, source, target)
        between = dijkstra_path_length if method == "dijkstra" else bellman_ford_path_length
        return between(G, source, target, weight)
    graph, start = (G, source) if target is None else (G.reverse, target)
    if weight is None:
        return hops.single_source_shortest_path_length(graph, start)
    if method == "dijkstra":
        return single_source_dijkstra_path_length(graph, start, weight=weight)
    return single_source_bellman_ford_path_length(graph, start, weight=weight)


def _hops_between(graph: BackendGraph, source: Any, target: Any) -> int:
    hops.require_both(graph, source, target)
    length = int(hops.hops_from(graph, source)[graph.index[target]])
    if length < 0:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    return length


def _number(value: Any) -> Number:
    number: Number = value.item()
    return number
