"""What a conversion reads of a graph of NetworkX.

NetworkX forgets converted graphs when a method changes the graph. It does not notice ``G[u][v]["weight"] = 5``, nor a
change of the graph that a view shows. So a converted graph is used again only for a graph that reads the same.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import chain
from operator import is_, itemgetter
from typing import Any

from gdsl.integrations.networkx_backend.columns import MISSING


class Snapshot:
    """The nodes, neighbors and edge data of a graph at one moment.

    `nodes` are in the order of the graph; `neighbors` has a mapping from neighbor to edge data for each of them, and
    `lengths` its size. `parallel` is the number of parallel edges of each neighbor, None unless the graph is a
    multigraph.
    """

    def __init__(self, graph: Any) -> None:
        """Reads a NetworkX graph once: views call their filters on each look."""
        multigraph = bool(graph.is_multigraph())
        self.nodes: Sequence[Any] = list(graph)
        self.neighbors: list[Any] = [found for _, found in graph.adjacency()]
        if not is_plain(graph):
            self.neighbors = [
                {node: dict(data.items()) if multigraph else data for node, data in found.items()}
                for found in self.neighbors
            ]
        self.lengths = list(map(len, self.neighbors))
        self.parallel: list[int] | None = list(map(len, self._data())) if multigraph else None

    def _data(self) -> Iterator[Any]:
        return chain.from_iterable(found.values() for found in self.neighbors)

    def rows(self) -> list[dict[Hashable, Any]]:
        """The attributes of each edge in the order of `neighbors`, parallel edges one after the other."""
        if self.parallel is None:
            return list(self._data())
        return list(chain.from_iterable(keyed.values() for keyed in self._data()))


def values_of(rows: Sequence[dict[Hashable, Any]], name: Hashable) -> list[Any]:
    """The attribute `name` of each edge, `MISSING` where it has none."""
    try:
        return list(map(itemgetter(name), rows))
    except KeyError:
        return [row.get(name, MISSING) for row in rows]


def is_plain(graph: Any) -> bool:
    """Whether the graph is of one of NetworkX's own classes and no view, so that NetworkX notices all changes of its
    nodes and edges, though not those of edge data."""
    import networkx

    kinds = (networkx.Graph, networkx.DiGraph, networkx.MultiGraph, networkx.MultiDiGraph)
    return type(graph) in kinds and not hasattr(graph, "_graph")


def same_objects(some: Sequence[Any], others: Sequence[Any]) -> bool:
    """Whether both hold the very same objects. Numbers are immutable, so the same objects have the same values."""
    return len(some) == len(others) and all(map(is_, some, others))
