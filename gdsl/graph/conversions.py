"""Tables, and graphs of other libraries, as a `Graph`: what `Graph` has of these."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gdsl.graph.device_edges import large_on_gpu
from gdsl.graph.given import directions, flag
from gdsl.graph.ids import vertex_count
from gdsl.graph.postponed import in_order, own
from gdsl.graph.sparse_matrices import csr_of_matrix, is_of_cupy
from gdsl.graph.wanted import columns_of

if TYPE_CHECKING:
    from typing import Self

    from gdsl.graph.csr import Csr
    from gdsl.graph.edge_list import EdgeList
    from gdsl.graph.postponed import Postponed


class Conversions:
    """The ways into a `Graph` from other libraries, none of which is needed before it is used."""

    if TYPE_CHECKING:

        @classmethod
        def _made(cls, made: Csr | Postponed) -> Self: ...

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
        Arrow or what speaks Arrow's C interface, a dict of arrays, or anything with `columns` and columns by name.

        Without `source` and `target` the ends are the columns of these names (or src and dst, from and to), else the
        first two. Ends that are no whole numbers are `names`, numbered as they appear. The column `weight` is the
        attribute of that name; the other columns of numbers are attributes too. `directed`: True, but for ends that are
        called `end` and `other_end`; `undirected` is that of `from_edges`. With `compact` whole numbers are names as
        well, and the vertices those that have an edge, in the order of their numbers. Raises GdslError E07xx, E0907
        without a library that it takes.
        """
        from gdsl.graph.data_frames import edges_of_table

        columns = columns_of(source, target, weight)
        one_way, both = directions(directed, undirected, None)
        count, kept = vertex_count(num_vertices), flag("compact", compact)
        return cls._of(edges_of_table(table, columns, one_way, count, kept), both)

    from_pandas = from_table
    """Another name of `from_table`."""

    @classmethod
    def from_scipy(cls, matrix: Any, *, directed: bool | None = None, undirected: bool = False) -> Self:
        """The graph of a square sparse matrix of SciPy, or of `cupyx.scipy.sparse`: each stored entry (i, j) is an edge
        i→j, its value the weight.

        Parallel entries and stored zeros are kept, but for the zeros that BSR and DIA fill up with; boolean matrices
        give no weights. With directed=False the matrix must be symmetric, with undirected=True each entry becomes an
        undirected edge, together with its opposite. Raises GdslError E0704, E0707, E0711 or E0712.
        """
        one_way, both = directions(directed, undirected)
        later = large_on_gpu(matrix) if one_way and is_of_cupy(matrix) else None
        return cls._undirected(cls._made(csr_of_matrix(matrix, one_way) if later is None else later), both)

    @classmethod
    def from_torch(cls, matrix: Any, *, directed: bool | None = None, undirected: bool = False) -> Self:
        """The same of a sparse tensor of PyTorch, of the layouts COO, CSR and CSC, of the host or a GPU."""
        from gdsl.graph.torch_matrices import csr_of_torch, large_tensor_on_gpu

        one_way, both = directions(directed, undirected)
        later = large_tensor_on_gpu(matrix) if one_way else None
        return cls._undirected(cls._made(csr_of_torch(matrix, one_way) if later is None else later), both)

    @classmethod
    def from_networkx(cls, graph: Any, *, undirected: bool = False) -> Self:
        """The graph of a NetworkX (multi)graph, with the attributes that are numbers on every edge or node.

        Nodes 0 … V-1 keep their numbers; any other nodes are numbered in the order of `graph.nodes`, and are `names`.
        Edges without a `weight` among others that have one get 1, as NetworkX counts them. Parallel edges of a
        multigraph are kept, each an edge of its own (`changed(dedup=…)` makes one of them). With undirected=True every
        arc becomes an undirected edge, together with its opposite. Raises GdslError E0711.
        """
        from gdsl.graph.networkx_graphs import edges_of_networkx

        return cls._of(edges_of_networkx(graph), flag("undirected", undirected))

    @classmethod
    def from_igraph(cls, graph: Any, *, undirected: bool = False) -> Self:
        """The graph of an `igraph.Graph`: the ids of its vertices, their attribute `name` as `names`, and the
        attributes that are numbers on every edge or vertex.

        Edges without a `weight` among others that have one get 1; `undirected` is that of `from_networkx`. Raises
        GdslError E0711, also where names are missing
        or come twice.
        """
        from gdsl.graph.igraph_graphs import edges_of_igraph

        return cls._of(edges_of_igraph(graph), flag("undirected", undirected))

    @classmethod
    def _of(cls, edges: EdgeList, undirected: bool) -> Self:
        return cls._undirected(cls._made(in_order(own(edges))), undirected)

    @classmethod
    def _undirected(cls, graph: Any, undirected: bool) -> Self:
        made: Self = graph.changed(undirected=True) if undirected else graph
        return made
