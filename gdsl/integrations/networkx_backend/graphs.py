"""A graph as the backend holds it: a `gdsl.Graph`, the nodes that its vertices are, and edge attributes."""

from __future__ import annotations

import copy
from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gdsl.integrations.networkx_backend.columns import Column

if TYPE_CHECKING:
    from gdsl.graph import Graph
    from gdsl.integrations.networkx_backend.running import Options


class BackendGraph:
    """A graph of the backend "gdsl", which NetworkX hands to it: vertex i is `nodes[i]`.

    `graph` has every arc once; parallel edges of a multigraph are one there. `columns` are edge attributes, a value
    for each arc in the order of edge ids.
    """

    __networkx_backend__ = "gdsl"

    def __init__(
        self,
        graph: Graph,
        nodes: Sequence[Any],
        columns: Mapping[Hashable, Column] | None = None,
        multigraph: bool = False,
        num_edges: int | None = None,
        attributes: Mapping[Hashable, Any] | None = None,
    ) -> None:
        """`num_edges` is what NetworkX counts; `attributes` are those of the whole graph."""
        self.vertices = graph
        self.nodes = nodes
        self.columns = dict(columns or {})
        self.options: Options | None = None
        self.graph = dict(attributes or {})
        self._multigraph = multigraph
        loops = int((graph.edge_sources == graph.columns).sum()) if num_edges is None and not graph.directed else 0
        stored = graph.num_edges if graph.directed else (graph.num_edges + loops) // 2
        self._num_edges = stored if num_edges is None else num_edges
        self.__networkx_cache__: dict[str, Any] = {}

    def is_directed(self) -> bool:
        """Whether an edge leads one way."""
        return self.vertices.directed

    def is_multigraph(self) -> bool:
        """Whether the graph that this one was made of may have parallel edges."""
        return self._multigraph

    def number_of_nodes(self) -> int:
        """How many nodes there are."""
        return len(self.nodes)

    order = number_of_nodes

    def number_of_edges(self) -> int:
        """How many edges there are, an undirected one counted once."""
        return self._num_edges

    def __len__(self) -> int:
        return len(self.nodes)

    def __bool__(self) -> bool:
        return len(self.nodes) > 0

    def __iter__(self) -> Iterator[Any]:
        return iter(self.nodes)

    def __contains__(self, node: object) -> bool:
        try:
            return node in self.index
        except TypeError:  # of what cannot be hashed
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
        """The vertices of those of `nodes` that the graph has, all for None: NetworkX's `nbunch_iter`, but that a node
        given twice is one. Raises NetworkXError as it does."""
        import networkx

        if nodes is None:
            return np.arange(len(self))
        if nodes in self:
            return np.array([self.index[nodes]])
        try:
            given = iter(nodes)
        except TypeError:
            raise networkx.NetworkXError(f"Node {nodes} is not in the graph.") from None
        found: dict[int, None] = {}
        for node in given:
            try:
                if node in self.index:
                    found[self.index[node]] = None
            except TypeError:
                raise networkx.NetworkXError(f"Node {node} in sequence nbunch is not a valid node.") from None
        return np.array(list(found), dtype=np.int64)

    def by_node(self, values: NDArray[Any]) -> dict[Any, Any]:
        """A dict from every node to its value, plain Python numbers."""
        return dict(zip(self.nodes, values.tolist(), strict=True))

    def nodes_of(self, vertices: NDArray[Any]) -> list[Any]:
        """The nodes of some vertices."""
        nodes = self.nodes
        return [nodes[vertex] for vertex in vertices.tolist()]

    def per_vertex(self, values: Mapping[Any, Any], missing: float = 0.0) -> NDArray[np.float64]:
        """A number for each vertex, of a dict by node."""
        return np.array([values.get(node, missing) for node in self.nodes], dtype=np.float64)

    def weights(self, attribute: Hashable | None, default: float = 1) -> NDArray[Any]:
        """int64[E] where all values are whole numbers, else float64[E]. Raises NotImplementedError for what is no
        number of 64 bits."""
        if attribute is not None and attribute in self.columns:
            return self.columns[attribute].numbers(default)
        return np.full(self.vertices.num_edges, default, dtype=np.float64 if isinstance(default, float) else np.int64)

    @cached_property
    def reverse(self) -> BackendGraph:
        """Every edge the other way round."""
        if not self.is_directed():
            return self
        graph = self.vertices
        order = graph.in_edge_ids
        turned = _graph(graph.columns[order], graph.in_sources, len(self), True)
        columns = {name: column.taken(order) for name, column in self.columns.items()}
        return self._alike(turned, columns)

    @cached_property
    def symmetric(self) -> BackendGraph:
        """Every edge both ways, one that leads both ways already as two."""
        graph = self.vertices
        return self._alike(_graph(*graph.edges, len(self), False), {}) if self.is_directed() else self

    @cached_property
    def without_loops(self) -> BackendGraph:
        """The same without edges from a node to itself, and without attributes."""
        return self._alike(self.vertices.changed(loops=False), {}) if self.vertices.has_loops() else self

    def of_arcs(self, sources: NDArray[Any], destinations: NDArray[Any]) -> BackendGraph:
        """The directed graph of other arcs between these nodes."""
        return self._alike(_graph(sources, destinations, len(self), True), {})

    def of_size(self, size: int, sources: NDArray[Any], destinations: NDArray[Any]) -> BackendGraph:
        """A directed graph of 0 … size-1 that runs with the same options."""
        made = BackendGraph(_graph(sources, destinations, size, True), range(size))
        made.options = self.options
        return made

    def _alike(self, graph: Graph, columns: Mapping[Hashable, Column]) -> BackendGraph:
        made = BackendGraph(graph, self.nodes, columns, self._multigraph)
        made.__dict__["index"] = self.index
        made.options = self.options
        return made

    def with_options(self, options: Options) -> BackendGraph:
        """This graph, whose runs take `options`."""
        if options == self.options:
            return self
        made = copy.copy(self)
        made.options = options
        for name in ("reverse", "symmetric", "without_loops"):  # which have options of their own
            made.__dict__.pop(name, None)
        return made


class _Numbers(Mapping[Any, int]):
    """The vertex of each node where nodes are the numbers of the vertices; other numbers that are equal to one are the
    same node, as in a dict."""

    def __init__(self, numbers: range) -> None:
        """`numbers` are 0 … V-1."""
        self._numbers = numbers

    def __getitem__(self, node: Any) -> int:
        if isinstance(node, int | float | np.integer) and 0 <= node < len(self._numbers) and int(node) == node:
            return int(node)
        hash(node)
        raise KeyError(node)

    def __iter__(self) -> Iterator[int]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)


def _graph(sources: NDArray[Any], destinations: NDArray[Any], size: int, directed: bool) -> Graph:
    from gdsl.graph import Graph

    return Graph.from_edges(sources, destinations, num_vertices=size, directed=directed)
