"""Louvain's method, all levels by contraction: against the same steps written out; the modularity is NetworkX's."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import gdsl
from gdsl.operations import Grade
from gdsl.pipeline import load

BACKENDS = ["reference", "cpu", pytest.param("cuda", marks=pytest.mark.gpu)]
TEXT = (Path(__file__).parent / "support" / "louvain.gdsl").read_text(encoding="utf-8")
ROUNDS, LEVELS = 8, 20


@cache
def compiled() -> gdsl.Program:
    return gdsl.compile(TEXT)


def moved_once(weights: dict[tuple[int, int], int], label: np.ndarray, strength: np.ndarray) -> np.ndarray:
    """The community that each vertex gains most by, where it gains."""
    whole, best = int(strength.sum()), label.copy()
    volume = np.bincount(label, strength, len(label)).astype(np.int64)
    votes: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for (u, v), weight in weights.items():
        if u != v:
            votes[u][int(label[v])] += weight
    for v, of in votes.items():
        own = int(label[v])
        score = {
            key: int(total * whole - strength[v] * (volume[key] - strength[v] * (key == own)))
            for key, total in of.items()
        }
        most = max(score.values())
        staying = score.get(own, int(-strength[v] * (volume[own] - strength[v])))
        if most > staying:
            best[v] = min(key for key, found in score.items() if found == most)
    return best


def replayed(count: int, weights: dict[tuple[int, int], int]) -> tuple[np.ndarray, int]:
    """The community of every vertex, and how many levels it took."""
    community, level, moved = np.arange(count), 0, 1
    while moved and level < LEVELS:
        moved, level = 0, level + 1
        strength, label = np.zeros(count, np.int64), np.arange(count)
        for (u, _), weight in weights.items():
            strength[u] += weight
        for iteration in range(ROUNDS):
            best = moved_once(weights, label, strength)
            movers = (best != label) & (np.arange(count) % 2 == iteration % 2)
            label[movers] = best[movers]
            moved += int(movers.sum())
        _, numbers = np.unique(label, return_inverse=True)
        merged: dict[tuple[int, int], int] = defaultdict(int)
        for (u, v), weight in weights.items():
            merged[int(numbers[u]), int(numbers[v])] += weight
        community, weights, count = numbers[community], dict(merged), int(numbers.max()) + 1
    return community, level


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("seed", range(4))
def test_louvain(backend: str, seed: int) -> None:
    made = nx.karate_club_graph() if seed == 0 else nx.connected_caveman_graph(5, 6)
    made = made if seed < 2 else nx.planted_partition_graph(4, 12, 0.6, 0.04, seed=seed)
    graph = gdsl.Graph.from_networkx(nx.Graph(made.edges))
    source, target = (np.asarray(ends, np.int64) for ends in graph.edges)
    given = 1 + (source + target) * (source * target) % 3
    result = compiled().run(graph, {"given": given, "rounds": ROUNDS, "levels": LEVELS}, backend=backend)
    weights = {(int(u), int(v)): int(w) for u, v, w in zip(source, target, given, strict=True)}
    community, level = replayed(graph.num_vertices, weights)
    found = np.asarray(result["community"])
    assert found.tolist() == community.tolist()
    assert (result["level"], result["communities"]) == (level, len(set(community.tolist())))
    plain = nx.Graph()
    plain.add_weighted_edges_from((u, v, w) for (u, v), w in weights.items())
    members = [set(np.flatnonzero(found == each).tolist()) for each in np.unique(found)]
    assert result["modularity"] == pytest.approx(nx.community.modularity(plain, members))
    assert result["modularity"] > 0.3
    assert level > 1


def test_grades() -> None:
    program = load(TEXT)
    grades = {each.name: each.grade for each in (*program.arrays, *program.scalars)}
    assert grades["community"] is Grade.EXACT
    assert grades["communities"] is Grade.EXACT
    assert grades["modularity"] is Grade.ROUNDING
