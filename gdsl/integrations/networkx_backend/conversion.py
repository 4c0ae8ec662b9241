"""Converts graphs of NetworkX to those of the backend, and back."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from operator import is_, itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.integrations.networkx_backend.graphs import MISSING, BackendGraph, Column, places_of_edges

_OWN_CACHE = "gdsl"
"""The key of a conversion in the graph's ``__networkx_cache__``, which NetworkX empties when the graph changes."""


class Snapshot:
    """The nodes, neighbors and edge data of a graph at one moment.

    NetworkX forgets converted graphs when a method changes the graph. It does not notice ``G[u][v]["weight"] = 5``, nor
    a change of the graph that a view shows. So a converted graph is only used again for a graph that reads the same.

    `nodes` are in the order of the graph; `neighbors` has a mapping from neighbor to edge data for each of them, and
    `lengths` its size. `parallel` is the number of parallel edges of each neighbor, None unless the graph is a
    multigraph.
    """

    def __init__(self, graph: Any) -> None:
        """Reads a NetworkX graph once: views call their filters on each look."""
        multigraph = bool(graph.is_multigraph())
        self.nodes: Sequence[Any] = list(graph)
        self.neighbors: list[Any] = [row for _, row in graph.adjacency()]
        if not is_plain(graph):
            self.neighbors = [
                {node: dict(data.items()) if multigraph else data for node, data in row.items()}
                for row in self.neighbors
            ]
        self.lengths = list(map(len, self.neighbors))
        self.parallel: list[int] | None = list(map(len, self._data())) if multigraph else None

    def _data(self) -> Iterator[Any]:
        return chain.from_iterable(row.values() for row in self.neighbors)

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
    """Whether the graph is of one of NetworkX's own classes and not a view, so that NetworkX notices all changes of its
    nodes and edges, though not those of edge data."""
    import networkx

    kinds = (networkx.Graph, networkx.DiGraph, networkx.MultiGraph, networkx.MultiDiGraph)
    return type(graph) in kinds and not hasattr(graph, "_graph")


def same_objects(some: Sequence[Any], others: Sequence[Any]) -> bool:
    """Whether both hold the identical objects. Numbers are immutable, so identical objects have the same values."""
    return len(some) == len(others) and all(map(is_, some, others))


@dataclass(frozen=True)
class _Rows:
    """The attributes of each edge, and which of them each edge of the CSR has.

    They are NetworkX's own dicts, which persist while the edges do. The two directions of an undirected edge share one
    dict, listed once.
    """

    data: list[dict[Hashable, Any]]
    places: NDArray[np.int64]


