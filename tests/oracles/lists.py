"""Programs whose functors read the lists of the graph, against plain Python."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from gdsl.graph import Graph

from .case import Answers, Case, Values, ends, levels, not_empty, random_of, same, source_of

_WORD = 2**32


def reverse_edges(graph: Graph) -> np.ndarray:
    """For each edge the one that is paired with it, -1 where there is none; int64[E]."""
    tails, heads = ends(graph)
    between: dict[tuple[int, int], list[int]] = {}
    place = []
    for both in zip(tails.tolist(), heads.tolist(), strict=True):
        alike = between.setdefault(both, [])
        place.append(len(alike))
        alike.append(len(place) - 1)
    found = np.full(graph.num_edges, -1, np.int64)
    for edge, (tail, head) in enumerate(zip(tails.tolist(), heads.tolist(), strict=True)):
        back = between.get((head, tail), [])
        if place[edge] < len(back):
            found[edge] = back[place[edge]]
    return found


def out_lists(graph: Graph) -> list[list[int]]:
    """The out-neighbors of each vertex, in the order of its list."""
    columns, offsets = np.asarray(graph.columns).tolist(), np.asarray(graph.offsets).tolist()
    return [columns[first:last] for first, last in pairwise(offsets)]


def _mixed(a: int, b: int) -> int:
    x = (a * 0x9E3779B1 % _WORD) ^ b
    x = (x ^ (x >> 15)) * 0x2C1B3C6D % _WORD
    return x ^ (x >> 12)


def _links(lists: list[list[int]]) -> list[int]:
    """For each vertex the edges between two of its neighbors, which are not itself."""
    sets = [set(listed) for listed in lists]
    return [sum(w not in (v, u) and w in sets[v] for u in sets[v] - {v} for w in lists[u]) for v in range(len(lists))]


def _heaviest(graph: Graph, lists: list[list[int]], length: np.ndarray, source: int) -> np.ndarray:
    found = np.full(graph.num_vertices, -1)
    for v, listed in enumerate(lists):
        for place, u in enumerate(listed):
            if u > v:
                found[u] = max(found[u], length[graph.offsets[v] + place])
            if u >= source:
                break
    return found


def _check_walks(graph: Graph, lists: list[list[int]], steps: int, answers: Answers) -> None:
    visits = np.zeros(graph.num_vertices, int)
    ended, last = [], []
    for v in range(graph.num_vertices):
        at, by = v, -1
        for step in range(steps):
            if not lists[at]:
                break
            place = _mixed(v, step) % len(lists[at])
            at, by = lists[at][place], int(graph.offsets[at]) + place
            visits[at] += 1
        ended.append(at)
        last.append(by)
    same(answers, walked_to=ended, last_edge=last, visits=visits)


def check_neighbor_lists(graph: Graph, values: Values, answers: Answers) -> None:
    lists, length, source = out_lists(graph), np.asarray(values["length"]), int(values["source"])
    same(answers, links=_links(lists), heaviest=_heaviest(graph, lists, length, source))
    _check_walks(graph, lists, values["steps"], answers)
    back, (tails, heads) = reverse_edges(graph), ends(graph)
    paired = back >= 0
    same(answers, back=back, paired=paired.astype(int), mutual=paired.sum(), ends_fit=np.ones(graph.num_edges, bool))
    followed = np.array([tail in lists[head] for tail, head in zip(tails, heads, strict=True)], bool)
    gives = np.where(paired, length[back] if graph.num_edges else 0, -1)
    returned = np.zeros(graph.num_vertices, int)
    np.add.at(returned, tails[followed], gives[followed])
    same(answers, returned=returned)
    open_to = np.array([source in lists[v] or v < source for v in range(graph.num_vertices)])
    walked = open_to[heads]
    same(answers, hops=levels(graph.num_vertices, tails[walked], heads[walked], [source]))
    same(answers, welcoming=sum(u + 1 for u in set(lists[source])))


def values_of_lists(graph: Graph, seed: int) -> Values:
    length = random_of(graph, seed).integers(0, 1000, graph.num_edges).astype(np.int32)
    return {"source": source_of(graph, seed), "steps": 2 + 3 * seed, "length": length}


LISTS = (Case("neighbor_lists", check_neighbor_lists, values_of_lists, not_empty),)
