"""What hangs together, what can be reached, and in which order, against SciPy and levels by plain NumPy."""

from __future__ import annotations

import numpy as np
from scipy.sparse.csgraph import connected_components

from gdsl.graph import Graph

from ..case import Answers, Case, Values, ends, levels, members, random_of, same, symmetric
from ..samples import check_components, pattern, smallest_of_component


def strong(graph: Graph) -> np.ndarray:
    """The smallest vertex of each vertex's strong component."""
    if graph.num_vertices == 0:
        return np.zeros(0, np.int64)
    count, label = connected_components(pattern(graph), directed=True, connection="strong")
    first = np.full(count, graph.num_vertices)
    np.minimum.at(first, label, np.arange(graph.num_vertices))
    return first[label]


def check_strong(graph: Graph, values: Values, answers: Answers) -> None:
    same(answers, component=strong(graph))


def check_reachability(graph: Graph, values: Values, answers: Answers) -> None:
    reached = levels(graph.num_vertices, *ends(graph), members(values["sources"])) >= 0
    same(answers, reached=reached, total=reached.sum())


def some_sources(graph: Graph, seed: int) -> Values:
    """None, one or several, some of them given twice."""
    count = seed % 4 if graph.num_vertices else 0
    return {"sources": random_of(graph, seed).integers(0, max(graph.num_vertices, 1), count)}


def check_bipartite(graph: Graph, values: Values, answers: Answers) -> None:
    """Sides by hops from the smallest vertex of a component."""
    tails, heads = ends(graph)
    hops = levels(graph.num_vertices, tails, heads, np.unique(smallest_of_component(graph)))
    side = hops % 2 == 1
    same(answers, side=side, bipartite=(side[tails] != side[heads]).all())


def check_topological(graph: Graph, values: Values, answers: Answers) -> None:
    """Everything behind a cycle has no level; the longest paths to all else, an edge more in each round."""
    tails, heads = ends(graph)
    component = strong(graph)
    on_cycle = np.unique(tails[component[tails] == component[heads]])
    free = levels(graph.num_vertices, tails, heads, on_cycle) < 0
    level = np.where(free, 0, -1)
    inner = free[tails] & free[heads]
    before = None
    while before is None or (before != level).any():
        before = level.copy()
        np.maximum.at(level, heads[inner], level[tails[inner]] + 1)
    same(answers, level=level, acyclic=free.all())


COMPONENTS = (
    Case("components_hook_and_jump", check_components, varies=True),
    Case("strongly_connected_components", check_strong, varies=True),
    Case("components_by_colors", check_strong, varies=True),
    Case("reachability", check_reachability, some_sources),
    Case("bipartite_check", check_bipartite, suits=symmetric, varies=True),
    Case("topological_levels", check_topological),
)
