"""Degree centralities: degrees are counted when a graph is converted, so that nothing is left to run."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.integrations.networkx_backend.graphs import BackendGraph
from gdsl.integrations.networkx_backend.running import with_options


def _counts(graph: BackendGraph, ends: NDArray[Any]) -> NDArray[np.int64]:
    """int64[V], of how many edges each vertex is one of these ends, parallel ones counted each."""
    weights = None if graph.parallel is None else graph.parallel
    return np.bincount(ends, weights, len(graph)).astype(np.int64)


def _scaled(graph: BackendGraph, degrees: NDArray[np.int64]) -> dict[Any, Any]:
    if len(graph) <= 1:
        return dict.fromkeys(graph.nodes, 1)
    return graph.by_node(degrees * (1.0 / (len(graph) - 1.0)))


@with_options
def degree_centrality(G: BackendGraph) -> dict[Any, float]:
    """As networkx.degree_centrality: a self-loop counts twice."""
    sources, destinations = G.vertices.edges
    degrees = _counts(G, sources)
    if G.is_directed():
        return _scaled(G, degrees + _counts(G, destinations))
    loops = sources == destinations
    counts = None if G.parallel is None else G.parallel[loops]
    return _scaled(G, degrees + np.bincount(sources[loops], counts, len(G)).astype(np.int64))


@with_options
def in_degree_centrality(G: BackendGraph) -> dict[Any, float]:
    """As networkx.in_degree_centrality."""
    return _scaled(G, _counts(G, G.vertices.edges[1]))


@with_options
def out_degree_centrality(G: BackendGraph) -> dict[Any, float]:
    """As networkx.out_degree_centrality."""
    return _scaled(G, _counts(G, G.vertices.edges[0]))
