"""Functions that search from every node: betweenness, closeness, harmonic centrality, eccentricity and its extremes."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from gdsl.integrations.networkx_backend import components
from gdsl.integrations.networkx_backend.dispatch import run, with_options
from gdsl.integrations.networkx_backend.graphs import BackendGraph
from gdsl.integrations.networkx_backend.weights import checked_weights, exact_floats, lengthening_weights

_NO_BOUNDS = "Cannot compute metric because graph is not connected."


@with_options
def betweenness_centrality(
    G: BackendGraph,
    k: int | None = None,
    normalized: bool = True,
    weight: Hashable | None = None,
    endpoints: bool = False,
    seed: Any = None,
) -> dict[Any, float]:
    """As networkx.betweenness_centrality; with `k` the nodes that NetworkX draws by `seed`."""
    drawn = None if k is None or k == len(G) else seed.sample(list(G.nodes), k)
    if not len(G):
        return {}
    sources = None if drawn is None else np.array([G.index[node] for node in drawn], dtype=np.int64)
    scales = _scales(G, sources, normalized, endpoints)
    if sources is not None and not len(sources):
        return dict.fromkeys(G.nodes, 0.0)
    chosen: Any = [] if sources is None else sources
    values = _betweenness(G, chosen, weight)
    if endpoints:
        values = values + run("endpoints", G, sources=chosen)["pairs"]
    return G.by_node(values if scales is None else values * scales)


def _betweenness(graph: BackendGraph, sources: Any, weight: Hashable | None) -> NDArray[np.float64]:
    """The sums over pairs of a source and any vertex. Raises NotImplementedError."""
    values: NDArray[np.float64]
    if weight is None:
        values = run("betweenness", graph, sources=sources)["centrality"]
        return values
    weights = lengthening_weights(graph, weight)
    values = run("betweenness_lengths", graph, sources=sources, weight=weights)["centrality"]
    if not np.isfinite(values).all():
        raise NotImplementedError("there are more shortest paths than a float64 can count")
    return values


def _scales(
    graph: BackendGraph, sources: NDArray[Any] | None, normalized: bool, endpoints: bool
) -> NDArray[np.float64] | float | None:
    """NetworkX's factor for the sums over ordered pairs: one over the number of pairs, or such that each pair of an
    undirected graph counts once; for a sample of sources, such that the expected value is that of all sources."""
    others = len(graph) if endpoints else len(graph) - 1
    if others < 2:
        return None
    correction = 1 if graph.is_directed() else 2
    taken = others if sources is None else len(sources)
    if sources is None or endpoints:
        return 1 / (taken * (others - 1)) if normalized else others / (taken * correction)
    scales = np.full(len(graph), 1 / (taken * (others - 1)) if normalized else others / (taken * correction))
    if taken == 1:
        scales[sources] = math.nan
    else:
        scales[sources] = 1 / ((taken - 1) * (others - 1)) if normalized else others / ((taken - 1) * correction)
    return scales


def _from_each(graph: BackendGraph, sources: NDArray[Any] | None, weight: Hashable | None) -> dict[str, NDArray[Any]]:
    """For each source (None: every node), how many others it reaches, the sum of their distances, and the largest."""
    chosen: Any = [] if sources is None else sources
    if weight is None:
        return run("all_hops", graph, sources=chosen)
    weights = checked_weights(graph, weight)
    return run("all_lengths", graph, sources=chosen, weight=weights)


@with_options
def closeness_centrality(
    G: BackendGraph,
    u: Any = None,
    distance: Hashable | None = None,
    wf_improved: bool = True,
) -> Any:
    """As networkx.closeness_centrality."""
    if u is not None and u not in G:
        raise nx.NodeNotFound(f"Source {u} is not in G" if distance is None else f"Node {u} not found in graph")
    if not len(G):
        return {}
    values = _from_each(G.reverse, None if u is None else np.array([G.index[u]]), distance)
    reached, total, others = values["reached"].astype(np.float64), values["total"], len(G) - 1
    near = np.zeros(len(G))
    counted = (total > 0) & (others > 0)
    near[counted] = reached[counted] / total[counted]
    if wf_improved and others:
        near[counted] *= reached[counted] / others
    return G.by_node(near) if u is None else float(near[G.index[u]])


@with_options
def average_shortest_path_length(
    G: BackendGraph,
    weight: Hashable | None = None,
    method: str | None = None,
) -> float:
    """As networkx.average_shortest_path_length by a search from each node."""
    if method not in (None, "unweighted", "dijkstra", "bellman-ford"):
        raise ValueError(f"method not supported: {method}")
    if not len(G):
        message = "the null graph has no paths, thus there is no average shortest path length"
        raise nx.NetworkXPointlessConcept(message)
    if len(G) == 1:
        return 0
    if G.is_directed() and not components.is_strongly_connected(G):
        raise nx.NetworkXError("Graph is not strongly connected.")
    if not G.is_directed() and not components.is_connected(G):
        raise nx.NetworkXError("Graph is not connected.")
    total = _from_each(G, None, None if method == "unweighted" else weight)["total"]
    average: float = sum(total.tolist()) / (len(G) * (len(G) - 1))
    return average


@with_options
def eccentricity(G: BackendGraph, v: Any = None, sp: None = None, weight: Hashable | None = None) -> Any:
    """As networkx.eccentricity without `sp`."""
    chosen = G.chosen(v)
    if not len(chosen):
        return {}
    eccentricities = _from_each(G, None if v is None else chosen, weight)
    if (eccentricities["reached"][chosen] != len(G) - 1).any():
        kind = "digraph is not strongly connected" if G.is_directed() else "graph is not connected"
        raise nx.NetworkXError(f"Found infinite path length because the {kind}")
    values = eccentricities["farthest"][chosen].tolist()
    return values[0] if v in G else dict(zip(G.nodes_of(chosen), values, strict=True))


@with_options
def diameter(G: BackendGraph, e: None = None, usebounds: bool = False, weight: Hashable | None = None) -> Any:
    """As networkx.diameter; of undirected graphs without weights by bounds on all eccentricities, a few searches."""
    if weight is not None or G.is_directed() or not len(G):
        return max(eccentricity(G, weight=weight).values())
    if not components.is_connected(G):
        raise nx.NetworkXError(
            _NO_BOUNDS if usebounds else "Found infinite path length because the graph is not connected"
        )
    return int(run("diameter", G)["diameter"])


def _eccentricities(graph: BackendGraph, usebounds: bool, weight: Hashable | None) -> dict[Any, Any]:
    if usebounds and not graph.is_directed() and len(graph) and not components.is_connected(graph):
        raise nx.NetworkXError(_NO_BOUNDS)
    values: dict[Any, Any] = eccentricity(graph, weight=weight)
    return values


@with_options
def radius(G: BackendGraph, e: None = None, usebounds: bool = False, weight: Hashable | None = None) -> Any:
    """As networkx.radius."""
    return min(_eccentricities(G, usebounds, weight).values())


@with_options
def center(G: BackendGraph, e: None = None, usebounds: bool = False, weight: Hashable | None = None) -> list[Any]:
    """As networkx.center."""
    if not len(G) and weight is None and not G.is_directed() and not usebounds:
        raise nx.NetworkXPointlessConcept("G has no nodes.")
    eccentricities = _eccentricities(G, usebounds, weight)
    least = min(eccentricities.values())
    return [node for node, value in eccentricities.items() if value == least]


@with_options
def periphery(G: BackendGraph, e: None = None, usebounds: bool = False, weight: Hashable | None = None) -> list[Any]:
    """As networkx.periphery."""
    eccentricities = _eccentricities(G, usebounds, weight)
    largest = max(eccentricities.values())
    return [node for node, value in eccentricities.items() if value == largest]


@with_options
def harmonic_centrality(
    G: BackendGraph,
    nbunch: Any = None,
    distance: Hashable | None = None,
    sources: Any = None,
) -> dict[Any, float]:
    """As networkx.harmonic_centrality, by a search from each source, or to each node of `nbunch` if they are fewer."""
    targets, starts = G.chosen(nbunch), G.chosen(sources)
    if not len(targets) or not len(starts):
        return dict.fromkeys(G.nodes_of(targets), 0)
    graph, name = G, "received"
    ends: dict[str, Any] = {"sources": starts, "targets": targets}
    if len(targets) < len(starts):
        graph, name = G.reverse, "sent"
        ends = {"sources": targets, "targets": starts}
    if distance is None:
        sums = run("harmonic", graph, **ends)[name]
    else:
        sums = run("harmonic_lengths", graph, weight=exact_floats(graph, distance), **ends)[name]
    values = np.asarray(sums)[targets].tolist()
    return {node: value or 0 for node, value in zip(G.nodes_of(targets), values, strict=True)}
