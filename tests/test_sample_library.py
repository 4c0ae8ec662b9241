"""Samples beside the functions of NetworkX that compute the same, on the graphs that come along."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache

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
        assert lines <= 120, path.name  # all but two have 80 at most
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
