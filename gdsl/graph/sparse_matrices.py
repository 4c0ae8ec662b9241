"""SciPy sparse matrices, in memory and as `.npz` files: entry (i, j) is the edge i→j, nothing is summed or dropped."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from gdsl.diagnostics import GdslError
from gdsl.graph.archives import read_archive
from gdsl.graph.csr import Csr, csr_of
from gdsl.graph.edge_list import EdgeList, edges_from_arrays
from gdsl.graph.errors import bad_array, too_large
from gdsl.graph.foreign import fetched
from gdsl.graph.ids import LARGEST_NUM_VERTICES
from gdsl.graph.layouts import ARRAYS_OF_LAYOUT, entries_of
from gdsl.graph.symmetric import undirected_csr


def edges_of_matrix(matrix: Any) -> EdgeList:
    """The entries of a square sparse matrix or array as directed edges, in its order; booleans give no weights.

    Raises GdslError E0704 for a matrix that is no graph, E0711 for one whose arrays do not fit together.
    """
    from scipy import sparse

    on_gpu = is_of_cupy(matrix)
    is_sparse: bool = on_gpu or sparse.issparse(matrix)
    if not is_sparse:
        raise bad_array(f"{type(matrix).__name__} is not a sparse matrix of SciPy", "scipy.sparse.coo_array(matrix)")
    given = matrix if matrix.format in ARRAYS_OF_LAYOUT else matrix.tocoo()
    if given.ndim != 2:
        raise _not_square(given.shape)
    arrays = {name: getattr(given, name) for name in ARRAYS_OF_LAYOUT[given.format]}
    if on_gpu:
        arrays = {name: _fetched(name, values) for name, values in arrays.items()}
    return _edges(given.format, given.shape, arrays)


def is_of_cupy(matrix: Any) -> bool:
    """Whether `matrix` is one of `cupyx.scipy.sparse`."""
    if type(matrix).__module__.partition(".")[0] != "cupyx":
        return False
    from cupyx.scipy import sparse

    return bool(sparse.issparse(matrix))


def _fetched(name: str, values: Any) -> NDArray[Any]:
    try:
        return fetched(values)
    except ValueError as error:
        raise bad_array(f"{name} of the matrix {error}", "matrix.get() is one of SciPy") from None


def _edges(layout: str, shape: tuple[int, int], arrays: dict[str, NDArray[Any]]) -> EdgeList:
    if shape[0] != shape[1]:
        raise _not_square(shape)
    if shape[0] > LARGEST_NUM_VERTICES:
        raise too_large(f"{shape[0]:,} vertices; at most {LARGEST_NUM_VERTICES:,} are possible")
    entries = entries_of(layout, shape[0], arrays)
    attributes = {} if entries.values.dtype.kind == "b" else {"weight": entries.values}
    return edges_from_arrays(entries.rows, entries.columns, shape[0], attributes, True, {})


def _not_square(shape: tuple[int, ...]) -> GdslError:
    sizes = " × ".join(f"{size:,}" for size in shape)
    return GdslError.single("E0704", f"the matrix is {sizes}; a graph's matrix is square")


def csr_of_matrix(matrix: Any, directed: bool) -> Csr:
    """The CSR of a sparse matrix; with directed=False it must be symmetric, each edge standing there both ways."""
    return _in_order(edges_of_matrix(matrix), directed)


def csr_of_entries(layout: str, shape: tuple[int, ...], arrays: dict[str, NDArray[Any]], directed: bool) -> Csr:
    """The same of the arrays of one of SciPy's layouts. Raises E0704, E0707 or E0711."""
    return _in_order(_edges(layout, (shape[0], shape[1]), arrays), directed)


def _in_order(edges: EdgeList, directed: bool) -> Csr:
    return (
        csr_of(edges)
        if directed
        else undirected_csr(edges, "the matrix", "leave out directed=False, or give matrix + matrix.T")
    )


def read_npz(path: str) -> EdgeList | Csr:
    """The edges of a matrix saved by `scipy.sparse.save_npz`; the CSR, if gdsl saved it as an undirected one.

    Raises GdslError E07xx.
    """
    saved = read_archive(path)
    edges = _edges(saved.layout, saved.shape, saved.arrays)
    if saved.directed:
        return edges
    fix = "the file says that it is undirected: without its part `gdsl_directed` it is directed"
    return undirected_csr(edges, "the matrix", fix)
