"""Searches on graphs of few edges for each vertex: few blocks at first, and many once a run has had wide passes; on
forests the other way round."""

from __future__ import annotations

from typing import Any

import numpy
import pytest
from support.graphs import make_graph

from gdsl.backends.cuda.enactor import Enactor
from gdsl.backends.cuda.memory import GraphOnDevice
from gdsl.backends.cuda.observed_blocks import ObservedBlocks
from gdsl.backends.interface import Limits
from gdsl.binding import bind
from gdsl.graph import Graph
from gdsl.types import Widths

from . import build
from .running import TINY, device_for, expect
from .running import build as build_program

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")
TREE = make_graph([(0, v) for v in range(1, 300)], 301, directed=False)
"""A vertex of many edges, and one of none."""
PATH = make_graph([(v, v + 1) for v in range(299)], 300, directed=False)
WHEEL = make_graph([*((0, v) for v in range(1, 300)), *((v, v + 1) for v in range(1, 9))], 301, directed=False)
RING = make_graph([(v, (v + 1) % 300) for v in range(300)], 300, directed=False)


@pytest.mark.parametrize(
    ("graph", "sources", "blocks"),
    [
        (WHEEL, [0, 5], [2, 6, 6]),
        (RING, [0, 5], [2, 2, 2]),
        (WHEEL, [300, 0, 300], [2, 2, 6, 6]),
        (TREE, [300, 0, 5], [6, 6, 6, 6]),
        (PATH, [0, 5], [6, 2, 2]),
    ],
    ids=["wide", "narrow", "alone at first", "tree", "path"],
)
def test_the_first_run_decides(graph: Graph, sources: list[int], blocks: list[int]) -> None:
    built = build_program("bfs", (), TINY, Widths.both(32))
    device: Any = device_for(1, blocks=2)
    device.resident_blocks = lambda *_: 3
    on_device = GraphOnDevice(device, graph, built.widths)
    enactor = Enactor(device, built.module.get_function, built.plan, built.generated, on_device)
    seen = [enactor.blocks]
    for source in sources:
        bindings = bind(built.program, graph, {"source": source})
        found, expected = enactor.run(bindings, Limits()), expect(built.program, graph, bindings)
        assert numpy.array_equal(found.arrays["distance"], expected.arrays["distance"])
        seen.append(enactor.blocks)
    assert seen == blocks


def test_runs_that_reach_little_end_the_observation() -> None:
    observed = ObservedBlocks(132, 528, 256, 1_000_000, 132)
    assert [observed.note(10, 3) for _ in range(8)] == [132] * 8 and observed.runs_left == 0
    assert ObservedBlocks(528, 528, 256, 1_000_000, 528).runs_left == 0, "there is nothing to choose"


def test_wide_is_a_fourth_of_the_threads_of_few_blocks() -> None:
    assert ObservedBlocks(132, 528, 256, 9_000_000, 132).note(9_000_000, 4112) == 132
    assert ObservedBlocks(132, 528, 256, 8_000_000, 132).note(8_000_000, 539) == 528
