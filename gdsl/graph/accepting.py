"""Graphs of other libraries where a `Graph` is wanted."""

from __future__ import annotations

import sys
from typing import Any

from gdsl.graph.graph import Graph


def as_graph(value: Any) -> Graph:
    """`value` itself, or the graph of a NetworkX or igraph graph or of a sparse matrix of SciPy, CuPy or PyTorch.

    Raises TypeError for anything else, GdslError E07xx for what is no graph after all."""
    if isinstance(value, Graph):
        return value
    from gdsl.graph.igraph_graphs import is_igraph
    from gdsl.graph.sparse_matrices import is_of_cupy
    from gdsl.graph.torch_matrices import layout_of

    if _is_of_networkx(value):
        return Graph.from_networkx(value)
    if is_igraph(value):
        return Graph.from_igraph(value)
    sparse: Any = sys.modules.get("scipy.sparse")  # whoever has such a matrix has imported it
    if (sparse is not None and sparse.issparse(value)) or is_of_cupy(value):
        return Graph.from_scipy(value)
    if (layout_of(value) or "").startswith("sparse_"):
        return Graph.from_torch(value)
    raise TypeError(
        "the first argument must be a gdsl.Graph, or a graph of NetworkX, igraph, SciPy, CuPy or PyTorch (sparse), not "
        f"{type(value).__name__}; see Graph.read, from_edges, from_table, from_scipy and from_networkx"
    )


def _is_of_networkx(value: Any) -> bool:
    names = ("nodes", "edges", "is_directed", "is_multigraph")
    return not isinstance(value, type) and all(hasattr(value, name) for name in names)
