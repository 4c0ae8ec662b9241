"""`backend="gdsl"` answers as NetworkX does: values, types, errors."""

from __future__ import annotations

import inspect
import math
import random
from decimal import Decimal
from fractions import Fraction
from typing import Any

import networkx as nx
import numpy as np
import pytest
from support.networkx_graphs import Call, compared, random_graph, same, some, taken

from gdsl.integrations.networkx_backend.info import FUNCTIONS

pytestmark = pytest.mark.skipif(
    tuple(map(int, nx.__version__.split(".")[:2])) < (3, 5),
    reason="errors and types are those of NetworkX 3.5 and newer",
)


def settled(graph: Any) -> dict[str, Any]:
    """A value for every argument of pagerank."""
    given = {name: dict.fromkeys(some(graph), 2) for name in ("nstart", "dangling")}
    by_node = {node: place + 1 for place, node in enumerate(some(graph))}
    return {"alpha": 0.7, "tol": 1e-9, "max_iter": 300, "weight": None, "personalization": by_node, **given}


def first(graph: Any) -> Any:
    return next(iter(graph))


ANY: dict[str, Call] = {
    "pagerank": nx.pagerank,
    "pagerank, all arguments": lambda g, **o: nx.pagerank(g, **settled(g), **o),
    "pagerank, too few passes": lambda g, **o: nx.pagerank(g, max_iter=1, tol=1e-15, **o),
    "pagerank, personalization of nothing": lambda g, **o: nx.pagerank(g, personalization={"?": 1}, **o),
    "katz": lambda g, **o: nx.katz_centrality(g, alpha=0.01, **o),
    "katz, weighted": lambda g, **o: nx.katz_centrality(
        g, 0.01, dict.fromkeys(g, 2.0), nstart=dict.fromkeys(g, 1), normalized=False, weight="weight", **o
    ),
    "katz, beta of some": lambda g, **o: nx.katz_centrality(g, beta={"?": 1}, **o),
    "katz, too few passes": lambda g, **o: nx.katz_centrality(g, alpha=0.01, max_iter=0, **o),
    "eigenvector": lambda g, **o: nx.eigenvector_centrality(g, max_iter=3000, **o),
    "eigenvector, weighted": lambda g, **o: nx.eigenvector_centrality(
        g, 3000, nstart={node: place + 1 for place, node in enumerate(g)}, weight="weight", **o
    ),
    "eigenvector, no start": lambda g, **o: nx.eigenvector_centrality(g, nstart=dict.fromkeys(g, 0), **o),
    "betweenness": nx.betweenness_centrality,
    "betweenness, whole numbers": lambda g, **o: nx.betweenness_centrality(g, normalized=False, **o),
    "betweenness, endpoints": lambda g, **o: nx.betweenness_centrality(g, endpoints=True, **o),
    "betweenness, sampled": lambda g, **o: nx.betweenness_centrality(g, k=1 + len(g) // 2, seed=3, **o),
    "betweenness, sampled with endpoints": lambda g, **o: nx.betweenness_centrality(
        g, k=1 + len(g) // 2, seed=3, endpoints=True, normalized=False, **o
    ),
    "betweenness, weighted": lambda g, **o: nx.betweenness_centrality(g, weight="weight", **o),
    "betweenness, weighted with ties": lambda g, **o: nx.betweenness_centrality(
        g, weight="length", normalized=False, **o
    ),
    "betweenness, weighted and sampled": lambda g, **o: nx.betweenness_centrality(
        g, k=1 + len(g) // 3, seed=1, weight="length", endpoints=True, **o
    ),
    "harmonic": nx.harmonic_centrality,
    "harmonic, weighted": lambda g, **o: nx.harmonic_centrality(g, distance="whole", **o),
    "harmonic of some": lambda g, **o: nx.harmonic_centrality(g, [*some(g)[:2], "?"], "weight", **o),
    "harmonic from some": lambda g, **o: nx.harmonic_centrality(g, sources=some(g)[:2], **o),
    "harmonic of none": lambda g, **o: nx.harmonic_centrality(g, [], **o),
    "degrees": nx.degree_centrality,
    "edges of a search": lambda g, **o: nx.bfs_edges(g, first(g), **o),
    "edges of a short search": lambda g, **o: nx.bfs_edges(g, first(g), depth_limit=2, **o),
    "edges of a search from nobody": lambda g, **o: nx.bfs_edges(g, "?", **o),
    "path to itself": lambda g, **o: nx.shortest_path(g, first(g), first(g), weight="whole", **o),
    "paths by another method": lambda g, **o: nx.shortest_path(g, method="?", **o),
    "paths by hops": lambda g, **o: nx.shortest_path(g, first(g), **o),
    "paths of all by hops": nx.shortest_path,
    "path from nobody": lambda g, **o: nx.shortest_path(g, "?", first(g), **o),
    "path to nobody": lambda g, **o: nx.shortest_path(g, first(g), "?", **o),
    "path from nobody, weighted": lambda g, **o: nx.shortest_path(g, "?", first(g), weight="whole", **o),
    "path to nobody, weighted": lambda g, **o: nx.shortest_path(g, first(g), "?", weight="whole", **o),
    "path from nobody, bellman-ford": lambda g, **o: nx.shortest_path(
        g, "?", first(g), weight="whole", method="bellman-ford", **o
    ),
    "path to nobody, bellman-ford": lambda g, **o: nx.shortest_path(
        g, first(g), "?", weight="whole", method="bellman-ford", **o
    ),
    "paths from nobody": lambda g, **o: nx.shortest_path(g, "?", **o),
    "paths to nobody": lambda g, **o: nx.shortest_path(g, target="?", weight="whole", **o),
    "closeness": nx.closeness_centrality,
    "closeness of a node": lambda g, **o: nx.closeness_centrality(g, u=first(g), wf_improved=False, **o),
    "closeness, weighted": lambda g, **o: nx.closeness_centrality(g, distance="whole", **o),
    "closeness of nobody": lambda g, **o: nx.closeness_centrality(g, u="?", **o),
    "average length": nx.average_shortest_path_length,
    "average length, weighted": lambda g, **o: nx.average_shortest_path_length(g, weight="weight", **o),
    "average length, another method": lambda g, **o: nx.average_shortest_path_length(g, method="?", **o),
    "eccentricity": nx.eccentricity,
    "eccentricity of a node": lambda g, **o: nx.eccentricity(g, first(g), **o),
    "eccentricity, weighted": lambda g, **o: nx.eccentricity(g, weight="weight", **o),
    "diameter": nx.diameter,
    "radius": nx.radius,
    "periphery": nx.periphery,
    "hops from": lambda g, **o: nx.single_source_shortest_path_length(g, first(g), **o),
    "hops from, cut off": lambda g, **o: nx.single_source_shortest_path_length(g, first(g), cutoff=1.5, **o),
    "hops from nobody": lambda g, **o: nx.single_source_shortest_path_length(g, "?", **o),
    "hops to": lambda g, **o: nx.single_target_shortest_path_length(g, first(g), **o),
    "hops from all": nx.all_pairs_shortest_path_length,
    "length between": lambda g, **o: nx.shortest_path_length(g, *list(g)[:2], **o),
    "length between, weighted": lambda g, **o: nx.shortest_path_length(g, *list(g)[:2], weight="whole", **o),
    "length between, bellman-ford": lambda g, **o: nx.shortest_path_length(
        g, *list(g)[:2], weight="whole", method="bellman-ford", **o
    ),
    "lengths to": lambda g, **o: nx.shortest_path_length(g, target=first(g), weight="weight", **o),
    "lengths of all": lambda g, **o: nx.shortest_path_length(g, weight="whole", **o),
    "has path": lambda g, **o: nx.has_path(g, *list(g)[:2], **o),
    "has path to nobody": lambda g, **o: nx.has_path(g, first(g), "?", **o),
    "descendants": lambda g, **o: nx.descendants(g, first(g), **o),
    "ancestors": lambda g, **o: nx.ancestors(g, first(g), **o),
    "descendants of nobody": lambda g, **o: nx.descendants(g, "?", **o),
    "ancestors of nobody": lambda g, **o: nx.ancestors(g, "?", **o),
    "dijkstra": lambda g, **o: nx.single_source_dijkstra_path_length(g, first(g), **o),
    "dijkstra, whole": lambda g, **o: nx.single_source_dijkstra_path_length(g, first(g), cutoff=4, weight="whole", **o),
    "dijkstra, no such attribute": lambda g, **o: nx.single_source_dijkstra_path_length(g, first(g), weight="?", **o),
    "dijkstra from some": lambda g, **o: nx.multi_source_dijkstra_path_length(g, set(some(g)), **o),
    "dijkstra from none": lambda g, **o: nx.multi_source_dijkstra_path_length(g, set(), **o),
    "dijkstra to nobody": lambda g, **o: nx.dijkstra_path_length(g, first(g), "?", **o),
    "dijkstra from nobody": lambda g, **o: nx.dijkstra_path_length(g, "?", first(g), **o),
    "bellman-ford": lambda g, **o: nx.single_source_bellman_ford_path_length(g, first(g), weight="whole", **o),
    "bellman-ford to nobody": lambda g, **o: nx.bellman_ford_path_length(g, first(g), "?", **o),
    "negative cycle": nx.negative_edge_cycle,
    "bipartite": nx.is_bipartite,
    "acyclic": nx.is_directed_acyclic_graph,
    "flow": lambda g, **o: nx.maximum_flow_value(g, *list(g)[:2], **o),
    "cut": lambda g, **o: nx.minimum_cut_value(g, *list(g)[-2:], **o),
    "flow to itself": lambda g, **o: nx.maximum_flow_value(g, *list(g)[:1] * 2, **o),
    "flow to nobody": lambda g, **o: nx.maximum_flow_value(g, first(g), "?", **o),
}
UNDIRECTED: dict[str, Call] = {
    "components": nx.connected_components,
    "number of components": nx.number_connected_components,
    "connected": nx.is_connected,
    "component of a node": lambda g, **o: nx.node_connected_component(g, first(g), **o),
    "triangles": nx.triangles,
    "triangles of a node": lambda g, **o: nx.triangles(g, first(g), **o),
    "triangles of some": lambda g, **o: nx.triangles(g, [*some(g), "?"], **o),
    "clustering": nx.clustering,
    "clustering of some": lambda g, **o: nx.clustering(g, some(g), **o),
    "average clustering": nx.average_clustering,
    "average clustering of some": lambda g, **o: nx.average_clustering(g, some(g), count_zeros=False, **o),
    "transitivity": nx.transitivity,
    "sides": nx.bipartite.color,
    "diameter by bounds": lambda g, **o: nx.diameter(g, usebounds=True, **o),
    "radius by bounds": lambda g, **o: nx.radius(g, usebounds=True, **o),
}
DIRECTED: dict[str, Call] = {
    "weak components": nx.weakly_connected_components,
    "number of weak components": nx.number_weakly_connected_components,
    "weakly connected": nx.is_weakly_connected,
    "number of strong components": nx.number_strongly_connected_components,
    "strongly connected": nx.is_strongly_connected,
    "degrees in": nx.in_degree_centrality,
    "degrees out": nx.out_degree_centrality,
}


MIXED = {"eccentricity, weighted", "lengths to", "dijkstra", "dijkstra from some"}
"""What gives lengths by an attribute that has ints among its floats."""


@pytest.mark.parametrize("name", [*ANY, *UNDIRECTED])
@pytest.mark.sampled(189)
def test_undirected_graphs(name: str) -> None:
    for seed in range(12):
        compared({**ANY, **UNDIRECTED}[name], random_graph(seed, directed=False), name in MIXED)


@pytest.mark.parametrize("name", [*ANY, *DIRECTED])
@pytest.mark.sampled(120)
def test_directed_graphs(name: str) -> None:
    for seed in range(12):
        compared({**ANY, **DIRECTED}[name], random_graph(seed, directed=True), name in MIXED)


@pytest.mark.sampled(12)
@pytest.mark.parametrize(
    "name", ["diameter", "radius", "periphery", "eccentricity, weighted", "average length, weighted"]
)
@pytest.mark.parametrize("directed", [False, True])
def test_connected_graphs(name: str, directed: bool) -> None:
    for seed in range(6):
        graph = random_graph(seed, directed)
        nx.add_cycle(graph, list(graph), weight=2)
        compared(ANY[name], graph, name in MIXED)
        assert set(nx.center(graph, backend="gdsl")) == set(nx.center(graph))


MULTI = [name for name in ANY if not name.startswith(("katz", "eigenvector", "flow", "cut", "acyclic"))]
"""What takes parallel edges: they count once, the lightest counts, or their weights are added."""


@pytest.mark.sampled(30)
@pytest.mark.parametrize("name", MULTI)
def test_multigraphs(name: str) -> None:
    for seed in range(8):
        compared(ANY[name], random_graph(seed, directed=seed % 2 == 0, multigraph=True), name in MIXED)


def test_components_of_multigraphs() -> None:
    for seed in range(8):
        compared(UNDIRECTED["components"], random_graph(seed, directed=False, multigraph=True))
        compared(DIRECTED["weak components"], random_graph(seed, directed=True, multigraph=True))
        compared(DIRECTED["degrees in"], random_graph(seed, directed=True, multigraph=True))


def test_hits() -> None:
    for directed in (False, True):
        graph = nx.gnp_random_graph(25, 0.2, seed=5, directed=directed)
        for node, (_, _, data) in enumerate(graph.edges(data=True)):
            data["weight"] = node % 3 + 0.5
        for options in ({}, {"nstart": dict.fromkeys(graph, 1.0)}):
            for found, wanted in zip(nx.hits(graph, backend="gdsl", **options), nx.hits(graph), strict=True):
                assert found == pytest.approx(wanted, abs=1e-6)
    with pytest.raises(nx.PowerIterationFailedConvergence):
        nx.hits(graph, max_iter=0, backend="gdsl")


@pytest.mark.parametrize("seed", range(8))
def test_orders_of_graphs_without_cycles(seed: int) -> None:
    graph = random_graph(seed, directed=True)
    place = {node: number for number, node in enumerate(graph)}
    graph.remove_edges_from([(u, v) for u, v in graph.edges() if place[u] >= place[v]])
    found, wanted = (list(nx.topological_generations(graph, **options)) for options in ({"backend": "gdsl"}, {}))
    assert list(map(set, found)) == list(map(set, wanted))
    assert all(type(generation) is list for generation in found)
    rank = {node: number for number, node in enumerate(nx.topological_sort(graph, backend="gdsl"))}
    assert rank.keys() == set(graph) and all(rank[u] < rank[v] for u, v in graph.edges())
    assert nx.is_directed_acyclic_graph(graph, backend="gdsl")


def test_a_cycle_is_told_after_what_comes_before_it() -> None:
    graph = nx.DiGraph([(1, 2), (2, 3), (3, 2)])
    generations = nx.topological_generations(graph, backend="gdsl")
    assert next(generations) == [1]
    with pytest.raises(nx.NetworkXUnfeasible):
        next(generations)
    with pytest.raises(nx.NetworkXError, match="undirected"):
        next(nx.topological_generations(nx.Graph([(1, 2)]), backend="gdsl"))


@pytest.mark.parametrize("seed", range(8))
def test_strong_components_come_after_those_that_they_lead_to(seed: int) -> None:
    graph = random_graph(seed, directed=True)
    found = list(nx.strongly_connected_components(graph, backend="gdsl"))
    wanted = list(nx.strongly_connected_components(graph))
    assert sorted(map(sorted, [map(str, each) for each in found])) == sorted(
        map(sorted, [map(str, each) for each in wanted])
    )
    number = {node: place for place, each in enumerate(found) for node in each}
    assert all(number[u] >= number[v] for u, v in graph.edges())


def test_cores_of_graphs_without_loops() -> None:
    for seed in range(12):
        graph = random_graph(seed, directed=seed % 2 == 0)
        graph.remove_edges_from(list(nx.selfloop_edges(graph)))
        compared(nx.core_number, graph)


def test_independent_sets() -> None:
    for seed in range(8):
        graph = random_graph(seed, directed=False)
        graph.remove_edges_from(list(nx.selfloop_edges(graph)))
        found = nx.maximal_independent_set(graph, backend="gdsl")
        assert type(found) is list and graph.subgraph(found).number_of_edges() == 0
        assert all(node in found or set(graph[node]) & set(found) for node in graph)


def test_negative_weights() -> None:
    for seed in range(30):
        graph = random_graph(seed, directed=True)
        rng = random.Random(seed)
        for _, _, data in graph.edges(data=True):
            data["whole"] = rng.randrange(-1 if seed % 2 else -4, 9)
        compared(lambda g, **o: nx.negative_edge_cycle(g, weight="whole", **o), graph)
        compared(ANY["bellman-ford"], graph)


@pytest.mark.slow
def test_flows_without_bounds() -> None:
    graph = nx.DiGraph([("s", "a"), ("a", "t")])
    compared(lambda g, **o: nx.maximum_flow_value(g, "s", "t", **o), graph)
    graph["s"]["a"]["capacity"] = 7
    graph.add_edge("a", "s")
    compared(lambda g, **o: nx.maximum_flow_value(g, "s", "t", **o), graph)
    assert nx.maximum_flow_value(graph, "s", "t", backend="gdsl") == 7


def test_distances_are_exact() -> None:
    """The smallest float and ints beyond float64's."""
    graph = nx.path_graph(4)
    for weight in (2**55 + 1, 5e-324, 0.1):
        nx.set_edge_attributes(graph, weight, "weight")
        found, wanted = (nx.single_source_dijkstra_path_length(graph, 0, **o) for o in ({"backend": "gdsl"}, {}))
        assert found == wanted and list(map(type, found.values())) == list(map(type, wanted.values()))


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_empty_graphs(kind: Any) -> None:
    for name in FUNCTIONS:
        call = nx.bipartite.color if name == "color" else getattr(nx, name)
        required = [each for each in inspect.signature(call).parameters.values() if each.default is each.empty]
        values = ["?"] * sum(each.kind is each.POSITIONAL_OR_KEYWORD for each in required[1:])
        try:
            found = taken(lambda g, call=call, values=values, **o: call(g, *values, **o), kind(), backend="gdsl")
        except NotImplementedError:
            continue  # as test_networkx_refusals has it
        same(found, taken(lambda g, call=call, values=values, **o: call(g, *values, **o), kind()))


@pytest.mark.parametrize("start", [0, 5])
@pytest.mark.parametrize(
    "nodes", [1, 99, 1.0, True, 0.5, float("nan"), -1, "ab", [1, 2, 99], [1, 1], [[1]], (1,), [], None, {1: 2}]
)
@pytest.mark.sampled(5)
def test_nodes_that_are_asked_for(start: int, nodes: Any) -> None:
    graph = nx.relabel_nodes(nx.complete_graph(5), {0: start})
    for call in (nx.triangles, nx.clustering, nx.eccentricity):
        compared(lambda g, call=call, **o: call(g, nodes, **o), graph)


def test_nodes_that_cannot_be_hashed() -> None:
    for graph in (nx.path_graph(3), nx.path_graph("abc")):
        assert taken(lambda g, **o: nx.has_path(g, [1], 2, **o), graph, backend="gdsl")[0] in (
            TypeError,
            nx.NodeNotFound,
        )


def test_searches_of_wide_graphs_are_in_order() -> None:
    """Levels of more vertices than a loop takes."""
    graph = nx.gnm_random_graph(200, 700, seed=4)
    compared(ANY["edges of a search"], nx.relabel_nodes(graph, lambda node: -node))


def test_weights_at_the_ends_of_the_range() -> None:
    graph = nx.DiGraph([(0, 1, {"weight": 1e300}), (0, 2, {"weight": 1e300}), (1, 0, {"weight": 1.0})])
    compared(lambda g, **o: nx.katz_centrality(g, alpha=0.5, max_iter=9999, weight="weight", **o), nx.reverse(graph))
    with pytest.raises(NotImplementedError, match="square"):
        nx.eigenvector_centrality(graph, weight="weight", backend="gdsl")
    big = nx.DiGraph([(0, 1, {"weight": 1.7e308}), (0, 2, {"weight": 1.7e308}), (1, 0, {"weight": 1.0})])
    with pytest.raises(NotImplementedError, match="sums at each node"):
        nx.pagerank(big, backend="gdsl")
    for weight in (1e-200, 1e200):
        for _, _, data in graph.edges(data=True):
            data["weight"] = weight
        hubs, authorities = nx.hits(graph, backend="gdsl")
        assert hubs == pytest.approx({0: 1, 1: 0, 2: 0}, abs=1e-6)
        assert authorities == pytest.approx({0: 0, 1: 0.5, 2: 0.5}, abs=1e-6)


def test_a_sample_of_an_empty_graph() -> None:
    compared(lambda g, **o: nx.betweenness_centrality(g, k=1, seed=1, **o), nx.Graph())
    with pytest.raises(ValueError, match="arg is an empty"):
        nx.center(nx.Graph(), usebounds=True, backend="gdsl")


@pytest.mark.parametrize(
    "node", [True, 1.0, 1 + 0j, Fraction(1), Decimal(1), np.float32(1), Fraction(1, 2), math.inf, "1"]
)
def test_nodes_that_are_equal_to_a_number(node: object) -> None:
    compared(lambda g, **o: nx.single_source_shortest_path_length(g, node, **o), nx.path_graph(3))


@pytest.mark.parametrize("cutoff", [math.nan, -1, 0, 1.5, math.inf])
def test_cutoffs_of_any_number(cutoff: float) -> None:
    compared(lambda g, **o: nx.single_source_dijkstra_path_length(g, 0, cutoff=cutoff, **o), nx.path_graph(4))
    compared(lambda g, **o: nx.single_source_shortest_path_length(g, 0, cutoff=cutoff, **o), nx.path_graph(4))
