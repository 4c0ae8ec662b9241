"""Programs that ask for common neighbors, against products of sparse matrices."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array, csr_array

from gdsl.graph import Graph

from .case import Answers, Case, Values, distinct, ends, members, random_of, same, symmetric


def matrices(graph: Graph, edges: np.ndarray | None = None) -> tuple[csr_array, csr_array]:
    """How many of `edges` (all of them by default) lead from one vertex to another, and whether any edge does."""
    tails, heads = ends(graph)
    shape = (max(graph.num_vertices, 1),) * 2
    chosen = slice(None) if edges is None else edges
    ones = np.ones(graph.num_edges, np.int64)
    counts = csr_array(coo_array((ones[chosen], (tails[chosen], heads[chosen])), shape))
    linked = csr_array(coo_array((ones, (tails, heads)), shape))
    linked.sum_duplicates()
    linked.data[:] = 1
    return counts, linked


def common_neighbors(graph: Graph, edges: np.ndarray | None = None) -> tuple[int, np.ndarray]:
    """Of `edges` the total of common neighbors of their ends, and which vertices are any; bool[V].

    With M the edges and A the links, a vertex x is common to the edges of M so often: the sum over u of (M A)[u, x]
    where u leads to x.
    """
    counts, linked = matrices(graph, edges)
    times = np.asarray(((counts @ linked) * linked).sum(axis=0)).reshape(-1)[: graph.num_vertices]
    return int(times.sum()), times > 0


def check_common_neighbors(graph: Graph, values: Values, answers: Answers) -> None:
    total, common = common_neighbors(graph)
    same(answers, total=total, more=1000 + total, half=total, last=total - 2, members=int(common.sum()), shared=common)
    tails, heads = ends(graph)
    followed = common[tails]
    same(answers, times=3 * common, beyond=2 * np.bincount(heads[followed], minlength=graph.num_vertices))


def simple(graph: Graph) -> bool:
    """For programs that require a simple undirected graph."""
    tails, heads = ends(graph)
    pairs = tails * graph.num_vertices + heads
    return symmetric(graph) and not (tails == heads).any() and len(distinct(pairs)) == graph.num_edges


def check_triangles(graph: Graph, values: Values, answers: Answers) -> None:
    total, common = common_neighbors(graph)
    assert total % 6 == 0
    same(answers, triangles=total // 6, corners=int(common.sum()), in_triangle=common)


def chosen_values(graph: Graph, seed: int) -> Values:
    """Most edges, or few of them."""
    return {"chosen": random_of(graph, seed).random(graph.num_edges) < (0.8 if seed % 2 else 0.3)}


def check_chosen_edges(graph: Graph, values: Values, answers: Answers) -> None:
    (tails, heads), chosen = ends(graph), np.asarray(values["chosen"])
    of_chosen, common = common_neighbors(graph, np.flatnonzero(chosen))
    upwards, _ = common_neighbors(graph, np.flatnonzero(tails < heads))
    times, followed = common.astype(np.int64), 0
    for _ in range(2):
        total, common = common_neighbors(graph, np.flatnonzero(chosen & common[tails]))
        followed += total
        times += common
    same(answers, of_chosen=of_chosen, upwards=2 * upwards, followed=followed, of_none=0, times=times)


def paired_values(graph: Graph, seed: int) -> Values:
    """Two sets of one size: a third of the vertices, most of them, or none."""
    random, count = random_of(graph, seed), graph.num_vertices
    size = (count // 3, count - count // 8, 0)[seed % 3]
    return {
        "left": np.sort(random.permutation(count)[:size]),
        "right": np.sort(random.permutation(count)[:size]),
        "weight": random.integers(-4, 9, count).astype(np.int32),
        "chosen": random.random(graph.num_edges) < 0.5,
    }


def first_edges(graph: Graph) -> list[dict[int, int]]:
    """For each vertex its neighbors, with the first edge that leads there."""
    found: list[dict[int, int]] = [{} for _ in range(graph.num_vertices)]
    for e, (u, w) in enumerate(zip(*(each.tolist() for each in ends(graph)), strict=True)):
        found[u].setdefault(w, e)
    return found


def check_paired_sets(graph: Graph, values: Values, answers: Answers) -> None:
    lists, weight, chosen = first_edges(graph), np.asarray(values["weight"]), np.asarray(values["chosen"])
    left, right = members(values["left"]).tolist(), members(values["right"]).tolist()
    shared, walked = np.zeros(graph.num_vertices, np.int64), np.zeros(graph.num_edges, np.int32)
    met, heavy = np.zeros(graph.num_vertices, bool), np.zeros(graph.num_vertices, bool)
    total = accepted = 0
    for u, w in zip(left, right, strict=True):
        for x in lists[u].keys() & lists[w].keys():
            total += 1
            met[x] = True
            if weight[u] <= weight[x]:
                shared[u] += 1
                shared[w] += weight[x]
                accepted += int(weight[w] < weight[x])
                heavy[x] |= bool(weight[w] < weight[x])
            for one, other in ((lists[u][x], lists[w][x]), (lists[w][x], lists[u][x])):
                if chosen[one] or not chosen[other]:
                    walked[one] += 1
                    walked[other] += 100
    rising = sum(u < x for u in range(graph.num_vertices) for x in lists[u])
    now, squared = set(np.flatnonzero(met).tolist()), 0
    for _ in range(2):
        total_now, now = sum(len(lists[u]) for u in now), {x for u in now for x in lists[u]}
        squared = total_now + 1000 * len(now)
    same(answers, total=7 + total, accepted=accepted, rising=rising, squared=squared)
    same(answers, shared=shared, met=met, heavy=heavy, walked=walked)


INTERSECTIONS = (
    Case("paired_sets", check_paired_sets, paired_values),
    Case("chosen_edges", check_chosen_edges, chosen_values),
    Case("common_neighbors", check_common_neighbors),
    Case("triangles", check_triangles, suits=simple),
)