@dataclass
class _Kept:
    """A converted graph without edge data, what it was read from, and the columns of edge data read so far, by name."""

    graph: BackendGraph
    nodes: Sequence[Any]
    lengths: list[int]
    places: NDArray[np.int64]
    """The position at which each edge of the CSR was read."""
    rows: _Rows | None = None
    """Set once a call has used edge attributes."""
    columns: dict[Hashable, tuple[list[Any], Column]] = field(default_factory=dict)

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles of a NetworkX graph leave out the converted graph."""
        return _nothing, ()


def _nothing() -> None:
    """The value of a pickled conversion."""


def convert_from_nx(
    graph: Any,
    edge_attrs: Mapping[Hashable, Any] | None = None,
    node_attrs: Mapping[Hashable, Any] | None = None,
    preserve_edge_attrs: bool = False,
    preserve_node_attrs: bool = False,
    preserve_graph_attrs: bool = False,
    name: str | None = None,
    graph_name: str | None = None,
) -> BackendGraph:
    """The graph of the backend for a graph of NetworkX, with the edge attributes `edge_attrs`, or with all of them.

    Attributes of nodes are left out, as no function of the backend uses one. Parallel edges become one arc with their
    number. An earlier conversion is used again if the graph still reads the same; views and graphs of derived classes
    are always converted.
    """
    cache = _cache_of(graph)
    if cache is not None:
        # NetworkX stores the returned value in the graph and would use it without checking the graph again.
        cache.get("backends", {}).pop("gdsl", None)
    read = Snapshot(graph)
    conversion = None if cache is None else cache.get(_OWN_CACHE)
    if conversion is None or not _is_current(conversion, read):
        conversion = _converted(graph, read)
        if cache is not None and is_plain(graph):
            cache[_OWN_CACHE] = conversion
    columns = {}
    if preserve_edge_attrs or edge_attrs:
        rows = _rows(conversion, read)
        names = dict.fromkeys(chain.from_iterable(rows.data)) if preserve_edge_attrs else edge_attrs or {}
        columns = {each: _column(conversion, rows, each) for each in names}
    converted = conversion.graph.with_columns(columns, graph.graph if preserve_graph_attrs else {})
    if not graph.is_directed() and not is_plain(graph) and not all(map(converted.has_both_ways, columns)):
        converted.refused = (
            "gdsl cannot take this graph: it is undirected and an edge has another value in each direction, as "
            "`to_undirected(as_view=True)` leaves it"
        )
    return converted


def is_kept(graph: Any) -> bool:
    """Whether the graph was converted before and its nodes and edges have not changed since."""
    return bool((_cache_of(graph) or {}).get(_OWN_CACHE))


def _cache_of(graph: Any) -> dict[str, Any] | None:
    """Where NetworkX keeps data that belongs to a graph; None if the user turned that off."""
    import networkx

    cache = getattr(graph, "__networkx_cache__", None)
    config = getattr(networkx, "config", None)
    return cache if isinstance(cache, dict) and getattr(config, "cache_converted_graphs", True) else None


def _is_current(conversion: _Kept, read: Snapshot) -> bool:
    return conversion.lengths == read.lengths and same_objects(conversion.nodes, read.nodes)


def _converted(graph: Any, read: Snapshot) -> _Kept:
    from gdsl.graph import Graph

    nodes: Sequence[Any] = read.nodes
    if all(type(node) is int and node == place for place, node in enumerate(nodes)):
        nodes = range(len(nodes))
    order, offsets, neighbors = _arcs(nodes, read)
    destinations = neighbors[order]
    directed, plain = bool(graph.is_directed()), is_plain(graph)
    one_sided = not directed and not plain and not _is_symmetric(offsets, destinations)
    converted = Graph(offsets, destinations, directed=directed or one_sided)
    places, parallel = order, None
    if read.parallel is not None:
        counts = np.array(read.parallel, dtype=np.int64)
        places, parallel = places_of_edges(counts, order), counts[order]
    held = BackendGraph(converted, nodes, None, parallel, neighbors)
    held.index  # noqa: B018 - computed here, so that graphs with other columns share it
    if one_sided:
        held.refused = (
            "gdsl cannot take this graph: it is undirected and has an edge in one direction only, as a one-sided edge "
            "filter leaves it"
        )
    return _Kept(held, read.nodes, read.lengths, places)


def _arcs(nodes: Sequence[Any], read: Snapshot) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The position of each arc of the CSR among those that were read; the offsets of the CSR; the destinations as
    read."""
    lengths = np.array(read.lengths, dtype=np.int64)
    count = int(lengths.sum())
    neighbors: Iterator[Any] = chain.from_iterable(read.neighbors)
    if not isinstance(nodes, range):
        neighbors = map({node: place for place, node in enumerate(nodes)}.__getitem__, neighbors)
    destinations = np.fromiter(neighbors, dtype=np.int64, count=count)
    sources = np.repeat(np.arange(len(nodes)), lengths)
    order = np.argsort(sources * len(nodes) + destinations, kind="stable")
    return order, np.concatenate([[0], np.cumsum(lengths)]), destinations


