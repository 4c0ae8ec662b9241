"""A `Graph` as a sparse matrix of SciPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from gdsl.graph.graph import Graph


def to_scipy(graph: Graph, attribute: str | None = "weight") -> Any:
    """The csr_array [V, V] whose entry (u, v) is the edge u→v with its `attribute`, or True without that attribute.

    Parallel edges stay entries of their own (SciPy calls such a matrix not canonical), in the order of the edge ids.
    """
    values = graph.attributes.get(attribute) if attribute is not None else None
    data = np.ones(graph.num_edges, dtype=bool) if values is None else values.copy()
    offsets = graph.offsets.astype(np.int32) if graph.id_bits == 32 else graph.offsets.copy()
    shape = (graph.num_vertices, graph.num_vertices)
    return sparse.csr_array((data, graph.columns.copy(), offsets), shape=shape)
