"""Searches on graphs of few edges for each vertex: few blocks at first, and many once a run has had wide passes; on
forests the other way round."""

from __future__ import annotations

from typing import Any

import numpy
import pytest
from support.graphs import make_graph

import gdsl
from gdsl.backends.cuda.enactor import Enactor
from gdsl.backends.cuda.memory import GraphOnDevice
from gdsl.backends.cuda.observed_blocks import ObservedBlocks, Work
from gdsl.backends.interface import Limits
from gdsl.binding import bind
from gdsl.graph import Graph
from gdsl.plan import graph_class
from gdsl.types import Widths

from . import build
from .fake_cupy import FakeCupy
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


@pytest.mark.parametrize("wide", [True, False])
def test_wide_passes_leave_the_code_for_deep_graphs(
    cupy: FakeCupy, monkeypatch: pytest.MonkeyPatch, wide: bool
) -> None:
    monkeypatch.setattr(graph_class, "MANY_VERTICES", 100)
    monkeypatch.setattr(Enactor, "has_wide_passes", property(lambda self: wide))
    other = gdsl.compile("reachability")
    for _ in range(2):
        other(RING, sources=[0], backend="cuda")
    assert other.last_run(RING, "cuda")[1]._for_graph(RING).plan.graph.deep, "whose code keeps no lists"
    program = gdsl.compile("bfs")
    for source in (0, 5, 3):
        found = program(RING, source=source, backend="cuda")
        assert numpy.array_equal(found.distance.get(), program(RING, source=source, backend="reference").distance)
        executable: Any = program.last_run(RING, "cuda")[1]
        assert executable._for_graph(RING).plan.graph.deep is not wide
    assert numpy.array_equal(program.submit(RING, source=9, backend="cuda").result().distance.get()[9:12], [0, 1, 2])


def observed(most: int = 4, threads: int = 256, first: int = 1) -> ObservedBlocks:
    return ObservedBlocks(132, most, first, threads, 1000)


def work(*visits: int, members: int = 1000) -> Work:
    return Work(members, numpy.array(visits))


def test_runs_that_reach_little_end_the_observation() -> None:
    blocks = observed()
    assert [blocks.note(work(60, members=10)) for _ in range(8)] == [1] * 8 and blocks.runs_left == 0
    assert observed(most=1).runs_left == 0, "there is nothing to choose"
    assert ObservedBlocks(132, 4, 4, 256, 1000, observes=False).runs_left == 0


ONE = 132 * 256


@pytest.mark.parametrize(
    ("visits", "blocks"),
    [
        ((ONE, ONE), 1),
        ((ONE, ONE + 1), 1),  # waiting takes as long as it gains
        ((ONE + 1, ONE + 1), 2),
        ((5, 5, 5, 9 * ONE), 2),  # one wide pass among small ones
        ((5, 5, 5, 2 * ONE), 1),
        ((40 * ONE,), 4),
    ],
)
def test_as_many_blocks_as_take_the_fewest_rounds(visits: tuple[int, ...], blocks: int) -> None:
    assert observed().note(work(*visits)) == blocks
    assert observed(most=2).note(work(*visits)) == min(blocks, 2)


def test_larger_blocks_wait_longer() -> None:
    visits = work(4 * ONE, ONE)
    assert observed(2, 256).note(visits) == 2 and observed(2, 512).note(visits) == 1


def test_most_passes_are_wide_or_not() -> None:
    for visits, wide in ((work(5, ONE, ONE), True), (work(5, 5, 90 * ONE), False)):
        blocks = observed()
        blocks.note(visits)
        assert blocks.is_wide is wide
