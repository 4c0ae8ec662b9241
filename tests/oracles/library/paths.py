"""Shortest paths."""

from __future__ import annotations

import numpy as np

from gdsl.graph import Graph

from ..case import Answers, Case, Values, ends, not_empty, random_of, same, source_of


def check_bellman_ford(graph: Graph, values: Values, answers: Answers) -> None:
    """The best walks of at most so many edges, an edge more in each round; sums of quarters are exact."""
    tails, heads = ends(graph)
    distance = np.full(graph.num_vertices, np.inf)
    distance[values["source"]] = 0
    changes = True
    for _ in range(graph.num_vertices):
        before = distance.copy()
        np.minimum.at(distance, heads, before[tails] + values["weight"])
        changes = bool((before != distance).any())
        if not changes:
            break
    same(answers, distance=distance, negative_cycle=changes, converged=True)


def signed_weights(graph: Graph, seed: int) -> Values:
    """Quarters: by seed none of them negative; negative ones without a negative cycle; or a few negative ones."""
    random = random_of(graph, seed)
    tails, heads = ends(graph)
    quarters = random.integers(0, 40, graph.num_edges)
    if seed % 3 == 1:
        height = random.integers(0, 100, graph.num_vertices)
        quarters += height[tails] - height[heads]
    elif seed % 3 == 2:
        quarters -= 2
    return {"source": source_of(graph, seed), "weight": (quarters / 4).astype(np.float32)}


PATHS = (Case("bellman_ford", check_bellman_ford, signed_weights, not_empty),)
