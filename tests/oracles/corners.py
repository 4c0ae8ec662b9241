"""Programs that do something with each common neighbor of the ends of edges, against lists of all of them."""

from __future__ import annotations

import numpy as np

from gdsl.graph import Graph

from .case import Answers, Case, Values, ends, random_of, same

Corners = tuple[np.ndarray, ...]
"""Of every common neighbor of the ends of an edge: u, w, x, e, eu, ew."""


def corners(graph: Graph, edges: np.ndarray) -> Corners:
    """Those of `edges`; eu and ew are the first edges from u and from w to x."""
    tails, heads = ends(graph)
    first: list[dict[int, int]] = [{} for _ in range(graph.num_vertices)]
    for edge in reversed(range(graph.num_edges)):
        first[tails[edge]][int(heads[edge])] = edge
    found = [
        (tails[e], heads[e], x, e, first[tails[e]][x], first[heads[e]][x])
        for e in edges
        for x in first[tails[e]].keys() & first[heads[e]].keys()
    ]
    return tuple(np.array(found, np.int64).reshape(-1, 6).T)


def supports_values(graph: Graph, seed: int) -> Values:
    """Weights of both signs, most of the edges."""
    random = random_of(graph, seed)
    weight = random.integers(-3, 9, graph.num_vertices).astype(np.int32)
    return {"weight": weight, "chosen": random.random(graph.num_edges) < 0.7}


def check_supports(graph: Graph, values: Values, answers: Answers) -> None:
    size, count = graph.num_edges, graph.num_vertices
    weight = np.asarray(values["weight"]).astype(np.int64)
    everything = corners(graph, np.arange(size))
    u, w, x, e, eu, ew = everything
    support = sum(np.bincount(edges, minlength=size) for edges in (e, eu, ew))
    opposite = np.zeros(count, np.int64)
    np.add.at(opposite, x, weight[u] - weight[w])
    same(answers, support=support, opposite=opposite, apexes=int(((u < w) & (w < x)).sum()))

    u, w, x, e, _, _ = corners(graph, np.flatnonzero(values["chosen"]))
    run = (weight[x] >= 0) & (u != x)
    u, w, x, e = u[run], w[run], x[run], e[run]
    heaviest = np.full(size, -5)
    np.maximum.at(heaviest, e, weight[x])
    accepted = weight[x] > weight[w]
    passed = np.zeros(count, bool)
    passed[x[accepted]] = True
    sharing = np.bincount(e, minlength=size)
    same(answers, sharing=sharing, heaviest=heaviest, heavy=len(e), kept=int(accepted.sum()), passed=passed)

    alive, trussness, rounds = np.ones(size, bool), np.full(size, 2), 0
    weak = np.ones(size, bool)
    while weak.any():
        rounds += 1
        _, _, _, e, eu, ew = everything
        inside = np.bincount(e[alive[e] & alive[eu] & alive[ew]], minlength=size)
        weak = alive & (inside < 2)
        alive &= ~weak
        trussness[weak] = 2 + rounds
    same(answers, trussness=trussness, rounds=rounds)


CORNERS = (Case("supports", check_supports, supports_values),)
