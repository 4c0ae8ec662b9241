"""Grows a sample hop by hop, and numbers its vertices in order of appearance.

Vertices may be of several kinds, each numbered on its own, with a relation for each kind of edges.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from gdsl.integrations.pyg.lists import Draws, Ids, NeighborLists, Slots, on_host

Kind = TypeVar("Kind", bound=Hashable)
Name = TypeVar("Name", bound=Hashable)


@dataclass(frozen=True)
class Relation:
    """One kind of edges: its lists, the kinds of vertices at the end that is continued and at the one that joins, how
    many edges each hop draws, and the key of its draws."""

    lists: NeighborLists
    near: Any
    far: Any
    counts: Sequence[int]
    key: int


@dataclass(frozen=True)
class Nodes:
    """The vertices of one kind, the seeds first: int64[N], the tree of each, and how many each hop brought."""

    node: Ids
    tree: Ids
    counts: list[int]


@dataclass(frozen=True)
class Links:
    """The edges of one relation: the places of both ends among the vertices of their kinds, int64[M], their numbers in
    the data, and how many each hop brought."""

    near: Ids
    far: Ids
    edge: Ids
    counts: list[int]


def grow(
    relations: Mapping[Name, Relation],
    sizes: Mapping[Kind, int],
    seeds: Mapping[Kind, Ids],
    limit: Ids | None,
    how: Draws,
    *,
    disjoint: bool,
    induced: bool = False,
) -> tuple[dict[Kind, Nodes], dict[Name, Links]]:
    """The sample of `seeds`, by kind, in a graph with `sizes` vertices of each kind: every vertex that joined in hop
    h - 1 is continued by `counts[h]` edges of each relation. Of `how`, count, key and hop are ignored.

    With `disjoint` each seed has a tree of its own, numbered in the order of `seeds`, whose edges are at most as late
    as its `limit`. With `induced` the edges are instead all of these between vertices of one tree.
    """
    arrays = next((relation.lists.arrays for relation in relations.values()), np)
    end = None if limit is None else arrays.asarray(limit)
    kinds: dict[Kind, _Kind] = {}
    first_tree = 0
    for kind in [*seeds, *(kind for kind in sizes if kind not in seeds)]:
        own = seeds.get(kind, np.zeros(0, np.int64))
        kinds[kind] = _Kind(arrays, sizes[kind], own, first_tree if disjoint else None)
        first_tree += len(own)
    drawn = {name: _Links(arrays) for name in relations}
    for hop in range(max((len(relation.counts) for relation in relations.values()), default=0)):
        for name, relation in relations.items():
            near, far = kinds[relation.near], kinds[relation.far]
            draws = Draws(relation.counts[hop], how.replace, how.latest, relation.key, hop)
            owner, edge = relation.lists.draw(near.slots(end if relation.lists.is_timed else None), draws)
            owner = owner + near.begin
            places = far.add(near.tree[owner], relation.lists.far[edge])
            drawn[name].add(owner, places, relation.lists.given[edge])
        for members in kinds.values():
            members.end_hop()
    if induced:
        for name, relation in relations.items():
            drawn[name] = _Links(arrays)
            drawn[name].add(*_induced(relation.lists, kinds[relation.near], kinds[relation.far], end))
    nodes = {kind: kinds[kind].on_host() for kind in sizes}
    return nodes, {name: links.on_host() for name, links in drawn.items()}


def _induced(lists: NeighborLists, near: _Kind, far: _Kind, end: Any) -> tuple[Any, Any, Any]:
    """All edges between vertices of one tree that are not too late: the places of their ends, and their numbers."""
    owner, edge = lists.within(near.node)
    own, wanted = far.tree * far.size + far.node, near.tree[owner] * far.size + lists.far[edge]
    keep = lists.arrays.isin(wanted, own)
    if end is not None and lists.is_timed:
        keep &= lists.times[edge] <= end[near.tree[owner]]
    _, places = _Sorted(lists.arrays, own).add(wanted[keep])
    return owner[keep], places, lists.given[edge[keep]]


class _Kind:
    """The vertices of one kind while a sample grows: those from `begin` on joined in the last hop."""

    def __init__(self, arrays: Any, size: int, seeds: Ids, first_tree: int | None) -> None:
        self._arrays = arrays
        self._disjoint = first_tree is not None
        self.size = size
        self.node = arrays.asarray(seeds)
        count = len(seeds)
        self.tree = arrays.zeros(count, np.int64) if first_tree is None else arrays.arange(count) + first_tree
        self._salt = self.tree if self._disjoint else arrays.asarray(_repetition(seeds))
        ids = self.tree * size + self.node
        self._numbers = _Sorted(arrays, ids) if self._disjoint else _Table(arrays, size, ids)
        self.begin, self._end = 0, count
        self._counts = [count]

    def slots(self, end: Any) -> Slots:
        """The vertices that the next hop continues; `end` has the latest time of each tree."""
        now = slice(self.begin, self._end)
        return Slots(self.node[now], self._salt[now], None if end is None else end[self.tree[now]])

    def add(self, tree: Any, node: Any) -> Any:
        """The places of these vertices, of which those that are new join."""
        joined, places = self._numbers.add(tree * self.size + node)
        self.node = self._arrays.append(self.node, joined % self.size)
        self.tree = self._arrays.append(self.tree, joined // self.size)
        fresh = self.tree[len(self._salt) :] if self._disjoint else self._arrays.zeros(len(joined), np.int64)
        self._salt = self._arrays.append(self._salt, fresh)
        return places

    def end_hop(self) -> None:
        """Those that joined are the next to be continued."""
        self._counts.append(len(self.node) - self._end)
        self.begin, self._end = self._end, len(self.node)

    def on_host(self) -> Nodes:
        """All of them."""
        return Nodes(on_host(self.node), on_host(self.tree), self._counts)


class _Links:
    """The edges of one relation while a sample grows."""

    def __init__(self, arrays: Any) -> None:
        self._arrays = arrays
        self._parts: list[tuple[Any, Any, Any]] = []

    def add(self, near: Any, far: Any, edge: Any) -> None:
        """Add those of a hop."""
        self._parts.append((near, far, edge))

    def on_host(self) -> Links:
        """All of them."""
        empty = self._arrays.zeros(0, np.int64)
        near, far, edge = (
            on_host(self._arrays.concatenate([empty, *(part[which] for part in self._parts)])) for which in range(3)
        )
        return Links(near, far, edge, [len(part[2]) for part in self._parts])


class _Table:
    """Numbers vertices in order of appearance: of each, a table has its place plus 1, or 0 if it has none."""

    def __init__(self, arrays: Any, size: int, seeds: Any) -> None:
        self._arrays = arrays
        self._places = arrays.zeros(size, np.int32)  # pages that are never touched cost nothing
        self._count = len(seeds)
        self._store_first(seeds, arrays.arange(1, len(seeds) + 1, dtype=np.int32))

    def add(self, ids: Any) -> tuple[Any, Any]:
        """Which of `ids` are new, in order of appearance, and the places of all of them."""
        places = self._places[ids]
        unknown = self._arrays.flatnonzero(places == 0)
        new = ids[unknown]
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

    def add(self, ids: Any) -> tuple[Any, Any]:
        """Which of `ids` are new, in order of appearance, and the places of all of them."""
        count = len(self._known)
        values = np.append(self._known, on_host(ids))
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
