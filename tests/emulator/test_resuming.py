"""Results that go on after insertions, as the emulator runs them."""

from __future__ import annotations

import numpy as np
import pytest

import gdsl
from tests.support.graphs import make_graph, path

from .build import compiler
from .fake_cupy import FakeCupy

pytestmark = pytest.mark.skipif(compiler() is None, reason="no g++ on this machine")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "values"), [("sssp", {"source": 0}), ("reachability", {"sources": [0]})])
def test_a_resumed_result_is_that_of_a_full_run(cupy: FakeCupy, name: str, values: dict[str, object]) -> None:
    program = gdsl.compile(name, tune=["schedule.block=32"])
    graph = make_graph([*path(9), *[(a + 20, b + 20) for a, b in path(15)]], 40)
    result = program(graph, backend="cuda", **values)
    for inserted in ([(8, 20, 1.0), (30, 39, 0.5)], [(2, 25, 0.25), (39, 15, 1.0)], []):
        ends = np.array(inserted).reshape(-1, 3).T
        graph = graph.updated(insert=(ends[0].astype(int), ends[1].astype(int), ends[2].astype(np.float32)))
        former, result = result, program.resume(result, graph, backend="cuda")
        assert (graph._delta is not None) or not inserted, "the edges were beside the graph"
        full = program(graph, backend="cpu", **values)
        merged = program.resume(former, graph, backend="cuda")
        first = next(iter(full))
        assert result[first].get().tolist() == merged[first].get().tolist() == full[first].tolist()
