"""Programs whose elements have several values."""

from __future__ import annotations

import numpy as np
import scipy.sparse
import scipy.sparse.csgraph

from gdsl.graph import Graph

from .case import Answers, Case, Values, ends, parts, random_of, same


def place_values(graph: Graph, seed: int) -> Values:
    """Unit vectors, of which a third is known; among them some twice and some opposite."""
    random = random_of(graph, seed)
    places = random.normal(size=(graph.num_vertices, 3))
    places /= np.maximum(np.linalg.norm(places, axis=1, keepdims=True), 1e-9)
    if len(places) > 3:
        places[1], places[2] = places[0], -places[0]
    return {
        "given": np.clip(places, -1, 1),
        "known": random.random(graph.num_vertices) < 0.4,
        "rounds": 2,
        "refinement": 4,
    }


def check_places(graph: Graph, values: Values, answers: Answers) -> None:
    """The same steps, on the vectors of all neighbors at once."""
    tails, heads = ends(graph)
    located = values["known"].copy()
    at = np.where(located[:, None], np.reshape(values["given"], (-1, 3)), 0.0)
    for _ in range(values["rounds"]):
        before, known = at.copy(), located.copy()
        for vertex in np.flatnonzero(~values["known"]):
            points = before[[u for u in heads[tails == vertex] if known[u]]]
            if not len(points):
                continue
            center = points.mean(axis=0)
            for _ in range(values["refinement"]):
                far = np.linalg.norm(points - center, axis=1)
                near = far > 1e-12
                if near.any():
                    weights = 1 / far[near]
                    center = (points[near] * weights[:, None]).sum(axis=0) / weights.sum()
            length = np.linalg.norm(center)
            at[vertex] = center / length if length > 1e-12 else center
            located[vertex] = True
    same(answers, located=located)
    found = np.asarray(answers["at"]).reshape(-1, 3)
    settled = np.linalg.norm(at, axis=1) > 0.5  # where neighbors lie opposite, nothing is left but rounding
    assert np.allclose(found[settled], at[settled], atol=1e-3)


def source_values(graph: Graph, seed: int) -> Values:
    """A few sources, or more than a word has bits."""
    random = random_of(graph, seed)
    labels = np.full(graph.num_vertices, -1, dtype=np.int32)
    most = min(graph.num_vertices, 40 if seed % 2 else 3)
    chosen = random.permutation(graph.num_vertices)[:most]
    labels[chosen] = np.arange(len(chosen))
    return {"sources": max(len(chosen), 1), "label": labels}


def check_hops(graph: Graph, values: Values, answers: Answers) -> None:
    """A search of SciPy's from each source."""
    size, sources = graph.num_vertices, values["sources"]
    tails, heads = ends(graph)
    hops = np.full((size, sources), -1)
    starts = np.flatnonzero(values["label"] >= 0)
    if len(starts):
        matrix = scipy.sparse.csr_matrix((np.ones(len(tails)), (tails, heads)), shape=(size, size))
        found = scipy.sparse.csgraph.dijkstra(matrix, unweighted=True, indices=starts)
        hops[:, values["label"][starts]] = np.where(np.isfinite(found), found, -1).T
    same(answers, hops=hops.reshape(np.shape(answers["hops"])), reached=(hops >= 0).sum(axis=1))
    same(answers, passes=int(hops.max(initial=-1)) + 1 if len(starts) else 0)
    first, second = (np.asarray(part).reshape(-1, 2) for part in parts(answers, "used"))
    for edge, tail in enumerate(tails.tolist()):
        rounds = [(step, edge) for step in sorted({int(hop) for hop in hops[tail]} - {-1})]
        none = 2**62
        wanted = (min([(0, none), *rounds]), max([(1, none), *rounds]))
        got = [(int(a), int(b) if b >= 0 else none) for a, b in zip(first[edge], second[edge], strict=True)]
        assert tuple(got) == wanted, edge


SEVERAL = (
    Case("spatial_median", check_places, place_values),
    Case("many_sources", check_hops, source_values),
)
