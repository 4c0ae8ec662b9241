"""Plans for classes of graphs on a GPU: results are those of the cpu backend, each graph gets the plan of its class."""

from __future__ import annotations

import numpy as np
import pytest

import gdsl
from gdsl.graph import GraphOptions, generate
from gdsl.graph.graph import Graph

pytestmark = pytest.mark.gpu
GRAPHS = {
    "deep": lambda: GraphOptions(weights="random:1").apply(generate("grid:400")),
    "short-lists": lambda: generate("grid:1100"),
    "hubs": lambda: with_float_weights(GraphOptions(weights="random:1", undirected=True).apply(generate("rmat:20"))),
}


def with_float_weights(graph: Graph) -> Graph:
    """Distances along whole weights are 64 bits wide, of which blocks keep no bounds."""
    weight = graph.attributes["weight"].astype(np.float32)
    return Graph(graph.offsets, graph.columns, directed=graph.directed, attributes={"weight": weight})


def check(program: gdsl.Program, graph: Graph, wanted: str, **values: object) -> None:
    found = program(graph, backend="cuda", **values)
    plan = program.last_run(graph, "cuda")[1].build(graph).plan
    assert plan is not None and str(plan.graph) == wanted
    expected = program(graph, backend="cpu", **values)
    names = [name for name, unique in expected.unique.items() if unique or name == "centrality"]  # up to rounding
    assert names
    for name in names:
        one, other = (np.asarray(each.host_arrays().get(name, each[name])) for each in (found, expected))
        assert np.allclose(one, other, rtol=1e-3, equal_nan=True), name


@pytest.mark.parametrize(
    ("name", "tune", "graph", "wanted"),
    [
        ("bfs", (), "deep", "deep"),
        ("bfs", ("schedule.block=512",), "deep", "deep"),
        ("bfs", ("schedule.block=1024",), "deep", "deep"),
        ("sssp", (), "deep", "narrow"),
        ("sssp", ("schedule.order=as_given",), "deep", "deep"),
        ("sssp", ("schedule.order=near_far", "schedule.block=1024"), "deep", "general"),
        ("sssp", (), "hubs", "hubs"),
        ("bfs", (), "hubs", "general"),
    ],
)
def test_searches(name: str, tune: tuple[str, ...], graph: str, wanted: str) -> None:
    check(gdsl.compile(name, tune=tune), GRAPHS[graph](), wanted, source=7)


def test_sources_of_betweenness_on_a_deep_graph() -> None:
    graph = GRAPHS["deep"]()
    check(gdsl.compile("betweenness"), graph, "deep", sources=[0, 70_000])


@pytest.mark.parametrize("name", ["pagerank", "k_core"])
def test_sweeps_over_all_vertices(name: str) -> None:
    check(gdsl.compile(name), GRAPHS["short-lists"](), "short-lists")


def test_a_batch_has_the_plan_of_the_class() -> None:
    graph, program = GRAPHS["deep"](), gdsl.compile("bfs")
    batch = program.map(graph, source=np.arange(40) * 997, backend="cuda")
    for place in (0, 39):
        alone = program(graph, source=int(place * 997), backend="cpu")
        assert (batch.host_arrays()["distance"][place] == alone.host_arrays()["distance"]).all()
