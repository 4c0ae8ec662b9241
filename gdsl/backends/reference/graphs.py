"""Graphs as the interpreter reads them: plain lists, subgraphs and contractions."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy

from gdsl.backends.reference.values import Value, dtype_of, neighbor_function, neighbor_identity
from gdsl.extents import Sizes, of_graph
from gdsl.graph.graph import Graph
from gdsl.ir import nodes as ir
from gdsl.ir.nodes import Role
from gdsl.operations import Degree, Domain, Over
from gdsl.types import Type


@dataclass(frozen=True)
class Lists:
    """The lists of a graph, as `Graph` has them; edges are places in `columns` here, ascending by source."""

    num_vertices: int
    num_edges: int
    offsets: Any
    columns: Any
    in_offsets: Any
    in_sources: Any
    in_edge_ids: Any
    edge_sources: Any


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
    """A graph as the interpreter reads it."""

    def __init__(self, graph: Graph | Lists) -> None:
        """What a run does not need is not computed."""
        self.graph = graph

    def sizes(self, params: Mapping[str, object]) -> Sizes:
        """The sizes that extents use."""
        return of_graph(self.graph.num_vertices, self.graph.num_edges, params)

    def count(self, domain: Domain) -> int:
        """The number of vertices or of edges."""
        return self.graph.num_vertices if domain is Domain.VERTEX else self.graph.num_edges

    def degrees(self, degree: Degree) -> Sequence[int]:
        """The degree of every vertex, int32."""
        return self._out_degrees if degree is Degree.OUT else self._in_degrees

    def bound(self, domain: Domain) -> int:
        """The bound of ids."""
        return self.count(domain)

    def has(self, domain: Domain, member: int) -> bool:
        """Whether the id `member`, which is below the bound, is one of the graph's."""
        return True

    def all(self, domain: Domain) -> list[int]:
        """The ids of all vertices, or of all edges, ascending."""
        return list(range(self.count(domain)))

    def place(self, source: int, edge: int) -> int:
        """How many edges come before this one in the list of its source."""
        return edge - self._first_edges[source]

    @cached_property
    def _first_edges(self) -> list[int]:
        """The id that the first out-edge of every vertex has or would have."""
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
        ends: list[int] = numpy.unique(visits.source if role is Role.SOURCE else visits.destination).tolist()
        return ends

    def ends_of(self, edge: int) -> tuple[int, int]:
        """The source and the destination of an edge."""
        return self._ends[edge]

    def reverse(self, edge: int) -> int | None:
        """The edge paired with this one, or None."""
        source, destination = self._ends[edge]
        alike, back = self._between[source, destination], self._between.get((destination, source), [])
        place = alike.index(edge)
        return back[place] if place < len(back) else None

    def out_list(self, vertex: int) -> list[tuple[int, int]]:
        """(neighbor, edge) of every out-edge, in the order of the list."""
        first, last = int(self.graph.offsets[vertex]), int(self.graph.offsets[vertex + 1])
        return [(int(self.graph.columns[edge]), edge) for edge in range(first, last)]

    @cached_property
    def _ends(self) -> list[tuple[int, int]]:
        return list(zip(self.graph.edge_sources.tolist(), self.graph.columns.tolist(), strict=True))

    @cached_property
    def _between(self) -> dict[tuple[int, int], list[int]]:
        """The edges from one vertex to another, ascending."""
        places: dict[tuple[int, int], list[int]] = {}
        for edge, both in enumerate(self._ends):
            places.setdefault(both, []).append(edge)
        return places

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


def lists_of(num_vertices: int, source: Any, destination: Any) -> Lists:
    """The lists of edges in the order of their ids, which ascend with the source."""
    order = numpy.argsort(destination, kind="stable")
    offsets, in_offsets = (_offsets(ends, num_vertices) for ends in (source, destination))
    return Lists(num_vertices, len(source), offsets, destination, in_offsets, source[order], order, source)


