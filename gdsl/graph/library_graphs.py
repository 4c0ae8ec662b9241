"""Graphs of NetworkX and igraph as lists of edges, and back."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.diagnostics import GdslError, shown
from gdsl.extras import required
from gdsl.graph.arguments import numbers_of
from gdsl.graph.edge_list import EdgeList, edges_from_arrays
from gdsl.graph.messages import bad_array
from gdsl.graph.vertices import Names


def edges_of_networkx(graph: Any) -> EdgeList:
    """The edges of a NetworkX graph; `Graph.from_networkx` says how nodes and attributes become ids and arrays."""
    if isinstance(graph, type) or not all(
        hasattr(graph, name) for name in ("nodes", "edges", "is_directed", "is_multigraph")
    ):
        raise bad_array(f"{type(graph).__name__} is not a NetworkX graph", "networkx.Graph(...)")
    _require_both_directions(graph)
    number = node_numbers(graph)
    ends = [(number[source], number[destination]) for source, destination in graph.edges()]
    sources, destinations = np.array(ends, dtype=np.int64).reshape(-1, 2).T
    edge_data = [data for _, _, data in graph.edges(data=True)]
    node_data: list[Any] = [{}] * len(number)
    for node, data in graph.nodes(data=True):
        node_data[number[node]] = data
    attributes = _columns(edge_data, f"edge of {type(graph).__name__}")
    edges = edges_from_arrays(
        sources, destinations, len(number), attributes, graph.is_directed(), _columns(node_data, "node")
    )
    if any(not isinstance(node, Integral) or node != vertex for node, vertex in number.items()):
        edges.names = Names(number)
    return edges


def _require_both_directions(graph: Any) -> None:
    """Raise E0711 for an undirected view that has (u, v) and not (v, u), or different values there: which of them
    NetworkX lists depends on the order of the nodes."""
    if graph.is_directed() or not hasattr(graph, "_graph"):  # an attribute of views only
        return
    lists = {node: dict(neighbors.items()) for node, neighbors in graph.adjacency()}
    for node, neighbors in lists.items():
        for other, data in neighbors.items():
            if node not in lists[other]:
                message = (
                    f"the filter of this undirected view keeps the edge {(node, other)!r} but not {(other, node)!r}"
                )
                raise bad_array(message, "let filter_edge answer the same both ways, or filter graph.to_directed()")
            if dict(data.items()) != dict(lists[other][node].items()):
                message = (
                    f"in this undirected view the edges {(node, other)!r} and {(other, node)!r} have different values"
                )
                raise bad_array(message, "take a copy, which has one of them: graph.to_undirected(), without as_view")


def node_numbers(graph: Any) -> dict[Any, int]:
    """The vertex id of each node: its own number where the nodes are 0 … V-1, else its place in `graph.nodes`."""
    nodes = list(graph.nodes())
    if all(isinstance(node, Integral) and 0 <= int(node) < len(nodes) for node in nodes):
        return {node: int(node) for node in nodes}
    return {node: place for place, node in enumerate(nodes)}


def _columns(rows: list[Any], what: str) -> dict[str, NDArray[Any]]:
    """The attributes whose values are numbers and that every row has; `weight` may be missing, then it is 1."""
    names: dict[str, None] = {}
    for row in rows:
        names.update((name, None) for name in row if isinstance(name, str))
    result = {name: numbers_of(name, [row.get(name) for row in rows], what) for name in names}
    return {name: values for name, values in result.items() if values is not None}


def networkx_of(edges: EdgeList) -> Any:
    """A Graph or DiGraph (Multi… where there are parallel edges) with all attributes; its nodes are the names of the
    vertices, else 0 … V-1. Raises GdslError E0907."""
    networkx = required("networkx", "gdsl[networkx]", "to_networkx")

    pairs = list(zip(edges.sources.tolist(), edges.destinations.tolist(), strict=True))
    kinds = {
        (False, False): networkx.Graph,
        (True, False): networkx.DiGraph,
        (False, True): networkx.MultiGraph,
        (True, True): networkx.MultiDiGraph,
    }
    graph: Any = kinds[edges.directed, len(set(pairs)) < len(pairs)]()
    names = edges.names if edges.names is not None else range(edges.num_vertices)
    graph.add_nodes_from(zip(names, _rows(edges.vertex_attributes, edges.num_vertices), strict=True))
    rows = _rows(edges.attributes, len(pairs))
    graph.add_edges_from(
        (names[source], names[destination], row) for (source, destination), row in zip(pairs, rows, strict=True)
    )
    return graph


def _rows(columns: Mapping[str, Any], count: int) -> list[dict[str, Any]]:
    """A dict of plain Python numbers for each of `count` vertices or edges."""
    values = {name: column.tolist() for name, column in columns.items()}
    return [{name: column[place] for name, column in values.items()} for place in range(count)]


NAME = "name"
"""The attribute with the names of vertices in igraph."""


def edges_of_igraph(graph: Any) -> EdgeList:
    """The edges of an igraph graph; `Graph.from_igraph` says how attributes become names and arrays."""
    if not is_igraph(graph):
        raise bad_array(f"{type(graph).__name__} is not a graph of igraph", "igraph.Graph(...)")
    count = graph.vcount()
    sources, destinations = ends_of_igraph(graph)
    of_vertices = _numbers(graph.vs, {NAME}, "vertex")
    edges = edges_from_arrays(
        sources, destinations, count, _numbers(graph.es, set(), "edge"), graph.is_directed(), of_vertices
    )
    if NAME in graph.vs.attributes():
        edges.names = names_of(graph.vs[NAME], f"the attribute `{NAME}`")
    return edges


def is_igraph(graph: Any) -> bool:
    """Whether `graph` has the interface of an `igraph.Graph`."""
    interface = ("vs", "es", "get_edgelist", "is_directed", "vcount")
    return not isinstance(graph, type) and all(hasattr(graph, word) for word in interface)


def ends_of_igraph(graph: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Sources and destinations in the order of igraph's own ids."""
    ends = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    return ends[:, 0], ends[:, 1]


