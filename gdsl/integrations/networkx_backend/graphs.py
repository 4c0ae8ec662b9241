"""Graphs of the backend: a `gdsl.Graph`, the nodes of its vertices, and edge attributes as columns."""

from __future__ import annotations

import copy
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from gdsl.graph import Graph


MISSING = object()
_EXACT = 2**53
"""All integers up to here are exact as float64."""


class Column:
    """An edge attribute: `values` [E], and which of them are `missing`; `refused` says why it has no numbers."""

    def __init__(
        self, values: NDArray[Any] | None, missing: NDArray[np.bool_] | None = None, refused: str | None = None
    ) -> None:
        """A refused column has no values."""
        self._values, self._missing, self._refused = values, missing, refused

    @staticmethod
    def of(name: object, candidates: Sequence[Any]) -> Column:
        """The column of the Python values of an attribute, `MISSING` for edges without it."""
        missing = np.fromiter((value is MISSING for value in candidates), dtype=bool, count=len(candidates))
        present = [0 if value is MISSING else value for value in candidates] if missing.any() else candidates
        kinds = set(map(type, present))
        whole = {kind for kind in kinds if issubclass(kind, Integral)}
        floats = {kind for kind in kinds - whole if issubclass(kind, float)}
        if other := kinds - whole - floats:
            names = ", ".join(sorted(kind.__name__ for kind in other))
            return Column(None, refused=f"values of the edge attribute {name!r} are {names}, not int or float")
        try:
            values = np.array(present, dtype=np.float64 if floats else np.int64)
        except OverflowError:
            return Column(None, refused=f"a value of the edge attribute {name!r} does not fit into 64 bits")
        if floats and any(abs(int(value)) > _EXACT for value in present if isinstance(value, Integral)):
            return Column(None, refused=f"the edge attribute {name!r} has a large int among floats")
        return Column(values, missing if missing.any() else None)

    @staticmethod
    def of_array(values: NDArray[Any]) -> Column:
        """The column of an attribute of a `gdsl.Graph`."""
        if values.dtype == np.uint64 and values.max(initial=0) > np.iinfo(np.int64).max:
            return Column(None, refused="a value of the edge attribute does not fit into a signed number of 64 bits")
        return Column(values.astype(np.float64 if values.dtype.kind == "f" else np.int64))

    def as_given(self) -> list[Any]:
        """A Python number for each edge, `MISSING` for edges without one. Raises NotImplementedError."""
        if self._values is None:
            raise NotImplementedError(self._refused)
        values: list[Any] = self._values.tolist()
        if self._missing is not None:
            for place in np.flatnonzero(self._missing).tolist():
                values[place] = MISSING
        return values

    def numbers(self, default: float) -> NDArray[Any]:
        """int64[E] or float64[E], with `default` for edges without a value. Raises NotImplementedError."""
        if self._values is None:
            raise NotImplementedError(self._refused)
        if self._missing is None:
            return self._values
        if not isinstance(default, int | float):
            raise NotImplementedError(f"the default {default!r} of an edge attribute is not an int or float")
        if isinstance(default, float) and self._values.dtype.kind == "i" and np.abs(self._values).max() > _EXACT:
            raise NotImplementedError("large ints would be mixed with floats")
        return np.where(self._missing, default, self._values)

    def is_the_same_as(self, other: Column) -> bool:
        """Whether two columns have the same values, for the same edges; True if one has no numbers."""
        if self._values is None or other._values is None:
            return True
        equal = np.array_equal(self._values, other._values, equal_nan=self._values.dtype.kind == "f")
        if self._missing is None or other._missing is None:
            return equal
        return equal and np.array_equal(self._missing, other._missing)

    def taken(self, places: NDArray[Any]) -> Column:
        """The values at `places`."""
        if self._values is None:
            return self
        missing = None if self._missing is None else self._missing[places]
        return Column(self._values[places], missing)


def places_of_edges(counts: NDArray[np.int64], order: NDArray[np.int64]) -> NDArray[np.int64]:
    """The positions of all edges if arc `order[i]` comes i-th and arc j stands for `counts[j]` consecutive edges."""
    starts = np.cumsum(counts) - counts
    taken = counts[order]
    shift = starts[order] - (np.cumsum(taken) - taken)
    places: NDArray[np.int64] = np.arange(int(counts.sum())) + np.repeat(shift, taken)
    return places


@dataclass(frozen=True, slots=True)
class Options:
    """How programs run: on which backend of gdsl, and for at most how many seconds."""

    backend: str
    timeout: float | None


