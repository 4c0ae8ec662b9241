"""Grows a sample hop by hop, and numbers its vertices in order of appearance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gdsl.integrations.pyg.lists import Draws, Ids, NeighborLists, Slots


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
) -> Sample:
    """The sample of `seeds` with `counts[h]` edges for each vertex that joined in hop h - 1; of `how` the count and the
    hop are ignored. With `disjoint` each seed has a tree of its own, and its edges are at most as late as its `limit`.
    """
    size = lists.graph.num_vertices
    tree = np.arange(len(seeds)) if disjoint else np.zeros(len(seeds), np.int64)
    node, salt = seeds, tree if disjoint else _repetition(seeds)
    nodes, edges = [len(seeds)], []
    near, far, edge = ([np.zeros(0, np.int64)] for _ in range(3))
    begin = 0
    numbers = _Sorted(tree * size + node) if disjoint else _Table(size, seeds)
    for hop, count in enumerate(counts):
        slots = Slots(node[begin:], salt[begin:], None if limit is None else limit[tree[begin:]])
        owner, found = lists.draw(slots, Draws(count, how.replace, how.latest, how.key, hop))
        owner = owner + begin
        begin = len(node)
        reached = lists.graph.columns[found].astype(np.int64)
        joined, places = numbers.add(tree[owner] * size + reached)
        node, tree = np.append(node, joined % size), np.append(tree, joined // size)
        salt = tree if disjoint else np.append(salt, np.zeros(len(joined), np.int64))
        nodes.append(len(joined))
        edges.append(len(found))
        near.append(owner)
        far.append(places)
        edge.append(lists.given[found])
    return Sample(node, tree, np.concatenate(near), np.concatenate(far), np.concatenate(edge), nodes, edges)


def induce(lists: NeighborLists, sample: Sample, limit: Ids | None) -> Sample:
    """The same vertices, with all edges between vertices of one tree that are not too late."""
    size = lists.graph.num_vertices
    owner, edge = lists.within(sample.node)
    own = sample.tree * size + sample.node
    wanted = sample.tree[owner] * size + lists.graph.columns[edge].astype(np.int64)
    keep = np.isin(wanted, own)
    if limit is not None:
        keep &= lists.times_on_host()[edge] <= limit[sample.tree[owner]]
    owner, edge, wanted = owner[keep], edge[keep], wanted[keep]
    _, places = _Sorted(own).add(wanted)
    return Sample(sample.node, sample.tree, owner, places, lists.given[edge], [], [])


class _Table:
    """Numbers vertices in order of appearance: of each, a table has its place plus 1, or 0 if it has none."""

    def __init__(self, size: int, seeds: Ids) -> None:
        self._places = np.zeros(size, np.int64)  # pages that are never touched cost nothing
        self._places[seeds[::-1]] = np.arange(len(seeds), 0, -1)  # of equal seeds, the first is stored last
        self._count = len(seeds)

    def add(self, found: Ids) -> tuple[Ids, Ids]:
        """Which of `found` are new, in order of appearance, and the places of all of them."""
        new = found[self._places[found] == 0]
        self._places[new[::-1]] = np.arange(len(new), 0, -1)
        joined = new[self._places[new] == np.arange(1, len(new) + 1)]
        self._places[joined] = self._count + np.arange(1, len(joined) + 1)
        self._count += len(joined)
        return joined, self._places[found] - 1


class _Sorted:
    """The same for vertices of many trees, which no table has room for: by sorting all that are known."""

    def __init__(self, seeds: Ids) -> None:
        self._known = seeds

    def add(self, found: Ids) -> tuple[Ids, Ids]:
        """Which of `found` are new, in order of appearance, and the places of all of them."""
        count = len(self._known)
        distinct, first, inverse = np.unique(np.append(self._known, found), return_index=True, return_inverse=True)
        is_new = first >= count
        order = np.argsort(first[is_new], kind="stable")
        joined = distinct[is_new][order]
        place = first.copy()  # of what is known twice, the first place
        place[np.flatnonzero(is_new)[order]] = count + np.arange(len(order))
        self._known = np.append(self._known, joined)
        return joined, place[inverse.reshape(-1)[count:]]


def _repetition(values: Ids) -> Ids:
    """How often each value was there before, so that equal seeds get draws of their own."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    begins = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(values)])
    lengths = np.diff(np.append(begins, len(values)))
    count = np.empty(len(values), np.int64)
    count[order] = np.arange(len(values)) - np.repeat(begins, lengths)
    return count
