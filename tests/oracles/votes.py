"""Programs that count votes, against plain loops over sums by key."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from gdsl.graph import Graph

from .case import Answers, Case, Values, both_ways, ends, random_of, same

Ballots = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Of every ballot who gets it, its key and its weight."""


def winners(
    former: np.ndarray,
    ballots: Ballots,
    score: Callable[[int, int, int], Fraction | int | None] | None = None,
    kept: np.ndarray | None = None,
) -> np.ndarray:
    """The best key of each vertex, `former` where it has none: one of its ballots or, with a score, the one in `kept`.
    A score of None is less than any other."""
    best = former.copy()
    order = np.lexsort(ballots[1::-1])
    near, keys, weights = (part[order] for part in ballots)
    new = np.ones(len(near), bool)
    new[1:] = (near[1:] != near[:-1]) | (keys[1:] != keys[:-1])
    starts = np.flatnonzero(new)
    totals = np.add.reduceat(weights, starts) if len(starts) else weights
    found: dict[int, list[tuple[object, ...]]] = {}
    for v, key, total in zip(near[starts].tolist(), keys[starts].tolist(), totals.tolist(), strict=True):
        value = total if score is None else score(v, key, total)
        own = kept is not None and kept[v] == key
        found.setdefault(v, []).append((value is not None, value or 0, own, -key, key))
    for v in range(len(former)) if score is not None and kept is not None else ():
        if all(choice[-1] != kept[v] for choice in found.get(v, ())):
            found.setdefault(v, []).append((True, score(v, kept[v], 0), True, -kept[v], kept[v]))
    for v, choices in found.items():
        best[v] = max(choices)[-1]
    return best


def communities_values(graph: Graph, seed: int) -> Values:
    """Light weights, so that many keys are equal, and colors of both signs."""
    random = random_of(graph, seed)
    colors = random.integers(-6, 7, graph.num_vertices)
    colors[colors == 6] = np.iinfo(np.int64).min + 3
    return {
        "weight": random.integers(0, 4, graph.num_edges).astype(np.int32),
        "color": colors,
        "asks": random.random(graph.num_vertices) < 0.7,
    }


def check_communities(graph: Graph, values: Values, answers: Answers) -> None:
    count = graph.num_vertices
    weight, color, asks = (np.asarray(values[name]) for name in ("weight", "color", "asks"))
    tails, heads = ends(graph)
    near, far, edge = both_ways(graph)
    apart = near != far
    near, far, edge = near[apart], far[apart], edge[apart]
    label = np.arange(count)
    for _ in range(3):
        label = winners(label, (near, label[far], weight[edge].astype(np.int64)), kept=label)
    strength = np.bincount(tails, weight, count).astype(np.int64)
    volume = np.bincount(label, strength, count).astype(np.int64)
    whole = int(weight.sum())

    def gain(v: int, key: int, total: int) -> int:
        return total * whole - int(volume[key]) * int(strength[v])

    moved = winners(np.arange(count), (near, label[far], weight[edge].astype(np.int64)), gain, label)
    same(answers, label=label, moved=moved, whole=whole, changes=int((moved != label).sum()))

    told = asks[heads] & (np.fmod(color[tails], 5) != 0)
    light = np.full(int(told.sum()), 2**32 - 1, np.uint64)
    tone = winners(np.full(count, 5), (heads[told], color[tails[told]], light), lambda v, key, total: total % 2**32)
    asked = asks[tails]
    ones = np.ones(int(asked.sum()), np.int64)
    numbers = color[heads[asked]] % 2**32
    loudest = winners(
        np.full(count, 77), (tails[asked], numbers, ones), lambda v, key, total: None if key % 3 == 1 else -total
    )
    same(answers, tone=tone, loudest=loudest)


VOTES = (Case("communities", check_communities, communities_values),)
