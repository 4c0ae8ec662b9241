"""The part of a graph that one of several workers holds. No worker needs the whole graph to build its part.

A worker owns a range of vertices, with the edges that leave them, and as ids of edges ascend with their sources, also a
range of edges. Everything else that a program may read (the edges that enter an owned vertex, the degrees of all
vertices) the workers send each other once, when it is first needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gdsl.communicator import Communicator
from gdsl.diagnostics import GdslError, shown
from gdsl.graph.csr import edge_sources
from gdsl.graph.graph import Graph
from gdsl.graph.immutable import Values, immutable
from gdsl.graph.vertices import Names, id_dtype, id_widths
from gdsl.operations import Domain, ReduceOperation
from gdsl.types import Widths


class GraphShare:
    """What worker `rank` of `size` holds of a graph; immutable.

    rank, size: which share this is, and of how many.
    boundaries: int64[size+1]; worker r owns the vertices boundaries[r] … boundaries[r+1]-1.
    edge_boundaries: int64[size+1]; the ids of the edges that leave these are edge_boundaries[r] … [r+1]-1.
    num_vertices, num_edges, directed: of the whole graph.
    offsets: int64[owned+1]; the out-edges of owned vertex v have the places offsets[v-first] … offsets[v-first+1]-1 in
    `columns`, and their ids are edge_boundaries[rank] plus the place.
    columns: int32 or int64[owned edges], the far end of each, ids of the whole graph, ascending for each vertex.
    attributes: the values of the owned edges by name; vertex_attributes: those of the owned vertices.
    names: what the owned vertices are called, by place; None where vertices are called by their ids.
    """

    def __init__(
        self,
        rank: int,
        boundaries: ArrayLike,
        edge_boundaries: ArrayLike,
        offsets: NDArray[Any],
        columns: NDArray[Any],
        *,
        directed: bool,
        attributes: Mapping[str, NDArray[Any]] | None = None,
        vertex_attributes: Mapping[str, NDArray[Any]] | None = None,
        names: Names | None = None,
    ) -> None:
        """The share of these arrays, which are copied. Raises GdslError E0707 where they do not fit each other."""
        self.rank, self.directed, self.names = rank, directed, names
        wide = np.dtype(np.int64)
        self.boundaries, self.edge_boundaries = (
            immutable(np.asarray(ends, wide), wide) for ends in (boundaries, edge_boundaries)
        )
        self.size = len(self.boundaries) - 1
        self.num_vertices, self.num_edges = int(self.boundaries[-1]), int(self.edge_boundaries[-1])
        self.offsets, self.columns = immutable(offsets, wide), immutable(columns, id_dtype(self.num_vertices))
        self.attributes: Mapping[str, NDArray[Any]] = Values({} if attributes is None else attributes)
        self.vertex_attributes: Mapping[str, NDArray[Any]] = Values(
            {} if vertex_attributes is None else vertex_attributes
        )
        self._check()
        self._kept: dict[str, Any] = {}

    def own(self, domain: Domain) -> tuple[int, int]:
        """The first vertex, or edge, that the worker owns, and the one after its last."""
        vertices = domain is Domain.VERTEX
        return (self.first, self.last) if vertices else (self.first_edge, self.last_edge)

    def _check(self) -> None:
        """Everything that native code relies on."""
        problems = {
            "boundaries do not ascend from 0": self.boundaries[0] != 0 or (np.diff(self.boundaries) < 0).any(),
            "edge_boundaries do not ascend from 0": self.edge_boundaries[0] != 0
            or (np.diff(self.edge_boundaries) < 0).any()
            or len(self.edge_boundaries) != self.size + 1,
            "there is no such rank": not 0 <= self.rank < self.size,
        }
        if not any(problems.values()):
            starts, columns = self.offsets, self.columns
            edges = int(self.edge_boundaries[self.rank + 1] - self.edge_boundaries[self.rank])
            problems = {
                "offsets do not ascend from 0 to the number of owned edges": len(starts) != self.num_owned + 1
                or starts[0] != 0
                or starts[-1] != edges
                or len(columns) != edges
                or bool((np.diff(starts) < 0).any()),
                "a column is not a vertex": bool(len(columns))
                and not 0 <= int(columns.min()) <= int(columns.max()) < self.num_vertices,
                "an attribute does not have one value for each owned edge": any(
                    len(values) != edges for values in self.attributes.values()
                ),
                "an attribute does not have one value for each owned vertex": any(
                    len(values) != self.num_owned for values in self.vertex_attributes.values()
                ),
                "there is not one name for each owned vertex": self.names is not None
                and len(self.names) != self.num_owned,
            }
        for problem, is_problem in problems.items():
            if is_problem:
                fix = "pass the arrays that gdsl.graph.shares.GraphShare documents"
                raise GdslError.single("E0707", f"the share of worker {self.rank} is not valid: {problem}", fix=fix)

    @classmethod
    def of(cls, graph: Graph, rank: int, size: int) -> GraphShare:
        """The share of worker `rank` of `size`, of a graph that is in memory."""
        boundaries = equal_shares(graph.offsets, size)
        edge_boundaries = graph.offsets[boundaries]
        first, last = int(boundaries[rank]), int(boundaries[rank + 1])
        owned = slice(int(edge_boundaries[rank]), int(edge_boundaries[rank + 1]))
        names = Names(graph.names[first:last]) if graph.names is not None else None
        return cls(
            rank,
            boundaries,
            edge_boundaries,
            graph.offsets[first : last + 1] - graph.offsets[first],
            graph.columns[owned],
            directed=graph.directed,
            attributes={name: values[owned] for name, values in graph.attributes.items()},
            vertex_attributes={name: values[first:last] for name, values in graph.vertex_attributes.items()},
            names=names,
        )

    @property
    def first(self) -> int:
        """The lowest vertex that this worker owns, if it owns one."""
        return int(self.boundaries[self.rank])

    @property
    def last(self) -> int:
        """The first vertex after those that this worker owns."""
        return int(self.boundaries[self.rank + 1])

    @property
    def first_edge(self) -> int:
        """The lowest id of an edge that leaves an owned vertex."""
        return int(self.edge_boundaries[self.rank])

    @property
    def last_edge(self) -> int:
        """The first id after these."""
        return int(self.edge_boundaries[self.rank + 1])

    @property
    def num_owned(self) -> int:
        """How many vertices this worker owns."""
        return self.last - self.first

    @property
    def id_widths(self) -> Widths:
        """The widths of vertex and edge ids, those of the whole graph."""
        return id_widths(self.num_vertices, self.num_edges)

    @cached_property
    def edge_sources(self) -> NDArray[Any]:
        """int32 or int64[owned edges], the source of each owned edge."""
        sources = edge_sources(self.offsets, self.columns)
        sources += sources.dtype.type(self.first)
        return immutable(sources)

    def owner(self, vertices: NDArray[Any]) -> NDArray[np.int64]:
        """int64, the worker that owns each of these vertices."""
        return np.searchsorted(self.boundaries, vertices, side="right").astype(np.int64) - 1

    def out_degrees(self, communicator: Communicator) -> NDArray[np.int32]:
        """int32[V], how many edges leave each vertex of the whole graph."""
        if "out" not in self._kept:
            self._kept["out"] = immutable(
                np.concatenate(communicator.all_gather(np.diff(self.offsets).astype(np.int32)))
            )
        degrees: NDArray[np.int32] = self._kept["out"]
        return degrees

    def in_degrees(self, communicator: Communicator) -> NDArray[np.int32]:
        """int32[V], how many edges enter each vertex of the whole graph."""
        if not self.directed:
            return self.out_degrees(communicator)
        if "in" not in self._kept:
            counts = np.bincount(self.columns, minlength=self.num_vertices).astype(np.int64)
            self._kept["in"] = immutable(communicator.all_reduce(counts, ReduceOperation.ADD), np.dtype(np.int32))
        degrees: NDArray[np.int32] = self._kept["in"]
        return degrees

    def in_lists(self, communicator: Communicator) -> tuple[NDArray[np.int64], NDArray[Any], NDArray[Any]]:
        """(in_offsets, in_sources, in_edge_ids): the edges that enter owned vertices, int64[owned+1] and two arrays of
        as many ids of the whole graph as there are, ascending by source, then by id, for each vertex."""
        if "lists" not in self._kept:
            ends = self.to_in_lists(self.columns, communicator)
            sources = self.to_in_lists(self.edge_sources, communicator)
            dtype = id_dtype(self.num_edges)
            ids = np.arange(self.first_edge, self.last_edge, dtype=dtype)
            starts = np.zeros(self.num_owned + 1, np.int64)
            np.cumsum(np.bincount(ends.astype(np.int64) - self.first, minlength=self.num_owned), out=starts[1:])
            self._kept["lists"] = starts, sources, self.to_in_lists(ids, communicator)
        lists: tuple[NDArray[np.int64], NDArray[Any], NDArray[Any]] = self._kept["lists"]
        return lists

    def to_in_lists(self, values: NDArray[Any], communicator: Communicator) -> NDArray[Any]:
        """`values` of owned edges, sent to where these edges enter: one for each edge that enters an owned vertex, in
        the order of `in_lists`."""
        if "order" not in self._kept:
            owners = self.owner(self.columns)
            order = np.argsort(owners, kind="stable")
            self._kept["order"] = order, np.searchsorted(owners[order], np.arange(1, self.size))
            ends = self._sent(self.columns, communicator)
            self._kept["arrival"] = np.argsort(ends, kind="stable")  # workers send by source, then by id
        arrived: NDArray[Any] = self._sent(values, communicator)[self._kept["arrival"]]
        return arrived

    def _sent(self, values: NDArray[Any], communicator: Communicator) -> NDArray[Any]:
        order, cuts = self._kept["order"]
        return np.concatenate(communicator.all_to_all(np.split(values[order], cuts)))

    def reverse_edges(self, communicator: Communicator) -> NDArray[Any]:
        """int32 or int64[owned edges], for each owned edge u→v the id of the edge v→u that it is paired with, or -1.

        As in `Graph.reverse_edges`: the k-th of parallel edges with the k-th that leads back."""
        in_offsets, in_sources, in_edge_ids = self.in_lists(communicator)
        forward = _places_among_equals(self.offsets, self.columns)
        backward = _places_among_equals(in_offsets, in_sources)
        positions = np.full(len(self.columns), -1, in_edge_ids.dtype)
        if len(backward[0]) and len(forward[0]):
            # Both are ascending by (vertex, neighbor, number among parallel edges).
            keys = np.concatenate([np.stack(backward, axis=1), np.stack(forward, axis=1)])
            _, numbers = np.unique(keys, axis=0, return_inverse=True)
            numbers = numbers.reshape(-1)
            table = np.full(int(numbers.max()) + 1, -1, np.int64)
            table[numbers[: len(in_sources)]] = in_edge_ids
            positions[:] = table[numbers[len(in_sources) :]]
        return positions

    def lists_of(
        self, vertices: NDArray[Any], communicator: Communicator
    ) -> tuple[NDArray[np.int64], NDArray[Any], NDArray[Any]]:
        """(offsets, columns, edge ids) of the out-lists of any vertices, in their order, from the workers that own
        them: int64[len(vertices)+1] and two arrays of as many ids of the whole graph as the lists have edges."""
        owners = self.owner(vertices)
        order = np.argsort(owners, kind="stable")
        cuts = np.searchsorted(owners[order], np.arange(1, self.size))
        wanted = communicator.all_to_all(np.split(vertices[order].astype(np.int64), cuts))
        answers = [self._lists_here(asked - self.first) for asked in wanted]
        lengths = np.concatenate(communicator.all_to_all([lengths for lengths, _ in answers]))
        places = [place for _, place in answers]
        columns = np.concatenate(communicator.all_to_all([self.columns[place] for place in places]))
        ids = np.concatenate(communicator.all_to_all([place + self.first_edge for place in places]))
        back = np.argsort(order, kind="stable")
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths[back])])
        chosen = ranges(starts[:-1][back], lengths[back])
        return offsets, columns[chosen], ids[chosen].astype(id_dtype(self.num_edges), copy=False)

    def _lists_here(self, places: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The lengths of these lists, and the places of their edges."""
        lengths = self.offsets[places + 1] - self.offsets[places]
        return lengths, ranges(self.offsets[places], lengths)

    def vertex(self, name: object, communicator: Communicator) -> int:
        """The id of the vertex called `name`, whichever worker owns it; all workers ask for the same one. Raises
        KeyError."""
        place = self.names.id_of(name) if self.names is not None else None
        here = np.array([] if place is None else [place + self.first], np.int64)
        gathered = np.concatenate(communicator.all_gather(here))
        if len(gathered) != 1:  # a word may be how names of two workers read
            raise KeyError(shown(name))
        return int(gathered[0])

    def __len__(self) -> int:
        return self.num_vertices

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        vertices = f"vertices {self.first:,} to {self.last - 1:,}" if self.num_owned else "no vertices"
        edges = f"{len(self.columns):,} of {self.num_edges:,} edges"
        return f"<GraphShare {self.rank} of {self.size}: {vertices} of {self.num_vertices:,}, {edges}>"


