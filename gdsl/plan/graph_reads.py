"""Decides which parts of the graph functors read by themselves.

The source of an edge is read from an array by edge id, made for programs that ask, four bytes an edge (eight with wide
ids): a search in the offsets would read some twenty places of memory for each answer, this reads one.
"""

from __future__ import annotations

from gdsl.ir.nodes import ForNeighbors, GraphRead, Node
from gdsl.operations import GraphQuery

_PARTS = {
    GraphQuery.SOURCE: ("edge_sources",),
    GraphQuery.DESTINATION: ("columns",),
    GraphQuery.REVERSE: ("reverse_edges",),
    GraphQuery.NEIGHBOR: ("offsets", "columns"),
    GraphQuery.OUT_EDGE: ("offsets",),
    GraphQuery.HAS_EDGE: ("offsets", "columns"),
}


def parts_read(node: Node) -> tuple[str, ...]:
    """The parts of the graph that a node of a functor reads, without what is inside it."""
    if isinstance(node, GraphRead):
        return _PARTS[node.query]
    return ("offsets", "columns") if isinstance(node, ForNeighbors) else ()
