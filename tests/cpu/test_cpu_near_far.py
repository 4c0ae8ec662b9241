"""Loops from near to far on the cpu backend: exactly the values of the reference, with one thread and with several."""

from __future__ import annotations

import numpy
import pytest
from support.graphs import grid, make_graph, random_graph
from support.near_far import PROGRAMS

import gdsl
from gdsl.graph import Graph, rmat
from gdsl.operations import Order
from tests.cpu.running import SMALL, run

GRAPHS = {
    "grid": lambda: make_graph(grid(40, 57), 2280, directed=False),
    "directed": lambda: random_graph(120, 500, seed=4),
    "hubs": lambda: rmat(11, 9, seed=5),
    "loops": lambda: make_graph([(0, 0), (0, 1), (0, 1), (1, 2), (2, 0), (3, 3)], 5),
    "alone": lambda: make_graph([], 1),
}


def same(found: gdsl.Result, expected: gdsl.Result) -> None:
    assert list(found) == list(expected)
    for name in found:
        assert numpy.array_equal(found[name], expected[name]), name


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.sampled(32)
def test_values_are_those_of_the_reference(name: str, graph: str) -> None:
    made: Graph = GRAPHS[graph]()
    program = gdsl.compile(PROGRAMS[name])
    given = gdsl.compile(PROGRAMS[name], tune=["schedule.order=as_given"])
    for source in (0, made.num_vertices // 2):
        expected = program.run(made, {"source": source}, backend="reference")
        for _ in range(3):
            found = program.run(made, {"source": source}, backend="cpu")
            same(found, expected)
        assert {record.order for record in found.trace} <= {Order.NEAR_FAR, None}
        as_given = given.run(made, {"source": source}, backend="cpu")
        same(as_given, expected)
        assert all(record.order is None for record in as_given.trace)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", PROGRAMS)
def test_all_of_it_by_several_threads(name: str) -> None:
    for graph in ("grid", "hubs"):
        made: Graph = GRAPHS[graph]()
        expected = gdsl.compile(PROGRAMS[name]).run(made, {"source": 3}, backend="reference")
        for _ in range(3):
            found = run(PROGRAMS[name], made, sizes=SMALL, source=3)
            for array, values in found.arrays.items():
                assert numpy.array_equal(values, expected[array]), array


HUBS = """program hubs; problem {
    param source : vertex; input edge weight : int32 where weight >= 0; vertex cost : int32 = inf;
}
schedule {
    cost[source] = 0; frontier f = { source };
    while (f) { f = advance(f, (src, dst, e) => { accept changed(cost[dst] min= cost[src] + weight[e]); }); }
}"""


@pytest.mark.parametrize("directed", [False, True])
def test_each_thread_has_its_own_far_ends(directed: bool) -> None:
    """Long lists in several parts of the ids or in one, loops, parallel edges, and vertices without edges."""
    rng = numpy.random.default_rng(7)
    hubs = [(hub, far) for hub in (0, 700, 2999) for far in range(hub % 7, 3000, 2)]
    edges = [*hubs, (5, 5), (5, 6), (5, 6), *map(tuple, rng.integers(0, 3000, (4000, 2)).tolist())]
    made = make_graph(edges, 3100, directed=directed)
    weight = rng.integers(0, 50, made.num_edges).astype(numpy.int32)
    for source in (0, 1500, 3050):
        expected = gdsl.compile(HUBS).run(made, {"source": source, "weight": weight}, backend="reference")
        for _ in range(3):
            found = run(HUBS, made, sizes=SMALL, source=source, weight=weight)
            assert numpy.array_equal(found.arrays["cost"], expected["cost"])


def test_fewer_edges_are_visited() -> None:
    graph = GRAPHS["grid"]()
    edges = {}
    for order in ("near_far", "as_given"):
        program = gdsl.compile("sssp", tune=[f"schedule.order={order}"])
        weight = (numpy.arange(graph.num_edges) * 7919 % 1000 + 1).astype(numpy.float32)
        found = program.run(graph, {"source": 0, "weight": weight}, backend="cpu")
        edges[order] = sum(record.edges for record in found.trace)
        assert found.iterations == len(found.trace)
    assert edges["near_far"] < edges["as_given"]


@pytest.mark.parametrize("length", [20, 60])
def test_a_long_first_edge_is_no_measure_of_the_others(length: int) -> None:
    """Half as wide as all edges are long, buckets would have most edges visited twice."""
    graph = rmat(12, 16, seed=5)
    hub = int(graph.out_degrees.argmax())
    ends = [graph.ends(e) for e in range(graph.num_edges)]
    made = make_graph([*ends, (graph.num_vertices, hub)], graph.num_vertices + 1)
    weight = numpy.random.default_rng(3).integers(1, 65, made.num_edges).astype(numpy.float32)
    weight[-1] = length
    found = gdsl.compile("sssp").run(made, {"source": graph.num_vertices, "weight": weight}, backend="cpu")
    assert sum(record.edges for record in found.trace) < 1.5 * made.num_edges


def test_passes_are_limited() -> None:
    graph = GRAPHS["grid"]()
    with pytest.raises(gdsl.GdslError):
        gdsl.compile(PROGRAMS["detours"]).run(graph, {"source": 0}, backend="cpu", max_iterations=3)
