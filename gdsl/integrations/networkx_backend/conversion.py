"""Graphs of NetworkX as those of the backend, and back."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.integrations.networkx_backend.columns import MISSING, Column
from gdsl.integrations.networkx_backend.graphs import BackendGraph


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

    Attributes of nodes are left out: no function of the backend asks for one. Edge attributes of multigraphs are left
    out too, and their parallel edges are one.
    """
    from gdsl.graph import Graph

    nodes: Sequence[Any] = list(graph)
    lists = [neighbors for _, neighbors in graph.adjacency()]
    if all(type(node) is int and node == place for place, node in enumerate(nodes)):
        nodes = range(len(nodes))
    order, offsets, destinations = _arcs(nodes, lists)
    multigraph = bool(graph.is_multigraph())
    columns: dict[Hashable, Column] = {}
    if not multigraph and (preserve_edge_attrs or edge_attrs):
        data = list(chain.from_iterable(neighbors.values() for neighbors in lists))
        names = _names(data) if preserve_edge_attrs else list(edge_attrs or ())
        columns = {each: Column.of(each, [row.get(each, MISSING) for row in data]).taken(order) for each in names}
    attributes = graph.graph if preserve_graph_attrs else None
    made = Graph(offsets, destinations, directed=bool(graph.is_directed()))
    return BackendGraph(made, nodes, columns, multigraph, graph.number_of_edges(), attributes)


def _arcs(nodes: Sequence[Any], lists: list[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The arcs of lists of neighbours as a CSR, and which of them, as they come, each one of the CSR is."""
    lengths = np.fromiter(map(len, lists), dtype=np.int64, count=len(lists))
    count = int(lengths.sum())
    neighbors: Iterator[Any] = chain.from_iterable(lists)
    if not isinstance(nodes, range):
        neighbors = map({node: place for place, node in enumerate(nodes)}.__getitem__, neighbors)
    found = np.fromiter(neighbors, dtype=np.int64, count=count)
    sources = np.repeat(np.arange(len(nodes)), lengths)
    order = np.argsort(sources * len(nodes) + found, kind="stable")
    return order, np.concatenate([[0], np.cumsum(lengths)]), found[order]


def _names(data: list[dict[Hashable, Any]]) -> list[Hashable]:
    """The names of all attributes that an edge has."""
    return list(dict.fromkeys(chain.from_iterable(data)))


def convert_to_nx(value: Any, *, name: str | None = None) -> Any:
    """A graph of the backend as one of NetworkX, with the edge attributes that it has; anything else as it is.

    Raises NotImplementedError for a multigraph, whose parallel edges the backend does not keep.
    """
    import networkx

    if not isinstance(value, BackendGraph):
        return value
    if value.is_multigraph():
        raise NotImplementedError("the backend gdsl does not keep the parallel edges of a multigraph")
    made: Any = networkx.DiGraph() if value.is_directed() else networkx.Graph()
    made.graph.update(value.graph)
    made.add_nodes_from(value.nodes)
    sources, destinations = value.vertices.edges
    rows: list[dict[Hashable, Any]] = [{} for _ in range(len(sources))]
    for attribute, column in value.columns.items():
        for row, given in zip(rows, column.as_given(), strict=True):
            if given is not MISSING:
                row[attribute] = given
    made.add_edges_from(zip(value.nodes_of(sources), value.nodes_of(destinations), rows, strict=True))
    return made


def wrap(graph: Any) -> BackendGraph:
    """A `gdsl.Graph`, or a graph of NetworkX with all its edge attributes, as a graph that NetworkX's functions take
    and hand to this backend at once: ``nx.pagerank(wrap(gdsl.Graph.read("graph.mtx")))``.

    The nodes of a `gdsl.Graph` are its names, else 0 … V-1. Of one with parallel edges the attributes are left out.
    Raises TypeError for anything else.
    """
    from gdsl.graph import Graph, as_graph

    if isinstance(graph, BackendGraph):
        return graph
    if not isinstance(graph, Graph) and hasattr(graph, "adjacency"):
        return convert_from_nx(graph, preserve_edge_attrs=True, preserve_graph_attrs=True)
    made = as_graph(graph)
    nodes = list(made.names) if made.names is not None else range(made.num_vertices)
    if not made.has_parallel_edges():
        columns: dict[Hashable, Column] = {name: Column.of_array(values) for name, values in made.attributes.items()}
        if made.names is not None:  # a number is an id here, never a name
            made = Graph(made.offsets, made.columns, directed=made.directed)
        return BackendGraph(made, nodes, columns)
    count = made.num_edges if made.directed else (made.num_edges + int((made.edge_sources == made.columns).sum())) // 2
    return BackendGraph(made.changed(dedup="first"), nodes, None, True, count)
