"""How a large graph gets onto a GPU and back, piece by piece; NumPy's arrays take the place of CuPy's."""

from __future__ import annotations

import contextlib
import ctypes
import itertools
from types import SimpleNamespace

import numpy as np
import pytest

from gdsl.backends.cuda import building
from gdsl.graph import Graph, lazy_csr


class OnDevice(np.ndarray):
    """An array that says where it lies, as CuPy's do."""

    @property
    def data(self):
        return SimpleNamespace(ptr=self.ctypes.data)


class Pinned(bytearray):
    @property
    def ptr(self):
        return ctypes.addressof(ctypes.c_char.from_buffer(self))


class Kernel:
    """What the kernel of keys does; `body` is compiled on a GPU alone."""

    def __init__(self, inputs, outputs, body, name):
        self.outputs = outputs.count("int64")

    def __call__(self, sources, destinations, loops, *made):
        assert len(made) == self.outputs
        s, d = sources.astype(np.int64), destinations.astype(np.int64)
        made[0][:] = np.where(loops | (s != d), s << 32 | d, building._NONE)
        for opposite in made[1:]:
            opposite[:] = np.where(s != d, d << 32 | s, building._NONE)


class Stream(contextlib.nullcontext):
    ptr = 0

    def __init__(self, non_blocking=False):
        super().__init__()

    def synchronize(self):
        pass


def on_device(make):
    return lambda *arguments, **more: make(*arguments, **more).view(OnDevice)


def stand_in(free):
    runtime = SimpleNamespace(
        memGetInfo=lambda: (free, free),
        getDevice=lambda: 0,
        memcpyAsync=lambda target, source, nbytes, way, stream: ctypes.memmove(target, source, nbytes),
        memcpyHostToDevice=1,
        memcpyDeviceToHost=2,
    )
    cuda = SimpleNamespace(
        runtime=runtime,
        memory=SimpleNamespace(OutOfMemoryError=ZeroDivisionError),
        Device=lambda number: contextlib.nullcontext(),
        Stream=Stream,
        get_current_stream=Stream,
        alloc_pinned_memory=Pinned,
    )
    made = {name: on_device(getattr(np, name)) for name in MADE}
    pool = SimpleNamespace(free_bytes=lambda: 0)
    return SimpleNamespace(cuda=cuda, ElementwiseKernel=Kernel, get_default_memory_pool=lambda: pool, **made)


MADE = ("empty", "full", "arange", "searchsorted", "argsort", "not_equal")


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("values", [False, True])
@pytest.mark.sampled(3)
def test_by_pieces(monkeypatch, directed, values):
    monkeypatch.setattr(lazy_csr, "LARGE", 1)
    monkeypatch.setattr(building, "_PIECE", 64)
    monkeypatch.setattr(building, "_THREADS", 3)
    rng = np.random.default_rng(4)
    changes = ({}, {"loops": False}, {"dedup": "first"}, {"dedup": "first", "undirected": True, "loops": False})
    for (count, edges), options in itertools.product(((1, 1), (1, 3), (7, 8), (9, 100), (50, 191)), changes):
        ends = rng.integers(0, count, (2, edges))
        of_edges = {"weight": rng.random(edges), "odd": rng.random(edges) < 0.5} if values else {}
        found, expected = (
            Graph.from_edges(*ends, count, directed=directed, attributes=of_edges).changed(**options) for _ in range(2)
        )
        if expected._lazy_csr is None:  # in order, as all edges were loops
            assert values and not expected.num_edges
            continue
        cupy = stand_in(1 << 40)
        building.place(cupy, 0, found)
        assert found._lazy_csr is None
        parts = found._parts
        assert isinstance(parts, building.Parts)
        names = {"offsets": "offsets", "columns": "columns"}
        if found.directed:
            names |= {"in_offsets": "in_offsets", "in_sources": "in_sources", "in_edges": "in_edge_ids"}
        for name, own in names.items():
            assert np.array_equal(parts.find(cupy, name, found.directed), getattr(expected, own)), name
            assert np.array_equal(getattr(found, own), getattr(expected, own)), name
        assert not found.columns.flags.writeable
        assert list(found.attributes) == list(expected.attributes) == list(of_edges)
        for name, of in expected.attributes.items():
            assert np.array_equal(found.attributes[name], of), name
            assert np.array_equal(parts.attribute(name, np.float32), of.astype(np.float32))
        assert parts.attribute("other", np.int32) is None


def test_without_room(monkeypatch):
    monkeypatch.setattr(lazy_csr, "LARGE", 1)
    graph = Graph.from_edges([0, 1], [1, 2])
    building.place(stand_in(10), 0, graph)
    assert graph._lazy_csr is not None
    assert graph.num_edges == 2
    building.place(stand_in(1 << 40), 0, graph)  # nothing is left to do
    assert graph._parts is None
