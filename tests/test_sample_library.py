"""Samples beside the functions of NetworkX that compute the same, on the graphs that come along."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import gdsl
from gdsl.resources import resource_path
from tests.support.graphs import random_graph
from tests.support.programs import LIBRARY, ROOT, SAMPLES

PERSONAL = {0: 0.5, 5: 0.5}


@cache
def graph_of(name: str) -> gdsl.Graph:
    """A graph that comes along; or a directed one, whose parallel edges NetworkX takes as one of that weight."""
    if name == "directed":
        return random_graph(60, 150, seed=8)
    return gdsl.Graph.read(resource_path("samples", "graphs", f"{name}.mtx"))


@cache
def network_of(name: str) -> nx.DiGraph:
    graph = graph_of(name)
    network = nx.DiGraph()
    network.add_nodes_from(range(graph.num_vertices))
    for tail, head in zip(graph.edge_sources.tolist(), graph.columns.tolist(), strict=True):
        network.add_edge(tail, head, weight=network.get_edge_data(tail, head, {"weight": 0})["weight"] + 1)
    return network


def column(found: Mapping[int, float]) -> np.ndarray:
    return np.array([found[vertex] for vertex in range(len(found))])


Found = Mapping[str, np.ndarray]
CENTRALITIES: dict[str, tuple[dict[str, object], Callable[[nx.DiGraph], Found]]] = {
    "katz": (
        {"alpha": 0.04, "tolerance": 1e-10},
        lambda network: {"centrality": column(nx.katz_centrality(network, 0.04, tol=1e-10, weight="weight"))},
    ),
    "eigenvector_centrality": (
        {"tolerance": 1e-10},
        lambda network: {"centrality": column(nx.eigenvector_centrality(network, 1000, 1e-10, weight="weight"))},
    ),
    "hits": (
        {"tolerance": 1e-12},
        lambda network: dict(zip(("hub", "authority"), map(column, nx.hits(network, tol=1e-12)), strict=True)),
    ),
    "pagerank_push": (
        {"tolerance": 1e-10},
        lambda network: {"rank": column(nx.pagerank(network, tol=1e-12, max_iter=1000))},
    ),
    "personalized_pagerank": (
        {"sites": [0, 5], "tolerance": 1e-12},
        lambda network: {"rank": column(nx.pagerank(network, personalization=PERSONAL, tol=1e-12, max_iter=1000))},
    ),
}


@pytest.mark.parametrize("graph", ["karate", "lesmis", "directed"])
@pytest.mark.parametrize("name", CENTRALITIES)
def test_centralities(name: str, graph: str) -> None:
    values, theirs = CENTRALITIES[name]
    found = gdsl.compile(name).run(graph_of(graph), values, backend="reference").host_arrays()
    for result, wanted in theirs(network_of(graph)).items():
        np.testing.assert_allclose(found[result], wanted, atol=1e-6, err_msg=result)


@pytest.mark.parametrize("graph", ["karate", "lesmis"])
def test_triangles(graph: str) -> None:
    network = nx.Graph(network_of(graph))
    found = gdsl.compile("clustering_coefficient").run(graph_of(graph), backend="reference")
    np.testing.assert_allclose(found.coefficient, column(nx.clustering(network)))
    assert found.average == pytest.approx(nx.average_clustering(network))
    found = gdsl.compile("triangle_count").run(graph_of(graph), backend="reference")
    assert found.triangles == sum(nx.triangles(network).values()) // 3


@pytest.mark.parametrize("graph", ["karate", "lesmis", "directed"])
def test_strong_components(graph: str) -> None:
    component = gdsl.compile("strongly_connected_components").run(graph_of(graph), backend="reference").component
    for members in nx.strongly_connected_components(network_of(graph)):
        assert {int(component[vertex]) for vertex in members} == {min(members)}


def test_the_page_lists_every_sample_with_its_length() -> None:
    page = (ROOT / "samples" / "README.md").read_text(encoding="utf-8")
    for path in (*SAMPLES, *LIBRARY):
        lines = len(path.read_text(encoding="utf-8").splitlines())
        assert lines <= 160, path.name  # few have more than 90
        [row] = [line for line in page.splitlines() if line.startswith(f"| [{path.name}]({path.name}) |")]
        assert row.split("|")[4].split()[0] == str(lines), f"{path.name} has {lines} lines"


def test_the_page_says_what_every_sample_takes_and_gives() -> None:
    page = (ROOT / "samples" / "README.md").read_text(encoding="utf-8")
    for path in (*SAMPLES, *LIBRARY):
        program = gdsl.compile(path)
        [row] = [line for line in page.splitlines() if line.startswith(f"| [{path.name}]({path.name}) |")]
        takes, gives = row.split("|")[2:4]
        assert set(re.findall(r"`(\w+)`", takes)) == {*program.params, *program.inputs}, path.name
        results = [*program.ir.arrays, *program.ir.scalars]
        given = {each.name for each in results if not each.is_local and not each.is_input}
        assert set(re.findall(r"`(\w+)`", gives)) == given, path.name
        asked = program.ir.requires
        assert ("symmetric" in takes, "simple" in takes) == (asked.symmetric, asked.simple), path.name


def ranks_of(graph: gdsl.Graph, name: str, damping: float) -> np.ndarray:
    sites = {"sites": range(graph.num_vertices)} if name == "personalized_pagerank" else {}
    found = gdsl.compile(name).run(graph, {"damping": damping, **sites}, backend="reference")
    assert found.converged
    return np.asarray(found.rank)


LIMITS: dict[str, tuple[list[tuple[int, int]], bool, list[float]]] = {
    "two that point at each other": ([(0, 1), (1, 0)], True, [1 / 2, 1 / 2]),
    "a star, whose walks swing": ([(0, 1), (0, 2), (0, 3)], False, [1 / 2, 1 / 6, 1 / 6, 1 / 6]),
    "an end, from where walks go anywhere": ([(0, 1), (1, 2), (2, 3)], True, [0.1, 0.2, 0.3, 0.4]),
    "a trap, where all end": ([(0, 1), (1, 2), (2, 1)], True, [0, 1 / 2, 1 / 2]),
}


@pytest.mark.parametrize("name", ["pagerank", "pagerank_push", "personalized_pagerank"])
@pytest.mark.parametrize("kind", LIMITS)
def test_ranks_with_damping_1_are_the_limit(kind: str, name: str) -> None:
    edges, directed, wanted = LIMITS[kind]
    graph = gdsl.Graph.from_edges(*zip(*edges, strict=True), directed=directed)
    np.testing.assert_allclose(ranks_of(graph, name, 1.0), wanted, atol=1e-5)


@pytest.mark.parametrize("length", [3, 20, 40])
def test_eigenvectors_of_long_paths(length: int) -> None:
    """Each pass changes little there, while much is left to change."""
    graph = gdsl.Graph.from_edges(range(length - 1), range(1, length), directed=False)
    wanted = np.sin(np.pi * np.arange(1, length + 1) / (length + 1))
    found = gdsl.samples.eigenvector_centrality(graph, backend="reference")
    assert found.converged
    assert np.linalg.norm(found.centrality - wanted / np.linalg.norm(wanted)) <= 1.1e-6
    few = gdsl.samples.eigenvector_centrality(graph, max_iterations=2, backend="reference")
    assert not few.converged and few.error > 1e-6


def test_sums_that_grow_without_end_do_not_converge() -> None:
    found = gdsl.samples.katz(graph_of("karate"), alpha=0.5, backend="reference")
    assert not found.converged and found.error > 1e100 and found.iterations < 1000
    assert gdsl.samples.katz(graph_of("karate"), alpha=0.1, backend="reference").converged


REFUSED = {
    "pagerank": [{"damping": 85}, {"damping": -0.1}, {"damping": np.nan}, {"tolerance": -1}, {"max_iterations": -1}],
    "pagerank_push": [{"damping": 1.5}, {"tolerance": np.nan}, {"max_iterations": 0}],
    "personalized_pagerank": [{"sites": []}, {"sites": [1], "damping": 1.5}, {"sites": [1], "tolerance": -1e-9}],
    "katz": [{"alpha": 0}, {"alpha": np.inf}, {"alpha": np.nan}, {"tolerance": -1}],
    "eigenvector_centrality": [{"tolerance": np.nan}, {"max_iterations": -5}],
    "hits": [{"tolerance": np.nan}, {"max_iterations": 0}],
    "salsa": [{"tolerance": -1}, {"max_iterations": 0}],
    "label_propagation": [{"max_iterations": -1}],
    "random_walk": [{"starts": [0], "length": -1}],
    "who_to_follow": [{"user": 0, "restart": 1.5}, {"user": 0, "circle_size": 0}, {"user": 0, "passes": -1}],
    "graph_sparsification": [{"exponent": 1.5}, {"exponent": np.nan}],
    "k_truss": [{"k": 1}],
    "louvain": [{"turns": -1}, {"resolution": -0.5}, {"resolution": np.inf}],
    "leiden": [{"rounds": -1}, {"passes": 0}, {"resolution": -0.5}, {"resolution": np.nan}],
    "bellman_ford": [{"source": 0, "weight": np.r_[np.nan, np.ones(155)]}],
}


@pytest.mark.parametrize("name", REFUSED)
def test_params_have_ranges(name: str) -> None:
    for values in REFUSED[name]:
        with pytest.raises(gdsl.GdslError) as caught:
            gdsl.compile(name).run(
                graph_of("karate"), {"weight": np.ones(156), **values} if name in ("louvain", "leiden") else values
            )
        assert caught.value.code == "E0608", values


@pytest.mark.parametrize("path", [*SAMPLES, *LIBRARY], ids=lambda path: path.stem)
def test_numbers_have_ranges_and_iterations_say_how_they_ended(path: Path) -> None:
    program = gdsl.compile(path)
    for param in program.ir.params:
        assert param.where is not None or param.is_count or param.type.is_id or param.name == "seed", param.name
    for data in (*program.ir.arrays, *program.ir.scalars):
        is_weight = data.is_input and data.type.is_float and path.stem != "spmv"  # a product has NaN where a factor is
        assert data.where is not None or not is_weight, data.name
    if {"tolerance", "max_iterations"} & {*program.params}:
        assert "converged" in {scalar.name for scalar in program.ir.scalars if not scalar.is_local}
