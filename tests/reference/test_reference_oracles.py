"""The samples on the reference backend against SciPy and NetworkX, under several orders."""

from __future__ import annotations

from pathlib import Path

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from interleaving.interleave import explore
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, dijkstra

from gdsl.binding import bind
from gdsl.graph import Graph
from tests.support.graphs import graphs, graphs_with_source, named_graphs
from tests.support.interpreting import program_of, run

SAMPLES = Path(__file__).parents[2] / "samples"
NAMED = named_graphs(with_empty=False)
SEEDS = (0, 7)
ID_BITS = (32, 64)


def sample(name: str) -> str:
    return (SAMPLES / f"{name}.gdsl").read_text(encoding="utf-8")


def hops(graph: Graph, source: int) -> np.ndarray:
    # Stored zeros would be no edges, and only hops count.
    ones = csr_array((np.ones(graph.num_edges), graph.columns, graph.offsets), shape=(graph.num_vertices,) * 2)
    distance = dijkstra(ones, indices=source, unweighted=True)
    return np.where(np.isinf(distance), -1, distance).astype(np.int32)


def shortest(graph: Graph, source: int) -> np.ndarray:
    best: dict[tuple[int, int], float] = {}
    weights = graph.attributes["weight"].tolist()
    for edge in zip(graph.edge_sources.tolist(), graph.columns.tolist(), weights, strict=True):
        best[edge[:2]] = min(edge[2], best.get(edge[:2], np.inf))
    network = networkx.DiGraph([(a, b, {"weight": weight}) for (a, b), weight in best.items()])
    network.add_node(source)
    lengths = networkx.single_source_dijkstra_path_length(network, source)
    return np.array([lengths.get(vertex, np.inf) for vertex in range(graph.num_vertices)], np.float32)


def smallest_of_component(graph: Graph) -> np.ndarray:
    ones = csr_array((np.ones(graph.num_edges), graph.columns, graph.offsets), shape=(graph.num_vertices,) * 2)
    count, labels = connected_components(ones, directed=True, connection="weak")
    first = np.full(count, graph.num_vertices)
    np.minimum.at(first, labels, np.arange(graph.num_vertices))
    return first[labels]


def check_bfs(graph: Graph, source: int, seed: int, id_bits: int) -> None:
    outcome = run(sample("bfs"), graph, source=source, seed=seed, id_bits=id_bits)
    distance, parent = outcome.arrays["distance"], outcome.arrays["parent"]
    assert np.array_equal(distance, hops(graph, source))
    ends = set(zip(graph.edge_sources.tolist(), graph.columns.tolist(), strict=True))
    for vertex in range(graph.num_vertices):
        if distance[vertex] < 1:
            assert parent[vertex] == -1 or vertex == source
        else:
            assert (int(parent[vertex]), vertex) in ends
            assert distance[parent[vertex]] == distance[vertex] - 1


@pytest.mark.parametrize("id_bits", ID_BITS)
@pytest.mark.parametrize("name", NAMED)
@pytest.mark.sampled(20)
def test_samples_on_named_graphs(name: str, id_bits: int) -> None:
    graph = NAMED[name]
    for seed in SEEDS:
        source = seed % graph.num_vertices
        check_bfs(graph, source, seed, id_bits)
        outcome = run(sample("sssp"), graph, source=source, seed=seed, id_bits=id_bits)
        assert np.array_equal(outcome.arrays["distance"], shortest(graph, source))
        outcome = run(sample("connected_components"), graph, seed=seed, id_bits=id_bits)
        assert np.array_equal(outcome.arrays["component"], smallest_of_component(graph))
        check_pagerank(graph, seed)


def check_pagerank(graph: Graph, seed: int) -> None:
    outcome = run(sample("pagerank"), graph, seed=seed, tolerance=1e-6)
    network = networkx.MultiDiGraph()
    network.add_nodes_from(range(graph.num_vertices))
    network.add_edges_from(zip(graph.edge_sources.tolist(), graph.columns.tolist(), strict=True))
    ranks = networkx.pagerank(network, alpha=0.85, tol=1e-10, max_iter=1000)
    expected = np.array([ranks[vertex] for vertex in range(graph.num_vertices)])
    assert np.abs(outcome.arrays["rank"] - expected).sum() < 2e-5


@settings(max_examples=60, deadline=None)
@given(graphs_with_source(), st.integers(0, 2**31), st.sampled_from(ID_BITS))
def test_bfs_and_sssp_on_any_graph(graph_and_source: tuple[Graph, int], seed: int, id_bits: int) -> None:
    graph, source = graph_and_source
    check_bfs(graph, source, seed, id_bits)
    outcome = run(sample("sssp"), graph, source=source, seed=seed, id_bits=id_bits)
    assert np.array_equal(outcome.arrays["distance"], shortest(graph, source))


@settings(max_examples=40, deadline=None)
@given(graphs(), st.integers(0, 2**31))
def test_components_and_pagerank_on_any_graph(graph: Graph, seed: int) -> None:
    outcome = run(sample("connected_components"), graph, seed=seed)
    assert np.array_equal(outcome.arrays["component"], smallest_of_component(graph))
    check_pagerank(graph, seed)


def test_a_graph_without_vertices() -> None:
    graph = named_graphs()["empty"]
    assert len(run(sample("connected_components"), graph).arrays["component"]) == 0
    assert len(run(sample("pagerank"), graph).arrays["rank"]) == 0


@pytest.mark.parametrize("name", ["bfs", "sssp", "connected_components", "pagerank"])
@pytest.mark.sampled(3)
def test_samples_have_one_answer_under_interleavings(name: str) -> None:
    program = program_of(sample(name))
    params = {"source": 1} if any(param.name == "source" for param in program.params) else {}
    for graph in (NAMED["disconnected_directed"], NAMED["self_loops_undirected"], NAMED["duplicates_directed"]):
        found = explore(program, graph, bind(program, graph, params), range(25), everything=name == "pagerank")
        assert len(found) == 1
