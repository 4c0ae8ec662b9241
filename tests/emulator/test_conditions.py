"""Edges that reductions leave out, and loops within branches."""

from __future__ import annotations

import pytest
from support.conditional import BRANCHED, reductions
from support.graphs import random_graph

from gdsl.binding import bind

from . import build
from .running import SMALL, TINY, device_for, differences, expect
from .running import build as build_program

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")

GRAPHS = (random_graph(60, 150, seed=1, directed=False), random_graph(40, 30, seed=2))


def agrees(text: str, fuse: str) -> None:
    built = build_program(text, (f"schedule.fuse={fuse}",), SMALL if fuse == "on" else TINY)
    for seed, graph in enumerate(GRAPHS):
        bindings = bind(built.program, graph, {})
        found = built.run(graph, bindings, device_for(seed))
        assert differences(built.program, expect(built.program, graph, bindings), found) == []


@pytest.mark.parametrize("fuse", ["on", "off"])
@pytest.mark.parametrize("over", ["out_edges", "in_edges", "all_edges"])
@pytest.mark.sampled(6)
@pytest.mark.rare(5)
def test_an_edge_that_is_left_out_changes_nothing(over: str, fuse: str) -> None:
    agrees(reductions(over), fuse)


@pytest.mark.parametrize("fuse", ["on", "off"])
def test_a_loop_within_a_branch_counts_as_outermost(fuse: str) -> None:
    agrees(BRANCHED, fuse)
