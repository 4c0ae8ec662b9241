"""Memory of the device that ends at any allocation: the run has the right answer or one clear error, and so have later
runs. The device does its work late, and memory that is not of CuPy's pool is gone when it is released."""

from __future__ import annotations

import gc
import traceback
from typing import Any

import numpy as np
import pytest

import gdsl
from gdsl.api.schedules import differences
from gdsl.backends.cuda import graph_placement, renumbered_host_graph
from gdsl.diagnostics import GdslError
from gdsl.plan import renumbering
from tests.support.graphs import random_graph

from . import late
from .build import compiler
from .fake_cupy import FakeCupy
from .late import LateDevice

pytestmark = pytest.mark.skipif(compiler() is None, reason="no g++ on this machine")

PROGRAMS: dict[str, dict[str, Any]] = {
    "pagerank": {},
    "bfs": {"source": 0},
    "sssp": {"source": 0},
    "connected_components": {},
    "hits": {},
    "strongly_connected_components": {},
}
MEMORY = {"given": None, "host": "host", "device": "device"}
EVER, PLENTY = 1 << 30, 1 << 40


def weighted() -> gdsl.Graph:
    graph = random_graph(40, 300, seed=7, directed=True)
    weight = np.random.default_rng(3).random(graph.num_edges, np.float32)
    return gdsl.Graph(graph.offsets, graph.columns, directed=True, attributes={"weight": weight})


class Short:
    """Runs of a program on a device that has no memory at some moments."""

    def __init__(self, cupy: FakeCupy, device: LateDevice, name: str, memory: Any) -> None:
        self.cupy, self.device, self.name, self.memory = cupy, device, name, memory
        self.program, self.values = gdsl.compile(name, tune=["schedule.block=64"]), PROGRAMS[name]
        self.expected = self.program(weighted(), backend="reference", **self.values)
        self.asked = self.needed = 0
        """How often the run that was short of memory asked for some, and how often the driver needed it."""

    def ask(self, graph: gdsl.Graph, memory: Any = None) -> int:
        """0 for one clear error; otherwise the answer is right, and 2 says that all of it was on the device."""
        try:
            found = self.program(graph, backend="cuda", memory=memory, **self.values)
        except GdslError as error:
            shown = traceback.format_exception(error)
            assert error.code == "E0912" and sum(line.startswith("Traceback") for line in shown) == 1, "".join(shown)
            assert "needs" in str(error) and "free" in str(error), error
            return 0
        self.device.end()
        assert list(differences(self.program.ir, self.expected, found)) == []
        return 1 if found.memory_line else 2

    def ends(self, fails: range = range(0), free: int | None = None, refuses: range = range(0)) -> int:
        """Let memory be short at those allocations, or with so many bytes, or let the driver have none for itself at
        those times, and then no more; what the first run had."""
        graph, cupy = weighted(), self.cupy
        gc.collect()
        self.device.end()
        cupy.asked, cupy.fails, cupy.free = 0, fails, PLENTY if free is None else cupy.held + free
        cupy.needed, cupy.refuses = 0, refuses
        answered = self.ask(graph, self.memory)
        self.asked, self.needed = cupy.asked, cupy.needed
        cupy.fails, cupy.free, cupy.refuses = range(0), PLENTY, range(0)
        assert self.ask(graph, self.memory), "with memory again"
        assert self.ask(graph), "of the device"
        return answered


@pytest.fixture
def other_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small graphs are renumbered, in pieces."""
    monkeypatch.setattr(renumbering, "LEAST_EDGES", 100)
    monkeypatch.setattr(renumbering, "LEAST_VERTICES", 0)
    monkeypatch.setattr(renumbering, "READS", 0)
    monkeypatch.setattr(renumbered_host_graph, "LEAST_PIECE", 60)


def test_lists_in_the_host_are_released_when_no_kernel_reads_them(
    monkeypatch: pytest.MonkeyPatch, other_ids: None
) -> None:
    cupy, device = late.install(monkeypatch, 1)
    short, place = Short(cupy, device, "pagerank", "host"), 0
    assert short.ask(weighted(), "host")
    while cupy.asked >= place:
        cupy.asked, cupy.fails = 0, range(place, EVER)
        short.ask(weighted(), "host")
        place += 1
    device.close()


@pytest.mark.parametrize("memory", MEMORY)
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.slow
@pytest.mark.rare(5)
def test_at_every_allocation(monkeypatch: pytest.MonkeyPatch, other_ids: None, name: str, memory: str) -> None:
    cupy, device = late.install(monkeypatch, 1)
    short = Short(cupy, device, name, MEMORY[memory])
    assert short.ends()
    for more in (1, 2, EVER):
        place = 0
        while not short.ends(range(place, place + more)) or short.asked > place:
            place += 1
    device.close()


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.slow
@pytest.mark.rare(4)
def test_with_any_number_of_bytes(monkeypatch: pytest.MonkeyPatch, other_ids: None, name: str, large: bool) -> None:
    """Where what is allocated takes more than was asked for; `large`: whether the run knows that before it begins."""
    monkeypatch.setattr(graph_placement, "LARGE", 1 if large else EVER)
    cupy, device = late.install(monkeypatch, 1)
    short = Short(cupy, device, name, None)
    assert short.ends()
    for unit in (1, 512):
        cupy.unit, free, whole = unit, 0, 0
        while whole < 2:
            whole += short.ends(free=free) == 2
            free += free // 12 + 200
    device.close()


@pytest.mark.parametrize("memory", MEMORY)
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.slow
@pytest.mark.rare(5)
def test_whenever_the_driver_has_none(monkeypatch: pytest.MonkeyPatch, other_ids: None, name: str, memory: str) -> None:
    """For kernels that it loads, and for pinned memory: each time of the first run of a process too."""
    for more in (1, EVER):
        place, needed = 0, 1
        while place < needed:
            with monkeypatch.context() as patch:
                cupy, device = late.install(patch, 1)
                short = Short(cupy, device, name, MEMORY[memory])
                short.ends(refuses=range(place, place + more))
                place, needed = place + 1, short.needed
                device.close()
