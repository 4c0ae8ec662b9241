"""Communities: votes pass by pass in plain Python, and what modularity says of a division."""

from __future__ import annotations

from collections import Counter

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from gdsl.graph import Graph

from ..case import Answers, Case, Values, close, ends, random_of, same, symmetric
from ..philox import number  # which shares nothing with the compiler
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
    assert answers["converged"] == (not wanted)


def modularity(graph: Graph, weight: np.ndarray, community: np.ndarray, resolution: float = 1) -> float:
    """By its definition, in float64; a self-loop counts once, 0 where nothing weighs anything."""
    tails, heads = ends(graph)
    weight = weight.astype(np.float64)
    if not weight.sum():
        return 0.0
    strength = np.bincount(tails, weight, graph.num_vertices)
    part = np.bincount(community, strength) / weight.sum()
    return float(weight[community[tails] == community[heads]].sum() / weight.sum() - resolution * (part**2).sum())


def check_louvain(graph: Graph, values: Values, answers: Answers) -> None:
    community = np.asarray(answers["community"], np.int64)
    count = int(answers["communities"])
    assert np.array_equal(np.unique(community), np.arange(count)), "communities are numbered from 0"
    weight, resolution = values["weight"], values.get("resolution", 1)
    close(answers, 1e-7, modularity=modularity(graph, weight, community, resolution))
    alone = modularity(graph, weight, np.arange(graph.num_vertices), resolution)
    if count < graph.num_vertices:
        assert answers["modularity"] > alone - 1e-9, "every level gains"
    else:
        same(answers, community=np.arange(graph.num_vertices))
    if graph.num_edges:
        joined = csr_array((np.ones(graph.num_edges, bool), ends(graph)), shape=(graph.num_vertices,) * 2)
        component = connected_components(joined, directed=False)[1]
        assert len(np.unique(np.stack([community, component]), axis=1)[0]) == count, "a community is in one component"


def check_leiden(graph: Graph, values: Values, answers: Answers) -> None:
    """As for Louvain, and each community is connected: that is the method's promise."""
    community = np.asarray(answers["community"], np.int64)
    count = int(answers["communities"])
    assert np.array_equal(np.unique(community), np.arange(count)), "communities are numbered from 0"
    weight = values["weight"]
    close(answers, 1e-7, modularity=modularity(graph, weight, community, values.get("resolution", 1)))
    tails, heads = ends(graph)
    within = community[tails] == community[heads]
    joined = csr_array((np.ones(within.sum(), bool), (tails[within], heads[within])), shape=(graph.num_vertices,) * 2)
    assert connected_components(joined, directed=False)[0] == count, "each community is connected"


def leiden_values(graph: Graph, seed: int) -> Values:
    return {**louvain_values(graph, seed), "passes": 1 + seed % 2}


def louvain_values(graph: Graph, seed: int) -> Values:
    """Weights that are the same both ways: ones, quarters (some 0), or any; a resolution."""
    tails, heads = ends(graph)
    random = random_of(graph, seed)
    table = [np.ones(97), random.integers(0, 9, 97) / 4, random.random(97) * 1e-3][seed % 3]
    weight = table[(tails + heads + tails * heads) % 97].astype(np.float32)
    return {"seed": seed, "weight": weight, "resolution": (1.0, 0.25, 3.0, 0.0)[seed % 4]}


COMMUNITIES = (
    Case("label_propagation", check_labels, seeded, symmetric),
    Case("louvain", check_louvain, louvain_values, symmetric),
    Case("leiden", check_leiden, leiden_values, symmetric),
)
