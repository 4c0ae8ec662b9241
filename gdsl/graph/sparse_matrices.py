"""Sparse matrices of SciPy, CuPy and PyTorch: entry (i, j) is the edge i→j, nothing is summed or dropped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.diagnostics import GdslError, type_name
from gdsl.graph.arrays import fetched, host_array
from gdsl.graph.csr import Csr, csr_of, undirected_csr
from gdsl.graph.edge_list import EdgeList, edges_from_arrays
from gdsl.graph.lazy_csr import LARGE, LazyCsr, entries_on_gpu
from gdsl.graph.memory import require_memory
from gdsl.graph.messages import bad_array, bad_id
from gdsl.graph.vertices import require_countable
from gdsl.records import dataclass

ARRAYS_OF_LAYOUT: dict[str, tuple[str, ...]] = {
    "coo": ("data", "row", "col"),
    "csr": ("data", "indices", "indptr"),
    "csc": ("data", "indices", "indptr"),
    "bsr": ("data", "indices", "indptr"),
    "dia": ("data", "offsets"),
}
"""The arrays of a matrix of each layout, by their names in SciPy."""

_BYTES_PER_PADDED_ENTRY = 40


@dataclass(frozen=True, slots=True)
class Entries:
    """Entry k is at (rows[k], columns[k]) and has values[k]; all of one length, the indices known to be in range."""

    rows: NDArray[Any]
    columns: NDArray[Any]
    values: NDArray[Any]


def entries_of(layout: str, size: int, arrays: Mapping[str, NDArray[Any]]) -> Entries:
    """The entries of a `size` × `size` matrix in the matrix's own order, with parallel ones and stored zeros.

    BSR and DIA pad their blocks and diagonals with zeros, so zeros are not entries there. Raises GdslError E0704 for
    complex values, E0707 for an index out of range, E0711 for arrays that do not fit.
    """
    require_fitting(layout, size, {name: (array.shape, array.dtype) for name, array in arrays.items()})
    values = arrays["data"]
    if layout == "coo":
        return _coordinates(size, arrays["row"], arrays["col"], values)
    if layout == "dia":
        return _diagonals(size, arrays["offsets"], values)
    if layout == "bsr":
        return _blocks(size, arrays["indices"], arrays["indptr"], values)
    major, minor = _compressed(size, size, arrays["indices"], arrays["indptr"])
    return Entries(major, minor, values) if layout == "csr" else Entries(minor, major, values)


Header = tuple[tuple[int, ...], np.dtype[Any]]
"""Shape and type of an array."""


def require_fitting(layout: str, size: int, headers: Mapping[str, Header]) -> None:
    """Check only shapes and types, as the arrays of a file may be large.

    Raises GdslError E0704 for complex values, E0711 for arrays that do not fit together or the matrix.
    """
    shape, dtype = headers["data"]
    if dtype.kind == "c":
        raise GdslError.single("E0704", "the matrix has complex values; weights are integers or real numbers")
    if dtype.kind not in "biuf":
        raise bad_array(f"data has the type {type_name(dtype)}", "values are booleans, integers or real numbers")
    for name, (other, kind) in headers.items():
        if name != "data" and len(other) != 1:
            raise bad_array(f"{name} has {len(other)} dimensions", "give an array of one dimension")
        if name != "data" and kind.kind not in "iu" and other[0]:
            raise bad_array(f"{name} has the type {type_name(kind)}", "indices are integers")
    if layout == "dia":
        _require_diagonals(shape, headers["offsets"][0])
        return
    name = "row" if layout == "coo" else "indices"
    count = headers[name][0][0]
    if layout == "coo" and headers["col"][0][0] != count:
        raise _different("row", (count,), "col", headers["col"][0][0])
    if layout == "bsr":
        _require_blocks(size, shape, count)
    elif shape != (count,):
        raise _different("data", shape, name, count)
    if layout != "coo":
        majors = size // shape[1] if layout == "bsr" else size
        if headers["indptr"][0][0] != majors + 1:
            message = f"indptr has {headers['indptr'][0][0]:,} elements"
            raise bad_array(message, f"one more than the matrix has rows: {majors + 1:,}")


def require_starts(indptr: NDArray[Any], count: int) -> NDArray[np.int64]:
    """`indptr` as int64, which begins with 0, never decreases and ends with `count`. Raises GdslError E0711."""
    [starts] = checked_starts([indptr], count)
    return starts


def checked_starts(pieces: Iterable[NDArray[Any]], count: int) -> Iterator[NDArray[np.int64]]:
    """The pieces of `indptr` as int64, each preceded by the last element of the one before. Raises GdslError E0711 as
    `require_starts`, once all pieces were taken."""
    last, first = np.zeros(0, np.int64), 0
    for piece in pieces:
        starts = np.concatenate([last, _whole(piece, "indptr").astype(np.int64)])
        if not len(last) and starts[0] != 0:
            raise bad_array(f"indptr[0] is {starts[0]}", "indptr begins with 0")
        falling = starts[1:] < starts[:-1]
        if falling.any():
            place = int(np.argmax(falling)) + 1
            message = f"indptr[{first + place}] is {starts[place]}, less than the {starts[place - 1]} before it"
            raise bad_array(message, "indptr never falls")
        yield starts
        first += len(starts) - 1
        last = starts[-1:]
    if last[0] != count:
        message = f"indptr ends with {last[0]:,}, and there are {count:,} indices"
        raise bad_array(message, "indptr ends with the number of indices")


def _require_blocks(size: int, shape: tuple[int, ...], count: int) -> None:
    if len(shape) != 3 or 0 in shape[1:]:
        raise bad_array(f"data has the shape {shape}", "BSR data has the shape (blocks, rows, columns)")
    height, width = shape[1:]
    if size % height or size % width:
        message = f"blocks of {height} × {width} do not tile a matrix of {size:,} × {size:,}"
        raise bad_array(message, "give blocks whose sides divide the matrix's")
    if shape[0] != count:
        raise bad_array(f"data has {shape[0]:,} blocks, indices {count:,} elements", "one index a block")


def _require_diagonals(shape: tuple[int, ...], offsets: tuple[int, ...]) -> None:
    if len(shape) != 2 or shape[0] != offsets[0]:
        message = f"data has the shape {shape}, offsets {offsets[0]:,} elements"
        raise bad_array(message, "DIA data has one row for each offset")


def _different(name: str, shape: tuple[int, ...], other: str, count: int) -> GdslError:
    size = f"{shape[0]:,} elements" if len(shape) == 1 else f"the shape {shape}"
    return bad_array(f"{name} has {size}, {other} {count:,} elements", "give one for each entry")


def _coordinates(size: int, rows: NDArray[Any], columns: NDArray[Any], values: NDArray[Any]) -> Entries:
    checked = [indices_below(array, name, size) for array, name in ((rows, "row"), (columns, "col"))]
    return Entries(checked[0], checked[1], values)


def _compressed(
    majors: int, minors: int, indices: NDArray[Any], indptr: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """(major, minor) index of each entry of a compressed matrix with `majors` rows (columns, rows of blocks)."""
    minor = indices_below(indices, "indices", minors)
    starts = require_starts(indptr, len(minor))
    return np.repeat(np.arange(majors, dtype=minor.dtype), np.diff(starts)), minor


def _blocks(size: int, indices: NDArray[Any], indptr: NDArray[Any], values: NDArray[Any]) -> Entries:
    """data[k] is a block of (height, width), at the k-th place of a compressed matrix of blocks."""
    height, width = values.shape[1:]
    major, minor = _compressed(size // height, size // width, indices, indptr)
    require_memory(values.size * _BYTES_PER_PADDED_ENTRY, "the blocks of the matrix")
    block, row, column = np.nonzero(values)
    rows = major.astype(np.int64)[block] * height + row
    columns = minor.astype(np.int64)[block] * width + column
    return Entries(rows, columns, values[block, row, column])


def _diagonals(size: int, offsets: NDArray[Any], values: NDArray[Any]) -> Entries:
    """data[k, j] is the entry in column j of the diagonal column - row = offsets[k]."""
    places = _whole(offsets, "offsets").astype(np.int64)
    if len(np.unique(places)) != len(places):
        raise bad_array("offsets holds a diagonal twice", "give each diagonal once")
    require_memory(values.size * _BYTES_PER_PADDED_ENTRY, "the diagonals of the matrix")
    diagonal, columns = np.nonzero(values[:, :size])
    inside = (columns >= places[diagonal]) & (columns - size < places[diagonal])
    diagonal, columns = diagonal[inside], columns[inside]
    return Entries(columns - places[diagonal], columns, values[diagonal, columns])


def _whole(array: NDArray[Any], name: str) -> NDArray[Any]:
    if array.dtype.kind == "u" and array.size and int(array.max()) > np.iinfo(np.int64).max:
        raise bad_array(f"{name} holds {int(array.max())}", "indices fit 64 bits with a sign")
    return array if array.size else np.zeros(0, dtype=np.int64)


def indices_below(array: NDArray[Any], name: str, size: int, first: int = 0) -> NDArray[Any]:
    """`array` as indices that are all below `size`. Raises E0707 with the place, which counts from `first`, of the
    first that is not."""
    whole = _whole(array, name)
    fits_int32 = np.can_cast(whole.dtype, np.int32)
    whole = whole.astype(np.int32 if fits_int32 else np.int64, copy=False)
    outside = (whole < 0) | (whole >= size)
    if outside.any():
        place = int(np.argmax(outside))
        raise bad_id(int(whole[place]), f"{name}[{place + first}]", size)
    return whole


def edges_of_matrix(matrix: Any) -> EdgeList:
    """The entries of a square sparse matrix or array as directed edges, in its order; booleans give no weights.

    Raises GdslError E0704 for a matrix that is not a graph, E0711 for one whose arrays do not fit together.
    """
    from scipy import sparse

    on_gpu = is_of_cupy(matrix)
    is_sparse: bool = on_gpu or sparse.issparse(matrix)
    if not is_sparse:
        raise bad_array(f"{type(matrix).__name__} is not a sparse matrix of SciPy", "scipy.sparse.coo_array(matrix)")
    supported_matrix = matrix if matrix.format in ARRAYS_OF_LAYOUT else matrix.tocoo()
    if supported_matrix.ndim != 2:
        raise _not_square(supported_matrix.shape)
    arrays = {name: getattr(supported_matrix, name) for name in ARRAYS_OF_LAYOUT[supported_matrix.format]}
    if on_gpu:
        arrays = {name: _fetched(name, values) for name, values in arrays.items()}
    return edges_of_entries(supported_matrix.format, supported_matrix.shape, arrays)


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


def edges_of_entries(layout: str, shape: tuple[int, int], arrays: dict[str, NDArray[Any]]) -> EdgeList:
    """The edges of the arrays of one of SciPy's layouts. Raises E0704, E0707, E0709 or E0711."""
    if shape[0] != shape[1]:
        raise _not_square(shape)
    require_countable(shape[0])
    entries = entries_of(layout, shape[0], arrays)
    attributes = {} if entries.values.dtype.kind == "b" else {"weight": entries.values}
    return edges_from_arrays(entries.rows, entries.columns, shape[0], attributes, True, {})


