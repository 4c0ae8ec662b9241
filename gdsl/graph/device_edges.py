"""Edges that lie on a GPU: of a large graph they are put in order there, and never come to the host in between."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gdsl.graph.edge_list import EdgeList
from gdsl.graph.foreign import is_on_gpu, on_gpu
from gdsl.graph.given import attribute_arrays, flag
from gdsl.graph.ids import WIDE_FROM, vertex_count
from gdsl.graph.postponed import LARGE, UNCHANGED, Postponed, postponed


def postponed_on_gpu(
    sources: Any,
    destinations: Any,
    num_vertices: int | None,
    attributes: Mapping[str, Any],
    directed: bool,
    vertex_attributes: Mapping[str, Any],
) -> Postponed | None:
    """The large graph of edges on a GPU, which are copied there; None where the host has to look at them: where they
    are few, or are no such edges, of which it says why."""
    if not (is_on_gpu(sources) and is_on_gpu(destinations)):
        return None
    try:
        ends: list[Any] = [_ids(sources), _ids(destinations)]
        if ends[0] is None or ends[1] is None or len(ends[0]) != len(ends[1]) or len(ends[0]) < LARGE:
            return None
        with ends[0].device:
            count = _count(ends, vertex_count(num_vertices))
            if count is None:
                return None
            values: dict[str, Any] = {name: _values(given, name, len(ends[0])) for name, given in attributes.items()}
            if any(found is None for found in values.values()):
                return None
            kept = [end.astype(np.int32) for end in ends]
    except ValueError:  # of arrays that are not to be had
        return None
    of_vertices = attribute_arrays(vertex_attributes, count, "vertex")
    return postponed(EdgeList(kept[0], kept[1], count, flag("directed", directed), values, of_vertices), UNCHANGED)


def large_on_gpu(matrix: Any) -> Postponed | None:
    """The same of a matrix of `cupyx.scipy.sparse`."""
    size, columns = matrix.shape
    if size != columns or matrix.nnz < LARGE or matrix.format not in ("coo", "csr", "csc"):
        return None
    entries = matrix.tocoo()
    return entries_on_gpu(entries.row, entries.col, entries.data, size)


def entries_on_gpu(rows: Any, columns: Any, values: Any, size: int) -> Postponed | None:
    """The same of the entries of a matrix of `size` rows and columns; booleans are no weights."""
    weights = {} if str(values.dtype).endswith("bool") else {"weight": values}
    return postponed_on_gpu(rows, columns, size, weights, True, {})


def _ids(values: Any) -> Any | None:
    found = on_gpu(values)
    return found if found.ndim == 1 and found.dtype.kind in "iu" else None


def _count(ends: list[Any], num_vertices: int | None) -> int | None:
    """How many vertices there are; None where an id is out of range or needs 64 bits."""
    largest = max(int(end.max()) for end in ends)
    lowest = min(int(end.min()) for end in ends)
    count = largest + 1 if num_vertices is None else num_vertices
    return count if lowest >= 0 and largest < count < WIDE_FROM else None


def _values(given: Any, name: str, length: int) -> Any | None:
    """A copy of an attribute, on the GPU where it is there."""
    if not is_on_gpu(given):
        return attribute_arrays({name: given}, length, "edge")[name]
    found = on_gpu(given)
    fits = found.ndim == 1 and len(found) == length and found.dtype.kind in "biuf" and found.dtype != np.float16
    return found.copy() if fits else None
