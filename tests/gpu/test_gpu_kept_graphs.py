"""Graphs that are kept with the given one, on a GPU: calls again, queued ones, other programs, and little memory."""

from __future__ import annotations

from typing import Any

import pytest

import gdsl
from gdsl.backends import registry
from gdsl.graph import generate
from tests.support.graphs import make_graph, simple_part, star

pytestmark = pytest.mark.gpu
GRAPHS = {
    "power law": simple_part(generate("rmat:14")),
    "short lists": simple_part(generate("grid:120")),
    "hub": simple_part(make_graph([*star(5000), *((place, place + 1) for place in range(1, 5000))], 5001)),
}


def expected(name: str) -> int:
    count: int = gdsl.compile("triangle_count")(GRAPHS[name], backend="cpu").triangles
    return count


@pytest.mark.parametrize("name", GRAPHS)
def test_calls_again_and_queued_ones(name: str) -> None:
    program, other, count = gdsl.compile("triangle_count"), gdsl.compile("clustering_coefficient"), expected(name)
    traces: list[Any] = []
    average = other(GRAPHS[name], backend="cpu").average
    for _ in range(3):
        result = program(GRAPHS[name], backend="cuda")
        traces.append([(each.site, each.frontier_size, each.edges) for each in result.trace])
        assert result.triangles == count
        assert other(GRAPHS[name], backend="cuda").average == pytest.approx(average)
    assert traces[0] == traces[1] == traces[2]
    for pending in [program.submit(GRAPHS[name], backend="cuda") for _ in range(20)]:
        assert pending.result().triangles == count


@pytest.mark.parametrize("name", GRAPHS)
def test_what_is_dropped_is_made_again(name: str) -> None:
    program, count, backend = gdsl.compile("triangle_count"), expected(name), registry.get("cuda")
    assert program(GRAPHS[name], backend="cuda").triangles == count
    for memory in (None, "host", None):
        device = backend.device()  # type: ignore[attr-defined]
        backend._graphs.free_unused(device)  # type: ignore[attr-defined]
        assert program.run(GRAPHS[name], backend="cuda", memory=memory).triangles == count
