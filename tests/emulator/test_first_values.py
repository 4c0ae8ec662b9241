"""Blocks that keep the first values of an array: of one reduction after the other, without a barrier of the grid."""

from __future__ import annotations

import pytest
from support.graphs import random_graph

from gdsl.binding import bind

from . import build
from .mutants import programs_in
from .running import SMALL, TINY, device_for, differences, expect
from .running import build as build_program

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")

GRAPHS = (random_graph(70, 400, seed=3), random_graph(9, 20, seed=4))


@pytest.mark.parametrize("shape", [SMALL, TINY], ids=["small", "tiny"])
def test_a_reduction_waits_for_the_block_that_still_reads(shape: object) -> None:
    built = build_program(programs_in("reductions")["turns"], ("schedule.layout=by_degree",), shape)  # type: ignore[arg-type]
    assert "first_values<" in built.generated.text
    for seed, graph in enumerate(GRAPHS):
        bindings = bind(built.program, graph, {"source": 0})
        found = built.run(graph, bindings, device_for(seed))
        assert differences(built.program, expect(built.program, graph, bindings), found) == []
