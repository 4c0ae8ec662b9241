"""Parts of a graph that hold together, and which of its edges matter: against plain loops of Python."""

from __future__ import annotations

import networkx as nx
import numpy as np

from gdsl.graph import Graph

from ..case import Answers, Case, Values, close, ends, paired_weights, same, symmetric
from ..samples import smallest_of_component


def simple(graph: Graph) -> bool:
    """Neither self-loops nor parallel edges."""
    return not graph.has_loops() and not graph.has_parallel_edges()


def undirected(graph: Graph) -> bool:
    """Simple, each edge both ways."""
    return symmetric(graph) and simple(graph)


def check_core(graph: Graph, values: Values, answers: Answers) -> None:
    """For each k in turn, vertices with fewer than k edges are taken away while there are any."""
    tails, heads = ends(graph)
    core, inside, k = np.zeros(graph.num_vertices, int), np.ones(graph.num_vertices, bool), 0
    while inside.any():
        k += 1
        weak = inside
        while weak.any():
            kept = inside[tails] & inside[heads]
            weak = inside & (np.bincount(tails[kept], minlength=graph.num_vertices) < k)
            core[weak] = k - 1
            inside = inside & ~weak
    same(answers, core=core, largest=core.max(initial=0))


def check_forest(graph: Graph, values: Values, answers: Answers) -> None:
    """Kruskal's forest by (weight, edge), of which there is but one."""
    tails, heads = ends(graph)
    weight = values["weight"]
    leader = list(range(graph.num_vertices))

    def lead(v: int) -> int:
        while leader[v] != v:
            leader[v] = leader[leader[v]]
            v = leader[v]
        return v

    chosen = np.zeros(graph.num_edges, bool)
    for e in np.lexsort((np.arange(graph.num_edges), weight)).tolist():
        a, b = lead(int(tails[e])), lead(int(heads[e]))
        if tails[e] < heads[e] and a != b:
            leader[a] = b
            chosen[e] = True
    same(answers, chosen=chosen)
    close(answers, 1e-6, total=weight[chosen].sum(dtype=np.float64))
    component = np.asarray(answers["component"])
    first = smallest_of_component(graph)
    assert np.array_equal(component[first], component), "one for each tree"
    assert np.array_equal(first[component], first), "one of the tree's own"


def neighborhoods(graph: Graph) -> list[set[int]]:
    """The out-neighbors of each vertex."""
    return [set(graph.columns[a:b].tolist()) for a, b in zip(graph.offsets[:-1], graph.offsets[1:], strict=True)]


def alike(graph: Graph) -> np.ndarray:
    """Jaccard's similarity of the ends of each edge."""
    around = neighborhoods(graph)
    pairs = zip(*(side.tolist() for side in ends(graph)), strict=True)
    return np.array([len(around[a] & around[b]) / len(around[a] | around[b]) for a, b in pairs])


def check_jaccard(graph: Graph, values: Values, answers: Answers) -> None:
    close(answers, 1e-15, similarity=alike(graph))


def check_sparse(graph: Graph, values: Values, answers: Answers) -> None:
    tails, heads = ends(graph)
    similarity = alike(graph)
    joined = set()
    for v in range(graph.num_vertices):
        own = sorted(np.flatnonzero(tails == v).tolist(), key=lambda e: (-similarity[e], heads[e]))
        most = int(np.ceil(len(own) ** values["exponent"]))
        joined |= {frozenset((v, int(heads[e]))) for e in own[:most]}
    wanted = np.array([frozenset(ends_) in joined for ends_ in zip(tails.tolist(), heads.tolist(), strict=True)], bool)
    same(answers, kept=wanted, edges_kept=2 * len(joined))


def check_truss(graph: Graph, values: Values, answers: Answers) -> None:
    pairs = list(zip(*(side.tolist() for side in ends(graph)), strict=True))
    truss = nx.k_truss(nx.Graph(pairs), values["k"])
    wanted = np.array([truss.has_edge(*pair) for pair in pairs], bool)
    same(answers, in_truss=wanted, edges_left=wanted.sum())


def small_k(graph: Graph, seed: int) -> Values:
    return {"k": 2 + seed % 5}


def exponent_of(graph: Graph, seed: int) -> Values:
    return {"exponent": (0.5, 0.3, 0.7, 1.0)[seed % 4]}


STRUCTURE = (
    Case("k_core", check_core, suits=symmetric),
    Case("minimum_spanning_forest", check_forest, paired_weights, symmetric),
    Case("k_truss", check_truss, small_k, undirected),
    Case("jaccard", check_jaccard, suits=simple),
    Case("graph_sparsification", check_sparse, exponent_of, undirected),
)
