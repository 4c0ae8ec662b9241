"""Where the vertices of a small graph stand."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_SEED = 1
"""The same graph is drawn the same way."""


def positions(vertices: int, sources: NDArray[Any], targets: NDArray[Any]) -> NDArray[np.float64]:
    """float64[V, 2], from -1 to 1: by springs where NetworkX or igraph is there, else on a circle. Vertices without an
    edge to another, which no spring holds, stand in a row below."""
    linked = np.zeros(vertices, dtype=bool)
    linked[sources[sources != targets]] = linked[targets[sources != targets]] = True
    found = np.empty((vertices, 2))
    alone = vertices - int(np.count_nonzero(linked))
    found[~linked] = np.stack([np.linspace(-1, 1, alone), np.full(alone, -1.25)], axis=1)
    numbers = np.cumsum(linked) - 1
    kept = linked[sources] & linked[targets]
    placed = _placed(vertices - alone, numbers[sources[kept]], numbers[targets[kept]])
    span = np.abs(placed - placed.mean(axis=0)).max(initial=1e-9) if len(placed) else 1.0
    found[linked] = (placed - placed.mean(axis=0)) / span if len(placed) else placed
    return found


def _placed(vertices: int, sources: NDArray[Any], targets: NDArray[Any]) -> NDArray[np.float64]:
    for place in (_by_networkx, _by_igraph):
        try:
            return place(vertices, sources, targets)
        except ImportError:
            continue
    return _on_a_circle(vertices)


def _by_networkx(vertices: int, sources: NDArray[Any], targets: NDArray[Any]) -> NDArray[np.float64]:
    import networkx

    graph: Any = networkx.Graph()
    graph.add_nodes_from(range(vertices))
    graph.add_edges_from(zip(sources.tolist(), targets.tolist(), strict=True))
    found = networkx.spring_layout(graph, seed=_SEED, iterations=100)
    return np.array([found[vertex] for vertex in range(vertices)], dtype=np.float64).reshape(-1, 2)


def _by_igraph(vertices: int, sources: NDArray[Any], targets: NDArray[Any]) -> NDArray[np.float64]:
    import igraph

    graph = igraph.Graph(vertices, list(zip(sources.tolist(), targets.tolist(), strict=True)))
    found = graph.layout_kamada_kawai(seed=_on_a_circle(vertices).tolist())
    return np.array(found.coords, dtype=np.float64).reshape(-1, 2)


def _on_a_circle(vertices: int) -> NDArray[np.float64]:
    angles = np.linspace(0, 2 * np.pi, vertices, endpoint=False)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)