def equal_shares(offsets: NDArray[Any], size: int) -> NDArray[np.int64]:
    """int64[size+1], boundaries between the vertices of workers so that each has an equal share of the edges; of the
    vertices where there are no edges. `offsets`: those of the whole graph."""
    count, edges = len(offsets) - 1, int(offsets[-1])
    parts = np.arange(size + 1)
    if not edges:
        return parts * count // size
    boundaries = np.searchsorted(offsets, parts * edges // size).astype(np.int64)
    boundaries[0], boundaries[-1] = 0, count
    return boundaries


def ranges(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """All numbers of the ranges that begin at `starts`, one range after the other."""
    ends = np.cumsum(lengths)
    places = np.arange(int(ends[-1]) if len(ends) else 0, dtype=np.int64)
    places += np.repeat(starts - (ends - lengths), lengths)
    return places


def _places_among_equals(offsets: NDArray[Any], columns: NDArray[Any]) -> tuple[NDArray[np.int64], ...]:
    """Of each edge its vertex, its neighbor, and its number among the edges that have both in common."""
    sources = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    fresh = np.ones(len(columns), bool)
    fresh[1:] = (columns[1:] != columns[:-1]) | (sources[1:] != sources[:-1])
    places = np.arange(len(columns))
    starts = np.maximum.accumulate(np.where(fresh, places, 0)) if len(columns) else places
    return sources, columns.astype(np.int64), places - starts
