"""The choice of a direction in each pass: by the lengths of lists, the same on a CPU and on a GPU."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import gdsl
from gdsl.backends.interface import TraceRecord
from gdsl.binding import bind
from gdsl.graph import Graph
from gdsl.operations import Direction

from .running import device_for, differences, emulated, expect, program_of

HUBS = np.arange(0, 2000, 10)
"""They know each other and have most edges. Each other vertex knows two of them, and the first of these twelve more."""


@pytest.fixture(scope="module")
def graph() -> Graph:
    a, b = np.triu_indices(len(HUBS), 1)
    others = np.setdiff1d(np.arange(2000), HUBS)
    near = [HUBS[a], others, others, np.full(12, 1)]
    far = [HUBS[b], others // 10 * 10, others * 7 % 2000 // 10 * 10, HUBS[5:17]]
    sources, destinations = np.concatenate([*near, *far]), np.concatenate([*far, *near])
    return Graph.from_edges(sources, destinations, num_vertices=2000)


def chosen(trace: Sequence[TraceRecord]) -> list[Direction | None]:
    return [record.direction for record in trace][:3]


def test_few_vertices_that_have_most_edges_are_not_taken_for_all(graph: Graph) -> None:
    """The second frontier has one edge in seventeen. By the mean degree, of 24, a vertex would look at as many of its
    edges; nearly all have two."""
    program = program_of("bfs")
    bindings = bind(program, graph, {"source": 1})
    found = emulated(program).run(graph, bindings, device_for(0))
    assert differences(program, expect(program, graph, bindings), found) == []
    on_a_cpu = gdsl.samples.bfs(graph, source=1, backend="cpu")
    directions = [Direction.PUSH, Direction.PULL, Direction.PULL]
    assert chosen(found.trace) == chosen(on_a_cpu.trace) == directions
