"""The value of the largest flow, which is that of the smallest cut."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from gdsl.integrations.networkx_backend.graphs import BackendGraph
from gdsl.integrations.networkx_backend.running import run, with_options

_ROOM = 2**60


@with_options
def maximum_flow_value(
    flowG: BackendGraph,
    _s: Any,
    _t: Any,
    capacity: Hashable = "capacity",
    flow_func: None = None,
) -> int:
    """As networkx.maximum_flow_value of whole capacities, or without any where an edge has no bound."""
    for node in (_s, _t):
        if node not in flowG:
            raise nx.NetworkXError(f"node {node!s} not in graph")
    if _s == _t:
        raise nx.NetworkXError("source and sink are the same node")
    source, sink = flowG.index[_s], flowG.index[_t]
    graph, capacities, unbounded = network(flowG, capacity)
    _require_bounded(flowG, unbounded, source, sink)
    if int(capacities.sum()) == 0:
        return 0
    return int(run("max_flow", graph, source=source, sink=sink, capacity=capacities)["flow"])


@with_options
def minimum_cut_value(
    flowG: BackendGraph,
    _s: Any,
    _t: Any,
    capacity: Hashable = "capacity",
    flow_func: None = None,
) -> int:
    """As networkx.minimum_cut_value: the largest flow is as large as the smallest cut."""
    return int(maximum_flow_value(flowG, _s, _t, capacity))


def network(graph: BackendGraph, capacity: Hashable) -> tuple[BackendGraph, NDArray[np.int64], NDArray[np.bool_]]:
    """The graph with every edge both ways; the capacity of each, where nothing bounds it more than all others have
    together; and which edges of the graph given those are. Self-loops have none."""
    given = graph.weights(capacity, np.inf)
    sources, destinations = graph.vertices.edges
    given = np.where((sources == destinations) | (given < 0), 0, given)
    unbounded = np.isposinf(given)
    finite = np.where(unbounded, 0, given)
    total = finite.sum(dtype=np.float64)
    if (finite != np.floor(finite)).any() or not total * (1 + int(unbounded.sum())) < _ROOM:
        raise NotImplementedError("capacities must be whole numbers whose sum fits int64, or infinite")
    values = np.where(unbounded, int(finite.sum()) + 1, finite).astype(np.int64)
    size = len(graph)
    keys = sources.astype(np.int64) * size + destinations
    every = np.unique(np.concatenate([keys, destinations.astype(np.int64) * size + sources]))
    both = np.zeros(len(every), dtype=np.int64)
    both[np.searchsorted(every, keys)] = values
    if not graph.is_directed():
        return graph, values, unbounded
    return graph.of_arcs(every // size, every % size), both, unbounded


def _require_bounded(graph: BackendGraph, unbounded: NDArray[np.bool_], source: int, sink: int) -> None:
    if not unbounded.any():
        return
    sources, destinations = graph.vertices.edges
    free = graph.of_arcs(sources[unbounded], destinations[unbounded])
    if run("reachability", free, sources=[source])["reached"][sink]:
        raise nx.NetworkXUnbounded("Infinite capacity path, flow unbounded above.")
