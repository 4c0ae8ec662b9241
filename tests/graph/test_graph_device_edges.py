"""Edges in the memory of a GPU, by an array that stands for CuPy's: what the host side does with them."""

from __future__ import annotations

import contextlib
import sys

import numpy as np
import pytest
from graph_cases import assert_same

from gdsl.diagnostics import GdslError
from gdsl.graph import Graph, arrays, lazy_csr


class Device(contextlib.nullcontext):
    """The device that arrays name."""

    id = 0


class OnGpu:
    """As much of `cupy.ndarray` as is asked of it."""

    device = Device()
    __cuda_array_interface__: dict[str, object] = {}  # noqa: RUF012 - as CuPy has it

    def __init__(self, values, fetched=None):
        self.values, self.fetched = np.asarray(values), [] if fetched is None else fetched
        self.dtype, self.ndim, self.itemsize = self.values.dtype, self.values.ndim, self.values.itemsize

    def __len__(self):
        return len(self.values)

    def max(self):
        return self.values.max()

    def min(self):
        return self.values.min()

    def astype(self, dtype):
        return OnGpu(self.values.astype(dtype), self.fetched)

    def copy(self):
        return OnGpu(self.values.copy(), self.fetched)

    def get(self):
        self.fetched.append(len(self))
        return self.values.copy()


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch):
    monkeypatch.setattr(lazy_csr, "LARGE", 4)
    for module in (arrays, lazy_csr):
        monkeypatch.setattr(module, "on_gpu", lambda values: values)


ON_GPU = arrays.on_gpu
"""Itself, which the tests below do without."""


def test_what_is_still_being_computed_is_waited_for(monkeypatch):
    """JAX hands arrays over before they are computed, and names no stream that could be waited for."""

    class Promised(OnGpu):
        def block_until_ready(self):
            self.values[:] = 7

    class Cupy:
        @staticmethod
        def asarray(values):
            return values.values.copy()

    monkeypatch.setitem(sys.modules, "cupy", Cupy)
    assert ON_GPU(Promised([0, 0])).tolist() == [7, 7]


ENDS = [0, 3, 1, 3, 2], [1, 2, 1, 2, 0]


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("weights", [None, [1, 2, 3, 4, 5], "gpu"])
def test_they_stay_there_until_they_are_asked_for(directed, weights):
    fetched: list[int] = []
    sources, targets = (OnGpu(np.array(ids, dtype=np.int64), fetched) for ids in ENDS)
    given = OnGpu(np.arange(5.0), fetched) if weights == "gpu" else weights
    graph = Graph.from_edges(sources, targets, 6, given, directed=directed)
    assert graph._lazy_csr is not None and graph._lazy_csr.on_gpu and not fetched
    assert (graph.num_vertices, graph.directed) == (6, directed)
    sources.values[:] = 0
    wanted = Graph.from_edges(*ENDS, 6, np.arange(5.0) if weights == "gpu" else weights, directed=directed)
    assert_same(graph, wanted)
    assert len(fetched) == (3 if weights == "gpu" else 2)
    changed = Graph.from_edges(OnGpu(ENDS[0]), OnGpu(ENDS[1])).changed(loops=False, dedup="first")
    assert_same(changed, Graph.from_edges(*ENDS).changed(loops=False, dedup="first"))


@pytest.mark.parametrize(
    ("sources", "targets", "options", "said"),
    [
        ([0, 1, 2, -1], [1, 2, 3, 0], {}, "E0707"),
        ([0, 1, 2, 9], [1, 2, 3, 0], {"num_vertices": 5}, "E0707"),
        ([0, 1, 2, 3], [1, 2, 3], {}, "E0711"),
        ([0.0, 1, 2, 3], [1, 2, 3, 0], {}, "E0711"),
        ([0, 1, 2, 3], [1, 2, 3, 0], {"weights": [1]}, "E0711"),
        ([0, 1, 2, 3], [1, 2, 3, 0], {"weights": OnGpu([1j] * 4)}, "E0711"),
        ([[0, 1, 2, 3]], [1, 2, 3, 0], {}, "E0711"),
    ],
)
def test_the_host_says_what_is_wrong(sources, targets, options, said):
    with pytest.raises(GdslError, match=said):
        Graph.from_edges(OnGpu(sources), OnGpu(targets), **options)


def test_few_come_to_the_host_at_once():
    fetched: list[int] = []
    graph = Graph.from_edges(OnGpu([0, 1], fetched), OnGpu([1, 2], fetched))
    assert graph._lazy_csr is None and fetched == [2, 2]
    mixed = Graph.from_edges(OnGpu(ENDS[0]), ENDS[1])
    assert_same(mixed, Graph.from_edges(*ENDS))
