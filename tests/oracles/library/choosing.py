"""Sets and colorings that are not the only ones: what makes one."""

from __future__ import annotations

from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.graph import Graph

from ..case import Answers, Case, Values, ends, random_of, same, symmetric


def other_ends(graph: Graph) -> tuple[np.ndarray, np.ndarray]:
    """The ends of every edge but self-loops."""
    tails, heads = ends(graph)
    return tails[tails != heads], heads[tails != heads]


def check_independent(graph: Graph, values: Values, answers: Answers) -> None:
    tails, heads = other_ends(graph)
    chosen = np.asarray(answers["chosen"])
    assert not (chosen[tails] & chosen[heads]).any(), "no two neighbors are chosen"
    covered = chosen.copy()
    covered[heads[chosen[tails]]] = True
    assert covered.all(), "every other vertex has a neighbor that is"


def check_coloring(graph: Graph, values: Values, answers: Answers) -> None:
    """Proper, and no vertex has a color above its degree: so there are no more than the largest degree and one."""
    tails, heads = other_ends(graph)
    color = np.asarray(answers["color"], np.int64)
    assert (color >= 0).all()
    assert not (color[tails] == color[heads]).any(), "neighbors have different colors"
    assert (color <= np.bincount(ends(graph)[0], minlength=graph.num_vertices)).all(), "as many neighbors as colors"
    same(answers, colors=color.max(initial=-1) + 1)


def first_fit(graph: Graph, order: NDArray[Any]) -> NDArray[Any]:
    """Greedy coloring: vertex after vertex in this order, each with the smallest color that no neighbor has."""
    color = np.full(graph.num_vertices, -1)
    for vertex in order.tolist():
        beside = graph.columns[graph.offsets[vertex] : graph.offsets[vertex + 1]]
        used = set(color[beside[beside != vertex]].tolist())
        color[vertex] = next(each for each in range(len(used) + 1) if each not in used)
    return color


def check_fewer(graph: Graph, values: Values, answers: Answers) -> None:
    """As proper as before with as many colors or fewer; what is not proper stays as it was."""
    tails, heads = other_ends(graph)
    given = np.asarray(values["given"])
    clashes = int((given[tails] == given[heads]).sum())
    same(answers, clashes=clashes)
    color = np.asarray(answers["color"], np.int64)
    if clashes:
        same(answers, color=given)
    assert (color[tails] == color[heads]).sum() == clashes, "neighbors have different colors"
    degrees = np.bincount(ends(graph)[0], minlength=graph.num_vertices)
    assert (color >= 0).all() and (color <= np.maximum(given, degrees)).all(), "as many neighbors as colors"
    same(answers, colors=color.max(initial=-1) + 1)
    assert answers["colors"] <= given.max(initial=-1) + 1


def given_colors(graph: Graph, seed: int) -> Values:
    """A color for each vertex by itself, the first that is free in a random order, and one that is not proper."""
    random = random_of(graph, seed)
    if seed % 3 == 0:
        return {"given": random.permutation(graph.num_vertices).astype(np.int32)}
    given = np.full(graph.num_vertices, -1, np.int32)
    for v in random.permutation(graph.num_vertices):
        near = set(given[graph.columns[graph.offsets[v] : graph.offsets[v + 1]]].tolist())
        given[v] = next(color for color in count(seed % 2) if color not in near)
    return {"given": given if seed % 5 else np.maximum(given - 1, 0), "rounds": (64, 1, 9)[seed % 3]}


def seeded(graph: Graph, seed: int) -> Values:
    return {"seed": seed * 7919}


CHOOSING = (
    Case("maximal_independent_set", check_independent, seeded, symmetric),
    Case("coloring", check_coloring, suits=symmetric),
    Case("fewer_colors", check_fewer, given_colors, symmetric),
)
