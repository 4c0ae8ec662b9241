"""The order of work that runs on a GPU observe: the values of the cpu backend, and the reason in words."""

from __future__ import annotations

import numpy as np
import pytest

import gdsl
from gdsl.graph import generate
from gdsl.graph.graph import Graph
from gdsl.operations import Order

pytestmark = pytest.mark.gpu


def geometric(vertices: int, degree: int) -> Graph:
    """Points on a line, each with edges to the nearest ones and lengths that are no distances: shortest paths have many
    steps, and the first path that reaches a vertex is rarely the best."""
    near = np.arange(1, degree // 2 + 1)
    steps = np.concatenate([-near[::-1], near])
    columns = (np.arange(vertices)[:, None] + steps) % vertices
    columns.sort(axis=1)
    offsets = np.arange(vertices + 1, dtype=np.int64) * degree
    weight = np.random.default_rng(1).integers(1, 1000, vertices * degree).astype(np.float32)
    return Graph(offsets, columns.ravel().astype(np.int32), directed=True, attributes={"weight": weight})


def test_a_graph_that_is_visited_too_often_is_processed_from_near_to_far() -> None:
    graph, program = geometric(1 << 17, 32), gdsl.compile("sssp")
    for source in (0, 5000, 70_000):
        found = program(graph, source=source, backend="cuda")
        expected = program(graph, source=source, backend="cpu").distance
        assert np.array_equal(found.host_arrays()["distance"], expected)
        assert found.order_line.startswith("order: ")
        print(found.order_line, f"({found.time_ms:.3f} ms)")
    assert {record.order for record in found.trace} == {Order.NEAR_FAR}, found.order_line


def test_queued_runs_and_batches_follow() -> None:
    graph, program = geometric(1 << 16, 32), gdsl.compile("sssp")
    expected = [program(graph, source=source, backend="cpu").distance for source in range(4)]
    pending = [program.submit(graph, source=source, backend="cuda") for source in range(4)]
    for run, other in zip(pending, expected, strict=True):
        assert np.array_equal(run.result().host_arrays()["distance"], other)
    for one, other in zip(program.map(graph, source=range(4), backend="cuda"), expected, strict=True):
        assert np.array_equal(np.asarray(one.host_arrays()["distance"]), other)


def test_graphs_visited_about_once_keep_the_order() -> None:
    graph = gdsl.graph.GraphOptions(weights="random:1", undirected=True).apply(generate("rmat:18"))
    program = gdsl.compile("sssp")
    for source in (7, 9):
        found = program(graph, source=source, backend="cuda")
        assert np.array_equal(found.host_arrays()["distance"], program(graph, source=source, backend="cpu").distance)
        print(found.order_line, f"({found.time_ms:.3f} ms)")
    assert found.order_line
