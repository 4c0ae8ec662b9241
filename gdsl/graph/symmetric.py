"""Lists in which each undirected edge stands both ways, as a matrix and a METIS file have them."""

from __future__ import annotations

import numpy as np

from gdsl.diagnostics import GdslError
from gdsl.graph.csr import Csr, csr_of, first_without_opposite, transpose
from gdsl.graph.edge_list import EdgeList


def undirected_csr(edges: EdgeList, what: str, fix: str, first: int = 0) -> Csr:
    """The undirected graph of edges that stand there both ways. Raises E0704 for the first that does not; `what` is
    what the message calls the whole, and `first` the number of its first vertex."""
    csr = csr_of(edges)
    edge = first_without_opposite(csr)
    if edge is None and "weight" in csr.attributes:
        edge = _first_weight_that_differs(csr)
    if edge is not None:
        source, destination = int(np.searchsorted(csr.offsets, edge, side="right")) - 1, int(csr.columns[edge])
        source, destination = source + first, destination + first
        message = f"{what} is not symmetric: ({source}, {destination}) and ({destination}, {source}) differ"
        raise GdslError.single("E0704", message, fix=fix)
    return Csr(csr.offsets, csr.columns, False, csr.attributes, csr.vertex_attributes)


def _first_weight_that_differs(csr: Csr) -> int | None:
    weights = csr.attributes["weight"]
    _, _, in_edge_ids = transpose(csr.offsets, csr.columns)
    # In a symmetric graph CSC position i stands for the opposite of edge i, parallel edges in their order.
    opposite = weights[in_edge_ids]
    differs = (weights != opposite) & ~((weights != weights) & (opposite != opposite))
    return int(np.argmax(differs)) if differs.any() else None
