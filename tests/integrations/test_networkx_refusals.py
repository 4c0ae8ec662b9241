"""What the backend does not take, it says in words, and NetworkX answers."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import networkx as nx
import pytest

from gdsl.integrations.networkx_backend import interface

REFUSED: list[tuple[str, Callable[[], tuple[tuple[Any, ...], dict[str, Any]]], str]] = [
    ("katz_centrality", lambda: ((nx.MultiGraph([(0, 1), (0, 1)]),), {}), "parallel edges"),
    ("bfs_edges", lambda: ((nx.DiGraph([(0, 1)]), 1), {"reverse": True}), "order of a node's predecessors"),
    ("bfs_edges", lambda: ((nx.path_graph(3), 1), {"sort_neighbors": sorted}), "`sort_neighbors` is a function"),
    ("topological_sort", lambda: ((nx.MultiDiGraph([(0, 1)]),), {}), "parallel edges"),
    ("single_source_dijkstra_path_length", lambda: ((nx.path_graph(3), 0), {"weight": len}), "a function as `weight`"),
    ("closeness_centrality", lambda: ((nx.path_graph(3),), {"distance": len}), "a function as `distance`"),
    ("clustering", lambda: ((nx.path_graph(3),), {"weight": "weight"}), "not their `weight`"),
    ("clustering", lambda: ((nx.DiGraph([(0, 1)]),), {}), "undirected graphs"),
    ("color", lambda: ((nx.DiGraph([(0, 1)]),), {}), "undirected graphs"),
    ("connected_components", lambda: ((nx.DiGraph([(0, 1)]),), {}), "undirected graphs"),
    ("strongly_connected_components", lambda: ((nx.path_graph(3),), {}), "directed graphs"),
    ("eccentricity", lambda: ((nx.path_graph(3),), {"sp": {}}), "given already"),
    ("diameter", lambda: ((nx.path_graph(3), {0: 2}), {}), "given already"),
    ("radius", lambda: ((nx.path_graph(3),), {"usebounds": True, "weight": "weight"}), "another order"),
    ("average_shortest_path_length", lambda: ((nx.path_graph(3),), {"method": "floyd-warshall"}), "Floyd"),
    ("maximal_independent_set", lambda: ((nx.path_graph(3), [0]), {}), "nodes that are given"),
    ("maximal_independent_set", lambda: ((nx.path_graph(3),), {"seed": random.Random(1)}), "another set"),
    ("maximum_flow_value", lambda: ((nx.path_graph(3), 0, 2), {"flow_func": len}), "flow_func"),
    ("maximum_flow_value", lambda: ((nx.path_graph(3), 0, 2), {"cutoff": 3}), "'cutoff'"),
    ("pagerank", lambda: ((nx.path_graph(3),), {"something": 3}), "'something'"),
    ("greedy_color", lambda: ((nx.path_graph(3),), {}), "no program for greedy_color"),
]


@pytest.mark.parametrize("name, given, reason", REFUSED, ids=[f"{name}: {reason}" for name, _, reason in REFUSED])
def test_the_reason_is_told(name: str, given: Callable[[], Any], reason: str) -> None:
    args, kwargs = given()
    answer = interface.can_run(name, args, kwargs)
    assert isinstance(answer, str) and reason in answer
    if hasattr(interface, name):
        with pytest.raises(NotImplementedError, match=reason.replace("`", ".")):
            getattr(interface, name)(*args, **kwargs)


def test_a_call_that_names_the_backend_gets_the_reason() -> None:
    with pytest.raises(NotImplementedError, match=r"not implemented by 'gdsl' backend .*: .* undirected graphs\."):
        nx.clustering(nx.DiGraph([(0, 1)]), backend="gdsl")
    with pytest.raises(NotImplementedError, match=r"given arguments: with negative weights"):
        nx.dijkstra_path_length(nx.Graph([(0, 1, {"weight": -1})]), 0, 1, backend="gdsl")


def test_what_is_taken_is_true() -> None:
    assert interface.can_run("pagerank", (nx.path_graph(3),), {"timeout": 3, "gdsl_backend": "cpu"}) is True


OF_VALUES: list[tuple[Any, Any]] = [
    (-1, lambda g: nx.single_source_dijkstra_path_length(g, 0, backend="gdsl")),
    (float("nan"), lambda g: nx.single_source_dijkstra_path_length(g, 0, backend="gdsl")),
    (float("inf"), lambda g: nx.single_source_bellman_ford_path_length(g, 0, backend="gdsl")),
    (1e308, lambda g: nx.single_source_dijkstra_path_length(g, 0, backend="gdsl")),
    (2**62, lambda g: nx.single_source_dijkstra_path_length(g, 0, backend="gdsl")),
    (2**70, lambda g: nx.pagerank(g, backend="gdsl")),
    ("1", lambda g: nx.pagerank(g, backend="gdsl")),
    (None, lambda g: nx.dijkstra_path_length(g, 0, 1, backend="gdsl")),
    (-1.5, lambda g: nx.hits(g, backend="gdsl")),
    (0, lambda g: nx.betweenness_centrality(g, weight="weight", backend="gdsl")),
    (1e-300, lambda g: nx.betweenness_centrality(g, weight="weight", backend="gdsl")),
    (2**52, lambda g: nx.harmonic_centrality(g, distance="weight", backend="gdsl")),
    (0.5, lambda g: nx.maximum_flow_value(g, 0, 1, capacity="weight", backend="gdsl")),
    (float("nan"), lambda g: nx.maximum_flow_value(g, 0, 1, capacity="weight", backend="gdsl")),
]


@pytest.mark.parametrize("value, call", OF_VALUES, ids=[str(value) for value, _ in OF_VALUES])
def test_values_that_it_cannot_take(value: Any, call: Any) -> None:
    graph = nx.path_graph(4)
    graph[0][1]["weight"] = value
    with pytest.raises(NotImplementedError) as caught:
        call(graph)
    assert "gdsl' backend raised" not in str(caught.value.__cause__ or caught.value)
    with pytest.raises(NotImplementedError) as caught:
        call(graph.subgraph(graph))
    assert "gdsl' backend raised" not in str(caught.value.__cause__ or caught.value)


def test_a_large_int_among_floats() -> None:
    graph = nx.path_graph(4)
    graph[0][1]["weight"], graph[1][2]["weight"] = 2**53 + 1, 0.5
    with pytest.raises(NotImplementedError):
        nx.single_source_dijkstra_path_length(graph, 0, backend="gdsl")


def test_loops_of_cores_are_refused_as_networkx_does() -> None:
    with pytest.raises(NotImplementedError):
        nx.core_number(nx.Graph([(0, 0)]), backend="gdsl")


def test_small_graphs_stay_with_networkx_unless_asked() -> None:
    small, large = nx.path_graph(10), nx.gnm_random_graph(5000, 20_000, seed=1)
    assert "quicker" in interface.should_run("pagerank", (small,), {})
    assert "to convert the graph" in interface.should_run("is_connected", (large,), {})
    with nx.config.backends.gdsl(least_size=5):
        assert "to convert" not in str(interface.should_run("is_connected", (small,), {}))
        assert "quicker" not in str(interface.should_run("pagerank", (small,), {}))
    nx.pagerank(large, backend="gdsl", gdsl_backend="reference", max_iter=100)
    assert "to convert" not in str(interface.should_run("is_connected", (large,), {}))


def test_calls_are_taken_over_by_priority(caplog: pytest.LogCaptureFixture) -> None:
    graph = nx.path_graph(6)
    caplog.set_level("DEBUG", "networkx")
    priority = nx.config.backend_priority
    try:
        nx.config.backend_priority = ["gdsl"]
        assert nx.diameter(graph) == 5 and "NetworkX is quicker" in caplog.text and "Using backend" not in caplog.text
        with nx.config.backends.gdsl(least_size=0, backend="reference"):
            assert nx.diameter(graph) == 5 and "Using backend 'gdsl'" in caplog.text
            assert nx.clustering(nx.DiGraph([(0, 1)])) == {0: 0, 1: 0} and "of undirected graphs" in caplog.text
    finally:
        nx.config.backend_priority = priority


def test_options_of_a_call() -> None:
    graph = nx.path_graph(4)
    assert nx.diameter(graph, backend="gdsl", gdsl_backend="reference", timeout=60) == 3
    with pytest.raises(ValueError, match="backend must be one of"):
        nx.diameter(graph, backend="gdsl", gdsl_backend="gpu")
    settings = r"GDSL_NETWORKX_BACKEND and .* name one of auto, cuda, cpu, reference, not 'gpu'"
    with nx.config.backends.gdsl(backend="gpu"), pytest.raises(ValueError, match=settings):
        list(nx.connected_components(graph, backend="gdsl"))


@pytest.mark.parametrize("weight", [float("inf"), float("nan")])
def test_ranks_of_weights_that_are_not_finite(weight: float) -> None:
    """An infinite sum has no shares: the call is NetworkX's, and an error where gdsl is named."""
    graph = nx.DiGraph([(0, 1, {"weight": weight}), (0, 2), (1, 0), (2, 0)])
    with pytest.raises(NotImplementedError):
        nx.pagerank(graph, backend="gdsl")
