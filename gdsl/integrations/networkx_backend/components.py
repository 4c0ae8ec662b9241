"""Connected components: of undirected graphs, and weak and strong ones of directed graphs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from gdsl.integrations.networkx_backend.dispatch import run, with_options
from gdsl.integrations.networkx_backend.graphs import BackendGraph


def component_of(graph: BackendGraph, program: str = "connected_components") -> NDArray[Any]:
    """int[V], the smallest vertex of each vertex's component."""
    components: NDArray[Any] = run(program, graph)["component"]
    return components


def _sets(graph: BackendGraph, component: NDArray[Any]) -> Iterator[set[Any]]:
    """The nodes of each component, by its number."""
    order = np.argsort(component, kind="stable")
    ends = np.flatnonzero(np.diff(component[order])) + 1
    nodes = graph.nodes_of(order)
    for begin, end in zip([0, *ends.tolist()], [*ends.tolist(), len(nodes)], strict=True):
        yield set(nodes[begin:end])


def _weak(graph: BackendGraph) -> Iterator[set[Any]]:
    if len(graph):
        yield from _sets(graph, component_of(graph))


def _strong(graph: BackendGraph) -> Iterator[set[Any]]:
    """The strong components, those that an edge leads to before those that it comes from, in NetworkX's order."""
    if not len(graph):
        return
    first, component = np.unique(component_of(graph, "strongly_connected_components"), return_inverse=True)
    sources, destinations = (component[ends] for ends in graph.vertices.edges)
    between = sources != destinations
    if between.any():
        pairs = np.unique(destinations[between] * len(first) + sources[between])
        level = run("topological_levels", graph.of_size(len(first), pairs // len(first), pairs % len(first)))["level"]
        place = np.empty(len(first), dtype=np.int64)
        place[np.argsort(level, kind="stable")] = np.arange(len(first))
        component = place[component]
    yield from _sets(graph, component)


def _count(graph: BackendGraph, program: str) -> int:
    return len(np.unique(component_of(graph, program))) if len(graph) else 0


def _is_one(graph: BackendGraph, program: str) -> bool:
    if not len(graph):
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return _count(graph, program) == 1


@with_options
def connected_components(G: BackendGraph) -> Iterator[set[Any]]:
    """As networkx.connected_components."""
    return _weak(G)


@with_options
def number_connected_components(G: BackendGraph) -> int:
    """As networkx.number_connected_components."""
    return _count(G, "connected_components")


@with_options
def is_connected(G: BackendGraph) -> bool:
    """As networkx.is_connected."""
    return _is_one(G, "connected_components")


@with_options
def node_connected_component(G: BackendGraph, n: Any) -> set[Any]:
    """As networkx.node_connected_component."""
    if n not in G:
        raise KeyError(n)
    reached = run("reachability", G, sources=[G.index[n]])["reached"]
    return set(G.nodes_of(np.flatnonzero(reached)))


@with_options
def weakly_connected_components(G: BackendGraph) -> Iterator[set[Any]]:
    """As networkx.weakly_connected_components."""
    return _weak(G)


@with_options
def number_weakly_connected_components(G: BackendGraph) -> int:
    """As networkx.number_weakly_connected_components."""
    return _count(G, "connected_components")


@with_options
def is_weakly_connected(G: BackendGraph) -> bool:
    """As networkx.is_weakly_connected."""
    return _is_one(G, "connected_components")


@with_options
def strongly_connected_components(G: BackendGraph) -> Iterator[set[Any]]:
    """As networkx.strongly_connected_components."""
    return _strong(G)


@with_options
def number_strongly_connected_components(G: BackendGraph) -> int:
    """As networkx.number_strongly_connected_components."""
    return _count(G, "strongly_connected_components")


@with_options
def is_strongly_connected(G: BackendGraph) -> bool:
    """As networkx.is_strongly_connected."""
    return _is_one(G, "strongly_connected_components")
