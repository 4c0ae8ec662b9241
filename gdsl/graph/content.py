"""What a graph holds: CSR always, CSC and the ends of edges when first needed; and what it can be asked."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gdsl.diagnostics import printable, shown
from gdsl.graph.csr import (
    Csr,
    checked_csr,
    edge_sources,
    first_loop_or_parallel,
    first_without_opposite,
    loops_of,
    pair_edges,
    repeated_of,
    transpose,
)
from gdsl.graph.immutable import immutable
from gdsl.graph.lazy_csr import LazyCsr, attributes_of
from gdsl.graph.update_records import Changes, Record, since
from gdsl.graph.updates import Delta, NewEdges
from gdsl.graph.vertices import Names, id_widths
from gdsl.types import Widths

if TYPE_CHECKING:
    from typing import Self


class GraphContent:
    """A graph without the ways to make one and to turn it into something else; `gdsl.Graph` is the class for users."""

    num_vertices: int
    directed: bool
    vertex_attributes: Mapping[str, NDArray[Any]]
    names: Names | None
    _lazy_csr: LazyCsr | None = None
    _parts: object = None
    _delta: Delta | None = None
    _records: tuple[Record, ...] = ()
    _new_edges: NewEdges | None = None

    def __init__(
        self,
        offsets: NDArray[np.int64],
        columns: NDArray[Any],
        *,
        directed: bool,
        attributes: Mapping[str, NDArray[Any]] | None = None,
        vertex_attributes: Mapping[str, NDArray[Any]] | None = None,
    ) -> None:
        """Build a graph from a CSR with ascending lists; the `from_…` functions build one from anything else.

        The arrays are copied. Raises GdslError E0707, E0709 or E0711 for anything that is not such a CSR.
        """
        of_edges = {} if attributes is None else attributes
        of_vertices = {} if vertex_attributes is None else vertex_attributes
        self._keep(checked_csr(offsets, columns, directed, of_edges, of_vertices))

    @classmethod
    def _of_csr(cls, csr: Csr | LazyCsr | Delta) -> Self:
        """The graph of a valid CSR, of a lazy one, or of one that is to be merged with changes."""
        graph = cls.__new__(cls)
        graph._keep(csr)
        return graph

    def _changes_since(self, identity: object) -> Changes | None:
        """What updates changed since the graph of this identity; None if that is not known."""
        return since(self._records, identity, self._identity)

    @cached_property
    def _identity(self) -> object:
        """An object for the content of this graph, which holds none of its memory."""
        return object()

    @cached_property
    def _conditions(self) -> set[str]:
        """The conditions that were found to hold of all values of the attributes."""
        return set()

    def _keep(self, csr: Csr | LazyCsr | Delta, parts: object = None) -> None:
        """Set the contents of this graph; `parts` is data that the backend that built its CSR keeps."""
        if isinstance(csr, Delta):
            self.__dict__.update(csr.graph_attributes(), _delta=csr)
        else:
            self.__dict__.update(attributes_of(csr), _parts=parts, _delta=None, _base=None)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a graph does not change: {name!r} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a graph does not change: {name!r} cannot be deleted")

    def __copy__(self, memo: object = None) -> Self:
        """The graph itself: it does not change."""
        return self

    __deepcopy__ = __copy__

    @property
    def offsets(self) -> NDArray[np.int64]:
        """int64[V+1]; the edges that leave v have the ids offsets[v] … offsets[v+1]-1."""
        return self._csr.offsets.view()

    @property
    def columns(self) -> NDArray[Any]:
        """int32[E] (int64 where ids need it), the far end of each edge."""
        return self._csr.columns.view()

    @property
    def id_bits(self) -> int:
        """32 where vertex and edge ids and `none` fit in 32 bits, else 64."""
        return self.id_widths.edge

    @cached_property  # each call reads it
    def id_widths(self) -> Widths:
        """The widths of vertex and edge ids, separately: a graph of many edges may have few vertices."""
        if self._lazy_csr is not None:
            return Widths.both(32)  # lazy graphs are not that large
        return id_widths(self.num_vertices, self.num_edges)

    @property
    def out_degrees(self) -> NDArray[np.int32]:
        """int32[V], the number of edges that leave each vertex."""
        return self._out_degrees.view()

    @property
    def in_degrees(self) -> NDArray[np.int32]:
        """int32[V], the number of edges that enter each vertex."""
        return self._in_degrees.view()

    @property
    def edge_sources(self) -> NDArray[Any]:
        """int32 or int64[E], the source of each edge."""
        return self._edge_sources.view()

    @property
    def edges(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """The sources and the destinations, each [E], by edge id."""
        return self.edge_sources, self.columns

    @property
    def in_offsets(self) -> NDArray[np.int64]:
        """int64[V+1]; the CSC positions in_offsets[v] … in_offsets[v+1]-1 are the edges that enter v."""
        return self._in_lists[0].view()

    @property
    def in_sources(self) -> NDArray[Any]:
        """int32 or int64[E], by CSC position the source of the edge, ascending for each vertex."""
        return self._in_lists[1].view()

    @property
    def in_edge_ids(self) -> NDArray[Any]:
        """int32 or int64[E], by CSC position the edge's id."""
        return self._csc[2].view()

    @property
    def reverse_edges(self) -> NDArray[Any]:
        """int32 or int64[E], for each edge u→v the id of the edge v→u that it is paired with, or -1.

        The k-th of parallel edges, by their ids, is paired with the k-th that leads back; a self-loop is its own.
        """
        return self._reverse_edges.view()

    @cached_property
    def _csr(self) -> Csr:
        if (edges := self._lazy_csr) is not None:
            self._keep(edges.csr())
        elif (delta := self._delta) is not None:
            merged = delta.csr()
            self.__dict__["_new_edges"] = NewEdges(delta.inserted_ids(), delta.conditions)
            self._keep(merged)
        csr: Csr = self.__dict__["_csr"]
        return csr

    @cached_property
    def attributes(self) -> Mapping[str, NDArray[Any]]:
        """The values of the edges by name, each [E], in the order of the edge ids."""
        return self._csr.attributes

    @cached_property
    def num_edges(self) -> int:
        """The number of stored directed edges E."""
        return len(self._csr.columns)

    @cached_property
    def _out_degrees(self) -> NDArray[np.int32]:
        return immutable(np.diff(self._csr.offsets), np.dtype(np.int32))

    @cached_property
    def _in_degrees(self) -> NDArray[np.int32]:
        return immutable(np.bincount(self._csr.columns, minlength=self.num_vertices), np.dtype(np.int32))

    @cached_property
    def _edge_sources(self) -> NDArray[Any]:
        return immutable(edge_sources(self._csr.offsets, self._csr.columns))

    @cached_property
    def _in_lists(self) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """Where the lists of in-edges begin, and the sources. Both orders are by (vertex, neighbor), so an undirected
        graph, which has every edge both ways, has the same lists in its CSR as in its CSC; only the ids differ."""
        return (self._csr.offsets, self._csr.columns) if not self.directed else self._csc[:2]

    @cached_property
    def _csc(self) -> tuple[NDArray[np.int64], NDArray[Any], NDArray[Any]]:
        offsets, sources, edge_ids = transpose(self._csr.offsets, self._csr.columns)
        return immutable(offsets, np.dtype(np.int64)), immutable(sources, self._csr.columns.dtype), immutable(edge_ids)

    @cached_property
    def _reverse_edges(self) -> NDArray[Any]:
        return immutable(pair_edges((self._csr.offsets, self._csr.columns), self._csc))

    def vertex(self, name: object) -> int:
        """The id of the vertex called `name` (`names`). Raises KeyError."""
        result = self.names.id_of(name) if self.names is not None else None
        if result is None:
            raise KeyError(f"{shown(name)}: the graph has no names" if self.names is None else shown(name))
        return result

    def __len__(self) -> int:
        return self.num_vertices

    def __bool__(self) -> bool:
        """True: a graph without vertices is a graph."""
        return True

    def ends(self, edge: int) -> tuple[int, int]:
        """Source and destination of one edge id. Raises IndexError for any other number."""
        if not 0 <= edge < self.num_edges:
            raise IndexError(f"the graph has no edge {shown(edge)}, only {self.num_edges:,} of them")
        return int(np.searchsorted(self.offsets, edge, side="right")) - 1, int(self.columns[edge])

    def is_symmetric(self) -> bool:
        """Whether every edge u→v has its opposite v→u (of n parallel edges each); attributes are not compared."""
        if not self.directed:
            return True  # otherwise it is symmetric exactly if CSR and CSC are equal, as both are sorted alike
        return np.array_equal(self.in_offsets, self.offsets) and np.array_equal(self.in_sources, self.columns)

    def first_asymmetric_edge(self) -> int | None:
        """The lowest id of an edge that lacks its opposite; None if the graph is symmetric."""
        return None if self.is_symmetric() else first_without_opposite(self._csr)

    def first_duplicate_or_loop(self) -> int | None:
        """The lowest id of an edge that is a self-loop or repeats the edge before it; None if the graph is simple."""
        return first_loop_or_parallel(self.columns, self.edge_sources)

    def has_loops(self) -> bool:
        """Whether an edge leads from a vertex to itself."""
        return bool(loops_of(self.columns, self.edge_sources).any())

    def has_parallel_edges(self) -> bool:
        """Whether two stored edges have the same source and the same destination."""
        return bool(repeated_of(self.columns, self.edge_sources).any())

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        attributes = self.attributes if self._delta is None else self._delta.base.attributes  # without merging
        names = f", attributes: {', '.join(map(printable, attributes))}" if attributes else ""
        vertices = "1 vertex" if self.num_vertices == 1 else f"{self.num_vertices:,} vertices"
        edges = "1 stored edge" if self.num_edges == 1 else f"{self.num_edges:,} stored edges"
        return f"<Graph: {vertices}, {edges}, {kind}{names}>"
