"""What the degrees of a graph say about reads of values along its edges.

**What numbering vertices by degree saves**: reads that find their value in a multiprocessor's cache, and would not.

Operators along edges read values of the vertices at the ends of edges, in no order. What is read most often stays in
the cache, a sector of memory at a time, which holds the values of several vertices with neighboring ids. As given, the
vertices of many edges share their sectors with the vertices of neighboring ids; numbered by degree, they share them
with each other, so that as much memory has the values of more edges' ends.

The degrees alone say how many more: as given, by the sectors whose vertices have the most edges together, as
many as the cache has; by degree, by as many vertices as these hold, those with the most edges. The difference is large
where many vertices have more edges than the mean, and their ids are shuffled. It is nothing where degrees are alike,
where the vertices of many edges are few, so that they are in the cache in any case, or where ids are by degree already.

**How many edges lead to hubs**: of those a block can keep bounds in its own memory.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from gdsl.graph.graph import Graph

CACHED = 1 << 12
"""Sectors in the cache of a multiprocessor: 128 KB, which is what GPUs of the last years have beside shared memory."""
VALUES = 8
"""Values of four bytes in a sector."""
SAMPLED = 1 << 17
"""Sectors that are looked at, at equal distances; they represent the others."""

_saved: weakref.WeakKeyDictionary[Graph, float] = weakref.WeakKeyDictionary()


def reads_saved(graph: Graph) -> float:
    """How many reads numbering by degree saves for each vertex, if each edge once leads to the value at its other
    end."""
    if graph not in _saved:
        degrees = graph.out_degrees
        _saved[graph] = saved_by_degrees(degrees if not graph.directed else (degrees + graph.in_degrees) / 2)
    return _saved[graph]


def ends_at_hubs(graph: Graph, places: int) -> float:
    """The part of all edges that lead to hubs, of which there are so many `places`: that of a vertex is its id modulo
    their number, and of the vertices of a place that of most edges has it."""
    degrees = graph.out_degrees
    rows = np.concatenate([degrees, np.zeros(-len(degrees) % places, degrees.dtype)]).reshape(-1, places)
    return float(rows.max(axis=0, initial=0).sum()) / max(graph.num_edges, 1)


def saved_by_degrees(degrees: np.ndarray[tuple[int], np.dtype[np.generic]]) -> float:
    """How many reads numbering by degree saves for each vertex, estimated from some of the sectors of
    `degrees`, which are in the order of the ids."""
    if not len(degrees):
        return 0.0
    sectors = np.concatenate([degrees, np.zeros(-len(degrees) % VALUES, degrees.dtype)]).reshape(-1, VALUES)
    distance = -(-len(sectors) // SAMPLED)
    looked_at = sectors[::distance]
    cached = CACHED // distance
    more = _largest(looked_at.reshape(-1), VALUES * cached) - _largest(looked_at.sum(axis=1), cached)
    return float(more) / (VALUES * len(looked_at))


def _largest(values: np.ndarray[tuple[int], np.dtype[np.generic]], count: int) -> float:
    """The sum of the `count` largest."""
    if count >= len(values):
        return float(values.sum())
    return float(np.partition(values, len(values) - count)[len(values) - count :].sum())
