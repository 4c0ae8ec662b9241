"""Programs whose values are pairs."""

from __future__ import annotations

import networkx as nx
import numpy as np
import scipy.sparse
import scipy.sparse.csgraph

from gdsl.graph import Graph

from .case import Answers, Case, Values, ends, paired_weights, parts, random_of, same, symmetric

FAR = 2**63 - 1


def check_forest(graph: Graph, values: Values, answers: Answers) -> None:
    """A forest that connects what the graph connects, no heavier than the one that SciPy finds."""
    tails, heads = ends(graph)
    weights = values["weight"].astype(np.float64)
    taken = np.flatnonzero(np.asarray(answers["in_forest"]))
    forest, whole = nx.Graph(), nx.Graph()
    for made, edges in ((forest, taken), (whole, np.arange(graph.num_edges))):
        made.add_nodes_from(range(graph.num_vertices))
        made.add_edges_from(zip(tails[edges].tolist(), heads[edges].tolist(), strict=True))
    components = list(nx.connected_components(whole))
    assert forest.number_of_edges() == len(taken), "an edge is taken twice"
    assert len(taken) == graph.num_vertices - len(components), "no spanning forest"
    assert nx.number_connected_components(forest) == len(components), "a cycle"
    same(answers, edges_taken=len(taken))
    component = np.asarray(answers["component"])
    for members in components:
        assert len({int(component[v]) for v in members}) == 1 and int(component[min(members)]) in members
    size = graph.num_vertices
    lightest = np.full((size, size), np.inf) if size else np.zeros((0, 0))
    np.minimum.at(lightest, (tails, heads), weights + 2)  # none is 0, which would be no edge
    if size:
        lightest[~np.isfinite(lightest)] = 0
        tree = scipy.sparse.csgraph.minimum_spanning_tree(scipy.sparse.csr_matrix(lightest))
        assert np.isclose(tree.sum() - 2 * tree.nnz, weights[taken].sum()), "not of least weight"


def site_values(graph: Graph, seed: int) -> Values:
    """Lengths of which many are 0 or the same, some so large that 32 bits do not hold their sum; a few sites."""
    random = random_of(graph, seed)
    lengths = random.integers(0, 4, graph.num_edges) * (1 if seed % 2 else 1 << 31)
    return {"length": lengths, "is_site": random.random(graph.num_vertices) < 0.15}


def check_sites(graph: Graph, values: Values, answers: Answers) -> None:
    """Rounds over all edges in Python's own order of tuples."""
    edges = list(zip(*(part.tolist() for part in ends(graph)), values["length"].tolist(), strict=True))
    best = [(0, v) if site else (FAR, FAR) for v, site in enumerate(values["is_site"])]
    heap = True
    while heap:
        heap = False
        for tail, head, length in edges:
            if best[tail][0] < FAR and (best[tail][0] + length, best[tail][1]) < best[head]:
                best[head] = (best[tail][0] + length, best[tail][1])
                heap = True
    distance, site = parts(answers, "best")
    same(
        {"distance": distance, "site": site},
        distance=[d for d, _ in best],
        site=[-1 if s == FAR else s for _, s in best],
    )
    reached = [(d, v) for v, (d, _) in enumerate(best) if d < FAR]
    far = max(reached, default=(-1, -1))
    assert tuple(int(part) for part in parts(answers, "farthest")) == far


PAIRS = (
    Case("minimum_forest", check_forest, paired_weights, symmetric),
    Case("closest_site", check_sites, site_values),
)
