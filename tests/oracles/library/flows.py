"""Flows: within the capacities, kept at every vertex, and as large as SciPy's."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

from gdsl.graph import Graph

from ..case import Answers, Case, Values, ends, random_of, same, source_of, symmetric


def network(graph: Graph, seed: int) -> Values:
    """Two vertices, which may be one, and a capacity for each direction, many of them 0 or the same."""
    random = random_of(graph, seed)
    most = (2, 10, 1000)[seed % 3]
    capacity = random.integers(0, most, graph.num_edges)
    sink = int(random.integers(0, graph.num_vertices))
    return {"source": source_of(graph, seed), "sink": sink, "capacity": capacity}


def suits(graph: Graph) -> bool:
    return graph.num_vertices > 0 and symmetric(graph)


def check_flow(graph: Graph, values: Values, answers: Answers) -> None:
    tails, heads = ends(graph)
    source, sink, capacity = values["source"], values["sink"], np.asarray(values["capacity"])
    carried = np.asarray(answers["carried"])
    assert (carried >= 0).all() and (carried <= capacity).all(), "within the capacities"
    balance = np.zeros(graph.num_vertices, np.int64)
    np.add.at(balance, heads, carried)
    np.subtract.at(balance, tails, carried)
    wanted = np.zeros(graph.num_vertices, np.int64)
    if source != sink:
        size = graph.num_vertices
        matrix = csr_array((capacity.astype(np.int32), (tails, heads)), shape=(size, size))
        value = maximum_flow(csr_array(matrix), int(source), int(sink)).flow_value
        wanted[sink], wanted[source] = value, -value
    assert np.array_equal(balance, wanted), "kept at every vertex but the two"
    same(answers, flow=wanted[sink])


FLOWS = (Case("max_flow", check_flow, network, suits),)
