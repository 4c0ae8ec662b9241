"""Random walks, step by step, by random numbers of the language's page."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate, pairwise

import numpy as np

from gdsl.graph import Graph

from ..case import Answers, Case, Values, members, random_of
from ..philox import number  # which shares nothing with the compiler

Chooser = Callable[[int, int, int, int], int]
"""The vertex after `here`, by the one before it (-1: it is the first), in a step of the walk from `start`; -1: none."""


def some_starts(graph: Graph, seed: int) -> Values:
    starts = np.flatnonzero(random_of(graph, seed).random(graph.num_vertices) < 0.3)
    return {"starts": starts[:20].tolist(), "length": (0, 1, 7, 16)[seed % 4], "seed": seed * 7919}


def some_weights(graph: Graph, seed: int) -> Values:
    """Starts, and weights that are whole or not, a third of which are 0; some are tiny, the sum of others overflows."""
    random = random_of(graph, seed)
    weight = (random.random(graph.num_edges) * (3.4e38, 9, 1, 1e-44)[seed % 4]).astype(np.float32)
    weight = np.floor(weight) if seed % 4 == 1 else weight
    weight[random.random(graph.num_edges) < 1 / 3] = 0
    return {**some_starts(graph, seed), "weight": weight}


def some_turns(graph: Graph, seed: int) -> Values:
    """Weights, and p and q that draw walks back or away, or that reject nearly all; from no trials to many."""
    p, q = ((1, 1), (0.25, 4), (4, 0.25), (1e9, 1e-9), (1e-9, 1e9))[seed % 5]
    return {**some_weights(graph, seed), "p": p, "q": q, "trials": (32, 0, 3, 1)[seed % 4]}


def check_paths(graph: Graph, values: Values, answers: Answers, choose: Chooser) -> None:
    offsets, columns = graph.offsets.tolist(), graph.columns.tolist()
    visits = np.zeros(graph.num_vertices, int)
    ends = np.asarray(answers["end"])
    starts = members(values["starts"]).tolist()
    wanted = np.full((graph.num_vertices, values["length"] + 1), -1)
    for start in starts:
        before, here = -1, start
        visits[here] += 1
        wanted[start, 0] = here
        for step in range(values["length"]):
            before, after = here, choose(before, here, start, step)
            if after < 0:
                break
            here = after
            visits[here] += 1
            wanted[start, step + 1] = here
        assert ends[start] == here
    assert not np.isin(np.delete(ends, starts), np.arange(graph.num_vertices)).any(), "none where no walk began"
    assert np.array_equal(answers["visits"], visits)
    path = np.asarray(answers["path"]).astype(np.int64).reshape(wanted.shape)  # of a backend itself it is flat
    walked = (path >= 0) & (path < graph.num_vertices)
    assert np.array_equal(np.where(walked, path, -1), wanted)
    for row, known in zip(path[starts], walked[starts], strict=True):
        taken = row[known].tolist()  # every step is an edge, and the last one led to the end
        assert all(b in columns[offsets[a] : offsets[a + 1]] for a, b in pairwise(taken))
        assert known[: len(taken)].all() and ends[taken[0]] == taken[-1]


def check_walks(graph: Graph, values: Values, answers: Answers) -> None:
    def choose(before: int, here: int, start: int, step: int) -> int:
        targets = graph.columns[graph.offsets[here] : graph.offsets[here + 1]].tolist()
        return targets[number("random_below", (len(targets), start, step, values["seed"]))] if targets else -1

    check_paths(graph, values, answers, choose)


def lists_of(graph: Graph, weight: np.ndarray) -> list[tuple[list[int], list[float]]]:
    """The neighbors of each vertex, with the weights of the edges in units of the largest among them."""
    lists = []
    for first, last in zip(graph.offsets[:-1].tolist(), graph.offsets[1:].tolist(), strict=True):
        shares = [float(each) for each in weight[first:last].tolist()]
        lists.append((graph.columns[first:last].tolist(), [each / (max(shares) or 1) for each in shares]))
    return lists


def by_weight(shares: list[float], fraction: float) -> int:
    """The place in a list where the sum of the weights exceeds this fraction of the whole; -1 if all are 0."""
    sums = list(accumulate(shares))
    return next((place for place, so_far in enumerate(sums) if so_far > fraction * sums[-1]), -1)


def fraction_of(*keys: int) -> float:
    return (number("random_bits", keys) >> 11) / 2**53


def check_weighted(graph: Graph, values: Values, answers: Answers) -> None:
    lists = lists_of(graph, np.asarray(values["weight"]))

    def choose(before: int, here: int, start: int, step: int) -> int:
        targets, shares = lists[here]
        place = by_weight(shares, fraction_of(start, step, values["seed"]))
        return targets[place] if place >= 0 else -1

    check_paths(graph, values, answers, choose)


def check_node2vec(graph: Graph, values: Values, answers: Answers) -> None:
    lists = lists_of(graph, np.asarray(values["weight"]))
    p, q, seed, trials = (values[name] for name in ("p", "q", "seed", "trials"))
    smallest = min(p, q, 1)

    def odds(before: int, target: int) -> float:
        if before < 0:
            return 1
        return smallest / (p if target == before else 1 if target in lists[before][0] else q)

    def choose(before: int, here: int, start: int, step: int) -> int:
        targets, shares = lists[here]
        if not any(shares):
            return -1
        for trial in range(trials):
            target = targets[by_weight(shares, fraction_of(start, step, 2 * trial, seed))]
            if fraction_of(start, step, 2 * trial + 1, seed) < odds(before, target):
                return target
        chosen, so_far = -1, 0.0
        for place, (target, share) in enumerate(zip(targets, shares, strict=True)):
            part = share * odds(before, target)
            so_far += part
            if share > 0 and (chosen < 0 or fraction_of(start, step, -place - 1, seed) * so_far < part):
                chosen = target
        return chosen

    check_paths(graph, values, answers, choose)


WALKS = (
    Case("random_walk", check_walks, some_starts),
    Case("weighted_walk", check_weighted, some_weights, slow=True),
    Case("node2vec", check_node2vec, some_turns, slow=True),
)
