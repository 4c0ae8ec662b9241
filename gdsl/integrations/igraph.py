"""A `Graph` as a graph of igraph."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.extras import required
from gdsl.graph.graph import Graph
from gdsl.graph.igraph_graphs import NAME


def to_igraph(
    graph: Graph,
    of_vertices: Mapping[str, NDArray[Any]] | None = None,
    of_edges: Mapping[str, NDArray[Any]] | None = None,
) -> Any:
    """An `igraph.Graph` with all attributes, and names as the attribute `name`; `of_vertices` (each [V]) and `of_edges`
    (each of the edges as `edges` of the result has them, undirected ones once) are further ones. Raises E0907."""
    igraph = required("igraph", "gdsl[igraph]", "to_igraph")
    edges = graph._edge_list()
    pairs = np.stack([edges.sources, edges.destinations], axis=1).tolist()
    vertices: dict[str, Any] = {name: values.tolist() for name, values in graph.vertex_attributes.items()}
    vertices.update((name, values.tolist()) for name, values in (of_vertices or {}).items())
    if graph.names is not None:
        vertices[NAME] = list(graph.names)
    columns = {**edges.attributes, **(of_edges or {})}
    return igraph.Graph(
        n=graph.num_vertices,
        edges=pairs,
        directed=graph.directed,
        vertex_attrs=vertices,
        edge_attrs={name: values.tolist() for name, values in columns.items()},
    )
