"""Sets and colourings that are not the only ones: what makes one."""

from __future__ import annotations

import numpy as np

from gdsl.graph import Graph

from ..case import Answers, Case, Values, ends, same, symmetric


def other_ends(graph: Graph) -> tuple[np.ndarray, np.ndarray]:
    """The ends of every edge but self-loops."""
    tails, heads = ends(graph)
    return tails[tails != heads], heads[tails != heads]


def check_independent(graph: Graph, values: Values, answers: Answers) -> None:
    tails, heads = other_ends(graph)
    chosen = np.asarray(answers["chosen"])
    assert not (chosen[tails] & chosen[heads]).any(), "no two neighbours are chosen"
    covered = chosen.copy()
    covered[heads[chosen[tails]]] = True
    assert covered.all(), "every other vertex has a neighbour that is"


def check_coloring(graph: Graph, values: Values, answers: Answers) -> None:
    """Proper, and no vertex has a colour above its degree: so there are no more than the largest degree and one."""
    tails, heads = other_ends(graph)
    color = np.asarray(answers["color"], np.int64)
    assert (color >= 0).all()
    assert not (color[tails] == color[heads]).any(), "neighbours have different colours"
    assert (color <= np.bincount(ends(graph)[0], minlength=graph.num_vertices)).all(), "as many neighbours as colours"
    same(answers, colors=color.max(initial=-1) + 1)


def seeded(graph: Graph, seed: int) -> Values:
    return {"seed": seed * 7919}


CHOOSING = (
    Case("maximal_independent_set", check_independent, seeded, symmetric),
    Case("coloring", check_coloring, seeded, symmetric),
)
