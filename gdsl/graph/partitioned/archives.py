"""SciPy's `.npz` archives in the layouts CSR, CSC and COO, of whose arrays each worker reads a slice.

A worker reads, and decompresses, an array up to the end of its slice, and keeps only the slice.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.graph.archives import DIRECTED_KEY, Matrix, Parts, matrix_of, open_parts
from gdsl.graph.edge_list import EdgeList, edges_from_arrays
from gdsl.graph.group import Group, NotInPartsError
from gdsl.graph.partitioned.transformations import each_once
from gdsl.graph.sparse_matrices import checked_starts, indices_below
from gdsl.graph.vertices import id_dtype

_LAYOUTS = ("csr", "csc", "coo")


def read_part_of_npz(path: str, group: Group) -> EdgeList:
    """The edges of the entries that this worker reads, in the order of ranks; each once, from the lower to the higher
    end, if gdsl saved the matrix of an undirected graph.

    Raises GdslError E07xx; NotInPartsError for other layouts."""
    with group.agreement(), open_parts(path) as parts:
        matrix = matrix_of(parts, group.size)
        if matrix.layout not in _LAYOUTS:
            raise NotInPartsError(f"matrices in the layout {matrix.layout.upper()}")
        if "coords" in matrix.headers and matrix.headers["coords"].order != "C":
            raise NotInPartsError("coordinates in Fortran's order")
        [count] = matrix.headers["data"].shape
        first, last = group.part(count)
        rows, columns = _ends(parts, matrix, count, first, last)
        values = parts.slice("data", first, last)
    ends = []
    for name, indices in (rows, columns):
        with group.agreement():
            ends.append(indices_below(indices, name, matrix.size, first))
    attributes = {} if values.dtype.kind == "b" else {"weight": values}
    edges = edges_from_arrays(ends[0], ends[1], matrix.size, attributes, True, {}, group)
    fix = f"the file says that it is undirected: without its part `{DIRECTED_KEY}` it is directed"
    return edges if matrix.directed else each_once(group, edges, "the matrix", fix)


def _ends(
    parts: Parts, matrix: Matrix, count: int, first: int, last: int
) -> tuple[tuple[str, NDArray[Any]], tuple[str, NDArray[Any]]]:
    """Rows and columns of the entries `first` … `last`-1 of `count`, each with the name of its array."""
    if "coords" in matrix.headers:
        both = (parts.slice("coords", start + first, start + last) for start in (0, count))
        return ("row", next(both)), ("col", next(both))
    if matrix.layout == "coo":
        return ("row", parts.slice("row", first, last)), ("col", parts.slice("col", first, last))
    dtype = id_dtype(matrix.size)
    numbers, before = [np.zeros(0, dtype)], 0
    for starts in checked_starts(parts.pieces("indptr"), count):
        inside = np.clip(starts, first, last)
        lengths = inside[1:] - inside[:-1]
        numbers.append(np.repeat(np.arange(before, before + len(lengths), dtype=dtype), lengths))
        before += len(lengths)
    major = "indptr", np.concatenate(numbers)
    minor = "indices", parts.slice("indices", first, last)
    return (major, minor) if matrix.layout == "csr" else (minor, major)
