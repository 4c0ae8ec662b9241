"""Results of several GPUs: each GPU has those of its own vertices, in the caller's order, at consecutive addresses."""

from __future__ import annotations

import gc
import weakref
from itertools import pairwise

import numpy as np
import pytest
from support.graphs import make_graph, random_graph, star

import gdsl
from gdsl.backends import registry
from gdsl.backends.cuda import owned_chunks
from gdsl.backends.cuda.several_gpus import SeveralGpus

from .. import build
from .calls import numpy_of

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")

BY_DEGREE = "schedule.layout=by_degree"
NEXT = """program next;
problem { input vertex x : int32; vertex y : int32; vertex z : float64; }
vertex functor step(v) { apply { y[v] = x[v] + 1; z[v] = float64(x[v]) / 2; } }
schedule { compute(vertices, step); }
"""
SWAPS = """program swaps;
problem {
    input vertex first : int32; vertex whose : vertex;
    vertex here : int32 = int32(id); vertex there : int32 = 0;
}
vertex functor step(v) { apply { there[v] = here[v] + first[v]; whose[v] = v; } }
schedule { repeat (3) { compute(vertices, step); swap(here, there); } }
"""


@pytest.fixture(autouse=True)
def alike(monkeypatch):
    """Small graphs are never even. What earlier tests left is freed: the emulator has little room."""
    gc.collect()
    monkeypatch.setattr(owned_chunks, "_UNEVEN", 1e9)
    monkeypatch.setattr(owned_chunks, "_UNLIKE", 1e9)
    monkeypatch.setattr(owned_chunks, "CHUNKS", (16,))


def parts_of(array) -> list[tuple[int, int]] | None:
    """The owners of an array's pages, and the bytes of each."""
    found = registry.get("cuda:0,1").device()._ranges.get(array.data.ptr)
    return [tuple(part) for part in found().parts] if found is not None else None


@pytest.mark.parametrize("gpus", [2, [1, 0], [0, 0], [0, 1, 1]], ids=str)
def test_results_are_where_their_vertices_are(cupy, driver, graph, gpus):
    program = gdsl.compile("bfs", tune=[BY_DEGREE])
    for source in (3, 4):
        expected = program(graph, source=source, backend="reference")
        found = program(graph, source=source, gpus=gpus)
        assert np.array_equal(numpy_of(found.distance), expected.distance)
        assert np.array_equal(numpy_of(found.parent) < 0, expected.parent < 0)
        if gpus == 2:
            parts = parts_of(found.distance)
            assert parts == parts_of(found.parent) and sum(nbytes for _, nbytes in parts) == 5 * 256
            assert parts[0][0] == 0 and {owner for owner, _ in parts} == {0, 1}
            assert all(first[0] != second[0] for first, second in pairwise(parts))


def test_nothing_is_copied_between_gpus(cupy, driver, graph, monkeypatch):
    """Both results are put in order by one kernel on each GPU."""
    program, copied, launched = gdsl.compile("bfs", tune=[BY_DEGREE]), [], []
    program(graph, source=3, gpus=2)
    copy, launch = cupy.cuda.runtime.memcpyAsync, SeveralGpus.launch_on_each
    monkeypatch.setattr(cupy.cuda.runtime, "memcpyAsync", lambda *values: (copied.append(values[3]), copy(*values)))
    monkeypatch.setattr(
        SeveralGpus, "launch_on_each", lambda device, several: (launched.append(len(several)), launch(device, several))
    )
    found = program(graph, source=4, gpus=2)
    assert 3 not in copied and launched == [1]
    assert np.array_equal(numpy_of(found.distance), program(graph, source=4, backend="reference").distance)


@pytest.mark.parametrize("source", [NEXT, SWAPS], ids=["next", "swaps"])
def test_results_are_inputs_of_the_next_run(cupy, driver, graph, source):
    """Also those whose buffers the device swaps, on one GPU, and on the same ones."""
    program = gdsl.compile(source, tune=[BY_DEGREE])
    name = "x" if source is NEXT else "first"
    given = np.arange(graph.num_vertices, dtype=np.int32)
    first = program.run(graph, {name: given}, gpus=2)
    outcome = {key: numpy_of(values).copy() for key, values in first.arrays.items()}
    expected = program.run(graph, {name: given}, backend="reference")
    assert all(np.array_equal(outcome[key], values) for key, values in expected.arrays.items())
    passed = first.y if source is NEXT else first.here
    for where in ({"gpus": 2}, {"gpus": [1, 0]}, {"backend": "cuda"}):
        again = program.run(graph, {name: passed}, **where)
        expected = program.run(graph, {name: numpy_of(passed)}, backend="reference")
        assert all(np.array_equal(numpy_of(again.arrays[key]), values) for key, values in expected.arrays.items())
    assert all(np.array_equal(numpy_of(first.arrays[key]), values) for key, values in outcome.items())


def test_results_are_freed_when_they_are_dropped(cupy, driver, graph):
    program = gdsl.compile("bfs", tune=[BY_DEGREE])
    found = [program(graph, source=source, gpus=2) for source in (3, 4, 5)]
    device = registry.get("cuda:0,1").device()
    ranges = [weakref.ref(device._ranges[each.distance.data.ptr]()) for each in found]
    pointers = {each.distance.data.ptr for each in found}
    assert len(pointers) == 3
    kept = found[1].distance
    del found
    gc.collect()
    assert [each() is None for each in ranges] == [True, False, True]
    assert numpy_of(kept).min() >= -1


GRAPHS = {
    "star": lambda: make_graph(star(299), 300, directed=False),
    "no edges": lambda: make_graph([], 300, directed=False),
    "directed": lambda: random_graph(333, 900, seed=2, directed=True),
    "loops and parallel edges": lambda: make_graph([(0, 0), (1, 2), (1, 2), (299, 299)] * 9, 300, directed=False),
    "small": lambda: random_graph(40, 90, seed=1, directed=False),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_awkward_graphs(cupy, driver, name):
    graph, program = GRAPHS[name](), gdsl.compile("bfs", tune=[BY_DEGREE])
    for gpus in (2, [0, 1, 0]):
        found = program(graph, source=1, gpus=gpus)
        assert np.array_equal(numpy_of(found.distance), program(graph, source=1, backend="reference").distance)
        assert gpus != 2 or (parts_of(found.distance) is None) == (name == "small")


def test_results_of_graphs_whose_chunks_are_unlike_are_on_the_first_gpu(cupy, driver, monkeypatch):
    monkeypatch.setattr(owned_chunks, "_UNLIKE", 2.0)
    graph, program = GRAPHS["star"](), gdsl.compile("bfs", tune=[BY_DEGREE])
    found = program(graph, source=1, gpus=2)
    assert np.array_equal(numpy_of(found.distance), program(graph, source=1, backend="reference").distance)
    assert parts_of(found.distance) is None
