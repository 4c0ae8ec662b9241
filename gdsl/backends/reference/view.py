"""The graph as the reference backend asks for it: plain lists, and the edges of a set of vertices."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy

from gdsl.extents import Sizes, of_graph
from gdsl.graph.graph import Graph
from gdsl.ir.nodes import Role
from gdsl.operations import Degree, Domain, Over

if TYPE_CHECKING:
    from gdsl.backends.reference.made_graphs import Lists


@dataclass(frozen=True, slots=True)
class Visits:
    """Edges to call a functor for, one a place: NumPy arrays of equal length.

    `source` and `destination` are the edge's own ends, `near` is the end that lies in the frontier.
    """

    source: Any
    destination: Any
    edge: Any
    near: Any
    far: Any

    def __len__(self) -> int:
        return len(self.edge)

    def calls(
        self, order: Any, fields: tuple[str, ...] = ("source", "destination", "edge", "near", "far")
    ) -> list[tuple[int, ...]]:
        """The visits as tuples of the `fields`, arranged as the array of places `order` says."""
        columns = [getattr(self, name) for name in fields]
        return list(zip(*(column[order].tolist() for column in columns), strict=True))


class GraphView:
    """What the interpreter asks of `graph`."""

    def __init__(self, graph: Graph | Lists) -> None:
        """Take `graph` as it is; what a run does not need is not made."""
        self.graph = graph

    def sizes(self, params: Mapping[str, object]) -> Sizes:
        """The sizes that extents speak of."""
        return of_graph(self.graph.num_vertices, self.graph.num_edges, params)

    def count(self, domain: Domain) -> int:
        """The number of vertices or of edges."""
        return self.graph.num_vertices if domain is Domain.VERTEX else self.graph.num_edges

    def degrees(self, degree: Degree) -> Sequence[int]:
        """The degree of every vertex, int32."""
        return self._out_degrees if degree is Degree.OUT else self._in_degrees

    def bound(self, domain: Domain) -> int:
        """Ids lie below this."""
        return self.count(domain)

    def has(self, domain: Domain, member: int) -> bool:
        """Whether the id `member`, which lies below the bound, is one of the graph's."""
        return True

    def all(self, domain: Domain) -> list[int]:
        """The ids of all vertices, or of all edges, ascending."""
        return list(range(self.count(domain)))

    def place(self, source: int, edge: int) -> int:
        """How many edges come before this one in the list of its source."""
        return edge - self._first_edges[source]

    @cached_property
    def _first_edges(self) -> list[int]:
        """The id of every vertex's first out-edge (what it would be, where there is none)."""
        first: list[int] = self.graph.offsets[:-1].tolist()
        return first

    @cached_property
    def _out_degrees(self) -> list[int]:
        degrees: list[int] = list(numpy.diff(self.graph.offsets).astype(numpy.int32))
        return degrees

    @cached_property
    def _in_degrees(self) -> list[int]:
        degrees: list[int] = list(numpy.diff(self.graph.in_offsets).astype(numpy.int32))
        return degrees

    def edges(self, members: Sequence[int]) -> Visits:
        """The edges with these ids, seen from their sources."""
        edge = numpy.array(members, dtype=numpy.int64)
        source, destination = self.graph.edge_sources[edge], self.graph.columns[edge]
        return Visits(source, destination, edge, source, destination)

    def ends(self, members: Sequence[int], role: Role) -> list[int]:
        """The sources or the destinations of the edges with these ids, each once, ascending."""
        visits = self.edges(members)
        found: list[int] = numpy.unique(visits.source if role is Role.SOURCE else visits.destination).tolist()
        return found

    def ends_of(self, edge: int) -> tuple[int, int]:
        """The source and the destination of an edge."""
        return self._ends[edge]

    def reverse(self, edge: int) -> int | None:
        """The edge that is paired with this one; None where there is none."""
        source, destination = self._ends[edge]
        alike, back = self._between[source, destination], self._between.get((destination, source), [])
        place = alike.index(edge)
        return back[place] if place < len(back) else None

    def out_list(self, vertex: int) -> list[tuple[int, int]]:
        """(neighbour, edge) of every out-edge, in the order of the list."""
        first, last = int(self.graph.offsets[vertex]), int(self.graph.offsets[vertex + 1])
        return [(int(self.graph.columns[edge]), edge) for edge in range(first, last)]

    @cached_property
    def _ends(self) -> list[tuple[int, int]]:
        return list(zip(self.graph.edge_sources.tolist(), self.graph.columns.tolist(), strict=True))

    @cached_property
    def _between(self) -> dict[tuple[int, int], list[int]]:
        """The edges from one vertex to another, ascending."""
        found: dict[tuple[int, int], list[int]] = {}
        for edge, both in enumerate(self._ends):
            found.setdefault(both, []).append(edge)
        return found

    def first_edges_to(self) -> list[dict[int, int]]:
        """Of every vertex the first edge to each of those to which its out-edges lead."""
        return self._first_edges_to

    @cached_property
    def _first_edges_to(self) -> list[dict[int, int]]:
        columns, ends = self.graph.columns.tolist(), self.graph.offsets.tolist()
        lists = itertools.pairwise(ends)
        return [{columns[edge]: edge for edge in reversed(range(first, last))} for first, last in lists]

    def edges_of(self, members: Sequence[int], over: Over) -> Visits:
        """The edges of each vertex of `members`; over all edges its out-edges, then its in-edges."""
        vertices = numpy.array(members, dtype=numpy.int64)
        if over is Over.OUT_EDGES:
            return self._out_edges(vertices)
        if over is Over.IN_EDGES:
            return self._in_edges(vertices)
        parts = (self._out_edges(vertices), self._in_edges(vertices))
        names = ("source", "destination", "edge", "near", "far")
        return Visits(*(numpy.concatenate([getattr(part, name) for part in parts]) for name in names))

    def _out_edges(self, vertices: Any) -> Visits:
        near, edge = _positions(self.graph.offsets, vertices)
        far = self.graph.columns[edge]
        return Visits(near, far, edge, near, far)

    def _in_edges(self, vertices: Any) -> Visits:
        near, position = _positions(self.graph.in_offsets, vertices)
        far = self.graph.in_sources[position]
        return Visits(far, near, self.graph.in_edge_ids[position], near, far)


def _positions(offsets: Any, vertices: Any) -> tuple[Any, Any]:
    """For each place in the lists of `vertices` the vertex and the place, list after list."""
    degrees = offsets[vertices + 1] - offsets[vertices]
    ends = numpy.cumsum(degrees)
    near = numpy.repeat(vertices, degrees)
    return near, numpy.arange(len(near)) + numpy.repeat(offsets[vertices] - (ends - degrees), degrees)
