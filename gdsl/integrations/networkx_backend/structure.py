"""Cores, two sides, orders of directed graphs without cycles, independent sets."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from gdsl.integrations.networkx_backend.graphs import BackendGraph
from gdsl.integrations.networkx_backend.running import run, with_options


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
    found = run("bipartite_check", graph.symmetric)
    side: NDArray[np.bool_] = found["side"]
    return side if found["bipartite"] else None


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
    """As networkx.topological_generations; in a generation nodes stand in the order of the graph."""
    if not G.is_directed():
        raise nx.NetworkXError("Topological sort not defined on undirected graphs.")
    if not len(G):
        return
    found = run("topological_levels", G)
    levels = found["level"]
    order = np.argsort(levels, kind="stable")[int((levels < 0).sum()) :]
    starts = np.flatnonzero(np.diff(levels[order])) + 1
    for generation in np.split(order, starts) if len(order) else ():
        yield G.nodes_of(generation)
    if not found["acyclic"]:
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
    """As networkx.maximal_independent_set without nodes that must be in it: another one in each call."""
    chosen = run("maximal_independent_set", G, seed=random.getrandbits(62))["chosen"]
    return G.nodes_of(np.flatnonzero(chosen))
