"""Graphs from a path, a generator or another library: `open_graph`, `rmat`, `grid`, `uniform`, `as_graph`."""

from __future__ import annotations

import os
import sys
from typing import Any

from gdsl.graph.generators import edges_of_spec, grid_edges, rmat_edges, uniform_edges
from gdsl.graph.graph import Graph


def rmat(scale: int, edge_factor: int = 16, seed: int = 1) -> Graph:
    """An R-MAT graph (Chakrabarti, Zhan and Faloutsos 2004) with the parameters of Graph500 and shuffled ids.

    2**scale vertices; edge_factor * 2**scale edges are drawn, then loops and duplicates dropped.
    Raises GdslError E0713.
    """
    return Graph._from_edge_list(rmat_edges(scale, edge_factor, seed))


def grid(rows: int, columns: int | None = None, keep: float = 0.9, seed: int = 2) -> Graph:
    """A grid of rows × columns (a square without `columns`), ids row by row, each edge kept with probability `keep`.

    Raises GdslError E0713.
    """
    return Graph._from_edge_list(grid_edges(rows, columns, keep, seed))


def uniform(vertices: int, edges: int, seed: int = 1) -> Graph:
    """`edges` different edges of `vertices` vertices, every such graph equally likely, as far as hashes go.

    Raises GdslError E0713.
    """
    return Graph._from_edge_list(uniform_edges(vertices, edges, seed))


def generate(spec: str) -> Graph:
    """The graph that `spec` names: `rmat:SCALE[:EDGE_FACTOR]`, `grid:SIDE`, `grid:ROWSxCOLUMNS`,
    `uniform:VERTICES:EDGES`, each optionally followed by `:seed=N`, grids also by `:keep=P`. Raises GdslError E0713.
    """
    return Graph._from_edge_list(edges_of_spec(spec))


def open_graph(path_or_spec: str | os.PathLike[str], **options: Any) -> Graph:
    """What the command line calls GRAPH: a file, or a generator such as `rmat:18` or a graph that comes with gdsl if no
    file has that name.

    `options` are those of `Graph.read`. Raises GdslError E07xx.
    """
    return Graph.read(os.fspath(path_or_spec), **options)


def as_graph(value: Any) -> Graph:
    """`value` itself, or the graph of a NetworkX or igraph graph or of a sparse matrix of SciPy, CuPy or PyTorch.

    Raises TypeError for anything else, GdslError E07xx for an object that is not a valid graph."""
    if isinstance(value, Graph):
        return value
    from gdsl.graph.library_graphs import is_igraph
    from gdsl.graph.sparse_matrices import is_of_cupy, layout_of

    if _is_of_networkx(value):
        return Graph.from_networkx(value)
    if is_igraph(value):
        return Graph.from_igraph(value)
    sparse: Any = sys.modules.get("scipy.sparse")  # anyone with such a matrix has imported it
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