def _offsets(ends: Any, num_vertices: int) -> Any:
    return numpy.concatenate([[0], numpy.cumsum(numpy.bincount(ends, minlength=num_vertices))]).astype(numpy.int64)


class SubgraphView(GraphView):
    """Some edges of another graph, with their ids there."""

    def __init__(self, base: GraphView, edges: Sequence[int]) -> None:
        """The edges with these ascending ids."""
        visits = base.edges(edges)
        super().__init__(lists_of(base.count(Domain.VERTEX), visits.source, visits.destination))
        self.base = base
        self.ids = numpy.array(edges, dtype=numpy.int64)
        self._places = {edge: place for place, edge in enumerate(edges)}

    def bound(self, domain: Domain) -> int:
        """The bound of ids."""
        return self.base.bound(domain)

    def has(self, domain: Domain, member: int) -> bool:
        """Whether the id `member`, which is below the bound, is one of the graph's."""
        return domain is Domain.VERTEX or member in self._places

    def all(self, domain: Domain) -> list[int]:
        """The ids of all vertices, or of all edges, ascending."""
        return list(self._places) if domain is Domain.EDGE else super().all(domain)

    def place(self, source: int, edge: int) -> int:
        """How many edges come before this one in the list of its source."""
        return super().place(source, self._places[edge])

    def edges(self, members: Sequence[int]) -> Visits:
        """The edges with these ids, seen from their sources."""
        return self._named(super().edges([self._places[edge] for edge in members]))

    def edges_of(self, members: Sequence[int], over: Over) -> Visits:
        """The edges of each vertex of `members`; over all edges its out-edges, then its in-edges."""
        return self._named(super().edges_of(members, over))

    def _named(self, visits: Visits) -> Visits:
        return dataclasses.replace(visits, edge=self.ids[visits.edge])

    def ends_of(self, edge: int) -> tuple[int, int]:
        """The source and the destination of an edge, even if the subgraph does not have it."""
        return self.base.ends_of(edge)

    def reverse(self, edge: int) -> int | None:
        """The edge paired with this one, or None."""
        if edge not in self._places:
            return None
        opposite = super().reverse(self._places[edge])
        return None if opposite is None else int(self.ids[opposite])

    def out_list(self, vertex: int) -> list[tuple[int, int]]:
        """(neighbor, edge) of every out-edge, in the order of the list."""
        return [(far, int(self.ids[place])) for far, place in super().out_list(vertex)]

    @cached_property
    def _first_edges_to(self) -> list[dict[int, int]]:
        return [{far: int(self.ids[place]) for far, place in places.items()} for places in super()._first_edges_to]


def contract(
    base: GraphView, step: ir.Contract, label: list[Value], weight: list[Value] | None, id_bits: int
) -> GraphView:
    """The contraction of `base`; assigns `label` and `weight` their new values."""
    count = base.count(Domain.VERTEX)
    new_ids = {value: number for number, value in enumerate(sorted(set(label[:count])))}
    label_type = dtype_of(step.label_type, id_bits).type if step.label_type is not Type.VERTEX else int
    of_vertex = [new_ids[value] for value in label[:count]]
    label[:count] = [label_type(number) for number in of_vertex]
    edges = base.all(Domain.EDGE)
    between: dict[tuple[int, int], list[int]] = {}
    for edge in edges:
        source, destination = base.ends_of(edge)
        between.setdefault((of_vertex[source], of_vertex[destination]), []).append(edge)
    pairs = sorted(between)
    if weight is not None and step.weights is not None:
        join = neighbor_function(step.weights.operation, step.weights.type)
        sums = []
        for pair in pairs:
            total = neighbor_identity(step.weights.operation, step.weights.type, id_bits)
            for edge in between[pair]:
                total = join(total, weight[edge])
            sums.append(total)
        weight[: len(sums)] = sums
    ends = numpy.array(pairs, dtype=numpy.int64).reshape(len(pairs), 2)
    return GraphView(lists_of(len(new_ids), ends[:, 0], ends[:, 1]))
