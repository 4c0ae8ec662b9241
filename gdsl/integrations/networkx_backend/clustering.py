"""Triangles of undirected graphs, and the coefficients that are made of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.integrations.networkx_backend.graphs import BackendGraph
from gdsl.integrations.networkx_backend.running import run, with_options


def _triangles(graph: BackendGraph) -> NDArray[np.int64]:
    if not len(graph):
        return np.zeros(0, dtype=np.int64)
    found: NDArray[np.int64] = run("triangles", graph.without_loops)["triangles"]
    return found


def _pairs(graph: BackendGraph) -> NDArray[np.int64]:
    """int64[V], d (d - 1) of each node, whose neighbours do not count itself."""
    degrees = graph.without_loops.vertices.out_degrees.astype(np.int64)
    return degrees * (degrees - 1)


@with_options
def triangles(G: BackendGraph, nodes: Any = None) -> Any:
    """As networkx.triangles."""
    found = _triangles(G)
    if nodes is None:
        return G.by_node(found)
    if nodes in G:
        return int(found[G.index[nodes]])
    chosen = G.chosen(nodes)
    return dict(zip(G.nodes_of(chosen), found[chosen].tolist(), strict=True))


@with_options
def clustering(G: BackendGraph, nodes: Any = None, weight: None = None) -> Any:
    """As networkx.clustering of undirected graphs without weights."""
    chosen = G.chosen(nodes)
    counts, pairs = 2 * _triangles(G)[chosen], _pairs(G)[chosen]
    values = [0 if count == 0 else count / all_ for count, all_ in zip(counts.tolist(), pairs.tolist(), strict=True)]
    found = dict(zip(G.nodes_of(chosen), values, strict=True))
    return found[nodes] if nodes in G else found


@with_options
def average_clustering(
    G: BackendGraph,
    nodes: Any = None,
    weight: None = None,
    count_zeros: bool = True,
) -> float:
    """As networkx.average_clustering of undirected graphs without weights."""
    values = list(clustering(G, nodes).values())
    if not count_zeros:
        values = [value for value in values if abs(value) > 0]
    average: float = sum(values) / len(values)
    return average


@with_options
def transitivity(G: BackendGraph) -> float:
    """As networkx.transitivity."""
    count = 2 * int(_triangles(G).sum())
    return 0 if count == 0 else count / int(_pairs(G).sum())
