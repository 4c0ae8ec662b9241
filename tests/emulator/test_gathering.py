"""Advances that gather, as generated CUDA: on graphs where most edges are the frontier's, and where few are."""

from __future__ import annotations

import numpy as np
import pytest
from oracles import CASES
from support.graphs import make_graph

from gdsl.binding import bind

from . import build as compilers
from .running import build, device_for, differences, expect

pytestmark = pytest.mark.skipif(compilers.compiler() is None, reason="the emulator needs g++")

GRAPHS = {
    "dense": make_graph([(a, b) for a in range(24) for b in range(24) if a != b], 24, directed=False),
    "star": make_graph([(0, b) for b in range(1, 60)] + [(5, 5), (0, 3), (0, 3)], 61, directed=False),
    "loops": make_graph([(a, a) for a in range(7)] * 2 + [(1, 2)], 8, directed=False),
    "one": make_graph([], 1, directed=False),
    "empty": make_graph([], 0, directed=False),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", GRAPHS)
@pytest.mark.parametrize("part", [0, 0.1, 0.85, 1])
def test_members_push_or_vertices_gather(kind: str, part: float) -> None:
    built, case, graph = build("gathers"), next(case for case in CASES if case.name == "gathers"), GRAPHS[kind]
    talking = np.flatnonzero(np.random.default_rng(1).random(graph.num_vertices) < part)
    toll = np.arange(graph.num_edges, dtype=np.int32) % 7 - 2
    bindings = bind(built.program, graph, {"talking": talking, "toll": toll}, id_bits=32)
    expected = expect(built.program, graph, bindings)
    for seed in range(3):
        found = built.run(graph, bindings, device_for(seed, blocks=1 + seed))
        assert differences(built.program, expected, found) == []
        case.check(graph, {**bindings.params, **bindings.inputs}, {**found.arrays, **found.scalars})
        labels = {record.label for record in found.trace}
        if kind == "dense":
            assert ("adds_gather" in labels) is (part > 0.5) and ("adds" in labels) is (part < 0.5)
