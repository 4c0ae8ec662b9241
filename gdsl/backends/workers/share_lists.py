"""A share of a graph as generated code reads it: ids of the whole graph, and the lists that a worker has.

Where lists begin is known of all vertices. Of lists in parts there is only the worker's own range, and the address that
generated code gets is that of a first element that is not there (`address_of`), so that ids of the whole graph find the
right ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.communicator import Communicator
from gdsl.graph.csr import Csr
from gdsl.graph.graph import Graph
from gdsl.graph.shares import GraphShare, ranges
from gdsl.operations import Over
from gdsl.plan.exchange_nodes import Held
from gdsl.types import Widths


def whole_graph(share: GraphShare, communicator: Communicator) -> Graph:
    """The whole graph, of which every worker gets a copy, without attributes: for programs that read any list."""
    offsets = _ends(share.out_degrees(communicator))
    columns = np.concatenate(communicator.all_gather(share.columns))
    return Graph._of_csr(Csr(offsets, columns, share.directed, {}, {}))


FEW = 0.125
"""Up to this part of all vertices are few."""


def ends_of(
    share: GraphShare, communicator: Communicator, members: NDArray[Any], over: Sequence[Over]
) -> NDArray[np.int64] | None:
    """Members that a worker owns and the far ends of their lists, ascending; None where they may be more than a few.
    The lists of in-edges must have been fetched."""
    own = members.astype(np.int64) - share.first
    ends = [own + share.first]
    room = int(share.num_vertices * FEW) - len(own)
    for each in over:
        if each is Over.OUT_EDGES:
            offsets, far = share.offsets, share.columns
        else:
            offsets, far, _ = share.in_lists(communicator)
        lengths = offsets[own + 1] - offsets[own]
        room -= int(lengths.sum())
        if room < 0:
            return None
        ends.append(far[ranges(offsets[own], lengths)].astype(np.int64))
    return np.unique(np.concatenate(ends)) if room >= 0 else None


def address_of(first_there: int, number: int, itemsize: int) -> int:
    """Where element 0 would be, of an array whose element `number` is the first that is there, at `first_there`."""
    return (first_there - number * itemsize) % (1 << 64)


class ShareLists:
    """The lists of one share. Making them is collective: all workers ask for the same lists, in the same order."""

    def __init__(self, share: GraphShare, communicator: Communicator, widths: Widths) -> None:
        self.share, self.communicator, self.widths = share, communicator, widths
        self._whole: Graph | None = None

    def part(self, name: str, held: Held) -> tuple[NDArray[Any], int]:
        """The elements of a part of the graph that are there, and the number of the first of them in the whole
        graph."""
        share = self.share
        if name == "offsets":
            return _ends(share.out_degrees(self.communicator)), 0
        if name == "in_offsets":
            return _ends(share.in_degrees(self.communicator)), 0
        bits = self.widths.edge if name in ("in_edges", "reverse_edges") else self.widths.vertex
        ids, first = self._ids(name, held)
        ids = ids.astype(f"i{bits // 8}", copy=False)
        return (ids, first) if len(ids) else (np.zeros(1, ids.dtype), first)

    def _ids(self, name: str, held: Held) -> tuple[NDArray[Any], int]:
        share = self.share
        if held is Held.MIRROR:
            if self._whole is None:
                self._whole = whole_graph(share, self.communicator)
            edge_ids: NDArray[Any] = getattr(self._whole, "in_edge_ids" if name == "in_edges" else name)
            return edge_ids, 0
        if name == "columns":
            return (self._with_far_lists(), 0) if held is Held.FAR else (share.columns, share.first_edge)
        if name == "edge_sources":
            return share.edge_sources, share.first_edge
        if name == "reverse_edges":
            return share.reverse_edges(self.communicator), share.first_edge
        if name == "in_sources" and not share.directed:  # lists are the same in both directions
            return share.columns, share.first_edge
        _, sources, ids = share.in_lists(self.communicator)
        first = int(share.in_degrees(self.communicator)[: share.first].sum(dtype=np.int64))
        return (sources if name == "in_sources" else ids), first

    def _with_far_lists(self) -> NDArray[Any]:
        """The columns of the whole graph, of which only the worker's own lists and those of their far ends are there:
        the system gives memory to pages that are written."""
        share = self.share
        columns = np.zeros(share.num_edges, share.columns.dtype)
        columns[share.first_edge : share.last_edge] = share.columns
        far = np.unique(share.columns)
        far = far[(far < share.first) | (far >= share.last)]
        _, neighbors, ids = share.lists_of(far, self.communicator)
        columns[ids] = neighbors
        return columns


def _ends(degrees: NDArray[Any]) -> NDArray[np.int64]:
    ends = np.zeros(len(degrees) + 1, np.int64)
    np.cumsum(degrees, out=ends[1:])
    return ends
