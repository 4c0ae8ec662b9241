"""Two GPUs in the place of CuPy's: the emulator runs what they are given, and their addresses are its memory."""

from __future__ import annotations

import sys

import pytest
from support.fake_driver import FakeDriver
from support.graphs import random_graph

import gdsl
from gdsl.backends.cuda import flat_ranges
from gdsl.backends.cuda.several_gpus import SeveralGpus

from ..driver import EmulatedBuffer
from ..fake_cupy import FakeCupy, install


class Driver(FakeDriver):
    """Whose addresses are memory of the emulator."""

    def __init__(self) -> None:
        super().__init__(pages=1 << 20)
        self.buffers: list[EmulatedBuffer] = []

    def addresses(self, size: int) -> int:
        self.buffers.append(EmulatedBuffer(size))
        return self.buffers[-1].pointer


@pytest.fixture
def driver(monkeypatch):
    found = Driver()
    monkeypatch.setitem(sys.modules, "cuda.bindings.driver", found)
    monkeypatch.setattr(flat_ranges, "page_bytes", lambda owners: 256)
    monkeypatch.setattr("gdsl.backends.cuda.spread_memory.page_bytes", lambda owners: 256)
    monkeypatch.setattr("support.fake_driver.PAGE", 256)
    monkeypatch.setattr(SeveralGpus, "memory_of", lambda device, gpu: (3 << 20, 3 << 20))
    monkeypatch.setattr("gdsl.backends.cuda.spread_memory._SLAB", 256)
    yield found
    found.buffers.clear()  # which devices hold until garbage is collected, and the emulator has no room for many


@pytest.fixture
def cupy(monkeypatch, driver) -> FakeCupy:
    """Two GPUs."""
    return install(monkeypatch, gpus=2)


@pytest.fixture
def graph() -> gdsl.Graph:
    return random_graph(300, 1200, seed=5, directed=False)
