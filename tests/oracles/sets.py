"""Programs that combine sets: Python's own sets say what they must answer."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from gdsl.graph import Graph

from .case import Answers, Case, Values, both_ways, ends, levels, not_empty, same, source_of


def lists(graph: Graph, near: np.ndarray, far: np.ndarray) -> list[set[int]]:
    """The far ends of each near end."""
    found: list[set[int]] = [set() for _ in range(graph.num_vertices)]
    for a, b in zip(near.tolist(), far.tolist(), strict=True):
        found[a].add(b)
    return found


def beside(neighbors: list[set[int]], members: set[int]) -> set[int]:
    """What an advance without conditions reaches."""
    return set().union(*(neighbors[v] for v in members))


def check_meeting(graph: Graph, values: Values, answers: Answers) -> None:
    tails, heads = ends(graph)
    count, left, right = graph.num_vertices, values["left"], values["right"]
    ahead, back = levels(count, tails, heads, [left]), levels(count, heads, tails, [right])
    one = other = 0  # hops walked on either side
    both = (ahead == 0) & (back == 0)
    seen_left, seen_right = ahead == 0, back == 0
    while not both.any() and (ahead == one).any() and (back == other).any():
        one += 1
        seen_left |= ahead == one
        both = (ahead == one) & seen_right
        if not both.any():
            other += 1
            seen_right |= back == other
            both = seen_left & (back == other)
    same(answers, met=both, looked_at=int((seen_left | seen_right).sum()))
    same(answers, from_left=np.where(seen_left, ahead, -1), to_right=np.where(seen_right, back, -1))
    same(answers, between=int(ahead[right]) if both.any() else -1)


def check_unvisited(graph: Graph, values: Values, answers: Answers) -> None:
    near, far, _ = both_ways(graph)
    smallest = np.arange(graph.num_vertices)
    while True:
        before = smallest.copy()
        np.minimum.at(smallest, far, smallest[near])
        if (before == smallest).all():
            break
    roots, order = np.unique(smallest, return_inverse=True)
    same(answers, component=smallest, order=order, components=len(roots))


def check_independent_rounds(graph: Graph, values: Values, answers: Answers) -> None:
    near, far, _ = both_ways(graph)
    proper = near != far
    neighbors = lists(graph, near[proper], far[proper])
    key = [(v * 2654435761 % 2**32) * 2**32 + v + 1 for v in range(graph.num_vertices)]
    undecided, rounds = set(range(graph.num_vertices)), 0
    joined, left = np.full(graph.num_vertices, -1), np.full(graph.num_vertices, -1)
    while undecided:
        chosen = {v for v in undecided if all(key[v] > key[u] for u in neighbors[v] & undecided)}
        gone = beside(neighbors, chosen) & undecided
        joined[list(chosen)] = rounds
        left[list(gone)] = rounds
        undecided -= chosen | gone
        rounds += 1
    same(answers, joined=joined, left_in=left, rounds=rounds)


def check_set_operations(graph: Graph, values: Values, answers: Answers) -> None:
    tails, heads = ends(graph)
    out, into = lists(graph, tails, heads), lists(graph, heads, tails)
    count, start, other = graph.num_vertices, values["start"], values["other"]
    everything = set(range(count))
    reached, bits, times = np.full(count, -1), np.zeros(count, np.uint32), np.zeros(count, int)
    reached[start] = 0

    def mark(members: set[int], bit: int) -> None:
        bits[list(members)] |= np.uint32(1 << bit)
        times[list(members)] += 1

    f, sizes = {start, other}, 0
    g, h = everything - f, set(range(0, count, 3)) - {start}
    for turn in range(5):
        made = {v for v in beside(out, f) if reached[v] == -1}
        reached[list(made)] = turn + 1
        f = f | made
        g = f - g
        h &= g | made
        mark(h, 3 * turn)
        sizes += len(f) + 3 * len(g)
        g = ((everything - g) & f) | (beside(into, h) - made) | {start}
        mark(g - h, 3 * turn + 1)
        h = f - (h & g) - made
        mark(beside(out, h | g), 3 * turn + 1)
        mark({v for v in h - g if v % 3 == 0}, 3 * turn + 2)
    same(answers, reached=reached, bits=bits, times=times, sizes=sizes)


def check_edge_sets(graph: Graph, values: Values, answers: Answers) -> None:
    tails, heads = (each.tolist() for each in ends(graph))
    out: list[set[int]] = [set() for _ in range(graph.num_vertices)]
    for edge, tail in enumerate(tails):
        out[tail].add(edge)
    everything, start = set(range(graph.num_edges)), values["start"]
    thirds = set(range(0, graph.num_edges, 3))
    bits, sizes = np.zeros(graph.num_edges, np.uint32), 0

    def mark(members: set[int], bit: int) -> None:
        bits[list(members)] |= np.uint32(1 << bit)

    def beyond(members: set[int]) -> set[int]:
        return beside(out, {heads[edge] for edge in members})

    ahead, some, seen = set(out[start]), set(thirds), set[int]()
    for turn in range(5):
        ahead = beyond(ahead) | ahead
        mark(ahead & some, 3 * turn)
        mark(everything - ahead, 3 * turn + 1)
        some = ahead - some
        mark(some | ((everything - seen) & thirds), 3 * turn + 2)
        seen = (ahead & some) | seen
        reached = {heads[edge] for edge in beyond((ahead - some) | seen)}
        sizes += len(seen) + 100 * len(reached)
        ahead = (ahead - seen) & ahead | some
    same(answers, bits=bits, sizes=sizes)


def two_vertices(*names: str) -> Callable[[Graph, int], Values]:
    """Values for two params that are vertices."""
    return lambda graph, seed: {name: source_of(graph, seed + place) for place, name in enumerate(names)}


def smallest_linked(count: int, near: np.ndarray, far: np.ndarray) -> np.ndarray:
    """The smallest vertex that some edges, in either direction, link with each vertex."""
    if count == 0:
        return np.zeros(0, np.int64)
    links = coo_array((np.ones(len(near), np.int8), (near, far)), shape=(count, count))
    sets, label = connected_components(links, directed=False)
    first = np.full(sets, count)
    np.minimum.at(first, label, np.arange(count))
    return first[label]


def check_joined_sets(graph: Graph, values: Values, answers: Answers) -> None:
    tails, heads = ends(graph)
    chosen = np.arange(len(tails)) % values["shared"] != 0
    first = smallest_linked(graph.num_vertices, tails[chosen], heads[chosen])
    members = np.bincount(first, minlength=graph.num_vertices)
    same(answers, first_root=first, members=members, sets=int((members > 0).sum()))
    same(answers, component=smallest_linked(graph.num_vertices, tails, heads))


SETS = (
    Case("meeting", check_meeting, two_vertices("left", "right"), not_empty),
    Case("unvisited", check_unvisited),
    Case("independent_rounds", check_independent_rounds),
    Case("joined_sets", check_joined_sets, lambda graph, seed: {"shared": 1 + seed % 4}),
    Case("edge_sets", check_edge_sets, lambda graph, seed: {"start": source_of(graph, seed)}, not_empty),
    Case("set_operations", check_set_operations, two_vertices("start", "other"), not_empty),
)
