"""Products with the adjacency matrix and what is made of them again and again, against NumPy in float64."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from gdsl.graph import Graph

from ..case import Answers, Case, Values, close, ends, members, not_empty, random_of
from ..samples import ranks

PASSES = 25
"""So many are enough for most graphs; where they are not, the oracle stops there as well."""


def adjacency(graph: Graph, weight: np.ndarray | None = None) -> csr_array:
    """float64[V, V], parallel edges added up."""
    tails, heads = ends(graph)
    values = np.ones(graph.num_edges) if weight is None else weight
    return csr_array(coo_array((values, (tails, heads)), (graph.num_vertices,) * 2))


def part(number: np.ndarray, of: np.ndarray | float) -> np.ndarray:
    """The quotient, 0 where the divisor is."""
    return np.divide(number, of, out=np.zeros(np.shape(number)), where=np.not_equal(of, 0))


def repeated(
    step: Callable[[np.ndarray], np.ndarray], start: np.ndarray, tolerance: float, passes: int = PASSES
) -> tuple[np.ndarray, float]:
    """`step` over and over until the L1 change is within the tolerance, and that change."""
    here, error = start, np.inf
    while error > tolerance and passes > 0:
        after = step(here)
        here, error, passes = after, float(np.abs(after - here).sum()), passes - 1
    return here, error


def check_spmv(graph: Graph, values: Values, answers: Answers) -> None:
    close(answers, 1e-12, y=adjacency(graph, values["weight"]) @ values["x"] if graph.num_vertices else np.zeros(0))


def spmv_values(graph: Graph, seed: int) -> Values:
    random = random_of(graph, seed)
    return {"weight": random.normal(size=graph.num_edges), "x": random.normal(size=graph.num_vertices)}


def check_katz(graph: Graph, values: Values, answers: Answers) -> None:
    """x - alpha Aᵀ x is the same positive number everywhere, and x is of length 1: only one x is so."""
    assert 0 <= answers["error"] <= values["tolerance"] and answers["converged"]
    if graph.num_vertices == 0:
        return
    x = np.asarray(answers["centrality"])
    own = x - values["alpha"] * (adjacency(graph).T @ x)
    assert own.min() > 0
    assert np.ptp(own) <= 3 * values["tolerance"] * own.max()
    assert abs((x**2).sum() - 1) < 1e-9


def katz_values(graph: Graph, seed: int) -> Values:
    return {"alpha": (0.3 + 0.1 * (seed % 4)) / max(int(graph.in_degrees.max(initial=0)), 1), "tolerance": 1e-6}


def check_eigenvector(graph: Graph, values: Values, answers: Answers) -> None:
    count = graph.num_vertices
    if count == 0:
        return
    matrix, tolerance = adjacency(graph).T, values["tolerance"]
    x, error, change, ratio = np.full(count, 1 / np.sqrt(count)), np.inf, np.inf, 1.0
    for _ in range(values["max_iterations"]):
        after = x + matrix @ x
        after /= np.sqrt((after**2).sum())
        former, change, x = change, float(np.sqrt(((after - x) ** 2).sum())), after
        ratio = max(0.9 * ratio, change / max(former, 1e-300))
        error = change * ratio / max(1 - ratio, 1e-8)
        if error <= tolerance:
            break
    assert np.abs(np.asarray(answers["centrality"]) - x).max() <= 2 * tolerance
    if answers["converged"] and error <= tolerance:
        settled = x + matrix @ x
        assert np.abs(settled / np.sqrt((settled**2).sum()) - x).max() <= 2 * tolerance, "it is an eigenvector"
    assert answers["converged"] == (answers["error"] <= tolerance)
    assert 0 <= answers["error"] <= 2 * error + tolerance


def check_hits(graph: Graph, values: Values, answers: Answers) -> None:
    count, tolerance = graph.num_vertices, values["tolerance"]
    if count == 0:
        return
    matrix = adjacency(graph)

    def authorities(hub: np.ndarray) -> np.ndarray:
        made = matrix.T @ hub
        return part(made, made.sum())

    def step(hub: np.ndarray) -> np.ndarray:
        made = matrix @ authorities(hub)
        return part(made, made.sum())

    hub, error = repeated(step, np.full(count, 1 / count), tolerance)
    assert np.abs(np.asarray(answers["hub"]) - hub).sum() <= 2 * tolerance
    total = (matrix.T @ hub).sum()
    grown = max(1.0, matrix.sum(axis=1).max() / total) if total > 0 else 1.0  # along the longest list
    assert np.abs(np.asarray(answers["authority"]) - authorities(hub)).sum() <= 4 * max(error, tolerance) * grown
    assert abs(answers["error"] - error) <= tolerance
    assert answers["converged"] == (answers["error"] <= tolerance)


def check_salsa(graph: Graph, values: Values, answers: Answers) -> None:
    """Where the walk has settled, each authority has its part of the in-edges of its component, and each component (of
    hubs and authorities, joined by the edges) its part of the authorities; else as many steps of the walk."""
    count, tolerance = graph.num_vertices, values["tolerance"]
    if count == 0:
        return
    matrix, inward, outward = adjacency(graph), graph.in_degrees, graph.out_degrees

    def hubs(authority: np.ndarray) -> np.ndarray:
        found: np.ndarray = matrix @ part(authority, inward)
        return found

    def step(authority: np.ndarray) -> np.ndarray:
        found: np.ndarray = matrix.T @ part(hubs(authority), outward)
        return found

    start = part(np.where(inward > 0, 1.0, 0.0), (inward > 0).sum())
    walked, error = repeated(step, start, tolerance)
    assert abs(answers["error"] - error) <= tolerance
    assert answers["converged"] == (answers["error"] <= tolerance)
    limit = walked
    if error <= tolerance:
        tails, heads = ends(graph)
        joined = coo_array((np.ones(len(tails)), (tails, count + heads)), (2 * count,) * 2)
        component = connected_components(joined, directed=False)[1][count:]
        edges = np.bincount(component, inward, minlength=2 * count)[component]
        limit = np.bincount(component, start, minlength=2 * count)[component] * part(inward.astype(float), edges)
    authority, hub = np.asarray(answers["authority"]), np.asarray(answers["hub"])
    assert np.abs(authority - limit).sum() <= 1e-4
    assert np.abs(hub - hubs(limit)).sum() <= 1e-4 + error  # made of the authorities of one step before


def check_push(graph: Graph, values: Values, answers: Answers) -> None:
    rank, damping = np.asarray(answers["rank"]), values["damping"]
    if graph.num_vertices == 0:
        return
    assert np.abs(rank - ranks(graph, damping)).sum() <= 2 * values["tolerance"] / (1 - damping) ** 2
    assert abs(rank.sum() - 1) < 1e-9
    assert answers["converged"]


def push_values(graph: Graph, seed: int) -> Values:
    return {"damping": 0.5 if seed % 2 else 0.75, "tolerance": 1e-4}


def check_personalized(graph: Graph, values: Values, answers: Answers) -> None:
    count, damping = graph.num_vertices, values["damping"]
    if count == 0:
        return
    sites = members(values["sites"])
    home = np.zeros(count)
    home[sites] = 1 / max(len(sites), 1)
    matrix, degree = adjacency(graph).T, graph.out_degrees

    def step(rank: np.ndarray) -> np.ndarray:
        back = 1 - damping + damping * rank[degree == 0].sum()
        after: np.ndarray = damping * (matrix @ part(rank, degree)) + back * home
        return after

    rank = repeated(step, home, 1e-13, 1000)[0]
    assert 0 <= answers["error"] <= values["tolerance"] and answers["converged"]
    assert np.abs(np.asarray(answers["rank"]) - rank).sum() <= 2 * values["tolerance"] / (1 - damping)


def personalized_values(graph: Graph, seed: int) -> Values:
    """One or several sites, some of them given twice."""
    sites = random_of(graph, seed).integers(0, graph.num_vertices, 1 + seed % 5)
    return {"sites": sites, "damping": 0.5 if seed % 2 else 0.75, "tolerance": 1e-5}


def bounded(tolerance: float) -> Callable[[Graph, int], Values]:
    return lambda graph, seed: {"tolerance": tolerance, "max_iterations": PASSES}


CENTRALITY = (
    Case("spmv", check_spmv, spmv_values),
    Case("katz", check_katz, katz_values, varies=True),
    Case("eigenvector_centrality", check_eigenvector, bounded(1e-5), varies=True),
    Case("hits", check_hits, bounded(1e-6), varies=True),
    Case("salsa", check_salsa, bounded(1e-7), varies=True),
    Case("pagerank_push", check_push, push_values, varies=True),
    Case("personalized_pagerank", check_personalized, personalized_values, not_empty, varies=True),
)
