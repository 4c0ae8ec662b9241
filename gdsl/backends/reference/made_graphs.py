"""Graphs that a schedule makes, as the reference backend makes them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy

from gdsl.backends.reference.values import Value, dtype_of, neighbor_function, neighbor_identity
from gdsl.backends.reference.view import GraphView, Visits
from gdsl.ir import nodes as ir
from gdsl.operations import Domain, Over
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


def lists_of(num_vertices: int, source: Any, destination: Any) -> Lists:
    """The lists of edges that are given in the order of their ids, which goes by source."""
    order = numpy.argsort(destination, kind="stable")
    offsets, in_offsets = (_offsets(ends, num_vertices) for ends in (source, destination))
    return Lists(num_vertices, len(source), offsets, destination, in_offsets, source[order], order, source)


def _offsets(ends: Any, num_vertices: int) -> Any:
    return numpy.concatenate([[0], numpy.cumsum(numpy.bincount(ends, minlength=num_vertices))]).astype(numpy.int64)


class SubgraphView(GraphView):
    """Some edges of another graph, under the ids that they have there."""

    def __init__(self, base: GraphView, edges: Sequence[int]) -> None:
        """Take the edges with these ids, which ascend."""
        visits = base.edges(edges)
        super().__init__(lists_of(base.count(Domain.VERTEX), visits.source, visits.destination))
        self.base = base
        self.ids = numpy.array(edges, dtype=numpy.int64)
        self._places = {edge: place for place, edge in enumerate(edges)}

    def bound(self, domain: Domain) -> int:
        """Ids lie below this."""
        return self.base.bound(domain)

    def has(self, domain: Domain, member: int) -> bool:
        """Whether the id `member`, which lies below the bound, is one of the graph's."""
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
        """The source and the destination of an edge, also of one that was left out."""
        return self.base.ends_of(edge)

    def reverse(self, edge: int) -> int | None:
        """The edge that is paired with this one; None where there is none."""
        if edge not in self._places:
            return None
        found = super().reverse(self._places[edge])
        return None if found is None else int(self.ids[found])

    def out_list(self, vertex: int) -> list[tuple[int, int]]:
        """(neighbour, edge) of every out-edge, in the order of the list."""
        return [(far, int(self.ids[place])) for far, place in super().out_list(vertex)]

    @cached_property
    def _first_edges_to(self) -> list[dict[int, int]]:
        return [{far: int(self.ids[place]) for far, place in found.items()} for found in super()._first_edges_to]


def contracted(
    base: GraphView, step: ir.Contract, label: list[Value], weight: list[Value] | None, id_bits: int
) -> GraphView:
    """The contraction of `base`; gives `label` and `weight` their new values."""
    count = base.count(Domain.VERTEX)
    new_ids = {value: number for number, value in enumerate(sorted(set(label[:count])))}
    made = dtype_of(step.label_type, id_bits).type if step.label_type is not Type.VERTEX else int
    of_vertex = [new_ids[value] for value in label[:count]]
    label[:count] = [made(number) for number in of_vertex]
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
