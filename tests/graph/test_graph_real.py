"""The real graphs that GDSL_TEST_GRAPHS points to, and those of samples/, against SciPy and the known answers."""

from __future__ import annotations

import json
import lzma
import os
from pathlib import Path

import networkx
import numpy as np
import pytest
from graph_cases import assert_same
from scipy.io import mmread

from gdsl.graph import Graph, describe
from gdsl.resources import resource_path

DIRECTORY = os.environ.get("GDSL_TEST_GRAPHS")
NAMES = sorted(path.name for path in Path(DIRECTORY).glob("*.mtx*")) if DIRECTORY else []
needs_graphs = pytest.mark.skipif(not NAMES, reason="GDSL_TEST_GRAPHS does not name the directory of the real graphs")


def known_answers(name):
    reference = json.loads((Path(DIRECTORY) / "reference.json").read_text(encoding="utf-8"))
    return next(graph for graph in reference["graphs"].values() if graph["file"] in (name, name.removesuffix(".xz")))


@pytest.mark.graphs
@needs_graphs
@pytest.mark.parametrize("name", NAMES or ["none"])
@pytest.mark.sampled(18)
def test_real_graph(name):
    path = Path(DIRECTORY) / name
    graph, known = Graph.read(path), known_answers(name)
    info = describe(graph)
    assert info.vertices == known["vertices"]
    assert info.edges == known["entries"]
    assert info.directed == known["directed"]
    assert info.weighted == known["weighted"]
    assert info.self_loops == known["self_loops"]
    assert info.degree_max == known["max_out_degree"]
    assert int(graph.in_degrees.max()) == known["max_in_degree"]
    assert info.isolated == known["isolated_vertices"]
    assert (info.components, info.largest_component) == (known["wcc"]["count"], known["wcc"]["largest"])
    undirected = Graph.read(path, undirected=True, weights="random:1", dedup="first")
    loops = describe(undirected).self_loops
    assert describe(undirected).edges - loops == known["simple_undirected_edges"]
    with lzma.open(path) if name.endswith(".xz") else open(path, "rb") as stream:
        matrix = mmread(stream, spmatrix=False)
    columns = [graph.edge_sources, graph.columns, *graph.attributes.values()]
    expected = [matrix.row, matrix.col, *([matrix.data] if graph.attributes else [])]
    order = np.lexsort((matrix.col, matrix.row))
    for ours, theirs in zip(columns, expected, strict=True):
        np.testing.assert_array_equal(ours, theirs[order])


@pytest.mark.graphs
@needs_graphs
def test_dimacs_and_matrix_market_of_one_road_network():
    directory = Path(DIRECTORY)
    roads = Graph.read(directory / "USA-road-d.NY.gr.xz", undirected=True)
    assert_same(roads, Graph.read(directory / "USA-road-d.NY.mtx.xz"))


@pytest.mark.parametrize(
    ("name", "made"), [("karate", networkx.karate_club_graph), ("lesmis", networkx.les_miserables_graph)]
)
def test_the_graphs_of_the_samples_are_those_of_networkx(name, made):
    graph = Graph.read(resource_path("samples", "graphs", f"{name}.mtx"))
    assert_same(graph, Graph.from_networkx(made()))
    assert not graph.directed
