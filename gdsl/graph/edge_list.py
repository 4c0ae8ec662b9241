"""Lists of edges, which readers and generators produce and CSRs are built from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import ArrayLike, NDArray

from gdsl.graph.arguments import attribute_arrays, flag, id_array
from gdsl.graph.group import ALONE, Group
from gdsl.graph.messages import bad_array
from gdsl.graph.vertices import Names, check_ids, vertex_count


@dataclass(slots=True)
class EdgeList:
    """Edges in their original order, ids from 0 and known to be in range.

    sources, destinations: int32 or int64[n]; attributes: each [n]; with directed=False an edge leads both ways.
    names: of the vertices, where they have any.
    """

    sources: NDArray[Any]
    destinations: NDArray[Any]
    num_vertices: int
    directed: bool
    attributes: dict[str, NDArray[Any]] = field(default_factory=dict)
    vertex_attributes: dict[str, NDArray[Any]] = field(default_factory=dict)
    names: Names | None = None


def edges_from_arrays(
    sources: ArrayLike,
    destinations: ArrayLike,
    num_vertices: int | None,
    attributes: Mapping[str, ArrayLike],
    directed: bool,
    vertex_attributes: Mapping[str, ArrayLike],
    group: Group = ALONE,
) -> EdgeList:
    """The edges in a caller's arrays, or in those of a worker of a group, checked.

    Raises GdslError E0707, E0709 or E0711, TypeError for other arguments of a wrong kind.
    """
    directed = flag("directed", directed)
    with group.agreement():
        or_names = "Graph.from_table({'source': …, 'target': …}) takes names"
        source_ids, destination_ids = (
            id_array(ends, name, or_names) for ends, name in ((sources, "sources"), (destinations, "destinations"))
        )
    if len(source_ids) != len(destination_ids):
        raise bad_array(
            f"sources has {len(source_ids):,} elements, destinations {len(destination_ids):,}",
            "give one source and one destination for each edge",
        )
    count = check_ids(source_ids, destination_ids, vertex_count(num_vertices), group)
    edge_values = attribute_arrays(attributes, len(source_ids), "edge")
    vertex_values = attribute_arrays(vertex_attributes, count, "vertex")
    return EdgeList(source_ids, destination_ids, count, directed, edge_values, vertex_values)
