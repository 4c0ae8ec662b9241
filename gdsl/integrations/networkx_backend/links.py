"""PageRank, HITS, Katz and eigenvector centrality: power iterations, to NetworkX's bounds of error."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from gdsl.integrations.networkx_backend.graphs import BackendGraph
from gdsl.integrations.networkx_backend.running import run, with_options

ByNode = Mapping[Any, float]
_WITH_A_SQUARE = 1e150
_RESTARTED = 20
"""NetworkX leaves HITS to ARPACK, whose `maxiter` counts restarts of so many products each."""


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
    wanted = None if personalization is None else G.per_vertex(personalization)
    if wanted is not None and wanted.sum() == 0:
        raise ZeroDivisionError
    restart = uniform if wanted is None else _share(wanted)
    found = run(
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
    _require_convergence(found["error"], len(G) * tol, max_iter)
    return G.by_node(found["rank"])


@with_options
def hits(
    G: BackendGraph,
    max_iter: int = 100,
    tol: float = 1.0e-8,
    nstart: ByNode | None = None,
    normalized: bool = True,
) -> tuple[dict[Any, float], dict[Any, float]]:
    """As networkx.hits; weights must not be negative, as the vectors' signs would be anybody's guess."""
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
    found = run("hits", G, tolerance=float(tol), max_iterations=max_iter * _RESTARTED, weight=weights, start=start)
    _require_convergence(found["error"], tol, max_iter)
    hubs, authorities = found["hub"], found["authority"]
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
    found = run(
        "katz",
        G,
        alpha=float(alpha),
        tolerance=float(len(G) * tol),
        max_iterations=max_iter,
        weight=_floats(G, weight),
        start=np.zeros(len(G)) if nstart is None else _exactly(G, nstart),
        base=_base(G, beta),
    )
    _require_convergence(found["error"], len(G) * tol, max_iter)
    centrality = found["centrality"]
    length = math.hypot(*centrality.tolist()) if normalized else 1.0  # whose squares may overflow or vanish
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
    found = run(
        "eigenvector",
        G,
        tolerance=float(len(G) * tol),
        max_iterations=max_iter,
        weight=squared_sums(G, weight),
        start=_share(start),
    )
    _require_convergence(found["error"], len(G) * tol, max_iter)
    return G.by_node(found["centrality"])


def _floats(graph: BackendGraph, weight: Hashable | None) -> NDArray[np.float64]:
    return graph.weight_sums(weight)


def finite_sums(graph: BackendGraph, weight: Hashable | None) -> NDArray[np.float64]:
    """The weights of PageRank. Raises NotImplementedError where one, or their sum at a node, is not finite."""
    weights = graph.weight_sums(weight)
    if not np.isfinite(np.bincount(graph.vertices.edge_sources, weights, len(graph))).all():
        raise NotImplementedError("pagerank needs weights that are finite, and so are their sums at each node")
    return weights


def squared_sums(graph: BackendGraph, weight: Hashable | None) -> NDArray[np.float64]:
    """The weights of eigenvector centrality. Raises NotImplementedError where they are finite and a square of their
    sums need not be."""
    weights = graph.weight_sums(weight)
    if np.isfinite(weights).all() and not np.abs(weights).sum() < _WITH_A_SQUARE:
        raise NotImplementedError("eigenvector_centrality needs weights whose sum has a finite square")
    return weights


def _share(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """`values`, so that they sum to 1; NaN, and no convergence, where they sum to 0, as NumPy has it."""
    with np.errstate(divide="ignore", invalid="ignore"):
        shares: NDArray[np.float64] = values / values.sum()
    return shares


def _exactly(graph: BackendGraph, start: ByNode) -> NDArray[np.float64]:
    """A start that has a value for each node and nothing else; NetworkX goes on with the nodes of the start."""
    if set(start) != set(graph):
        raise NotImplementedError("nstart needs a value for each node of the graph and for nothing else")
    return graph.per_vertex(start)


def _require_convergence(error: float, bound: float, max_iter: int) -> None:
    if not error < bound:
        raise nx.PowerIterationFailedConvergence(max_iter)
