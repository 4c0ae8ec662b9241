"""The weights of edges that each function takes, and why it refuses others."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.integrations.networkx_backend.conversion import convert_from_nx, is_plain
from gdsl.integrations.networkx_backend.graphs import BackendGraph

ARGUMENTS = ("weight", "distance", "capacity")
"""The names of NetworkX's arguments for the attribute with weights."""
_SIGNED = {
    "bellman_ford_path_length", "single_source_bellman_ford_path_length", "all_pairs_bellman_ford_path_length",
    "negative_edge_cycle",
}  # fmt: skip
_CAPACITIES = {"maximum_flow_value", "minimum_cut_value"}
_EXACT = 2**53
_ROOM = 2**62
"""Sums of int64 below this cannot be mistaken for an unreachable vertex."""
_CAPACITY_ROOM = 2**60
_WITH_A_SQUARE = 1e150


def reason_of_weights(name: str, graph: Any, arguments: Mapping[str, Any]) -> str | None:
    """Why the function `name` refuses the weights that `arguments` name; None if it accepts them, if there are none,
    and for views, which would be converted twice."""
    attribute = next((arguments[key] for key in ARGUMENTS if arguments.get(key) is not None), None)
    if attribute is None or not is_plain(graph):
        return None
    converted = convert_from_nx(graph, {attribute: 1})  # the call uses the same conversion
    try:
        _check(name, converted, attribute, arguments.get("method"))
    except NotImplementedError as error:
        return str(error)
    return None


def _check(name: str, graph: BackendGraph, attribute: Any, method: Any) -> None:
    """Raises NotImplementedError as the function `name` does."""
    if name == "pagerank":
        finite_sums(graph, attribute)
    elif name == "katz_centrality":
        graph.weight_sums(attribute)
    elif name == "eigenvector_centrality":
        squared_sums(graph, attribute)
    elif name in _CAPACITIES:
        network(graph, attribute)
    elif name == "betweenness_centrality":
        lengthening_weights(graph, attribute)
    elif name == "harmonic_centrality":
        exact_floats(graph, attribute)
    elif name in _SIGNED or method == "bellman-ford":
        finite_weights(graph, attribute)
    else:
        checked_weights(graph, attribute)


def finite_weights(graph: BackendGraph, weight: Hashable) -> NDArray[Any]:
    """The weights for Bellman and Ford's algorithm, int64 or float64. Raises NotImplementedError if sums do not fit."""
    weights = graph.weights(weight)
    largest = max(weights.max(initial=0).item(), -weights.min(initial=0).item())
    if weights.dtype.kind == "f" and not largest * (len(graph) + 1.0) < np.inf:
        raise NotImplementedError("weights, and sums of them, must be finite")
    if weights.dtype.kind == "i" and largest * (len(graph) + 1) >= _ROOM:
        raise NotImplementedError("sums of these weights may not fit int64")
    return weights


def checked_weights(graph: BackendGraph, weight: Hashable) -> NDArray[Any]:
    """The weights for Dijkstra's algorithm, int64[E] or float64[E]. Raises NotImplementedError for what
    `finite_weights` refuses, and for negative ones, where NetworkX's answer depends on the order of its steps."""
    weights = finite_weights(graph, weight)
    if (weights < 0).any():
        raise NotImplementedError("with negative weights NetworkX's answer depends on the order of its steps")
    return weights


def exact_floats(graph: BackendGraph, weight: Hashable) -> NDArray[np.float64]:
    """The weights for Dijkstra's algorithm as float64. Raises NotImplementedError also if a sum of ints would not be
    exact."""
    weights = checked_weights(graph, weight)
    if weights.dtype.kind == "i" and int(weights.max(initial=0)) * len(graph) > _EXACT:
        raise NotImplementedError("sums of these int weights are not exact as float64")
    return weights.astype(np.float64)


def lengthening_weights(graph: BackendGraph, weight: Hashable) -> NDArray[np.float64]:
    """The weights of betweenness. Raises NotImplementedError for weights that may not make a path longer, where
    NetworkX's answer depends on the order of its steps."""
    weights = exact_floats(graph, weight)
    least, longest = weights.min(initial=np.inf), weights.max(initial=0) * len(graph)
    if least <= 0 or longest + least == longest:
        raise NotImplementedError("betweenness_centrality needs positive weights that differ less in their size")
    return weights


def finite_sums(graph: BackendGraph, weight: Hashable | None) -> NDArray[np.float64]:
    """The weights of PageRank. Raises NotImplementedError if one, or their sum at a node, is not finite."""
    weights = graph.weight_sums(weight)
    if not np.isfinite(np.bincount(graph.vertices.edge_sources, weights, len(graph))).all():
        raise NotImplementedError("pagerank needs weights that are finite, and so are their sums at each node")
    return weights


def squared_sums(graph: BackendGraph, weight: Hashable | None) -> NDArray[np.float64]:
    """The weights of eigenvector centrality. Raises NotImplementedError if they are finite but the square of their sum
    may not be."""
    weights = graph.weight_sums(weight)
    if np.isfinite(weights).all() and not np.abs(weights).sum() < _WITH_A_SQUARE:
        raise NotImplementedError("eigenvector_centrality needs weights whose sum has a finite square")
    return weights


def network(graph: BackendGraph, capacity: Hashable) -> tuple[BackendGraph, NDArray[np.int64], NDArray[np.bool_]]:
    """The graph with every edge in both directions; the capacity of each (of unbounded ones, more than all others
    together); and which edges of the original graph are unbounded. Self-loops have no capacity."""
    capacities = graph.weights(capacity, np.inf)
    sources, destinations = graph.vertices.edges
    capacities = np.where((sources == destinations) | (capacities < 0), 0, capacities)
    unbounded = np.isposinf(capacities)
    finite = np.where(unbounded, 0, capacities)
    total = finite.sum(dtype=np.float64)
    if (finite != np.floor(finite)).any() or not total * (1 + int(unbounded.sum())) < _CAPACITY_ROOM:
        raise NotImplementedError("capacities must be whole numbers whose sum fits int64, or infinite")
    values = np.where(unbounded, int(finite.sum()) + 1, finite).astype(np.int64)
    size = len(graph)
    keys = sources.astype(np.int64) * size + destinations
    every = np.unique(np.concatenate([keys, destinations.astype(np.int64) * size + sources]))
    both = np.zeros(len(every), dtype=np.int64)
    both[np.searchsorted(every, keys)] = values
    if not graph.is_directed():
        return graph, values, unbounded
    return graph.of_arcs(every // size, every % size), both, unbounded
