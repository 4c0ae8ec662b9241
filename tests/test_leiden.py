"""The sample `leiden`: connected communities, as good as Louvain's; many resolutions, of `louvain`, too."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from oracles.library.communities import check_leiden, check_louvain

import gdsl
from gdsl.operations import Grade
from gdsl.pipeline import load
from tests.support.graphs import random_graph
from tests.support.programs import ROOT
from tests.test_louvain import networks

BACKENDS = ["reference", "cpu", pytest.param("cuda", marks=pytest.mark.gpu)]


@pytest.mark.sampled(9)
@pytest.mark.parametrize("name", networks())
def test_as_good_as_networkx(name: str) -> None:
    """Each partition found is compared with the better of ten of NetworkX's, by NetworkX's own modularity."""
    network = networks()[name]
    nx.set_edge_attributes(
        network, {(u, v): float(data.get("weight", 1)) for u, v, data in network.edges(data=True)}, "weight"
    )
    result = gdsl.samples.leiden.run(gdsl.Graph.from_networkx(network), backend="cpu")
    community = result.host_arrays()["community"]
    ours = [set(np.flatnonzero(community == each).tolist()) for each in range(int(result["communities"]))]
    assert all(nx.is_connected(network.subgraph(part)) for part in ours)
    quality = nx.community.modularity(network, ours)
    assert result["modularity"] == pytest.approx(quality, abs=1e-7)
    best = max(
        nx.community.modularity(network, nx.community.louvain_communities(network, seed=seed)) for seed in range(10)
    )
    assert quality > best - 0.02


@pytest.mark.sampled(2)
@pytest.mark.parametrize("backend", BACKENDS)
def test_nothing_to_gain(backend: str) -> None:
    """Without weight, edges or other vertices everyone stays alone."""
    for graph in (
        gdsl.Graph.from_edges([], [], 0),
        gdsl.Graph.from_edges([], [], 3),
        gdsl.Graph.from_edges([0, 1], [1, 0], 2),
    ):
        result = gdsl.samples.leiden.run(graph, {"weight": np.zeros(graph.num_edges)}, backend=backend)
        assert result.host_arrays()["community"].tolist() == list(range(graph.num_vertices))
        assert (result["communities"], result["modularity"]) == (graph.num_vertices, 0)


@pytest.mark.slow
def test_every_run_ends_alike() -> None:
    program = load((ROOT / "samples" / "leiden.gdsl").read_text(encoding="utf-8"))
    assert {each.grade for each in (*program.arrays, *program.scalars)} == {Grade.EXACT}
    graph = random_graph(200, 900, seed=5, directed=False)
    source, target = (np.asarray(ends, np.int64) for ends in graph.edges)
    weight = np.random.default_rng(1).random(200).astype(np.float32)
    values = {"weight": (weight[source] * weight[target]).astype(np.float32)}
    wanted = gdsl.samples.leiden.run(graph, values, backend="reference")
    for _ in range(3):
        result = gdsl.samples.leiden.run(graph, values, backend="cpu")
        assert result.host_arrays()["community"].tolist() == wanted.host_arrays()["community"].tolist()
        assert result["modularity"] == wanted["modularity"]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", ["leiden", pytest.param("louvain", marks=pytest.mark.slow)])
def test_many_resolutions(name: str, backend: str) -> None:
    program, check = (gdsl.samples.leiden, check_leiden) if name == "leiden" else (gdsl.samples.louvain, check_louvain)
    graph = gdsl.Graph.from_networkx(nx.Graph(nx.les_miserables_graph()))
    values = {"weight": np.asarray(graph.attributes["weight"], np.float32)}
    resolutions = [0.0, 0.5, 1.0, 2.0, 8.0]
    batch = program.map(graph, resolution=resolutions, **values, backend=backend)
    values_of = batch.host_arrays()
    counts = [int(count) for count in batch.communities]
    assert counts == sorted(counts) and counts[0] == 1 < counts[2] < counts[4]
    for k, resolution in enumerate(resolutions):
        answers = {
            "community": values_of["community"][k],
            "communities": batch.communities[k],
            "modularity": batch.modularity[k],
        }
        check(graph, {**values, "resolution": resolution}, answers)
