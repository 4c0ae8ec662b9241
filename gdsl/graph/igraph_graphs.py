"""Graphs of igraph as lists of edges, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.diagnostics import GdslError, shown
from gdsl.extras import required
from gdsl.graph.edge_list import EdgeList, edges_from_arrays
from gdsl.graph.errors import bad_array
from gdsl.graph.given import numbers_of
from gdsl.graph.names import Names

NAME = "name"
"""The attribute that igraph takes for the name of a vertex."""


def edges_of_igraph(graph: Any, named_by: str | None = NAME) -> EdgeList:
    """The edges of an igraph graph; `Graph.from_igraph` says how attributes become names and arrays. `named_by`: the
    attribute that has the names, if there is one."""
    if not is_igraph(graph):
        raise bad_array(f"{type(graph).__name__} is not a graph of igraph", "igraph.Graph(...)")
    count = graph.vcount()
    sources, destinations = ends_of_igraph(graph)
    of_vertices = _numbers(graph.vs, {named_by}, "vertex")
    edges = edges_from_arrays(
        sources, destinations, count, _numbers(graph.es, set(), "edge"), graph.is_directed(), of_vertices
    )
    if named_by is not None and named_by in graph.vs.attributes():
        edges.names = names_of(graph.vs[named_by], f"the attribute `{named_by}`")
    return edges


def is_igraph(graph: Any) -> bool:
    """Whether it has what an `igraph.Graph` has."""
    wanted = ("vs", "es", "get_edgelist", "is_directed", "vcount")
    return not isinstance(graph, type) and all(hasattr(graph, word) for word in wanted)


def ends_of_igraph(graph: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Sources and destinations in the order of igraph's own ids."""
    ends = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    return ends[:, 0], ends[:, 1]


def names_of(values: list[Any], what: str) -> Names:
    """Names out of a column of them. Raises E0711 where one is missing or comes twice."""
    missing = next((place for place, value in enumerate(values) if value is None or value != value), None)
    if missing is not None:
        raise bad_array(f"{what} has no name for vertex {missing}", "give each vertex one, or take the attribute away")
    try:
        return Names(values)
    except (ValueError, TypeError):
        raise _twice(values, what) from None


def _twice(values: list[Any], what: str) -> GdslError:
    seen: dict[Any, int] = {}
    for place, value in enumerate(values):
        try:
            first = seen.setdefault(value, place)
        except TypeError:
            return bad_array(
                f"{what} has {shown(value)} for vertex {place}, which is no name", "give strings or numbers"
            )
        if first != place:
            return bad_array(
                f"{what} has the name {shown(value)} twice, for the vertices {first} and {place}",
                "give each vertex its own, or take the attribute away",
            )
    raise AssertionError("names differ, and were refused")


def _numbers(sequence: Any, without: set[str | None], what: str) -> dict[str, NDArray[Any]]:
    """The attributes of a sequence of edges or vertices that are numbers on each of them."""
    names = [name for name in sequence.attributes() if name not in without]
    found = {name: numbers_of(name, sequence[name], what) for name in names}
    return {name: values for name, values in found.items() if values is not None}


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
