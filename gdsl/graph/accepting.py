"""Graphs of other libraries where a `Graph` is wanted."""

from __future__ import annotations

import sys
from typing import Any

from gdsl.graph.graph import Graph


def as_graph(value: Any) -> Graph:
    """`value` itself, or the graph of a NetworkX graph or of a sparse matrix of SciPy. Raises TypeError for anything
    else, GdslError E07xx for what is no graph after all."""
    if isinstance(value, Graph):
        return value
    if _is_of_networkx(value):
        return Graph.from_networkx(value)
    sparse: Any = sys.modules.get("scipy.sparse")  # whoever has such a matrix has imported it
    if sparse is not None and sparse.issparse(value):
        return Graph.from_scipy(value)
    raise TypeError(
        f"the first argument must be a gdsl.Graph, or a graph of NetworkX or SciPy, not {type(value).__name__}; "
        "see Graph.read, from_edges, from_scipy, from_networkx and from_pandas"
    )


def _is_of_networkx(value: Any) -> bool:
    names = ("nodes", "edges", "is_directed", "is_multigraph")
    return not isinstance(value, type) and all(hasattr(value, name) for name in names)
