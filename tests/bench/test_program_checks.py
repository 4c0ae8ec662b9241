"""The checks of `bench/programs/` accept what the reference interpreter says and see what is wrong."""

from __future__ import annotations

import numpy as np
import pytest

import gdsl
from bench.graphs import made_graph
from bench.works import PROGRAMS, WORKS

OWN = [
    work for work in WORKS.values() if work.program.parent == PROGRAMS and work.name not in ("bfs_distances", "fares")
]


@pytest.mark.parametrize("work", OWN, ids=lambda work: work.name)
@pytest.mark.parametrize("name", ["rmat7", "grid9"])
def test_a_wrong_result_is_seen(work, name) -> None:
    graph = made_graph(name, np)
    source = graph.sources[0] if work.takes_source else None
    result = gdsl.compile(work.program)(graph.graph, backend="reference", **work.values(graph, source))
    found = {output: result[output] for output in result}
    assert work.check(graph, found, source) is None
    for output, value in found.items():
        wrong = np.array(value, copy=True)
        wrong[(-1,) * wrong.ndim] += 1
        assert work.check(graph, {**found, output: wrong}, source) is not None
