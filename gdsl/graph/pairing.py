"""Pairs each edge with one that leads back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.graph.csr import edge_sources
from gdsl.graph.ids import packed


def paired_edges(
    csr: tuple[NDArray[np.int64], NDArray[Any]], csc: tuple[NDArray[np.int64], NDArray[Any], NDArray[Any]]
) -> NDArray[Any]:
    """For each edge id the one that leads back, -1 where there is none; of the type of the CSC's edge ids.

    The k-th of the edges from u to v is paired with the k-th of those from v to u, in the order of their ids; a
    self-loop is its own. `csr` is (offsets, columns), `csc` (in_offsets, in_sources, in_edge_ids).
    """
    (offsets, columns), (in_offsets, in_sources, in_edge_ids) = csr, csc
    reverse = np.full(len(columns), -1, dtype=in_edge_ids.dtype)
    if np.array_equal(in_offsets, offsets) and np.array_equal(in_sources, columns):
        # Both orders are by (vertex, neighbour, id), so what leads back has the same place.
        reverse[in_edge_ids] = np.arange(len(columns), dtype=in_edge_ids.dtype)
        return reverse
    count = len(offsets) - 1
    there = packed(edge_sources(offsets, columns), columns, count)
    back = packed(edge_sources(in_offsets, columns), in_sources, count)
    place_among_equals = np.arange(len(back)) - np.searchsorted(back, back, side="left")
    paired = np.searchsorted(there, back, side="left") + place_among_equals
    exists = paired < np.searchsorted(there, back, side="right")
    reverse[in_edge_ids[exists]] = paired[exists]
    return reverse