def names_of(values: list[Any], what: str) -> Names:
    """Names from a column. Raises E0711 for a missing or repeated name."""
    missing = next((place for place, value in enumerate(values) if value is None or value != value), None)
    if missing is not None:
        raise bad_array(f"{what} has no name for vertex {missing}", "give each vertex one, or remove the attribute")
    try:
        return Names(values)
    except (ValueError, TypeError):
        raise _twice(values, what) from None


def _twice(values: list[Any], what: str) -> GdslError:
    places: dict[Any, int] = {}
    for place, value in enumerate(values):
        try:
            first = places.setdefault(value, place)
        except TypeError:
            return bad_array(
                f"{what} has {shown(value)} for vertex {place}, which is not a name", "give strings or numbers"
            )
        if first != place:
            return bad_array(
                f"{what} has the name {shown(value)} twice, for the vertices {first} and {place}",
                "give each vertex its own, or remove the attribute",
            )
    raise AssertionError("names differ, and were refused")


def _numbers(sequence: Any, without: set[str], what: str) -> dict[str, NDArray[Any]]:
    """The attributes of a sequence of edges or vertices that are numbers on each of them."""
    names = [name for name in sequence.attributes() if name not in without]
    result = {name: numbers_of(name, sequence[name], what) for name in names}
    return {name: values for name, values in result.items() if values is not None}


def igraph_of(edges: EdgeList) -> Any:
    """An `igraph.Graph` with all attributes, and the names as the vertex attribute `name`. Raises E0907."""
    igraph = required("igraph", "gdsl[igraph]", "to_igraph")
    vertices: dict[str, Any] = {name: values.tolist() for name, values in edges.vertex_attributes.items()}
    if edges.names is not None:
        vertices[NAME] = list(edges.names)
    return igraph.Graph(
        n=edges.num_vertices,
        edges=np.stack([edges.sources, edges.destinations], axis=1).tolist(),
        directed=edges.directed,
        vertex_attrs=vertices,
        edge_attrs={name: values.tolist() for name, values in edges.attributes.items()},
    )