def _not_square(shape: tuple[int, ...]) -> GdslError:
    if len(shape) != 2:
        return GdslError.single(
            "E0704", f"the matrix has {len(shape)} dimension{'s' if len(shape) != 1 else ''}, not 2"
        )
    sizes = " × ".join(f"{size:,}" for size in shape)
    fix = "for an edge from each row to each column: scipy.sparse.bmat([[None, matrix], [matrix.T, None]])"
    return GdslError.single("E0704", f"the matrix is {sizes}; a graph's matrix is square", fix=fix)


def csr_of_matrix(matrix: Any, directed: bool) -> Csr:
    """The CSR of a sparse matrix; with directed=False it must be symmetric, with each edge both ways."""
    return _in_order(edges_of_matrix(matrix), directed)


def csr_of_entries(layout: str, shape: tuple[int, ...], arrays: dict[str, NDArray[Any]], directed: bool) -> Csr:
    """The CSR of a matrix of this `shape` whose `arrays` are those of SciPy's `layout` (csr, csc, coo, …), by name.
    Raises E0704, E0707 or E0711."""
    return _in_order(edges_of_entries(layout, (shape[0], shape[1]), arrays), directed)


def _in_order(edges: EdgeList, directed: bool) -> Csr:
    return (
        csr_of(edges)
        if directed
        else undirected_csr(edges, "the matrix", "leave out directed=False, or give matrix + matrix.T")
    )


