"""Recommendations and places, step by step with dense arrays."""

from __future__ import annotations

import numpy as np

from gdsl.graph import Graph

from ..case import Answers, Case, Values, close, ends, not_empty, random_of, source_of

PASSES = 20
RESTART = 0.15


def user_of(graph: Graph, seed: int) -> Values:
    return {"user": source_of(graph, seed), "circle_size": (1, 3, 10, 100)[seed % 4]}


def walk_matrix(graph: Graph) -> np.ndarray:
    """float64[V, V]: how likely a walker is to go from the one to the other."""
    tails, heads = ends(graph)
    arcs = np.zeros((graph.num_vertices,) * 2)
    np.add.at(arcs, (tails, heads), 1)
    return arcs / np.maximum(arcs.sum(axis=1, keepdims=True), 1)


def check_follow(graph: Graph, values: Values, answers: Answers) -> None:
    user, step = values["user"], walk_matrix(graph)
    rank = start = np.eye(1, graph.num_vertices, user)[0]
    for _ in range(PASSES):
        moved = (1 - RESTART) * (rank @ step)
        rank = moved + (1 - moved.sum()) * start
    close(answers, 1e-9, rank=rank)
    follows = step.sum(axis=1) > 0
    circle = np.asarray(answers["in_circle"])
    near = np.flatnonzero((np.asarray(answers["rank"]) > 0) & follows)
    assert np.isin(np.flatnonzero(circle), near).all() and circle.sum() == min(len(near), values["circle_size"])
    left = near[~circle[near]]
    assert rank[left].max(initial=0) <= rank[circle].min(initial=1) + 1e-9, "nobody nearer is left out"
    score = endorsed(step, circle, rank, graph)
    known = (step[user] > 0) | (start > 0)
    score[known] = 0
    close(answers, 1e-9, score=score)
    possible = (step[circle] > 0).any(axis=0) & ~known
    best = answers["best"]
    if possible.any():
        assert possible[best] and score[best] >= score.max() - 1e-9
    else:
        assert best in (-1, 2**32 - 1, 2**64 - 1)


def endorsed(step: np.ndarray, circle: np.ndarray, rank: np.ndarray, graph: Graph) -> np.ndarray:
    """SALSA's authorities among those whom the circle follows."""
    tails, heads = ends(graph)
    back = np.zeros_like(step)
    np.add.at(back, (heads[circle[tails]], tails[circle[tails]]), 1)
    back /= np.maximum(back.sum(axis=1, keepdims=True), 1)
    trust = np.where(circle, rank, 0) / max(rank[circle].sum(), 1e-300)
    hub, score = trust, np.zeros(len(rank))
    for _ in range(PASSES):
        score = hub @ step
        hub = RESTART * trust + (1 - RESTART) * (score @ back)
    return score


def some_places(graph: Graph, seed: int) -> Values:
    """Places anywhere, known of every third vertex."""
    random = random_of(graph, seed)
    latitude = random.uniform(-90, 90, graph.num_vertices)
    longitude = random.uniform(-180, 180, graph.num_vertices)
    unknown = random.random(graph.num_vertices) < 2 / 3
    latitude[unknown] = np.nan
    longitude[unknown & (random.random(graph.num_vertices) < 0.5)] = np.nan
    return {"latitude": latitude, "longitude": longitude, "steps": 30}


def median(points: np.ndarray, steps: int) -> np.ndarray:
    """Weiszfeld's iteration from the mean of float64[N, 3], put on the unit sphere."""
    here = points.mean(axis=0)
    for _ in range(steps):
        weight = 1 / (np.linalg.norm(points - here, axis=1) + 1e-12)
        here = weight @ points / weight.sum()
    length = np.linalg.norm(here)
    return here / length if length > 0 else np.array([1.0, 0, 0])


def check_places(graph: Graph, values: Values, answers: Answers) -> None:
    latitude, longitude = np.radians(values["latitude"]), np.radians(values["longitude"])
    flat = np.cos(latitude)
    point = np.stack([flat * np.cos(longitude), flat * np.sin(longitude), np.sin(latitude)], axis=1)
    wave = np.where(np.isnan(latitude + longitude), -1, 0)
    tails, heads = ends(graph)
    turn = 0
    while True:
        turn += 1
        ready = np.unique(tails[(wave[tails] == -1) & (wave[heads] != -1)])
        if not len(ready):
            break
        found = [median(point[heads[(tails == v) & (wave[heads] != -1)]], values["steps"]) for v in ready]
        point[ready] = found
        wave[ready] = turn
    assert np.array_equal(wave, answers["wave"])
    ours = np.radians(np.stack([answers["found_latitude"], answers["found_longitude"]], axis=1))
    located = wave != -1
    flat = np.cos(ours[located, 0])
    again = np.stack(
        [flat * np.cos(ours[located, 1]), flat * np.sin(ours[located, 1]), np.sin(ours[located, 0])], axis=1
    )
    np.testing.assert_allclose(again, point[located], atol=1e-6)


FOLLOWING = (
    Case("who_to_follow", check_follow, user_of, not_empty),
    Case("geolocation", check_places, some_places),
)
