"""Cores, triangles and clustering, bipartite graphs, topological orders, independent sets."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from gdsl.integrations.networkx_backend.dispatch import run, with_options
from gdsl.integrations.networkx_backend.graphs import BackendGraph


@with_options
def core_number(G: BackendGraph) -> dict[Any, int]:
    """As networkx.core_number; of directed graphs by the edges in and out together."""
    if not len(G):
        return {}
    if G.vertices.has_loops():
        raise NotImplementedError("NetworkX refuses self-loops itself")
    return G.by_node(run("k_core", G.symmetric)["core"])


def _sides(graph: BackendGraph) -> NDArray[np.bool_] | None:
    """bool[V], whether a node is an odd number of edges from the first one of its component; None where an edge
    joins two nodes of a side."""
    result = run("bipartite_check", graph.symmetric)
    side: NDArray[np.bool_] = result["side"]
    return side if result["bipartite"] else None


@with_options
def is_bipartite(G: BackendGraph) -> bool:
    """As networkx.is_bipartite."""
    return not len(G) or _sides(G) is not None


@with_options
def color(G: BackendGraph) -> dict[Any, int]:
    """As networkx.bipartite.color of undirected graphs: the first node of a component has 1, one without edges 0."""
    if not len(G):
        return {}
    side = _sides(G)
    if side is None:
        raise nx.NetworkXError("Graph is not bipartite.")
    return G.by_node((~side & (G.vertices.out_degrees > 0)).astype(np.int64))


@with_options
def topological_generations(G: BackendGraph) -> Iterator[list[Any]]:
    """As networkx.topological_generations; within a generation, nodes are in the order of the graph."""
    if not G.is_directed():
        raise nx.NetworkXError("Topological sort not defined on undirected graphs.")
    if not len(G):
        return
    result = run("topological_levels", G)
    levels = result["level"]
    order = np.argsort(levels, kind="stable")[int((levels < 0).sum()) :]
    starts = np.flatnonzero(np.diff(levels[order])) + 1
    for generation in np.split(order, starts) if len(order) else ():
        yield G.nodes_of(generation)
    if not result["acyclic"]:
        raise nx.NetworkXUnfeasible("Graph contains a cycle or graph changed during iteration")


@with_options
def topological_sort(G: BackendGraph) -> Iterator[Any]:
    """As networkx.topological_sort."""
    for generation in topological_generations(G):
        yield from generation


@with_options
def is_directed_acyclic_graph(G: BackendGraph) -> bool:
    """As networkx.is_directed_acyclic_graph."""
    return G.is_directed() and (not len(G) or bool(run("topological_levels", G)["acyclic"]))


@with_options
def maximal_independent_set(
    G: BackendGraph,
    nodes: Iterable[Any] | None = None,
    seed: Any = None,
) -> list[Any]:
    """As networkx.maximal_independent_set without `nodes`: a different set in each call."""
    chosen = run("maximal_independent_set", G, seed=random.getrandbits(62))["chosen"]
    return G.nodes_of(np.flatnonzero(chosen))


def _triangles(graph: BackendGraph) -> NDArray[np.int64]:
    if not len(graph):
        return np.zeros(0, dtype=np.int64)
    counts: NDArray[np.int64] = run("triangles", graph.without_loops)["triangles"]
    return counts


def _pairs(graph: BackendGraph) -> NDArray[np.int64]:
    """int64[V], d (d - 1) of each node, whose neighbors do not count itself."""
    degrees = graph.without_loops.vertices.out_degrees.astype(np.int64)
    return degrees * (degrees - 1)


@with_options
def triangles(G: BackendGraph, nodes: Any = None) -> Any:
    """As networkx.triangles."""
    counts = _triangles(G)
    if nodes is None:
        return G.by_node(counts)
    if nodes in G:
        return int(counts[G.index[nodes]])
    chosen = G.chosen(nodes)
    return dict(zip(G.nodes_of(chosen), counts[chosen].tolist(), strict=True))


@with_options
def clustering(G: BackendGraph, nodes: Any = None, weight: None = None) -> Any:
    """As networkx.clustering of undirected graphs without weights."""
    chosen = G.chosen(nodes)
    counts, pairs = 2 * _triangles(G)[chosen], _pairs(G)[chosen]
    values = [0 if count == 0 else count / all_ for count, all_ in zip(counts.tolist(), pairs.tolist(), strict=True)]
    coefficients = dict(zip(G.nodes_of(chosen), values, strict=True))
    return coefficients[nodes] if nodes in G else coefficients


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
