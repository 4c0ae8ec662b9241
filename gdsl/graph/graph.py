"""The graph that every backend reads: what makes one, and what it is turned into."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gdsl.diagnostics import shown
from gdsl.graph.arguments import directions, flag
from gdsl.graph.column_names import columns_of
from gdsl.graph.content import GraphContent
from gdsl.graph.csr import Csr, edges_of
from gdsl.graph.edge_list import EdgeList, edges_from_arrays
from gdsl.graph.generators import generate_edges
from gdsl.graph.immutable import immutable
from gdsl.graph.lazy_csr import csr_or_lazy, lazy_csr_of_matrix, lazy_csr_on_gpu, with_own_memory
from gdsl.graph.reading import read_graph, request_of
from gdsl.graph.sparse_matrices import csr_of_matrix, is_of_cupy
from gdsl.graph.transformations import options_of
from gdsl.graph.update_arguments import checked_update
from gdsl.graph.update_records import recorded
from gdsl.graph.updates import Delta
from gdsl.graph.vertices import vertex_count

if TYPE_CHECKING:
    from typing import Self


class Graph(GraphContent):
    """An immutable graph. Build one with `from_edges`, `from_table`, `from_scipy`, `from_networkx`, `from_igraph`,
    `from_torch`, `read` or `generate`.

    An edge id is the edge's place in the CSR: edges are ordered by source, then by neighbor, then as given.
    Undirected edges are stored both ways, an undirected self-loop once. Parallel edges are kept.

    num_vertices: number of vertices V; their ids are 0 … V-1. vertex_attributes: their values by name, each [V].
    directed: whether the edges were given as one-way arcs. offsets, columns: the CSR.
    names: what the vertices are called, by id; None where they are called by their ids.

    A graph shares no memory with the arrays it was built from, and its own arrays cannot be written.
    """

    _base: Graph | None = None
    """Of a graph with a delta, the one whose arrays it shares."""

    @classmethod
    def _from_edge_list(cls, edges: EdgeList) -> Graph:
        """The graph of edges in memory of their own."""
        return Graph._of_csr(csr_or_lazy(edges))

    def _edge_list(self) -> EdgeList:
        """The edges by id; of an undirected graph each once, from the lower to the higher end."""
        return edges_of(self._csr)

    @classmethod
    def generate(cls, spec: str, /, **options: Any) -> Graph:
        """A generated graph, such as ``generate("rmat", scale=16)``, or as one word ``generate("rmat:16:seed=3")``.

        rmat takes `scale`, `edge_factor` and `seed`, grid `rows`, `columns`, `keep` and `seed`, uniform `vertices`,
        `edges` and `seed`. Raises GdslError E0713, TypeError for unknown options.
        """
        return Graph._from_edge_list(generate_edges(spec, options))

    def changed(
        self,
        *,
        undirected: bool = False,
        weights: str | None = None,
        dedup: str | None = None,
        loops: bool = True,
        compact: bool = False,
        reverse_arcs: bool = False,
    ) -> Graph:
        """This graph, with every arc both ways (`undirected`), without self-loops (``loops=False``), without parallel
        edges (``dedup="first"|"sum"|"min"|"max"``), without vertices that have no edge (`compact`, which keeps the ids
        as `names`), with other weights (``weights="random:SEED"``), with an opposite of zeros for each arc that has
        none (`reverse_arcs`, which `max_flow` needs). Raises GdslError E0712.
        """
        options = options_of(undirected, weights, dedup, loops, compact, reverse_arcs)
        lazy = self._lazy_csr.changed(options) if self._lazy_csr is not None else None
        return options.apply(self) if lazy is None else Graph._of_csr(lazy)

    def updated(self, *, insert: Any = None, delete: Any = None) -> Graph:
        """A graph with the edges `insert` and without the edges `delete`; this one stays as it is.

        `insert` is (sources, destinations), followed by the weights if the graph has the attribute `weight`, or by a
        mapping with the values of each attribute of edges. `delete` is (sources, destinations), and deletes all
        parallel edges between two ends; it comes first, so that an edge in both is replaced. In an undirected graph
        both stand for both directions. The vertices and their attributes stay; vertices are named as in a call of a
        program.

        Costs a few microseconds for each changed edge. Until something needs it, the result has the arrays of this
        graph and a sorted list of changes, which are then merged in one pass; updates of the result add to that list.

        Raises GdslError E0707, E0711 or E0717, TypeError for arguments of a wrong kind.
        """
        delta, base = self._delta, self._base
        if delta is None or base is None or delta.is_large:
            delta, base = Delta.of(self._csr, self._conditions), self
        dtypes = {name: of.dtype for name, of in delta.base.attributes.items()}
        update = checked_update(insert, delete, self.num_vertices, self.names, dtypes)
        changed = update.applied_to(delta)
        graph = Graph._of_csr(changed)
        records = recorded(update.record(self._identity), self._records, self.num_vertices)
        graph.__dict__.update(_base=base, _records=records)
        return graph

    def changed_vertices(self, since: Graph | None = None) -> NDArray[Any]:
        """int32 or int64[n], ascending: the ends of the edges that the last `updated` inserted or deleted, or all
        updates after the graph `since`; none for other graphs. A param that is a `vertex set` takes it.

        Raises ValueError where this graph is not known to come from `since` by updates, TypeError for what is no graph.
        """
        if since is not None and not isinstance(since, Graph):
            raise TypeError(f"since must be a gdsl.Graph, not {shown(since)}")
        if since is None:
            changes = self._changes_since(self._records[-1].before if self._records else self._identity)
        else:
            changes = self._changes_since(since._identity)
        if changes is None:
            raise ValueError("this graph is not known to be an update of the graph `since`")
        return immutable(changes.ends)

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles hold the CSR and the attributes; the rest is computed again when needed."""
        values = self.directed, dict(self.attributes), dict(self.vertex_attributes), self.names
        return _graph_from_parts, (type(self), self._csr.offsets, self._csr.columns, *values)

    @classmethod
    def from_edges(
        cls,
        sources: ArrayLike,
        destinations: ArrayLike,
        num_vertices: int | None = None,
        weights: ArrayLike | None = None,
        *,
        directed: bool | None = None,
        undirected: bool = False,
        attributes: Mapping[str, ArrayLike] | None = None,
        vertex_attributes: Mapping[str, ArrayLike] | None = None,
    ) -> Graph:
        """The graph of the edges (sources[i], destinations[i]), with ids from 0, in this order.

        `weights` is the edge attribute called `weight`; all edge attributes have one value for each given edge. The
        edges are arcs; with directed=False each is an undirected edge, given once and stored both ways, and with
        undirected=True every arc becomes one, together with its opposite, as by `changed`. Without `num_vertices` it is
        the largest id plus one. Raises GdslError (E0707, E0709, E0711) for unusable arrays, E0712 for `directed` and
        `undirected` together.
        """
        named = {} if attributes is None else attributes
        if weights is not None and isinstance(named, Mapping):
            if "weight" in named:
                raise ValueError("weights and attributes['weight'] are the same; give one of them")
            named = {**named, "weight": weights}
        of_vertices = {} if vertex_attributes is None else vertex_attributes
        arcs, both = directions(directed, undirected)
        arguments = sources, destinations, num_vertices, named, arcs, of_vertices
        lazy = lazy_csr_on_gpu(*arguments)
        graph = (
            Graph._from_edge_list(with_own_memory(edges_from_arrays(*arguments)))
            if lazy is None
            else Graph._of_csr(lazy)
        )
        return graph.changed(undirected=True) if both else graph

    @classmethod
    def read(
        cls,
        path: str | os.PathLike[str],
        *,
        format: str | None = None,  # noqa: A002 - the word that users expect
        one_based: bool | None = None,
        num_vertices: int | None = None,
        directed: bool | None = None,
        undirected: bool = False,
        weights: str | None = None,
        dedup: str | None = None,
        loops: bool = True,
        compact: bool = False,
        reverse_arcs: bool = False,
        source_column: str | None = None,
        target_column: str | None = None,
        weight_column: str | None = None,
    ) -> Graph:
        """The graph in a file: Matrix Market `.mtx`, DIMACS `.gr`, SciPy `.npz`, METIS `.graph`, edge lists `.csv .tsv
        .txt .el .e .wel`, tables `.parquet .feather .arrow`, `.graphml`, `.gml`, Pajek `.net`, by NetworkX `.gexf .json
        .dot .adjlist .g6 .s6`; or a generated one (``"rmat:16"``) or one that comes with gdsl (``"karate"``), where no
        file has that name.

        The name of the file gives the format unless `format` does (mtx, gr, npz, csv, tsv, edges, metis, parquet,
        arrow, graphml, gml, pajek, gexf, dot, json, adjlist, multiline-adjlist, graph6, sparse6, leda); text may be
        compressed by gzip, bzip2 or xz. Edge lists and tables count from 0, with `one_based` from 1; without
        `num_vertices` they have the largest id's; `source_column`, `target_column` and `weight_column` name their
        columns. With `directed` their edges are arcs, or undirected ones; where it or `one_based` is None, comments of
        SNAP and KONECT decide. `undirected`, `weights="random:SEED"`, `dedup="first"|"sum"|"min"|"max"`, `loops=False`,
        `compact` and `reverse_arcs` are those of `changed`. Raises GdslError E07xx with file and line, TypeError for
        arguments of a wrong kind; a file that was read in a way that its author may not expect warns (`GraphNotice`).
        """
        request = request_of(
            path,
            format=format,
            one_based=one_based,
            num_vertices=num_vertices,
            directed=directed,
            undirected=undirected,
            weights=weights,
            dedup=dedup,
            loops=loops,
            compact=compact,
            reverse_arcs=reverse_arcs,
            source_column=source_column,
            target_column=target_column,
            weight_column=weight_column,
        )
        return Graph._of_csr(read_graph(request))

    @classmethod
    def from_table(
        cls,
        table: Any,
        source: str | None = None,
        target: str | None = None,
        weight: str | None = None,
        *,
        directed: bool | None = None,
        undirected: bool = False,
        num_vertices: int | None = None,
        compact: bool = False,
    ) -> Self:
        """The graph of the rows of a table: a frame of pandas, Polars or any library that Narwhals knows, a table of
        Arrow or anything with Arrow's C interface, a dict of arrays, or anything with `columns` and columns by name.

        Without `source` and `target` the ends are the columns of these names (or src and dst, from and to), else the
        first two. Ends that are not whole numbers are `names`, numbered as they appear. The column `weight` is the
        attribute of that name; the other columns of numbers are attributes too. `directed`: True, unless the ends are
        called `end` and `other_end`; `undirected` is that of `from_edges`. With `compact` whole numbers are names as
        well, and the vertices those that have an edge, in the order of their numbers. Raises GdslError E07xx, E0907
        without a library that it takes.
        """
        from gdsl.graph.tables import edges_of_table

        columns = columns_of(source, target, weight)
        one_way, both = directions(directed, undirected, None)
        count, is_compact = vertex_count(num_vertices), flag("compact", compact)
        return cls._of(edges_of_table(table, columns, one_way, count, is_compact), both)

    from_pandas = from_table
    """Another name for `from_table`."""

    @classmethod
    def from_scipy(cls, matrix: Any, *, directed: bool | None = None, undirected: bool = False) -> Self:
        """The graph of a square sparse matrix of SciPy, or of `cupyx.scipy.sparse`: each stored entry (i, j) is an edge
        i→j, its value the weight.

        Parallel entries and stored zeros are kept, except for the padding of BSR and DIA; boolean matrices
        give no weights. With directed=False the matrix must be symmetric, with undirected=True each entry becomes an
        undirected edge, together with its opposite. Raises GdslError E0704, E0707, E0711 or E0712.
        """
        one_way, both = directions(directed, undirected)
        lazy = lazy_csr_of_matrix(matrix) if one_way and is_of_cupy(matrix) else None
        return cls._undirected(cls._of_csr(csr_of_matrix(matrix, one_way) if lazy is None else lazy), both)

    @classmethod
    def from_torch(cls, matrix: Any, *, directed: bool | None = None, undirected: bool = False) -> Self:
        """The graph of a sparse tensor of PyTorch in the layout COO, CSR or CSC, on the host or a GPU; see
        `from_scipy`."""
        from gdsl.graph.sparse_matrices import csr_of_torch, lazy_csr_of_tensor

        one_way, both = directions(directed, undirected)
        lazy = lazy_csr_of_tensor(matrix) if one_way else None
        return cls._undirected(cls._of_csr(csr_of_torch(matrix, one_way) if lazy is None else lazy), both)

    @classmethod
    def from_networkx(cls, graph: Any, *, undirected: bool = False) -> Self:
        """The graph of a NetworkX (multi)graph, with the attributes that are numbers on every edge or node.

        Nodes 0 … V-1 keep their numbers; any other nodes are numbered in the order of `graph.nodes`, and are `names`.
        An edge without a `weight` gets 1 if others have one, as in NetworkX. Parallel edges of a multigraph are kept,
        each an edge of its own (`changed(dedup=…)` merges them). With undirected=True every arc becomes an undirected
        edge, together with its opposite. Raises GdslError E0711.
        """
        from gdsl.graph.library_graphs import edges_of_networkx

        return cls._of(edges_of_networkx(graph), flag("undirected", undirected))

    @classmethod
    def from_igraph(cls, graph: Any, *, undirected: bool = False) -> Self:
        """The graph of an `igraph.Graph`: the ids of its vertices, their attribute `name` as `names`, and the
        attributes that are numbers on every edge or vertex.

        An edge without a `weight` gets 1 if others have one; `undirected` is that of `from_networkx`. Raises GdslError
        E0711, also for missing or repeated names.
        """
        from gdsl.graph.library_graphs import edges_of_igraph

        return cls._of(edges_of_igraph(graph), flag("undirected", undirected))

    @classmethod
    def _of(cls, edges: EdgeList, undirected: bool) -> Self:
        return cls._undirected(cls._of_csr(csr_or_lazy(with_own_memory(edges))), undirected)

    @classmethod
    def _undirected(cls, graph: Any, undirected: bool) -> Self:
        result: Self = graph.changed(undirected=True) if undirected else graph
        return result

    def to_scipy(self, attribute: str | None = "weight") -> Any:
        """The csr_array [V, V] whose entry (u, v) is the edge u→v with its `attribute`, or True without that attribute.

        Parallel edges stay separate entries, in the order of their ids; SciPy calls such a matrix not canonical."""
        from scipy import sparse

        values = self.attributes.get(attribute) if attribute is not None else None
        data = np.ones(self.num_edges, dtype=bool) if values is None else values.copy()
        offsets = self.offsets.astype(np.int32) if self.id_bits == 32 else self.offsets.copy()
        return sparse.csr_array((data, self.columns.copy(), offsets), shape=(self.num_vertices, self.num_vertices))

    def to_networkx(self) -> Any:
        """A Graph or DiGraph of NetworkX (Multi… where there are parallel edges) with all attributes; its nodes are the
        `names`, else the ids."""
        from gdsl.graph.library_graphs import networkx_of

        return networkx_of(self._edge_list())

    def to_igraph(self) -> Any:
        """An `igraph.Graph` with all attributes, and the `names` as the attribute `name` of its vertices."""
        from gdsl.graph.library_graphs import igraph_of

        return igraph_of(self._edge_list())

    def plot(self, ax: Any = None, *, kind: str | None = None) -> Any:
        """A picture by Matplotlib, on `ax` or new axes, which it returns: a small graph is drawn (``kind="drawing"``),
        for a larger one the picture shows how many vertices have each degree (``kind="distribution"``). Raises
        ValueError for other kinds, GdslError E0907 without Matplotlib."""
        from gdsl.pictures.plots import plot_graph

        return plot_graph(self, ax, kind)

    def _repr_html_(self) -> str | None:
        from gdsl.graph.display import graph_page

        return graph_page(self)


def _graph_from_parts(kind: type[Graph], *parts: Any) -> Graph:
    return kind._of_csr(Csr(*parts))
