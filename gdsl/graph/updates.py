"""Edges inserted into a graph and deleted from it: a small sorted delta beside the CSR of the graph that it changes.

The CSR of the changed graph is merged when something first needs it, by copying the pieces between the changes: one
linear pass, and no sort but that of the delta. Updates of updates add to the delta, until it is so large that merging
pays: then each update would cost as much as the pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.diagnostics import GdslError, shown
from gdsl.graph.csr import LARGEST_DEGREE, Csr
from gdsl.graph.immutable import allocate_immutable, immutable
from gdsl.graph.memory import require_memory
from gdsl.graph.messages import too_large
from gdsl.graph.threads import by_threads
from gdsl.graph.vertices import packed

Array = NDArray[Any]
_MERGED_FROM = 16
"""A delta with one change for so many edges is merged by the next update."""


@dataclass(frozen=True, slots=True)
class Insertions:
    """Stored edges to insert, by source, then by destination, then as given; values of each attribute."""

    sources: Array
    destinations: Array
    attributes: Mapping[str, Array]

    def __len__(self) -> int:
        return len(self.sources)

    def select(self, places: Any) -> Insertions:
        """Those at some places, or those that a mask selects."""
        values = {name: of[places] for name, of in self.attributes.items()}
        return Insertions(self.sources[places], self.destinations[places], values)

    def followed_by(self, later: Insertions) -> Insertions:
        """Both; of parallel edges these come first."""
        values = {name: np.concatenate([of, later.attributes[name]]) for name, of in self.attributes.items()}
        sources = np.concatenate([self.sources, later.sources])
        destinations = np.concatenate([self.destinations, later.destinations])
        return Insertions(sources, destinations, values).select(np.lexsort((destinations, sources)))


@dataclass(frozen=True, slots=True)
class Delta:
    """The changes to `base`: the ids of its edges that are deleted, ascending, and the edges to insert.

    `conditions` are those that are known to hold of the values of all edges of `base`; further ones may be added.
    """

    base: Csr
    conditions: set[str]
    deleted: NDArray[np.int64]
    inserted: Insertions

    @classmethod
    def of(cls, base: Csr, conditions: set[str]) -> Delta:
        """A delta of `base` without any changes."""
        none = np.zeros(0, base.columns.dtype)
        values = {name: np.zeros(0, of.dtype) for name, of in base.attributes.items()}
        return cls(base, conditions, np.zeros(0, np.int64), Insertions(none, none, values))

    @property
    def num_edges(self) -> int:
        """The number of stored edges of the changed graph."""
        return len(self.base.columns) - len(self.deleted) + len(self.inserted)

    def graph_attributes(self) -> dict[str, Any]:
        """The initial attributes of a `Graph` with these changes, by name."""
        base = self.base
        sizes = {"num_vertices": base.num_vertices, "num_edges": self.num_edges, "directed": base.directed}
        return {**sizes, "vertex_attributes": base.vertex_attributes, "names": base.names, "_lazy_csr": None}

    @property
    def is_large(self) -> bool:
        """Whether merging it pays."""
        return _MERGED_FROM * (len(self.deleted) + len(self.inserted)) > len(self.base.columns)

    def without(self, sources: Array, destinations: Array) -> Delta:
        """All copies of the edges between these pairs of ends deleted, of undirected ones both ways. Raises E0717 for
        the first pair without an edge."""
        base, inserted = self.base, self.inserted
        wanted = sources, destinations
        if not base.directed:
            sources, destinations = _both_ways(sources, destinations)
        first, last = (_places(base, sources, destinations, side) for side in ("left", "right"))
        ids = np.repeat(first, last - first) + _ranks(last - first)
        ids = np.unique(ids)
        ids = ids[~np.isin(ids, self.deleted, assume_unique=True)]
        removed = packed(sources, destinations, base.num_vertices)
        pending = packed(inserted.sources, inserted.destinations, base.num_vertices)
        in_base = packed(_sources_of(base, ids), base.columns[ids], base.num_vertices)
        asked = packed(*wanted, base.num_vertices)
        missing = ~(np.isin(asked, in_base) | np.isin(asked, pending))
        if missing.any():
            place = int(missing.argmax())
            raise _no_edge(int(wanted[0][place]), int(wanted[1][place]), base)
        deleted = np.union1d(self.deleted, ids).astype(np.int64)
        return replace(self, deleted=deleted, inserted=inserted.select(~np.isin(pending, removed)))

    def with_edges(self, edges: Insertions) -> Delta:
        """These edges inserted, in this order, undirected ones both ways."""
        sources, destinations = edges.sources, edges.destinations
        if not self.base.directed:
            ends = _both_ways(sources, destinations)
            once = np.ones(len(ends[0]), bool)
            once[1::2] = sources != destinations
            values = {name: np.repeat(of, 2) for name, of in edges.attributes.items()}
            edges = Insertions(*ends, values).select(once)
        return replace(self, inserted=self.inserted.followed_by(edges))

    def csr(self) -> Csr:
        """The CSR of the changed graph. Raises E0708 where there is no memory for it, E0709 where a degree does not
        fit int32."""
        base, inserted = self.base, self.inserted
        width = sum(of.itemsize for of in (base.columns, *base.attributes.values()))
        require_memory(16 * len(base.offsets) + self.num_edges * width, f"a graph of {base.num_vertices:,} vertices")
        places = _places(base, inserted.sources, inserted.destinations, "right")
        offsets = self._offsets()
        if self.num_edges > LARGEST_DEGREE and int(np.diff(offsets).max()) > LARGEST_DEGREE:
            raise too_large("a vertex has more edges than int32 can count")
        columns = spliced(base.columns, self.deleted, places, inserted.destinations)
        values = {
            name: spliced(of, self.deleted, places, inserted.attributes[name]) for name, of in base.attributes.items()
        }
        return Csr(offsets, columns, base.directed, values, base.vertex_attributes, base.names)

    def inserted_ids(self) -> NDArray[np.int64]:
        """The ids of the inserted edges in the changed graph."""
        places = _places(self.base, self.inserted.sources, self.inserted.destinations, "right")
        ids: NDArray[np.int64] = places - np.searchsorted(self.deleted, places) + np.arange(len(places))
        return ids

    def _offsets(self) -> NDArray[np.int64]:
        moved = np.zeros(len(self.base.offsets), np.int64)
        np.add.at(moved, self.inserted.sources.astype(np.int64) + 1, 1)
        np.subtract.at(moved, _sources_of(self.base, self.deleted) + 1, 1)
        np.cumsum(moved, out=moved)
        moved += self.base.offsets
        return moved


@dataclass(frozen=True, slots=True)
class NewEdges:
    """The ids of the edges of an updated graph that its base does not have. All others have the values that they had
    there, where `conditions` held."""

    ids: NDArray[np.int64]
    conditions: set[str]


def _no_edge(source: int, destination: int, base: Csr) -> GdslError:
    ends = [shown(base.names[end]) if base.names is not None else str(end) for end in (source, destination)]
    way = " -> ".join(ends) if base.directed else " -- ".join(ends)
    opposite = " -> ".join(reversed(ends))
    fix = f"the graph has {opposite}: swap the ends" if _has(base, destination, source) else None
    return GdslError.single("E0717", f"the edge {way} cannot be deleted: the graph has no such edge", fix=fix)


def _has(base: Csr, source: int, destination: int) -> bool:
    neighbors = base.columns[base.offsets[source] : base.offsets[source + 1]]
    place = int(np.searchsorted(neighbors, destination))
    return place < len(neighbors) and int(neighbors[place]) == destination


def _both_ways(sources: Array, destinations: Array) -> tuple[Array, Array]:
    """Each edge, followed by its opposite."""
    return np.stack([sources, destinations], axis=1).ravel(), np.stack([destinations, sources], axis=1).ravel()


def _ranks(counts: Array) -> Array:
    """0, 1, … for each of some counts, one after the other."""
    ends = np.cumsum(counts)
    ranks: Array = np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - counts, counts)
    return ranks


def _sources_of(base: Csr, edge_ids: Array) -> Array:
    result: Array = np.searchsorted(base.offsets, edge_ids, side="right") - 1
    return result


def _places(base: Csr, sources: Array, destinations: Array, side: str) -> NDArray[np.int64]:
    """Where edges between these ends are in the CSR, or would be, by binary search in all lists together."""
    low, high = base.offsets[sources], base.offsets[sources.astype(np.int64) + 1]
    while (is_open := low < high).any():
        middle = (low + high) // 2
        neighbors = base.columns[np.where(is_open, middle, 0)]
        before = (neighbors < destinations) if side == "left" else (neighbors <= destinations)
        low, high = np.where(is_open & before, middle + 1, low), np.where(is_open & ~before, middle, high)
    return low


_BY_PIECES = 256
"""Up to one change for so many elements, pieces are copied one by one; more are shifted by NumPy together."""
_MOST_COPY_THREADS, _PIECE = 8, 1 << 20


def spliced(values: Array, deleted: Array, places: Array, inserted: Array) -> Array:
    """`values` without those at the ascending places `deleted`, and with `inserted` before those at the ascending
    `places`, all of the original array; in memory that cannot be written."""
    inserted = inserted.astype(values.dtype, copy=False)
    if (len(deleted) + len(places)) * _BY_PIECES > len(values):
        moved = places - np.searchsorted(deleted, places)
        return immutable(np.insert(np.delete(values, deleted), moved, inserted))
    writable, result = allocate_immutable(len(values) - len(deleted) + len(inserted), values.dtype)
    jobs, at = list[tuple[int, Array]](), 0
    for piece in _pieces(values, deleted, places, inserted):
        for first in range(0, len(piece), _PIECE):
            jobs.append((at + first, piece[first : first + _PIECE]))
        at += len(piece)

    def copy(job: tuple[int, Array]) -> None:
        first, piece = job
        writable[first : first + len(piece)] = piece

    by_threads(copy, jobs, _MOST_COPY_THREADS if len(values) > _PIECE else 1)
    return result


def _pieces(values: Array, deleted: Array, places: Array, inserted: Array) -> Iterator[Array]:
    """What is between the changes, and what is inserted, in order."""
    firsts, counts = np.unique(places, return_counts=True)
    ends = np.cumsum(counts)
    changes = [
        (int(place), 0, int(end - count), int(end)) for place, count, end in zip(firsts, counts, ends, strict=True)
    ]
    changes += [(int(place), 1, 0, 0) for place in deleted]
    at = 0
    for place, skipped, first, last in sorted(changes):
        if place > at:
            yield values[at:place]
        yield inserted[first:last]
        at = place + skipped
    yield values[at:]
