"""Programs that work on sets of edges."""

from __future__ import annotations

import numpy as np

from gdsl.graph import Graph

from .case import Answers, Case, Values, both_ways, ends, levels, not_empty, random_of, same, source_of


def check_tree_edges(graph: Graph, values: Values, answers: Answers) -> None:
    tails, heads = ends(graph)
    distance = levels(graph.num_vertices, tails, heads, [values["source"]])
    same(answers, distance=distance, passes=max(int(distance.max(initial=0)), 0))
    level = np.asarray(answers["level"])
    kept = level >= 0
    assert (distance[heads[kept]] == level[kept] + 1).all(), "an edge is walked to a vertex that is reached by it"
    assert (distance[tails[kept]] == level[kept]).all()
    reached = np.unique(heads[kept])
    wanted = np.setdiff1d(np.flatnonzero(distance > 0), [values["source"]])
    assert np.array_equal(reached, wanted), "every vertex has an edge by which it was reached"
    assert answers["walked"] == kept.sum()


def check_light_edges(graph: Graph, values: Values, answers: Answers) -> None:
    weight, limit, count = values["weight"], values["limit"], graph.num_vertices
    tails, heads = ends(graph)
    light = weight <= limit
    degree = np.bincount(tails[light], minlength=count) + np.bincount(heads[light], minlength=count)
    near, _, edge = both_ways(graph)
    best = np.full(count, 2**31 - 1)
    np.minimum.at(best, near, weight[edge])
    chosen = np.full(count, graph.num_edges)
    ties = weight[edge] == best[near]
    np.minimum.at(chosen, near[ties], edge[ties])
    edges = np.arange(graph.num_edges)
    picked = (chosen[tails] == edges) | (chosen[heads] == edges)
    reached = np.zeros(count, bool)
    front = np.zeros(count, bool)
    front[heads[light & picked]] = True
    reached[heads[front[tails]]] = True
    same(answers, best=best, chosen=np.where(chosen == graph.num_edges, -1, chosen), degree=degree, picked=picked)
    same(answers, light=light.sum(), heavy=(~light).sum(), lightest=picked.sum(), reached=reached)


def light_values(graph: Graph, seed: int) -> Values:
    weight = random_of(graph, seed).integers(0, 5 + 30 * seed, graph.num_edges).astype(np.int32)
    return {"weight": weight, "limit": 10 * seed}


class BackEdges:
    """The state of the program `back_edges`, step by step."""

    def __init__(self, graph: Graph, values: Values) -> None:
        self.tails, self.heads = ends(graph)
        self.place = np.arange(graph.num_edges) - np.asarray(graph.offsets)[self.tails]
        self.in_degree = np.bincount(self.heads, minlength=graph.num_vertices)
        self.hops = np.full(graph.num_vertices, -1)
        self.count = np.zeros(graph.num_vertices, int)
        self.seen = np.full(graph.num_edges, -1)
        self.total = 0
        given = np.unique([values["first"], values["second"], 0])
        self.hops[self.tails[given]], self.seen[given] = 0, 0

    def back(self, front: np.ndarray, turn: int) -> np.ndarray:
        """The accepted edges into `front`, as a mask."""
        edges = front[self.heads] & (self.place < 3) & (self.seen == -1)
        self.seen[edges] = turn + 1
        self.hops[self.tails[edges]] = np.minimum(self.hops[self.tails[edges]], 0)
        accepted: np.ndarray = edges & (self.in_degree[self.tails] > 0)
        return accepted

    def sources(self, edges: np.ndarray) -> np.ndarray:
        """The sources of some edges, as a mask of vertices."""
        found = np.zeros(len(self.hops), bool)
        found[self.tails[edges]] = True
        return found

    def tally(self, edges: np.ndarray) -> None:
        """Count the ends of some edges."""
        np.add.at(self.count, self.tails[edges], 1)
        np.add.at(self.count, self.heads[edges], 1)
        self.total += int(edges.sum())


def check_back_edges(graph: Graph, values: Values, answers: Answers) -> None:
    state = BackEdges(graph, values)
    front = np.ones(graph.num_vertices, bool)
    everything = np.ones(graph.num_edges, bool)
    upward = state.tails <= state.heads
    edges = np.zeros(graph.num_edges, bool)
    for turn in range(4):
        edges = state.back(front, turn)
        front = state.sources(state.back(state.sources(edges), turn))
        state.tally(edges & upward)
        state.tally(everything)
    both = upward
    total = state.total + int(both.sum()) + int(edges.sum())
    same(answers, hops=state.hops, count=state.count, seen=state.seen, total=total)


def back_values(graph: Graph, seed: int) -> Values:
    return {"first": graph.num_edges - 1, "second": seed % graph.num_edges}


EDGES = (
    Case("tree_edges", check_tree_edges, lambda graph, seed: {"source": source_of(graph, seed)}, not_empty),
    Case("light_edges", check_light_edges, light_values),
    Case("back_edges", check_back_edges, back_values, lambda graph: graph.num_edges > 0),
)
