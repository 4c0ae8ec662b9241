"""Where walks go: how often each vertex comes next, beside the probabilities of the papers, by a chi-square test.

Walks are functions of their seed, so a test that passes once always passes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

import numpy as np
import pytest
from scipy.special import chdtrc

import gdsl
from tests.oracles import BY_NAME

Odds = Callable[[tuple[int, ...]], np.ndarray]
"""The probability of each vertex to come next, by the vertices before."""


def weighted_graph() -> tuple[gdsl.Graph, np.ndarray]:
    """Directed, with parallel edges, self-loops, weights of 0 and a heavy edge; and the weight between two vertices."""
    random = np.random.default_rng(3)
    tails, heads = random.integers(0, 9, (2, 60))
    weights = np.where(random.random(60) < 0.2, 0, random.integers(1, 9, 60)).astype(np.float32)
    weights[0] = 100
    dense = np.zeros((9, 9))
    np.add.at(dense, (tails, heads), weights)
    return gdsl.Graph.from_edges(tails, heads, num_vertices=9, weights=weights), dense


def transitions(path: np.ndarray, memory: int) -> dict[tuple[int, ...], np.ndarray]:
    """How often each vertex came next, by the last vertices before it."""
    counts: dict[tuple[int, ...], np.ndarray] = defaultdict(lambda: np.zeros(len(path), int))
    for row in path.tolist():
        walk = [vertex for vertex in row if vertex >= 0]
        for place in range(memory, len(walk)):
            counts[tuple(walk[place - memory : place])][walk[place]] += 1
    return counts


def probability(counts: dict[tuple[int, ...], np.ndarray], odds: Odds) -> float:
    """That walks with these odds are as far from what is expected of them as these are."""
    statistic, freedom = 0.0, 0
    for before, seen in counts.items():
        share = odds(before) / odds(before).sum()
        assert (seen[share == 0] == 0).all(), "what has no weight is never taken"
        expected = share[share > 0] * seen.sum()
        common = expected >= 5
        if common.sum() > 1:  # the rare ones count as one, if together they are not rare
            groups = [*zip(seen[share > 0][common], expected[common], strict=True)]
            rare = seen[share > 0][~common].sum(), expected[~common].sum()
            groups += [rare] if rare[1] >= 5 else []
            total, whole = sum(group[0] for group in groups), sum(group[1] for group in groups)
            statistic += sum(
                (found - wanted * total / whole) ** 2 / (wanted * total / whole) for found, wanted in groups
            )
            freedom += len(groups) - 1
    assert freedom > 20
    return float(chdtrc(freedom, statistic))


@pytest.mark.slow
def test_weighted_walks_go_by_weight() -> None:
    graph, weight = weighted_graph()
    path = gdsl.samples.weighted_walk(graph, starts=range(9), length=250, seed=1, backend="reference").path
    counts = transitions(path, 1)
    assert sum(seen.sum() for seen in counts.values()) > 2000
    assert probability(counts, lambda before: weight[before[-1]]) > 0.001
    assert probability(counts, lambda before: weight[before[-1]] > 0) < 1e-9, "others are told apart"


@pytest.mark.slow
@pytest.mark.parametrize(("p", "q", "trials"), [(0.25, 4, 32), (4, 0.5, 0)], ids=["by rejection", "by one pass"])
def test_node2vec_goes_by_weight_and_by_the_vertex_before(p: float, q: float, trials: int) -> None:
    graph, weight = weighted_graph()
    values = {"p": p, "q": q, "trials": trials, "seed": 2, "length": 250, "starts": range(9)}
    path = gdsl.samples.node2vec(graph, **values, backend="reference").path
    edge = np.zeros((9, 9), bool)
    edge[graph.edge_sources, graph.columns] = True

    def odds(before: tuple[int, ...]) -> np.ndarray:
        last, here = before
        bias = np.where(edge[last], 1, 1 / q)
        bias[last] = 1 / p
        return weight[here] * bias

    counts = transitions(path, 2)
    assert probability(counts, odds) > 0.001
    assert probability(counts, lambda before: weight[before[-1]]) < 1e-9, "others are told apart"


@pytest.mark.parametrize("name", ["weighted_walk", "node2vec"])
def test_walks_end_where_nothing_has_weight(name: str) -> None:
    """2 has an edge of weight 0 only, 3 has none, 4 is on its own."""
    graph = gdsl.Graph.from_edges([0, 0, 1, 2], [1, 3, 2, 0], num_vertices=5, weights=[1.0, 0.0, 2.0, 0.0])
    found = getattr(gdsl.samples, name)(graph, starts=range(5), length=3, backend="reference")
    assert found.path.tolist() == [[0, 1, 2, -1], [1, 2, -1, -1], [2, -1, -1, -1], [3, -1, -1, -1], [4, -1, -1, -1]]
    assert found.end.tolist() == [2, 2, 2, 3, 4]


@pytest.mark.parametrize("name", ["weighted_walk", "node2vec"])
def test_tiny_and_huge_weights_keep_their_proportion(name: str) -> None:
    """Sums of the one kind are infinite, and products of the other 0."""
    for weights in ([5e-324] * 3, [1.7e308] * 3):
        graph = gdsl.Graph.from_edges([0] * 3, [1, 2, 3], num_vertices=4, weights=np.array(weights))
        ends = {
            int(getattr(gdsl.samples, name)(graph, starts=[0], length=2, seed=seed, backend="reference").end[0])
            for seed in range(12)
        }
        assert ends == {1, 2, 3}


def test_the_same_seed_gives_the_same_walks_and_another_gives_others() -> None:
    graph, _ = weighted_graph()
    paths = [
        gdsl.samples.node2vec(graph, starts=range(9), length=20, q=0.5, seed=seed, backend="reference").path.tolist()
        for seed in (1, 1, 2)
    ]
    assert paths[0] == paths[1] != paths[2]


@pytest.mark.parametrize(("dtype", "most"), [(np.int32, 9), (np.uint64, 2.0**63), (np.float64, 1.7e308)])
@pytest.mark.parametrize("name", ["weighted_walk", "node2vec"])
def test_weights_of_every_type(name: str, dtype: type, most: float) -> None:
    graph, _ = weighted_graph()
    weight = (np.random.default_rng(5).random(60) * most).astype(dtype)
    weight[::4] = 0
    values = {"starts": [0, 3, 4], "length": 12, "seed": 6, "weight": weight}
    values |= {"p": 0.5, "q": 2.0, "trials": 2} if name == "node2vec" else {}
    found = gdsl.compile(name).run(graph, values, backend="reference")
    BY_NAME[name].check(graph, values, found.host_arrays())