_FIX = "a tensor of the layout torch.sparse_coo, sparse_csr or sparse_csc, such as tensor.to_sparse()"
_COMPRESSED = {
    "sparse_csr": ("csr", "crow_indices", "col_indices"),
    "sparse_csc": ("csc", "ccol_indices", "row_indices"),
}


def layout_of(tensor: Any) -> str | None:
    """The layout of a tensor of PyTorch, such as ``sparse_csr``; None for anything else."""
    if isinstance(tensor, type) or type(tensor).__module__.partition(".")[0] != "torch":
        return None
    return str(getattr(tensor, "layout", "")).rpartition(".")[2] or None


def csr_of_torch(tensor: Any, directed: bool) -> Csr:
    """The CSR of a sparse tensor, its parallel entries kept; with directed=False it must be symmetric.

    Raises GdslError E0704 for a tensor that is not a graph, E0711 for anything else.
    """
    layout = layout_of(tensor)
    if layout not in (*_COMPRESSED, "sparse_coo"):
        what = f"a tensor of the layout {layout}" if layout else type(tensor).__name__
        raise bad_array(f"{what} is not a sparse tensor of PyTorch that can be a graph", _FIX)
    shape = tuple(int(size) for size in tensor.shape)
    if len(shape) != 2 or tensor.ndim != 2:
        sizes = " × ".join(f"{size:,}" for size in shape)
        raise GdslError.single("E0704", f"the matrix is {sizes}; a graph's matrix is square")
    plain = tensor.detach()
    if layout == "sparse_coo":
        # Unlike `indices()` and `values()`, these do not require that parallel entries were summed.
        indices = plain._indices()
        parts = {"data": plain._values(), "row": indices[0], "col": indices[1]}
        return csr_of_entries("coo", shape, _host(parts), directed)
    kind, starts, others = _COMPRESSED[layout]
    parts = {"data": plain.values(), "indices": getattr(plain, others)(), "indptr": getattr(plain, starts)()}
    return csr_of_entries(kind, shape, _host(parts), directed)


def lazy_csr_of_tensor(tensor: Any) -> LazyCsr | None:
    """The graph of a large sparse tensor on a GPU, which stays on the GPU; None for any other."""
    layout = layout_of(tensor)
    if layout not in (*_COMPRESSED, "sparse_coo") or tensor.device.type != "cuda" or tensor.ndim != 2:
        return None
    plain = tensor.detach()
    if plain.shape[0] != plain.shape[1] or plain._nnz() < LARGE:
        return None
    entries = plain if layout == "sparse_coo" else plain.to_sparse_coo()
    indices = entries._indices()
    return entries_on_gpu(indices[0], indices[1], entries._values(), int(plain.shape[0]))


def _host(parts: dict[str, Any]) -> dict[str, Any]:
    arrays = {}
    for name, values in parts.items():
        try:
            arrays[name] = host_array(values, name)
        except ValueError as error:
            raise bad_array(f"{name} of the tensor {error}", "tensor.float().cpu()") from None
    return arrays
