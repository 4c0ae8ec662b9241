"""Communities by votes, pass by pass in plain Python."""

from __future__ import annotations

from collections import Counter

import numpy as np

from gdsl.graph import Graph
from gdsl.tools.fuzz.expressions.draws import number  # which shares nothing with the compiler

from ..case import Answers, Case, Values, ends, same, symmetric
from .choosing import seeded

MOST_PASSES = 100


def better(labels: list[int], lists: list[list[int]]) -> dict[int, int]:
    """The vertices for which another label has more votes than their own, with the smallest such label."""
    found = {}
    for v, neighbors in enumerate(lists):
        votes = Counter(labels[u] for u in neighbors)
        most = max(votes.values(), default=0)
        if votes[labels[v]] < most:
            found[v] = min(label for label, count in votes.items() if count == most)
    return found


def check_labels(graph: Graph, values: Values, answers: Answers) -> None:
    lists: list[list[int]] = [[] for _ in range(graph.num_vertices)]
    for tail, head in zip(*(side.tolist() for side in ends(graph)), strict=True):
        if tail != head:
            lists[tail].append(head)
    labels = list(range(graph.num_vertices))
    turn = 0
    while (wanted := better(labels, lists)) and turn < MOST_PASSES:
        for v, label in wanted.items():
            if number("random", (v, turn, values["seed"])) < np.float32(0.5):
                labels[v] = label
        turn += 1
    same(answers, label=np.array(labels, int), unsettled=len(wanted), communities=len(set(labels)))


COMMUNITIES = (Case("label_propagation", check_labels, seeded, symmetric),)
