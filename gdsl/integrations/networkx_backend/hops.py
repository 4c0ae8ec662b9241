"""Paths measured in hops, and reachability."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from gdsl.integrations.networkx_backend.dispatch import run, with_options
from gdsl.integrations.networkx_backend.graphs import BackendGraph

_ALL = 2**62


def hops_from(graph: BackendGraph, node: Any, cutoff: float | None = None) -> NDArray[np.int32]:
    """int32[V], the hops from `node`, -1 for vertices beyond `cutoff` or unreachable."""
    limit = _ALL if cutoff is None or cutoff >= _ALL else max(math.ceil(cutoff), 0) if cutoff == cutoff else 0
    distances: NDArray[np.int32] = run("hops", graph, sources=[graph.index[node]], cutoff=limit)["distance"]
    return distances


def in_order(graph: BackendGraph, distances: NDArray[Any], reached: NDArray[np.bool_]) -> dict[Any, Any]:
    """A dict from the nodes that are `reached`, bool[V], to their `distances`, [V], the nearest first, as a search
    would find them."""
    vertices = np.flatnonzero(reached)
    vertices = vertices[np.argsort(distances[vertices], kind="stable")]
    return dict(zip(graph.nodes_of(vertices), distances[vertices].tolist(), strict=True))


def lengths_from(graph: BackendGraph, node: Any, cutoff: float | None = None) -> dict[Any, int]:
    """The hops of every node within `cutoff`."""
    distances = hops_from(graph, node, cutoff)
    return in_order(graph, distances, distances >= 0)


@with_options
def single_source_shortest_path_length(G: BackendGraph, source: Any, cutoff: float | None = None) -> dict[Any, int]:
    """As networkx.single_source_shortest_path_length."""
    if source not in G:
        raise nx.NodeNotFound(f"Source {source} is not in G")
    return lengths_from(G, source, cutoff)


@with_options
def single_target_shortest_path_length(G: BackendGraph, target: Any, cutoff: float | None = None) -> dict[Any, int]:
    """As networkx.single_target_shortest_path_length."""
    if target not in G:
        raise nx.NodeNotFound(f"Target {target} is not in G")
    return lengths_from(G.reverse, target, cutoff)


@with_options
def all_pairs_shortest_path_length(
    G: BackendGraph, cutoff: float | None = None
) -> Iterator[tuple[Any, dict[Any, int]]]:
    """As networkx.all_pairs_shortest_path_length, a search at a time."""
    for node in G:
        yield node, lengths_from(G, node, cutoff)


@with_options
def has_path(G: BackendGraph, source: Any, target: Any) -> bool:
    """As networkx.has_path."""
    require_both(G, source, target)
    return bool(hops_from(G, source)[G.index[target]] >= 0)


def require_both(graph: BackendGraph, source: Any, target: Any) -> None:
    """Raises NodeNotFound as networkx.shortest_path does."""
    if source not in graph:
        raise nx.NodeNotFound(f"Source {source} is not in G")
    if target not in graph:
        raise nx.NodeNotFound(f"Target {target} is not in G")


@with_options
def descendants(G: BackendGraph, source: Any) -> set[Any]:
    """As networkx.descendants."""
    return _others_reached(G, source)


@with_options
def ancestors(G: BackendGraph, source: Any) -> set[Any]:
    """As networkx.ancestors."""
    return _others_reached(G.reverse, source)


def _others_reached(graph: BackendGraph, source: Any) -> set[Any]:
    if source not in graph:
        raise nx.NetworkXError(f"The node {source} is not in the {'digraph' if graph.is_directed() else 'graph'}.")
    reached = run("reachability", graph, sources=[graph.index[source]])["reached"]
    return set(graph.nodes_of(np.flatnonzero(reached))) - {source}
