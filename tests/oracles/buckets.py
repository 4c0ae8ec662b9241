"""Programs that work off vertices by levels."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gdsl.graph import Graph

from .case import Answers, Case, Values, ends, not_empty, random_of, same, source_of


def check_delta_stepping(graph: Graph, values: Values, answers: Answers) -> None:
    """Sums of multiples of 1/4, which are exact in any order."""
    tails, heads = ends(graph)
    distance = np.full(graph.num_vertices, np.inf)
    distance[values["source"]] = 0
    while True:
        nearer = distance.copy()
        np.minimum.at(nearer, heads, distance[tails] + values["weight"])
        if np.array_equal(nearer, distance):
            break
        distance = nearer
    same(answers, distance=distance.astype(np.float32))


def weights_and_width(graph: Graph, seed: int) -> Values:
    random = random_of(graph, seed)
    weight = random.choice([0.0, 0.25, 0.5, 1.0, 1.75, 8.0], graph.num_edges).astype(np.float32)
    return {"source": source_of(graph, seed), "weight": weight, "delta": [0.25, 1.0, 3.0, 1e6][seed % 4]}


def check_coreness(graph: Graph, values: Values, answers: Answers) -> None:
    """Whoever has fewest edges from those that are left, one round after the other."""
    count = graph.num_vertices
    tails, heads = ends(graph)
    left, core, k, most = np.bincount(heads, minlength=count), np.full(count, -1), 0, 0
    while np.any(core == -1):
        k = max(k, int(left[core == -1].min()))
        found = (core == -1) & (left <= k)
        core[found] = k
        lowered = found[tails] & (core[heads] == -1)
        left = left - np.bincount(heads[lowered], minlength=count)
        most = max(most, int(np.sum(core == -1)))
    level = -core // 2
    turn = np.full(count, -1)
    found = np.unique(level)[:4]
    for place, each in enumerate(found):
        turn[level == each] = place
    last = core.max() if count else np.iinfo(np.int64).min
    same(answers, left=left, core=core, inner=-core, turn=turn)
    same(answers, k=k, rounds=len(found), most=most, deepest=last)


def settled(
    graph: Graph, start: np.ndarray, improve: Callable[[np.ndarray], np.ndarray], better: np.ufunc
) -> np.ndarray:
    """What is left where no edge brings its head anything better."""
    tails, heads = ends(graph)
    while True:
        found = start.copy()
        better.at(found, heads, improve(start[tails]))
        if np.array_equal(found, start):
            return found
        start = found


def check_nearest_waiting(graph: Graph, values: Values, answers: Answers) -> None:
    """What a plain worklist, and one pass after the other over all edges, ends with."""
    source, weight, count = values["source"], values["weight"], graph.num_vertices
    distance, capacity = np.full(count, np.inf), np.zeros(count, np.int64)
    distance[source], capacity[source] = 0, 2**31 - 1
    distance = settled(graph, distance, lambda found: found + weight, np.minimum)
    capacity = settled(graph, capacity, lambda found: np.minimum(found, weight.astype(np.int64)), np.maximum)
    same(answers, distance=distance.astype(np.float32), capacity=capacity)


def weights_and_ranks(graph: Graph, seed: int) -> Values:
    """Ranks of every kind: they say who comes first, and nothing else."""
    values, random = weights_and_width(graph, seed), random_of(graph, seed + 1)
    ranks = random.choice([0.0, -1.5, 3.25, 1e300, -1e300, np.inf, -np.inf, np.nan], graph.num_vertices)
    return {"source": values["source"], "weight": values["weight"], "rank": ranks}


BUCKETS = (
    Case("nearest_waiting", check_nearest_waiting, weights_and_ranks, not_empty, varies=True),
    Case("delta_stepping", check_delta_stepping, weights_and_width, not_empty),
    Case("coreness", check_coreness),
)
