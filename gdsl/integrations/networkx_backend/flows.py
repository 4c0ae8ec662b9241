"""The value of the largest flow, which is that of the smallest cut."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from gdsl.integrations.networkx_backend.dispatch import run, with_options
from gdsl.integrations.networkx_backend.graphs import BackendGraph
from gdsl.integrations.networkx_backend.weights import network


@with_options
def maximum_flow_value(
    flowG: BackendGraph,
    _s: Any,
    _t: Any,
    capacity: Hashable = "capacity",
    flow_func: None = None,
) -> int:
    """As networkx.maximum_flow_value with integer capacities; edges without one are unbounded."""
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


def _require_bounded(graph: BackendGraph, unbounded: NDArray[np.bool_], source: int, sink: int) -> None:
    if not unbounded.any():
        return
    sources, destinations = graph.vertices.edges
    free = graph.of_arcs(sources[unbounded], destinations[unbounded])
    if run("reachability", free, sources=[source])["reached"][sink]:
        raise nx.NetworkXUnbounded("Infinite capacity path, flow unbounded above.")
