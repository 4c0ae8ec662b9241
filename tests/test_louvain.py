"""The sample `louvain`: against the same steps written out, and its modularity beside that of NetworkX's method."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import count

import networkx as nx
import numpy as np
import pytest
from oracles.philox import number  # which shares nothing with the compiler

import gdsl
from gdsl.operations import Grade
from gdsl.pipeline import load
from tests.support.graphs import random_graph
from tests.support.programs import ROOT

BACKENDS = ["reference", "cpu", pytest.param("cuda", marks=pytest.mark.gpu)]
SEED, TURNS, ONE = 3, 24, 2**60


@dataclass
class Level:
    """A graph whose vertices are communities; weights in units, both directions of each pair."""

    size: int
    weights: dict[tuple[int, int], int]
    label: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.label = list(range(self.size))
        self.strength = [0] * self.size
        self.lists: list[dict[int, int]] = [{} for _ in range(self.size)]
        for (u, v), weight in self.weights.items():
            self.strength[u] += weight
            if u != v:
                self.lists[u][v] = weight
        self.volume = list(self.strength)
        self.whole = sum(self.strength)

    def wanted(self, v: int) -> int:
        """The community that `v` gains most by, its own where it gains by none."""
        own, strength = self.label[v], self.strength[v]
        into: dict[int, int] = defaultdict(int)
        for u, weight in self.lists[v].items():
            into[self.label[u]] += weight
        others = {key: self.volume[key] - strength * (key == own) for key in {*into, own}}
        score = {key: into[key] * self.whole - strength * other for key, other in others.items()}
        most = max(score.values())
        return own if score[own] == most else min(key for key in score if score[key] == most)

    def moved(self, level: int) -> None:
        ask, light = set(range(self.size)), self.whole / self.size / 2
        for turn in range(TURNS):
            key = int(number("random_bits", (SEED, level, turn)))
            may = ask if level or turn >= TURNS // 2 else {v for v in ask if self.strength[v] >= light}
            drawn = {v for v in may if number("random", (key + v,)) < np.float32(0.25 if turn < 2 else 0.5)}
            movers = {v: best for v in drawn if (best := self.wanted(v)) != self.label[v]}
            for v, best in movers.items():
                self.volume[self.label[v]] -= self.strength[v]
                self.volume[best] += self.strength[v]
                self.label[v] = best
            draws = {v: number("random", (~(key + v),)) for v in movers}
            beside = {
                u for v in movers for u in self.lists[v] if self.label[u] != self.label[v] and self.asks(u, v, draws[v])
            }
            ask = (ask - drawn) | beside

    def asks(self, u: int, v: int, draw: np.float32) -> bool:
        """Whether `u`, beside `v` that has moved, is to vote again."""
        share = np.float32(sum(self.lists[u].values())) / np.float32(24)
        return bool(draw * share < np.float32(self.lists[v][u]))

    def quality(self) -> int:
        same = sum(weight for (u, v), weight in self.weights.items() if self.label[u] == self.label[v])
        parts = (volume / self.whole for volume in self.volume)
        return int(same / self.whole * ONE) - sum(int(part * part * ONE) for part in parts)

    def contracted(self) -> tuple[Level, list[int]]:
        """The next level, and which of its vertices each vertex becomes."""
        numbers = {label: number for number, label in enumerate(sorted(set(self.label)))}
        new = [numbers[label] for label in self.label]
        merged: dict[tuple[int, int], int] = defaultdict(int)
        for (u, v), weight in self.weights.items():
            merged[new[u], new[v]] += weight
        return Level(len(numbers), dict(merged)), new


def replayed(graph: gdsl.Graph, weight: np.ndarray) -> tuple[list[int], int, float]:
    """The community of every vertex, how many levels it took, and the modularity.

    Scores are whole numbers here and float64 in the sample: where these need no rounding they are the same.
    """
    sums: dict[tuple[int, int], int] = defaultdict(int)
    for u, v, each in zip(*graph.edges, weight, strict=True):
        sums[int(u), int(v)] += int(float(each) / float(weight.max()) * 2**30)
    level, community = Level(graph.num_vertices, dict(sums)), list(range(graph.num_vertices))
    for levels in count():
        before = level.quality()
        level.moved(levels)
        if level.quality() <= before:
            return community, levels, before / ONE
        level, new = level.contracted()
        community = [new[each] for each in community]
    raise AssertionError


@pytest.mark.sampled(3)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("seed", range(4))
def test_steps(backend: str, seed: int) -> None:
    made = [
        nx.karate_club_graph(),
        nx.connected_caveman_graph(30, 4),
        nx.planted_partition_graph(4, 12, 0.6, 0.04, seed=1),
        nx.gnm_random_graph(60, 110, seed=2),
    ][seed]
    graph = gdsl.Graph.from_networkx(nx.Graph([*made.edges, (0, 0), (5, 5)]))
    source, target = (np.asarray(ends, np.int64) for ends in graph.edges)
    weight = (2.0 ** ((source + target + source * target) % 3)).astype(np.float32)
    found = gdsl.samples.louvain.run(graph, {"weight": weight, "seed": SEED}, backend=backend)
    community, levels, modularity = replayed(graph, weight)
    assert found.host_arrays()["community"].tolist() == community
    assert found["communities"] == len(set(community))
    assert found["modularity"] == pytest.approx(modularity, abs=1e-12)
    assert levels > 1


def networks() -> dict[str, nx.Graph]:
    """Small ones that are known, and random ones with communities, with few and with none to find."""
    return {
        "karate": nx.karate_club_graph(),
        "lesmis": nx.convert_node_labels_to_integers(nx.les_miserables_graph()),
        "florentine": nx.convert_node_labels_to_integers(nx.florentine_families_graph()),
        "davis": nx.convert_node_labels_to_integers(nx.davis_southern_women_graph()),
        "caveman": nx.connected_caveman_graph(12, 6),
        "planted": nx.planted_partition_graph(8, 25, 0.4, 0.02, seed=1),
        "cluster": nx.powerlaw_cluster_graph(400, 4, 0.6, seed=2),
        "uniform": nx.gnm_random_graph(300, 1200, seed=3),
        "grid": nx.convert_node_labels_to_integers(nx.grid_2d_graph(24, 24)),
        "tree": nx.random_labeled_tree(200, seed=4),
    }


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", networks())
def test_as_good_as_networkx(name: str) -> None:
    network = networks()[name]
    weights = {(u, v): float(data.get("weight", 1)) for u, v, data in network.edges(data=True)}
    nx.set_edge_attributes(network, weights, "weight")
    graph = gdsl.Graph.from_networkx(network)
    result = gdsl.samples.louvain.run(graph, backend="reference")
    community = result.host_arrays()["community"]
    ours = [set(np.flatnonzero(community == each).tolist()) for each in range(int(result["communities"]))]
    assert result["modularity"] == pytest.approx(nx.community.modularity(network, ours), abs=1e-7)
    theirs = nx.community.modularity(network, nx.community.louvain_communities(network, seed=1))
    assert result["modularity"] > theirs - 0.02


@pytest.mark.sampled(3)
@pytest.mark.parametrize("resolution", [0.0, 0.5, 2.0, 5.0])
@pytest.mark.parametrize("name", ["lesmis", "caveman", "planted"])
def test_as_good_as_networkx_at_another_resolution(name: str, resolution: float) -> None:
    network = nx.Graph()
    network.add_nodes_from(range(networks()[name].number_of_nodes()))
    network.add_edges_from(networks()[name].edges)
    graph = gdsl.Graph.from_networkx(network)
    values = {"weight": np.ones(graph.num_edges), "resolution": resolution}
    result = gdsl.samples.louvain.run(graph, values, backend="cpu")
    community = result.host_arrays()["community"]
    ours = [set(np.flatnonzero(community == each).tolist()) for each in range(int(result["communities"]))]
    quality = nx.community.modularity(network, ours, resolution=resolution)
    assert result["modularity"] == pytest.approx(quality, abs=1e-7)
    theirs = nx.community.louvain_communities(network, resolution=resolution, seed=1)
    assert quality > nx.community.modularity(network, theirs, resolution=resolution) - 0.02


@pytest.mark.sampled(3)
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_resolution_beyond_any_leaves_all_alone(backend: str) -> None:
    """Also where the products of the definition would be infinite."""
    graph = gdsl.Graph.from_networkx(nx.karate_club_graph())
    values = {"weight": np.ones(graph.num_edges), "resolution": 1e308}
    result = gdsl.samples.louvain.run(graph, values, backend=backend)
    assert result["communities"] == graph.num_vertices and result["modularity"] < -1e306


@pytest.mark.sampled(2)
@pytest.mark.parametrize("backend", BACKENDS)
def test_nothing_to_gain(backend: str) -> None:
    """Without weight, edges or other vertices everyone stays alone."""
    for graph in (gdsl.Graph.from_edges([], [], 3), gdsl.Graph.from_edges([0, 1], [1, 0], 2)):
        result = gdsl.samples.louvain.run(graph, {"weight": np.zeros(graph.num_edges)}, backend=backend)
        assert result.host_arrays()["community"].tolist() == list(range(graph.num_vertices))
        assert (result["communities"], result["modularity"]) == (graph.num_vertices, 0)
    loops = gdsl.Graph.from_edges([0, 1], [0, 1], 2)
    result = gdsl.samples.louvain.run(loops, {"weight": np.ones(2)}, backend=backend)
    assert (result["communities"], result["modularity"]) == (2, 0.5)


@pytest.mark.parametrize("backend", BACKENDS)
def test_no_level_ends_worse_than_it_began(backend: str) -> None:
    """On small dense graphs everyone may move to one community, which is worth 0: then all stay alone."""
    graph = gdsl.Graph.from_edges([0, 0, 1, 1, 2, 2], [0, 1, 0, 2, 1, 2], 3)
    weight = np.array([5, 4, 4, 4, 4, 7], np.float32)
    alone = 12 / 28 - (9**2 + 8**2 + 11**2) / 28**2
    result = gdsl.samples.louvain.run(graph, {"weight": weight, "seed": 1138}, backend=backend)
    assert result.host_arrays()["community"].tolist() == [0, 1, 2]
    assert result["modularity"] == pytest.approx(alone, abs=1e-9)
    for seed in range(20):
        result = gdsl.samples.louvain.run(graph, {"weight": weight, "seed": seed}, backend=backend)
        assert result["modularity"] > alone - 1e-9


def test_every_run_ends_alike() -> None:
    """No result hangs on the order in which anything was summed up, also where weights are any floats."""
    program = load((ROOT / "samples" / "louvain.gdsl").read_text(encoding="utf-8"))
    assert {each.grade for each in (*program.arrays, *program.scalars)} == {Grade.EXACT}
    graph = random_graph(200, 900, seed=5, directed=False)
    source, target = (np.asarray(ends, np.int64) for ends in graph.edges)
    weight = np.random.default_rng(1).random(200).astype(np.float32)
    given = {"weight": (weight[source] * weight[target]).astype(np.float32)}
    wanted = gdsl.samples.louvain.run(graph, given, backend="reference")
    for _ in range(3):
        found = gdsl.samples.louvain.run(graph, given, backend="cpu")
        assert found.host_arrays()["community"].tolist() == wanted.host_arrays()["community"].tolist()
        assert found["modularity"] == wanted["modularity"]
