"""Four GPUs from a call to the kernels: pages of 64 bytes, so that small graphs have parts on each of them."""

from __future__ import annotations

import gc

import numpy as np
import pytest
from support.graphs import make_graph, random_graph

import gdsl
from gdsl.backends import registry
from gdsl.backends.cuda import owned_chunks
from gdsl.backends.cuda.several_gpus import SeveralGpus

from .. import build
from ..fake_cupy import install
from .calls import numpy_of

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")

BY_DEGREE = "schedule.layout=by_degree"


@pytest.fixture
def four(monkeypatch, driver):
    """Four GPUs with memory for traces; chunks of vertices need not be even."""
    gc.collect()
    for place in ("gdsl.backends.cuda.flat_ranges", "gdsl.backends.cuda.spread_memory"):
        monkeypatch.setattr(f"{place}.page_bytes", lambda owners: 64)
    monkeypatch.setattr("support.fake_driver.PAGE", 64)
    monkeypatch.setattr(SeveralGpus, "memory_of", lambda device, gpu: (4 << 20, 4 << 20))
    monkeypatch.setattr(owned_chunks, "_UNEVEN", 1e9)
    monkeypatch.setattr(owned_chunks, "_UNLIKE", 1e9)
    return install(monkeypatch, gpus=4)


GRAPHS = {
    "random": random_graph(230, 900, seed=5, directed=False),
    "a star at the last": make_graph([(149, far) for far in range(149)], 150, [1.0] * 149, directed=False),
    "three vertices": make_graph([(0, 1), (1, 2), (2, 2), (0, 1)], 3, [1.0, 2.0, 0.5, 0.25], directed=False),
    "nine pages": random_graph(139, 500, seed=6, directed=False),  # not three chunks for four GPUs
}


@pytest.mark.parametrize("gpus", [4, [3, 1, 0], [0, 1, 2, 3, 0]], ids=str)
@pytest.mark.parametrize("name", ["bfs", "sssp", "connected_components", "k_core"])
@pytest.mark.sampled(5)
@pytest.mark.rare(2)
def test_the_results_of_the_reference(four, name, gpus):
    program = gdsl.compile(name, tune=[BY_DEGREE] if name == "bfs" else [])
    for graph in GRAPHS.values():
        values = {"source": 1} if "source" in program.params else {}
        expected = program(graph, **values, backend="reference")
        for _ in range(2):
            found = program(graph, **values, gpus=gpus)
            for array in set(expected.arrays) - {"parent"}:
                assert np.array_equal(numpy_of(found.arrays[array]), expected.arrays[array])


def test_each_of_them_has_a_part_of_the_results(four):
    program = gdsl.compile("bfs", tune=[BY_DEGREE])
    for what in ("random", "nine pages"):
        found = program(GRAPHS[what], source=1, gpus=4)
        parts = registry.get("cuda:0,1,2,3").device()._ranges[found.distance.data.ptr]().parts
        assert {part.owner for part in parts} == {0, 1, 2, 3} and parts[0].owner == 0
