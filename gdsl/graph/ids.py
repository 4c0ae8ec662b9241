"""Vertex and edge ids: how wide they are, how many there may be, and whether they are in range."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.diagnostics import shown
from gdsl.graph.errors import bad_array, bad_id, too_large
from gdsl.numerals import is_whole
from gdsl.types import Widths

WIDE_FROM = 2**31 - 1
"""From this many vertices (edges) on, vertex (edge) ids are kept as int64 and devices use 64 bits."""

LARGEST_NUM_VERTICES = 3_037_000_499
"""More vertices are refused: two ids no longer pack into one int64, and degrees are int32 anyway."""


_NARROW, _MANY_EDGES, _WIDE = Widths(32, 32), Widths(32, 64), Widths(64, 64)
"""The same objects at each call: they are looked up by, and are not compared then."""


def id_dtype(count: int) -> np.dtype[Any]:
    """The dtype that host arrays of ids below `count` have."""
    return np.dtype(np.int32 if count < WIDE_FROM else np.int64)


def id_widths(num_vertices: int, num_edges: int) -> Widths:
    """The widths of a graph's ids where it is run on. Ids of edges are no narrower than those of vertices, which stand
    among them where ids are sorted, and where a pair of vertices is walked as an edge is."""
    if num_vertices >= WIDE_FROM:
        return _WIDE
    return _MANY_EDGES if num_edges >= WIDE_FROM else _NARROW


def vertex_count(value: int | None) -> int | None:
    """A number of vertices of the caller's. Raises TypeError, GdslError E0709 or E0711."""
    if value is None:
        return None
    if not is_whole(value):
        raise TypeError(f"num_vertices must be a whole number, not {shown(value)}")
    count = int(value)
    if count < 0:
        raise bad_array(f"num_vertices is {shown(count)}", "give a number that is not negative, or leave it out")
    if count > LARGEST_NUM_VERTICES:
        raise too_large(f"{shown(count)} vertices; at most {LARGEST_NUM_VERTICES:,} are possible")
    return count


def check_ids(sources: NDArray[Any], destinations: NDArray[Any], num_vertices: int | None) -> int:
    """The number of vertices, after every id was found to be in range; the largest id plus one if it is None.

    Raises GdslError E0707 for the first id out of range, E0709 for too many vertices.
    """
    largest = -1
    for name, ids in (("sources", sources), ("destinations", destinations)):
        largest = max(largest, check_range(ids, name, num_vertices))
    count = largest + 1 if num_vertices is None else int(num_vertices)
    if count > LARGEST_NUM_VERTICES:
        raise too_large(f"{count:,} vertices; at most {LARGEST_NUM_VERTICES:,} are possible")
    return count


def check_range(ids: NDArray[Any], name: str, num_vertices: int | None) -> int:
    """The largest of `ids`, -1 for none. Raises GdslError E0707 for the first one out of range."""
    if len(ids) == 0:
        return -1
    largest = int(ids.max())
    if ids.min() < 0 or (num_vertices is not None and largest >= num_vertices):
        limit = num_vertices if num_vertices is not None else LARGEST_NUM_VERTICES
        place = int(np.argmax((ids < 0) | (ids >= limit)))
        raise bad_id(int(ids[place]), f"{name}[{place}]", num_vertices)
    return largest


def packed(leading: NDArray[Any], other: NDArray[Any], num_vertices: int) -> NDArray[np.int64]:
    """Two ids in one number that orders like the pair."""
    pairs = leading.astype(np.int64)
    pairs *= num_vertices
    pairs += other
    return pairs
