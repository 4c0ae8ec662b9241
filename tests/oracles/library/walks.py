"""Random walks, step by step, by random numbers of the language's page."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from gdsl.graph import Graph

from ..case import Answers, Case, Values, members, random_of
from ..philox import number  # which shares nothing with the compiler


def some_starts(graph: Graph, seed: int) -> Values:
    starts = np.flatnonzero(random_of(graph, seed).random(graph.num_vertices) < 0.3)
    return {"starts": starts[:20].tolist(), "length": (0, 1, 7, 16)[seed % 4], "seed": seed * 7919}


def check_walks(graph: Graph, values: Values, answers: Answers) -> None:
    offsets, columns = graph.offsets.tolist(), graph.columns.tolist()
    visits = np.zeros(graph.num_vertices, int)
    ends = np.asarray(answers["end"])
    starts = members(values["starts"]).tolist()
    wanted = np.full((graph.num_vertices, values["length"] + 1), -1)
    for start in starts:
        here = start
        visits[here] += 1
        wanted[start, 0] = here
        for step in range(values["length"]):
            degree = offsets[here + 1] - offsets[here]
            if degree == 0:
                break
            here = columns[offsets[here] + number("random_below", (degree, start, step, values["seed"]))]
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


WALKS = (Case("random_walk", check_walks, some_starts),)
