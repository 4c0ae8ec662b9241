"""A share of a graph as the struct that generated code reads."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from numpy.typing import NDArray

from gdsl.backends.cpu.memory import GraphSlice
from gdsl.backends.workers.share_lists import ShareLists, address_of
from gdsl.communicator import Communicator
from gdsl.graph.shares import GraphShare
from gdsl.plan.exchange_nodes import Distribution
from gdsl.types import Widths


def share_slice(
    share: GraphShare, communicator: Communicator, widths: Widths, parts: Iterable[str], distribution: Distribution
) -> tuple[Any, list[NDArray[Any]]]:
    """The `parts` of the graph for ids of these widths, and the arrays that must stay alive. All workers call it."""
    lists = ShareLists(share, communicator, widths)
    addresses, alive = {}, []
    for name in parts:
        array, first = lists.part(name, distribution.of_part(name))
        alive.append(array)
        addresses[name] = address_of(array.ctypes.data, first, array.itemsize)
    return GraphSlice(share.num_vertices, share.num_edges, **addresses), alive
