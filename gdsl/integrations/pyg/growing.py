"""Grows a sample hop by hop, and numbers its vertices in order of appearance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gdsl.integrations.pyg.lists import Draws, Ids, NeighborLists, Slots, on_host


@dataclass(frozen=True)
class Sample:
    """A sampled subgraph.

    node: its vertices, the seeds first, int64[N]. tree: the seed that each belongs to, if trees are disjoint.
    near, far: places in `node` of the ends of its edges, the one that was there and the one that joined, int64[M].
    edge: these edges in the data. nodes, edges: how many vertices and edges each hop brought, the seeds first.
    """

    node: Ids
    tree: Ids
    near: Ids
    far: Ids
    edge: Ids
    nodes: list[int]
    edges: list[int]


def grow(
    lists: NeighborLists,
    seeds: Ids,
    limit: Ids | None,
    counts: Sequence[int],
    how: Draws,
    *,
    disjoint: bool,
    induced: bool = False,
) -> Sample:
    """The sample of `seeds` with `counts[h]` edges for each vertex that joined in hop h - 1; of `how` the count and the
    hop are ignored. With `disjoint` each seed has a tree of its own, and its edges are at most as late as its `limit`.
    With `induced` the edges are instead all of these between vertices of one tree.
    """
    arrays, size = lists.arrays, lists.graph.num_vertices
    node = arrays.asarray(seeds)
    end = None if limit is None else arrays.asarray(limit)
    tree = arrays.arange(len(seeds)) if disjoint else arrays.zeros(len(seeds), np.int64)
    salt = tree if disjoint else arrays.asarray(_repetition(seeds))
    numbers = _Sorted(arrays, tree * size + node) if disjoint else _Table(arrays, size, node)
    nodes, edges = [len(seeds)], []
    near, far, edge = ([arrays.zeros(0, np.int64)] for _ in range(3))
    begin = 0
    for hop, count in enumerate(counts):
        slots = Slots(node[begin:], salt[begin:], None if end is None else end[tree[begin:]])
        owner, drawn = lists.draw(slots, Draws(count, how.replace, how.latest, how.key, hop))
        owner = owner + begin
        begin = len(node)
        joined, places = numbers.add(tree[owner] * size + lists.far[drawn])
        node, tree = arrays.append(node, joined % size), arrays.append(tree, joined // size)
        salt = tree if disjoint else arrays.append(salt, arrays.zeros(len(joined), np.int64))
        nodes.append(len(joined))
        edges.append(len(drawn))
        near.append(owner)
        far.append(places)
        edge.append(lists.given[drawn])
    found = [arrays.concatenate(parts) for parts in (near, far, edge)]
    if induced:
        found = _induced(lists, node, tree, end)
    owners, places, numbers_given = map(on_host, found)
    return Sample(on_host(node), on_host(tree), owners, places, numbers_given, nodes, edges)


def _induced(lists: NeighborLists, node: Any, tree: Any, end: Any) -> list[Any]:
    """All edges between vertices of one tree that are not too late: the places of their ends, and their numbers."""
    size = lists.graph.num_vertices
    owner, edge = lists.within(node)
    own, wanted = tree * size + node, tree[owner] * size + lists.far[edge]
    keep = lists.arrays.isin(wanted, own)
    if end is not None:
        keep &= lists.times[edge] <= end[tree[owner]]
    owner, edge, wanted = owner[keep], edge[keep], wanted[keep]
    _, places = _Sorted(lists.arrays, own).add(wanted)
    return [owner, places, lists.given[edge]]


class _Table:
    """Numbers vertices in order of appearance: of each, a table has its place plus 1, or 0 if it has none."""

    def __init__(self, arrays: Any, size: int, seeds: Any) -> None:
        self._arrays = arrays
        self._places = arrays.zeros(size, np.int32)  # pages that are never touched cost nothing
        self._count = len(seeds)
        self._store_first(seeds, arrays.arange(1, len(seeds) + 1, dtype=np.int32))

    def add(self, found: Any) -> tuple[Any, Any]:
        """Which of `found` are new, in order of appearance, and the places of all of them."""
        places = self._places[found]
        unknown = self._arrays.flatnonzero(places == 0)
        new = found[unknown]
        order = self._arrays.arange(1, len(new) + 1, dtype=np.int32)
        self._store_first(new, order)
        joined = new[self._places[new] == order]
        self._places[joined] = self._count + order[: len(joined)]
        self._count += len(joined)
        places[unknown] = self._places[new]
        return joined, places.astype(np.int64) - 1

    def _store_first(self, at: Any, values: Any) -> None:
        """Store ascending values; where several meet, the first."""
        if self._arrays is np:
            self._places[at[::-1]] = values[::-1]  # of several, NumPy stores the last
            return
        from cupyx import scatter_min

        self._places[at] = np.iinfo(np.int32).max
        scatter_min(self._places, at, values)


class _Sorted:
    """The same for vertices of many trees, which no table has room for: by sorting all that are known, on the host."""

    def __init__(self, arrays: Any, seeds: Any) -> None:
        self._arrays = arrays
        self._known = on_host(seeds)

    def add(self, found: Any) -> tuple[Any, Any]:
        """Which of `found` are new, in order of appearance, and the places of all of them."""
        count = len(self._known)
        values = np.append(self._known, on_host(found))
        distinct, first, inverse = np.unique(values, return_index=True, return_inverse=True)
        is_new = first >= count
        order = np.argsort(first[is_new], kind="stable")
        joined = distinct[is_new][order]
        place = first.copy()  # of what is known twice, the first place
        place[np.flatnonzero(is_new)[order]] = count + np.arange(len(order))
        self._known = np.append(self._known, joined)
        return self._arrays.asarray(joined), self._arrays.asarray(place[inverse.reshape(-1)[count:]])


def _repetition(values: Ids) -> Ids:
    """How often each value was there before, so that equal seeds get draws of their own."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    begins = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(values)])
    lengths = np.diff(np.append(begins, len(values)))
    count = np.empty(len(values), np.int64)
    count[order] = np.arange(len(values)) - np.repeat(begins, lengths)
    return count