def _is_symmetric(offsets: NDArray[np.int64], destinations: NDArray[np.int64]) -> bool:
    size = len(offsets) - 1
    sources = np.repeat(np.arange(size), np.diff(offsets))
    return np.array_equal(sources * size + destinations, np.sort(destinations * size + sources))


def _rows(conversion: _Kept, read: Snapshot) -> _Rows:
    if conversion.rows is None:
        data, places = read.rows(), conversion.places
        if not conversion.graph.is_directed():
            ids = np.fromiter(map(id, data), dtype=np.int64, count=len(data))
            _, firsts, which = np.unique(ids, return_index=True, return_inverse=True)
            data, places = [data[first] for first in firsts.tolist()], which[places]
        conversion.rows = _Rows(data, places)
    return conversion.rows


def _column(conversion: _Kept, rows: _Rows, name: Hashable) -> Column:
    """The column of an edge attribute; the one read before if no edge has another value."""
    values = values_of(rows.data, name)
    before = conversion.columns.get(name)
    if before is not None and same_objects(before[0], values):
        return before[1]
    column = Column.of(name, values).taken(rows.places)
    conversion.columns[name] = values, column
    return column


def convert_to_nx(value: Any, *, name: str | None = None) -> Any:
    """A graph of the backend as one of NetworkX, with its edge attributes; anything else unchanged.

    Raises NotImplementedError for a multigraph, whose keys the backend does not keep.
    """
    import networkx

    if not isinstance(value, BackendGraph):
        return value
    if value.is_multigraph():
        raise NotImplementedError("the backend gdsl does not keep the keys of a multigraph's edges")
    converted: Any = networkx.DiGraph() if value.is_directed() else networkx.Graph()
    converted.graph.update(value.graph)
    converted.add_nodes_from(value.nodes)
    sources, destinations = value.vertices.edges
    rows: list[dict[Hashable, Any]] = [{} for _ in range(len(sources))]
    for attribute, column in value.columns.items():
        for row, entry in zip(rows, column.as_given(), strict=True):
            if entry is not MISSING:
                row[attribute] = entry
    converted.add_edges_from(zip(value.nodes_of(sources), value.nodes_of(destinations), rows, strict=True))
    return converted


def wrap(graph: Any) -> BackendGraph:
    """A `gdsl.Graph`, or a graph of NetworkX with all its edge attributes, as a graph that NetworkX's functions take
    and pass to this backend directly: ``nx.pagerank(wrap(gdsl.Graph.read("graph.mtx")))``.

    The nodes of a `gdsl.Graph` are its names, or 0 … V-1; one with parallel edges is a multigraph. Raises TypeError for
    anything else, NotImplementedError for an undirected view with an edge in one direction only.
    """
    from gdsl.graph import Graph, as_graph

    if isinstance(graph, BackendGraph):
        return graph
    if not isinstance(graph, Graph) and hasattr(graph, "adjacency"):
        backend_graph = convert_from_nx(graph, preserve_edge_attrs=True, preserve_graph_attrs=True)
        if backend_graph.refused is not None:
            raise NotImplementedError(backend_graph.refused)
        return backend_graph
    converted = as_graph(graph)
    nodes = list(converted.names) if converted.names is not None else range(converted.num_vertices)
    columns: dict[Hashable, Column] = {name: Column.of_array(values) for name, values in converted.attributes.items()}
    if converted.names is not None:  # a number is an id here, never a name
        converted = Graph(converted.offsets, converted.columns, directed=converted.directed)
    if not converted.has_parallel_edges():
        return BackendGraph(converted, nodes, columns)
    keys = converted.edge_sources.astype(np.int64) * converted.num_vertices + converted.columns
    order = np.argsort(keys, kind="stable")
    parallel = np.unique(keys, return_counts=True)[1]
    columns = {name: column.taken(order) for name, column in columns.items()}
    return BackendGraph(
        Graph(converted.offsets, converted.columns, directed=converted.directed).changed(dedup="first"),
        nodes,
        columns,
        parallel,
    )
