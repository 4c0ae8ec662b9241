"""SciPy sparse matrices, in memory and as `.npz` files: entry (i, j) is the edge i→j, nothing is summed or dropped."""

from __future__ import annotations

import contextlib
import zipfile
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray
from scipy import sparse

from gdsl.diagnostics import GdslError
from gdsl.graph.construction import EdgeList, build, edges_from_arrays
from gdsl.graph.errors import bad_array
from gdsl.graph.graph import Graph
from gdsl.graph.memory import require_memory
from gdsl.graph.text import file_size, narrowed, unreadable

_LARGEST_DEFLATE_RATIO = 1100
DIRECTED_KEY = "gdsl_directed"
"""What gdsl adds to its own `.npz` files; SciPy ignores it."""


def edges_of_matrix(matrix: Any) -> EdgeList:
    """The entries of a square sparse matrix or array as directed edges, in its order; booleans give no weights.

    Raises GdslError E0704 for a matrix that is no graph, E0711 for one whose arrays do not fit together.
    """
    is_sparse: bool = sparse.issparse(matrix)
    if not is_sparse:
        raise bad_array(f"{type(matrix).__name__} is not a sparse matrix of SciPy", "scipy.sparse.coo_array(matrix)")
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        shape = " × ".join(f"{size:,}" for size in matrix.shape)
        raise GdslError.single("E0704", f"the matrix is {shape}; a graph's matrix is square")
    if matrix.dtype.kind == "c":
        raise GdslError.single("E0704", "the matrix has complex values; weights are integers or real numbers")
    rows, columns = _entries(matrix)
    data = matrix.data if matrix.format in ("coo", "csr", "csc") else matrix.tocoo().data
    attributes = {} if data.dtype.kind == "b" else {"weight": data}
    return edges_from_arrays(rows, columns, matrix.shape[0], attributes, True, {})


def _entries(matrix: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Row and column of each entry, parallel ones kept, in the matrix's own order."""
    if matrix.format not in ("csr", "csc"):
        entries = matrix.tocoo()
        return entries.row, entries.col
    indptr = matrix.indptr
    count = matrix.shape[0]
    if len(indptr) != count + 1 or indptr[0] != 0 or (np.diff(indptr) < 0).any() or indptr[-1] != len(matrix.indices):
        raise bad_array("the matrix's indptr does not fit its indices", "matrix.check_format() says more")
    major = np.repeat(np.arange(count, dtype=matrix.indices.dtype), np.diff(indptr))
    return (major, matrix.indices) if matrix.format == "csr" else (matrix.indices, major)


def graph_of_matrix(matrix: Any, directed: bool) -> Graph:
    """The graph of a sparse matrix; with directed=False it must be symmetric, each edge standing there both ways."""
    graph = build(edges_of_matrix(matrix))
    if directed:
        return graph
    edge = graph.first_asymmetric_edge()
    if edge is None and "weight" in graph.attributes:
        edge = _first_weight_that_differs(graph)
    if edge is not None:
        source, destination = graph.ends(edge)
        message = f"the matrix is not symmetric: ({source}, {destination}) and ({destination}, {source}) differ"
        raise GdslError.single("E0704", message, fix="leave out directed=False, or give matrix + matrix.T")
    return Graph._made(graph.offsets, graph.columns, False, graph.attributes, {})


def _first_weight_that_differs(graph: Graph) -> int | None:
    weights = graph.attributes["weight"]
    # In a symmetric graph CSC position i stands for the opposite of edge i, parallel edges in their order.
    opposite = weights[graph.in_edge_ids]
    differs = (weights != opposite) & ~((weights != weights) & (opposite != opposite))
    return int(np.argmax(differs)) if differs.any() else None


def read_npz(path: str) -> EdgeList:
    """The edges of a matrix saved by `scipy.sparse.save_npz`. Raises GdslError E07xx."""
    size = file_size(path)
    try:
        directed = _check_archive(path, size)
        matrix = sparse.load_npz(path)
    except GdslError:
        raise
    except (zipfile.BadZipFile, EOFError) as error:
        raise GdslError.single(
            "E0710", "the .npz file is damaged or cut off", notes=(str(error),), place=path
        ) from None
    except OSError as error:
        raise unreadable(path, error) from None
    except Exception as error:  # NumPy, SciPy and zipfile raise whatever comes out of damaged bytes.
        message = "this is no sparse matrix of SciPy (scipy.sparse.save_npz)"
        raise GdslError.single("E0710", message, notes=(f"{type(error).__name__}: {error}",), place=path) from None
    with _placed(path):
        edges = edges_of_matrix(matrix)
        edges.attributes = {name: narrowed(values) for name, values in edges.attributes.items()}
        if not directed:
            lower = edges.sources >= edges.destinations
            kept = {name: values[lower] for name, values in edges.attributes.items()}
            return EdgeList(edges.sources[lower], edges.destinations[lower], edges.num_vertices, False, kept)
        return edges


def _check_archive(path: str, size: int) -> bool:
    """Whether the graph is directed, after every array's shape was checked against what the file can hold."""
    directed, total = True, 0
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            with archive.open(member) as stream:
                major, _ = npy.read_magic(stream)
                read_header = npy.read_array_header_1_0 if major == 1 else npy.read_array_header_2_0
                shape, _, dtype = read_header(stream)
                if dtype.hasobject:
                    raise ValueError("the file holds Python objects")
                count = 1
                for length in shape:
                    count *= int(length)
                claimed = count * dtype.itemsize
                if claimed > member.file_size or member.file_size > size * _LARGEST_DEFLATE_RATIO:
                    message = f"its part {member.filename} says {claimed:,} bytes, more than the file can hold"
                    raise GdslError.single("E0706", message, place=path)
                if member.filename == f"{DIRECTED_KEY}.npy":
                    directed = stream.read(1) != b"\0"
                total += claimed
    require_memory(total * 3, "the sparse matrix", path)
    return directed


@contextlib.contextmanager
def _placed(path: str) -> Any:
    """Give the errors raised inside the file as their place."""
    try:
        yield
    except GdslError as error:
        first = error.diagnostics[0]
        raise GdslError.single(first.code, first.message, notes=first.notes, fix=first.fix, place=path) from None
