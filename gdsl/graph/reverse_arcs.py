"""The arcs that lead back, which a network of one-way arcs needs for a flow."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gdsl.graph.edge_list import EdgeList
from gdsl.graph.ids import packed


def with_reverse_arcs(edges: EdgeList) -> EdgeList:
    """`edges`, and after them an arc v→u with zeros as its values for each arc u→v that has no opposite.

    Of parallel arcs, the k-th that leads back is the opposite of the k-th.
    """
    if not edges.directed:
        return edges
    count = edges.num_vertices
    arcs = packed(edges.sources, edges.destinations, count)
    kinds, first, numbers = np.unique(arcs, return_index=True, return_counts=True)
    opposites = packed(edges.destinations[first], edges.sources[first], count)
    places = np.minimum(np.searchsorted(kinds, opposites), max(len(kinds) - 1, 0))
    back = np.where(kinds[places] == opposites, numbers[places], 0) if len(kinds) else numbers
    missing = np.repeat(first, np.maximum(numbers - back, 0))
    values = {name: np.concatenate([of, np.zeros(len(missing), of.dtype)]) for name, of in edges.attributes.items()}
    sources = np.concatenate([edges.sources, edges.destinations[missing]])
    destinations = np.concatenate([edges.destinations, edges.sources[missing]])
    return replace(edges, sources=sources, destinations=destinations, attributes=values)
