"""Where arrays of runs on several GPUs are once a run has shown that most of it is small passes."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import numpy as np
import pytest
from support.graphs import grid, make_graph

import gdsl
from gdsl.backends.cuda import observed_placement
from gdsl.backends.cuda.observed_placement import ObservedPlacement
from gdsl.backends.cuda.run_memory import RunMemory
from gdsl.backends.cuda.spread_memory import FlatRoom, SpreadMemory
from gdsl.backends.interface import TraceRecord
from gdsl.operations import Direction

from .. import build
from .calls import numpy_of

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")


def record(site: int, size: int, ms: float) -> TraceRecord:
    return TraceRecord(site, "reach", 0, size, 0, Direction.PUSH, time_ms=ms / 2, before_ms=ms / 2)


@pytest.mark.parametrize(
    ("trace", "near"),
    [([(1, 5, 6), (1, 90, 4)], True), ([(1, 5, 4), (1, 90, 6)], False), ([(2, 5, 6), (1, 5, 4)], False)],
    ids=["small passes", "large passes", "outside"],
)
def test_what_a_run_shows(trace: list[tuple[int, int, float]], near: bool) -> None:
    placement = ObservedPlacement(frozenset({1}))
    assert placement.asks(10) and not placement.asks(0.5)
    placement.note_in_parts(10, [record(*each) for each in trace], 10)
    assert placement.is_near is near and placement.asks(10)


@pytest.mark.parametrize(("ms", "near"), [(9, True), (11, False)])
def test_the_faster_placement_stays(ms: float, near: bool) -> None:
    placement = ObservedPlacement(frozenset({1}))
    placement.note_in_parts(10, [record(1, 5, 6)], 10)
    placement.note_near(ms)
    assert placement.is_near is near and not placement.asks(10)


@pytest.fixture
def near(cupy, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bool]]:
    """Whether each run has begun with all arrays on the first GPU; runs of any time show something."""
    found, begin = list[bool](), RunMemory.begin
    monkeypatch.setattr(observed_placement, "LEAST_MS", 0.0)

    def begun(memory: RunMemory, *arguments: object) -> None:
        found.append(memory.near)
        begin(memory, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(RunMemory, "begin", begun)
    gc.collect()  # each run has a trace of megabytes, and there is little memory
    yield found


GRAPH, VERTICES = grid(24, 24), 576


@pytest.mark.parametrize("faster", [True, False])
@pytest.mark.parametrize(("name", "result"), [("bfs", "distance"), ("k_core", "core")])
def test_the_next_run_has_all_arrays_on_the_first_gpu(near, driver, monkeypatch, name, result, faster):
    def note_in_parts(placement: ObservedPlacement, ms: float, trace: object, most: float) -> None:
        placement.is_near = ms > 0 and most > 0

    def note_near(placement: ObservedPlacement, ms: float) -> None:
        placement.is_near, placement.settled = faster, True

    monkeypatch.setattr(ObservedPlacement, "note_in_parts", note_in_parts)
    monkeypatch.setattr(ObservedPlacement, "note_near", note_near)
    graph, program = make_graph(GRAPH, VERTICES, directed=False), gdsl.compile(name)
    values = {"source": 3} if name == "bfs" else {}
    expected = np.asarray(getattr(program(graph, **values, backend="reference"), result))
    for _ in range(4):
        found = program(graph, **values, gpus=2)
        assert np.array_equal(numpy_of(getattr(found, result)), expected)
    assert near == [False, True, faster, faster]


def test_a_search_on_a_narrow_graph_is_mostly_small_passes(near, driver):
    graph, program = make_graph([(at, at + 1) for at in range(VERTICES - 1)], VERTICES), gdsl.compile("bfs")
    for _ in range(2):
        assert numpy_of(program(graph, source=0, gpus=2).distance).tolist() == list(range(VERTICES))
    assert near == [False, True]


def test_too_little_room_on_the_first_gpu(near, driver, monkeypatch):
    """Runs have their arrays in parts again."""
    graph, program = make_graph(GRAPH, VERTICES, directed=False), gdsl.compile("bfs")
    expected, init = np.asarray(program(graph, source=3, backend="reference").distance), FlatRoom.__init__

    def refused(room: FlatRoom, device: SpreadMemory, sizes: list[int], filled: int, near: bool) -> None:
        if near:
            raise gdsl.GdslError.single("E0912", "too little")
        init(room, device, sizes, filled, near)

    monkeypatch.setattr(FlatRoom, "__init__", refused)
    for _ in range(3):
        assert np.array_equal(numpy_of(program(graph, source=3, gpus=2).distance), expected)
    assert near == [False, True, False, False]