class BackendGraph:
    """A graph of the backend "gdsl", which NetworkX passes to it: vertex i is `nodes[i]`.

    `vertices` has every arc once. `parallel` is the number of edges of each arc of a multigraph (None: no multigraph).
    `columns` are edge attributes in the order of the arcs: a value for each of them, or for each parallel edge of the
    first arc, of the second, and so on. `refused` says why no function can take the graph.
    """

    __networkx_backend__ = "gdsl"

    def __init__(
        self,
        graph: Graph,
        nodes: Sequence[Any],
        columns: Mapping[Hashable, Column] | None = None,
        parallel: NDArray[np.int64] | None = None,
        neighbors: NDArray[np.int64] | None = None,
    ) -> None:
        """`neighbors` are the destinations of the arcs as NetworkX orders those of each node. Nothing is copied."""
        self.vertices = graph
        self.nodes = nodes
        self.columns = dict(columns or {})
        self.parallel = parallel
        self.neighbors: NDArray[Any] = graph.columns if neighbors is None else neighbors
        self.options: Options | None = None
        self.graph: dict[Hashable, Any] = {}
        self.refused: str | None = None
        self._derived: dict[str, Graph] = {}
        self.__networkx_cache__: dict[str, Any] = {}

    def is_directed(self) -> bool:
        """Whether edges are directed."""
        return self.vertices.directed

    def is_multigraph(self) -> bool:
        """Whether the graph that this one was converted from may have parallel edges."""
        return self.parallel is not None

    def number_of_nodes(self) -> int:
        """The number of nodes."""
        return len(self.nodes)

    order = number_of_nodes

    def number_of_edges(self) -> int:
        """The number of edges, each undirected one counted once."""
        graph = self.vertices
        every, loops = graph.num_edges, graph.edge_sources == graph.columns
        if self.parallel is not None:
            every, loops = int(self.parallel.sum()), self.parallel[loops]
        return every if graph.directed else (every + int(loops.sum())) // 2

    def __len__(self) -> int:
        return len(self.nodes)

    def __bool__(self) -> bool:
        return len(self.nodes) > 0

    def __iter__(self) -> Iterator[Any]:
        return iter(self.nodes)

    def __contains__(self, node: object) -> bool:
        try:
            return node in self.index
        except TypeError:  # of an unhashable object
            return False

    has_node = __contains__

    def __repr__(self) -> str:
        return f"<BackendGraph of gdsl: {len(self):,} nodes, {self.number_of_edges():,} edges>"

    @cached_property
    def index(self) -> Mapping[Any, int]:
        """The vertex of each node."""
        if isinstance(self.nodes, range):
            return _Numbers(self.nodes)
        return {node: vertex for vertex, node in enumerate(self.nodes)}

    def chosen(self, nodes: Any) -> NDArray[np.int64]:
        """The vertices of those of `nodes` that the graph has, all for None: NetworkX's `nbunch_iter`, except that a
        repeated node counts once. Raises NetworkXError as it does."""
        import networkx

        if nodes is None:
            return np.arange(len(self))
        if nodes in self:
            return np.array([self.index[nodes]])
        try:
            candidates = iter(nodes)
        except TypeError:
            raise networkx.NetworkXError(f"Node {nodes} is not in the graph.") from None
        indices: dict[int, None] = {}
        for node in candidates:
            try:
                if node in self.index:
                    indices[self.index[node]] = None
            except TypeError:
                raise networkx.NetworkXError(f"Node {node} in sequence nbunch is not a valid node.") from None
        return np.array(list(indices), dtype=np.int64)

    def by_node(self, values: NDArray[Any]) -> dict[Any, Any]:
        """A dict from every node to its value, plain Python numbers."""
        return dict(zip(self.nodes, values.tolist(), strict=True))

    def nodes_of(self, vertices: NDArray[Any]) -> list[Any]:
        """The nodes of some vertices."""
        nodes = self.nodes
        return [nodes[vertex] for vertex in vertices.tolist()]

    def per_vertex(self, values: Mapping[Any, Any]) -> NDArray[np.float64]:
        """A number for each vertex, from a dict by node; 0 where it has none."""
        return np.array([values.get(node, 0.0) for node in self.nodes], dtype=np.float64)

    def weights(self, attribute: Hashable | None, default: float = 1) -> NDArray[Any]:
        """int64[E] if all values are integers, otherwise float64[E]; the minimum of parallel edges. Raises
        NotImplementedError for anything but numbers of 64 bits."""
        if attribute is None or attribute not in self.columns:
            dtype = np.float64 if isinstance(default, float) else np.int64
            return np.full(self.vertices.num_edges, default, dtype=dtype)
        values = self.columns[attribute].numbers(default)
        if self.parallel is None or not len(values):
            return values
        least: NDArray[Any] = np.minimum.reduceat(values, np.cumsum(self.parallel) - self.parallel)
        return least

    def weight_sums(self, attribute: Hashable | None) -> NDArray[np.float64]:
        """float64[E], the sums of the weights of parallel edges; 1 for edges without one. Raises
        NotImplementedError."""
        if attribute is None or attribute not in self.columns:
            return (np.ones(self.vertices.num_edges) if self.parallel is None else self.parallel).astype(np.float64)
        values = self.columns[attribute].numbers(1).astype(np.float64)
        if self.parallel is None or not len(values):
            return values
        sums: NDArray[np.float64] = np.add.reduceat(values, np.cumsum(self.parallel) - self.parallel)
        return sums

    def has_both_ways(self, attribute: Hashable) -> bool:
        """Whether the attribute has the same values in both directions of every edge of an undirected graph; True if it
        has no numbers."""
        sources, destinations = self.vertices.edges
        order = np.argsort(destinations.astype(np.int64) * len(self) + sources, kind="stable")
        places = order if self.parallel is None else places_of_edges(self.parallel, order)
        column = self.columns[attribute]
        return column.is_the_same_as(column.taken(places))

    @property
    def reverse(self) -> BackendGraph:
        """Every edge in the opposite direction."""
        if not self.is_directed():
            return self
        graph = self.vertices
        order = graph.in_edge_ids.astype(np.int64)
        turned = self._derive("reverse", lambda: _graph(graph.columns[order], graph.in_sources, len(self), True))
        places, parallel = order, None
        if self.parallel is not None:
            places, parallel = places_of_edges(self.parallel, order), self.parallel[order]
        columns = {name: column.taken(places) for name, column in self.columns.items()}
        return self._alike(turned, columns, parallel)

    @property
    def symmetric(self) -> BackendGraph:
        """Every edge in both directions, as two edges if it has both already; without attributes."""
        graph = self.vertices
        if not self.is_directed():
            return self
        return self._alike(self._derive("symmetric", lambda: _graph(*graph.edges, len(self), False)))

    @property
    def without_loops(self) -> BackendGraph:
        """The graph without self-loops, and without attributes."""
        if not self.vertices.has_loops():
            return self
        return self._alike(self._derive("without_loops", lambda: self.vertices.changed(loops=False)))

    def _derive(self, name: str, build: Callable[[], Graph]) -> Graph:
        """A graph derived from the same arcs, shared by all graphs with these arcs."""
        if name not in self._derived:
            self._derived[name] = build()
        return self._derived[name]

    def of_arcs(self, sources: NDArray[Any], destinations: NDArray[Any]) -> BackendGraph:
        """The directed graph of other arcs between these nodes."""
        return self._alike(_graph(sources, destinations, len(self), True))

    def of_size(self, size: int, sources: NDArray[Any], destinations: NDArray[Any]) -> BackendGraph:
        """A directed graph of 0 … size-1 that runs with the same options."""
        derived = BackendGraph(_graph(sources, destinations, size, True), range(size))
        derived.options = self.options
        return derived

    def _alike(
        self,
        graph: Graph,
        columns: Mapping[Hashable, Column] | None = None,
        parallel: NDArray[np.int64] | None = None,
    ) -> BackendGraph:
        derived = BackendGraph(graph, self.nodes, columns, parallel)
        derived.__dict__["index"] = self.index
        derived.options = self.options
        return derived

    def with_options(self, options: Options) -> BackendGraph:
        """This graph, whose runs take `options`."""
        derived = copy.copy(self)
        derived.options = options
        return derived

    def with_columns(self, columns: Mapping[Hashable, Column], attributes: Mapping[Hashable, Any]) -> BackendGraph:
        """This graph with these edge attributes, and with `attributes` of the whole graph."""
        derived = copy.copy(self)
        derived.columns, derived.graph, derived.__networkx_cache__ = dict(columns), dict(attributes), {}
        return derived


class _Numbers(Mapping[Any, int]):
    """The vertex of each node if nodes are the numbers of the vertices; numbers equal to one are the same node, as in a
    dict."""

    def __init__(self, numbers: range) -> None:
        """`numbers` are 0 … V-1."""
        self._numbers = numbers

    def __getitem__(self, node: Any) -> int:
        vertex = hash(node)  # of all objects equal to a vertex, the vertex itself
        if 0 <= vertex < len(self._numbers) and node == vertex:
            return vertex
        raise KeyError(node)

    def __iter__(self) -> Iterator[int]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)


def _graph(sources: NDArray[Any], destinations: NDArray[Any], size: int, directed: bool) -> Graph:
    from gdsl.graph import Graph

    return Graph.from_edges(sources, destinations, num_vertices=size, directed=directed)
