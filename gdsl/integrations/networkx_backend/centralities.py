"""PageRank, HITS, Katz and eigenvector centrality, by power iteration to NetworkX's bounds of error; and degrees."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from gdsl.integrations.networkx_backend.dispatch import run, with_options
from gdsl.integrations.networkx_backend.graphs import BackendGraph
from gdsl.integrations.networkx_backend.weights import finite_sums, squared_sums

ByNode = Mapping[Any, float]
_RESTARTED = 20
"""NetworkX leaves HITS to ARPACK, whose `maxiter` counts restarts of this many products each."""


@with_options
def pagerank(
    G: BackendGraph,
    alpha: float = 0.85,
    personalization: ByNode | None = None,
    max_iter: int = 100,
    tol: float = 1.0e-6,
    nstart: ByNode | None = None,
    weight: Hashable | None = "weight",
    dangling: ByNode | None = None,
) -> dict[Any, float]:
    """As networkx.pagerank, by the same iteration."""
    if not len(G):
        return {}
    weights = finite_sums(G, weight)
    uniform = np.full(len(G), 1 / len(G))
    preferred = None if personalization is None else G.per_vertex(personalization)
    if preferred is not None and preferred.sum() == 0:
        raise ZeroDivisionError
    restart = uniform if preferred is None else _share(preferred)
    result = run(
        "pagerank",
        G,
        damping=float(alpha),
        tolerance=float(len(G) * tol),
        max_iterations=max_iter,
        weight=weights,
        strength=np.bincount(G.vertices.edge_sources, weights, len(G)),
        start=uniform if nstart is None else _share(G.per_vertex(nstart)),
        restart=restart,
        beyond=restart if dangling is None else _share(G.per_vertex(dangling)),
    )
    _require_convergence(result["error"], len(G) * tol, max_iter)
    return G.by_node(result["rank"])


@with_options
def hits(
    G: BackendGraph,
    max_iter: int = 100,
    tol: float = 1.0e-8,
    nstart: ByNode | None = None,
    normalized: bool = True,
) -> tuple[dict[Any, float], dict[Any, float]]:
    """As networkx.hits; weights must not be negative, as the signs of the vectors would be arbitrary."""
    if not len(G):
        return {}, {}
    if max_iter <= 0:
        raise nx.PowerIterationFailedConvergence(max_iter)
    weights = _floats(G, "weight")
    if not (weights > 0).any() or (weights < 0).any() or not np.isfinite(weights).all():
        raise NotImplementedError("hits needs edges, with weights that are finite and not negative")
    start = np.ones(len(G)) if nstart is None else np.array(list(nstart.values()), dtype=np.float64)
    if start.shape != (len(G),) or not (start > 0).all():
        raise NotImplementedError("hits starts from a positive value for each node")
    start /= math.hypot(*start.tolist())
    exponent = int(np.frexp(weights.max())[1])  # weights near 1, whose products neither overflow nor vanish
    weights = np.ldexp(weights, -exponent)
    result = run("hits", G, tolerance=float(tol), max_iterations=max_iter * _RESTARTED, weight=weights, start=start)
    _require_convergence(result["error"], tol, max_iter)
    hubs, authorities = result["hub"], result["authority"]
    if not normalized:
        hubs = np.ldexp(hubs, exponent)
    else:
        hubs, authorities = hubs / hubs.sum(), authorities / authorities.sum()
    return G.by_node(hubs), G.by_node(authorities)


@with_options
def katz_centrality(
    G: BackendGraph,
    alpha: float = 0.1,
    beta: float | ByNode = 1.0,
    max_iter: int = 1000,
    tol: float = 1.0e-6,
    nstart: ByNode | None = None,
    normalized: bool = True,
    weight: Hashable | None = None,
) -> dict[Any, float]:
    """As networkx.katz_centrality, by the same iteration."""
    if not len(G):
        return {}
    result = run(
        "katz",
        G,
        alpha=float(alpha),
        tolerance=float(len(G) * tol),
        max_iterations=max_iter,
        weight=_floats(G, weight),
        start=np.zeros(len(G)) if nstart is None else _exactly(G, nstart),
        base=_base(G, beta),
    )
    _require_convergence(result["error"], len(G) * tol, max_iter)
    centrality = result["centrality"]
    length = math.hypot(*centrality.tolist()) if normalized else 1.0  # its squares may overflow or vanish
    return G.by_node(centrality / length if length else centrality)


def _base(graph: BackendGraph, beta: float | ByNode) -> NDArray[np.float64]:
    """What katz_centrality adds in each pass."""
    try:
        return np.full(len(graph), float(beta))  # type: ignore[arg-type]
    except (TypeError, ValueError, AttributeError) as error:
        if not isinstance(beta, Mapping) or set(beta) != set(graph):
            raise nx.NetworkXError("beta dictionary must have a value for every node") from error
        return graph.per_vertex(beta)


@with_options
def eigenvector_centrality(
    G: BackendGraph,
    max_iter: int = 100,
    tol: float = 1.0e-6,
    nstart: ByNode | None = None,
    weight: Hashable | None = None,
) -> dict[Any, float]:
    """As networkx.eigenvector_centrality, by the same iteration."""
    if not len(G):
        raise nx.NetworkXPointlessConcept("cannot compute centrality for the null graph")
    start = np.ones(len(G)) if nstart is None else _exactly(G, nstart)
    if not start.any():
        raise nx.NetworkXError("initial vector cannot have all zero values")
    if start.sum() == 0:
        raise ZeroDivisionError("float division by zero")
    result = run(
        "eigenvector",
        G,
        tolerance=float(len(G) * tol),
        max_iterations=max_iter,
        weight=squared_sums(G, weight),
        start=_share(start),
    )
    _require_convergence(result["error"], len(G) * tol, max_iter)
    return G.by_node(result["centrality"])


def _floats(graph: BackendGraph, weight: Hashable | None) -> NDArray[np.float64]:
    return graph.weight_sums(weight)


def _share(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """`values` scaled to sum to 1; NaN, and no convergence, if they sum to 0, as in NumPy."""
    with np.errstate(divide="ignore", invalid="ignore"):
        shares: NDArray[np.float64] = values / values.sum()
    return shares


def _exactly(graph: BackendGraph, start: ByNode) -> NDArray[np.float64]:
    """A start with a value for each node and nothing else; NetworkX would iterate over the nodes of the start."""
    if set(start) != set(graph):
        raise NotImplementedError("nstart needs a value for each node of the graph and for nothing else")
    return graph.per_vertex(start)


def _require_convergence(error: float, bound: float, max_iter: int) -> None:
    if not error < bound:
        raise nx.PowerIterationFailedConvergence(max_iter)


def _counts(graph: BackendGraph, ends: NDArray[Any]) -> NDArray[np.int64]:
    """int64[V], how often each vertex is one of these ends, counting parallel edges."""
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
