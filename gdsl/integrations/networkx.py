"""A `Graph` as a graph of NetworkX."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gdsl.graph.graph import Graph


def to_networkx(graph: Graph) -> Any:
    """A Graph or DiGraph (Multi… where there are parallel edges) with all attributes; its nodes are the names
    of the vertices, else 0 … V-1."""
    import networkx

    edges = graph._edge_list()
    pairs = list(zip(edges.sources.tolist(), edges.destinations.tolist(), strict=True))
    kinds = {
        (False, False): networkx.Graph,
        (True, False): networkx.DiGraph,
        (False, True): networkx.MultiGraph,
        (True, True): networkx.MultiDiGraph,
    }
    made: Any = kinds[graph.directed, len(set(pairs)) < len(pairs)]()
    names = graph.names if graph.names is not None else range(graph.num_vertices)
    made.add_nodes_from(zip(names, _rows(graph.vertex_attributes, graph.num_vertices), strict=True))
    rows = _rows(edges.attributes, len(pairs))
    made.add_edges_from(
        (names[source], names[destination], row) for (source, destination), row in zip(pairs, rows, strict=True)
    )
    return made


def _rows(columns: Mapping[str, Any], count: int) -> list[dict[str, Any]]:
    """One dict for each place, of plain Python numbers."""
    values = {name: column.tolist() for name, column in columns.items()}
    return [{name: column[place] for name, column in values.items()} for place in range(count)]
