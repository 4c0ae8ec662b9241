"""Undirected files that list an edge in both directions, which their formats have once."""

from __future__ import annotations

import numpy as np

from gdsl.graph.edge_list import EdgeList
from gdsl.graph.ids import packed
from gdsl.graph.notices import notice


def notice_both_ways(edges: EdgeList, place: str, what: str) -> None:
    """Say that edges of the undirected file at `place` are there as (u, v) and as (v, u), and how they become one.

    `what` is what the notice calls the file. Ids in the notice count from 1, as in the file.
    """
    sources, destinations = edges.sources, edges.destinations
    backward, forward = sources > destinations, sources < destinations
    if edges.directed or not backward.any() or not forward.any():
        return
    of_forward = packed(sources[forward], destinations[forward], edges.num_vertices)
    of_backward = packed(destinations[backward], sources[backward], edges.num_vertices)
    both = np.intersect1d(of_forward, of_backward)
    if not len(both):
        return
    low, high = (int(each) + 1 for each in divmod(int(both[0]), max(edges.num_vertices, 1)))
    count = "1 edge is" if len(both) == 1 else f"{len(both):,} edges are"
    example = f"({low}, {high}) and ({high}, {low})"
    also = "" if len(both) == 1 else " among them"
    notice(
        f"{place}: {what} has each edge once, and here {count} there in both directions, {example}{also}: "
        "each counts as two parallel edges; --dedup first (dedup='first') makes them one"
    )
