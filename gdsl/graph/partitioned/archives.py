"""SciPy's `.npz` archives in the layouts CSR, CSC and COO, of whose arrays each worker reads a slice.

A worker reads, and decompresses, an array up to the end of its slice, and keeps only the slice.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.diagnostics import GdslError
from gdsl.graph.archives import DIRECTED_KEY, Matrix, Parts, matrix_of, open_parts
from gdsl.graph.edge_list import EdgeList, edges_from_arrays
from gdsl.graph.group import Group, NotInPartsError
from gdsl.graph.partitioned.transformations import by_pairs
from gdsl.graph.sparse_matrices import checked_starts, indices_below
from gdsl.graph.vertices import packed

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
    return edges if matrix.directed else _each_once(group, edges)


def _ends(
    parts: Parts, matrix: Matrix, count: int, first: int, last: int
) -> tuple[tuple[str, NDArray[Any]], tuple[str, NDArray[Any]]]:
    """Rows and columns of the entries `first` … `last`-1 of `count`, each with the name of its array."""
    if "coords" in matrix.headers:
        both = (parts.slice("coords", start + first, start + last) for start in (0, count))
        return ("row", next(both)), ("col", next(both))
    if matrix.layout == "coo":
        return ("row", parts.slice("row", first, last)), ("col", parts.slice("col", first, last))
    numbers, before = [np.zeros(0, np.int64)], 0
    for starts in checked_starts(parts.pieces("indptr"), count):
        inside = np.clip(starts, first, last)
        lengths = inside[1:] - inside[:-1]
        numbers.append(np.repeat(np.arange(before, before + len(lengths)), lengths))
        before += len(lengths)
    major = "indptr", np.concatenate(numbers)
    minor = "indices", parts.slice("indices", first, last)
    return (major, minor) if matrix.layout == "csr" else (minor, major)


def _each_once(group: Group, edges: EdgeList) -> EdgeList:
    """The undirected edges of a symmetric matrix, each once. Raises E0704 for the first entry without an opposite."""
    edges = by_pairs(group, edges)
    found = group.gather(_asymmetries(edges))
    for kind in range(2):  # entries that are missing come before weights that differ
        places = [each[kind] for each in found if each[kind] is not None]
        if places:
            source, destination = divmod(min(place for place in places if place is not None), edges.num_vertices)
            message = f"the matrix is not symmetric: ({source}, {destination}) and ({destination}, {source}) differ"
            fix = f"the file says that it is undirected: without its part `{DIRECTED_KEY}` it is directed"
            raise group.agreed(GdslError.single("E0704", message, fix=fix))
    once = edges.sources <= edges.destinations
    values = {name: each[once] for name, each in edges.attributes.items()}
    return replace(
        edges, sources=edges.sources[once], destinations=edges.destinations[once], directed=False, attributes=values
    )


def _asymmetries(edges: EdgeList) -> tuple[int | None, int | None]:
    """The lowest pair u→v, `packed`, of which there are more than of v→u; and that where the weights of the k-th of
    both differ."""
    forward = packed(edges.sources, edges.destinations, edges.num_vertices)
    backward = packed(edges.destinations, edges.sources, edges.num_vertices)
    order, opposites = np.argsort(forward, kind="stable"), np.argsort(backward, kind="stable")
    if not np.array_equal(forward[order], backward[opposites]):
        pairs, counts = np.unique(forward, return_counts=True)
        others, other_counts = np.unique(backward, return_counts=True)
        places = np.minimum(np.searchsorted(others, pairs), len(others) - 1)
        more = counts > np.where(others[places] == pairs, other_counts[places], 0)
        return int(pairs[np.argmax(more)]), None
    if "weight" not in edges.attributes:
        return None, None
    one, other = (edges.attributes["weight"][each] for each in (order, opposites))
    differs = (one != other) & ~((one != one) & (other != other))
    return None, int(forward[order][np.argmax(differs)]) if differs.any() else None
