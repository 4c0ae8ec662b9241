"""Undirected files that list an edge in both directions, which their formats have once."""

from __future__ import annotations

import numpy as np

from gdsl.diagnostics import printable
from gdsl.graph.edge_list import EdgeList
from gdsl.graph.ids import packed
from gdsl.graph.notices import notice


def notice_both_ways(edges: EdgeList, place: str, what: str, first: int = 1) -> None:
    """Say that edges of the undirected file at `place` are there as (u, v) and as (v, u), and how they become one.

    `what` is what the notice calls the file. Ids in the notice count from `first`, as in the file.
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
    ends = divmod(int(both[0]), max(edges.num_vertices, 1))
    low, high = (each + first if edges.names is None else printable(str(edges.names[each])) for each in ends)
    count = "1 edge is" if len(both) == 1 else f"{len(both):,} edges are"
    example = f"({low}, {high}) and ({high}, {low})"
    also = "" if len(both) == 1 else " among them"
    notice(
        f"{place}: {what} has each edge once, and here {count} there in both directions, {example}{also}: "
        "each counts as two parallel edges; --dedup first (dedup='first') makes them one"
    )
