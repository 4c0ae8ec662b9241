"""Programs that work off vertices by levels."""

from __future__ import annotations

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


BUCKETS = (
    Case("delta_stepping", check_delta_stepping, weights_and_width, not_empty),
    Case("coreness", check_coreness),
)
