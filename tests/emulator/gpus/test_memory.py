"""What a run on several GPUs keeps where, on the emulator in the place of CuPy: arrays that are spread, copies, results
that are brought near, and when each is freed."""

from __future__ import annotations

import gc
import weakref
from types import SimpleNamespace

import numpy as np
import pytest
from support.graphs import random_graph
from support.merges import MERGED

import gdsl
from gdsl.backends import registry
from gdsl.backends.cuda.memory import ScratchMemory
from gdsl.backends.cuda.run_memory import RunMemory
from gdsl.backends.cuda.several_gpus import SeveralGpus

from .. import build
from .calls import code_of, numpy_of

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")


def test_arrays_are_spread_and_results_are_the_callers_own(cupy, driver, graph):
    program = gdsl.compile("bfs")
    first = program(graph, source=3, gpus=2)
    distance = numpy_of(first.distance).copy()
    second = program(graph, source=4, gpus=2)
    assert np.array_equal(numpy_of(first.distance), distance)
    assert not np.array_equal(numpy_of(second.distance), distance)
    for start, size in driver.reserved.items():
        assert not start <= first.distance.data.ptr < start + size  # a copy, and no page of the run
    assert max(nbytes for owner, nbytes in driver.created.values() if owner == 1) >= 4 * graph.num_edges // 2


def test_each_gpu_has_a_copy_of_a_graph_that_is_kept(cupy, driver, graph, monkeypatch):
    """Once a run has made it: the same runs use the copies, and what they give is the same."""
    program = gdsl.compile("triangle_count")
    graph = graph.changed(loops=False, dedup="first")
    expected = program(graph, backend="reference").triangles
    device, found = registry.get("cuda:0,1").device(), []
    find = RunMemory._find_hoisted
    monkeypatch.setattr(
        RunMemory, "_find_hoisted", lambda memory: (found.append(memory.on_device.hoisted), find(memory))
    )
    copied = []
    for _ in range(3):
        assert program(graph, gpus=2).triangles == expected
        arrays = [each for kept in found[-1]._graphs.values() for each in kept.values()]
        copied.append({device._is_copied(buffer.pointer) for buffer in arrays})
    assert copied == [{False}, {True}, {True}]


MERGING = "labels"
"""A program whose loop changes a copy on each GPU."""


def labels_agree(graph: gdsl.Graph, program: gdsl.Program, **options: object) -> bool:
    found = program(graph, source=3, gpus=2, **options)
    return np.array_equal(numpy_of(found.x), program(graph, source=3, backend="reference").x)


def scratch_of(graph: gdsl.Graph) -> ScratchMemory:
    """The memory in which programs work on `graph`, wherever its ids are."""
    cache = registry.get("cuda:0,1")._graphs
    (scratch,) = {on.scratch for key, on in (*cache._graphs.items(), *cache._by_degree.items()) if key[0] == id(graph)}
    return scratch


def test_copies_are_freed_with_other_working_memory(cupy, driver, graph):
    """As its room is: when memory is needed, and when another program works on the graph."""
    program = gdsl.compile(MERGED[MERGING])
    assert labels_agree(graph, program)
    scratch, device = scratch_of(graph), registry.get("cuda:0,1").device()
    copies = [buffer.pointer for buffer in scratch._copies]
    assert copies and all(map(device._is_copied, copies))
    with_copies = scratch.held_bytes()
    assert labels_agree(graph, program)
    assert [buffer.pointer for buffer in scratch._copies] == copies  # of the same run memory, used again
    freed = [weakref.ref(buffer.memory) for buffer in scratch._copies]
    assert registry.get("cuda:0,1")._graphs.free_unused(device)
    assert [each() for each in freed] == [None] * len(copies)
    assert scratch.held_bytes() == 0
    assert labels_agree(graph, program)
    assert scratch.held_bytes() == with_copies
    another = gdsl.compile("k_core")
    another(graph, gpus=2)
    assert len(scratch._copies) < len(copies)
    assert labels_agree(graph, program)


def test_copies_are_freed_with_the_graph(cupy, driver):
    graph, program = random_graph(300, 1200, seed=6, directed=False), gdsl.compile(MERGED[MERGING])
    assert labels_agree(graph, program)
    copies = [weakref.ref(buffer.memory) for buffer in scratch_of(graph)._copies]
    assert copies
    del graph
    gc.collect()
    assert [each() for each in copies] == [None] * len(copies)


def test_copies_that_another_program_needs_larger(cupy, graph):
    scratch = ScratchMemory(SeveralGpus((0, 1)))
    small = scratch.acquire("a", [], [100, 100])
    same = scratch.acquire("b", [], [64])
    assert [each.pointer for each in same] == [small[0].pointer]
    larger = scratch.acquire("c", [], [100, 400, 50])
    assert larger[0].pointer == small[0].pointer
    assert [each.nbytes >= needed for each, needed in zip(larger, (100, 400, 50), strict=True)] == [True] * 3
    assert scratch.held_bytes() == 2 * sum(each.nbytes for each in larger)


def test_a_lack_of_memory_names_what_several_gpus_can_do(cupy, driver, graph, monkeypatch):
    """They keep no edge lists in the memory of the host."""
    monkeypatch.setattr(SeveralGpus, "memory_of", lambda device, gpu: (1 << 10, 1 << 20))
    code, text = code_of(lambda: gdsl.compile("bfs")(graph, source=3, gpus=2))
    assert code == "E0912" and "of the memory of 2 GPUs" in text and "fix: use more GPUs" in text
    assert "host" not in text


@pytest.mark.parametrize("name", [MERGING, "two arrays"])
def test_each_gpu_has_its_own_copies_where_there_is_little_room(cupy, graph, monkeypatch, name):
    """What no run changes is not copied then; what each GPU changes must be."""
    monkeypatch.setattr("gdsl.backends.cuda.spread_memory.is_copied", lambda nbytes, free: False)
    program = gdsl.compile(MERGED[name])
    expected = program(graph, source=3, backend="reference")
    for gpus in (2, [0, 1, 1]):
        found = program(graph, source=3, gpus=gpus)
        for array, values in expected.arrays.items():
            assert np.array_equal(numpy_of(found.arrays[array]), values)


class SplittingPool:
    """Parts of what was allocated first, as CuPy's pool cuts the free block that is large enough."""

    def __init__(self, allocator):
        self.allocator, self.block, self.left = allocator, None, 0

    def malloc(self, nbytes):
        if nbytes > self.left:
            self.block, self.whole, self.left = self.allocator(nbytes), nbytes, nbytes
        self.left -= nbytes
        return SimpleNamespace(ptr=self.block.ptr + self.whole - self.left - nbytes, mem=self.block)

    def free_bytes(self):
        return 0

    def free_all_blocks(self):
        pass


def test_each_array_that_is_spread_has_a_range_of_its_own(cupy, driver, monkeypatch):
    """So that each GPU has an equal part of it, wherever a free block is."""
    monkeypatch.setattr(cupy.cuda, "MemoryPool", SplittingPool)
    device = SeveralGpus((0, 1))
    for nbytes in (1 << 15, 1 << 14, 1 << 14, 5000):
        device.allocate(nbytes)
        for pool in device._far.values():
            pool.left = pool.whole  # all is free again
        buffer = device.allocate(nbytes)
        parts = device._ranges[buffer.pointer]().parts
        assert [part.owner for part in parts] == [0, 1]
        assert abs(parts[0].nbytes - nbytes // 2) <= 256
        assert buffer.nbytes == nbytes


def test_gpus_have_pages_of_queues_in_turns(cupy, driver, graph):
    """Members are added from the beginning, which one of them would have as a whole."""
    program = gdsl.compile("connected_components")
    assert np.array_equal(numpy_of(program(graph, gpus=2).component), program(graph, backend="reference").component)
    room, device = scratch_of(graph)._room, registry.get("cuda:0,1").device()
    owners = [
        [part.owner for part in device._ranges[buffer.pointer]().parts] for buffer in room.buffers[-room.filled :]
    ]
    assert room.filled == 2 and all(each[:3] == [0, 1, 0] for each in owners)
    lengths = {part.nbytes for buffer in room.buffers[-2:] for part in device._ranges[buffer.pointer]().parts[:-1]}
    assert lengths == {2 * 256}
    again = gdsl.compile("bfs")(graph, source=3, gpus=2)
    assert np.array_equal(numpy_of(again.distance), gdsl.compile("bfs")(graph, source=3, backend="reference").distance)


@pytest.mark.parametrize(
    ("gpus", "vertices", "divided"), [(2, 255, False), (2, 256, True), ([0, 0], 256, True)], ids=str
)
def test_vertices_whose_values_are_on_one_gpu_are_taken_in_turns(cupy, driver, monkeypatch, gpus, vertices, divided):
    """A page has 256 bytes here, and an array is divided if each part has two pages."""
    seen, store = [], SeveralGpus._store_places
    monkeypatch.setattr(SeveralGpus, "_store_places", lambda *values: (seen.append(values[-1]), store(*values))[-1])
    graph = random_graph(vertices, 1200, seed=5, directed=False)
    program = gdsl.compile("bfs", tune=["schedule.layout=by_degree"])
    found, expected = program(graph, source=3, gpus=gpus), program(graph, source=3, backend="reference")
    assert np.array_equal(numpy_of(found.distance), expected.distance)
    assert seen == [divided]


@pytest.mark.parametrize("room", [True, False])
def test_results_are_brought_to_the_first_gpu_before_they_are_put_in_order(cupy, driver, graph, monkeypatch, room):
    """One copy of what each other GPU has, if vertices are dealt out; without room, they are read where they are."""
    monkeypatch.setattr(SeveralGpus, "chunk_lengths", lambda device, vertices: ())
    copied, copy = [], cupy.cuda.runtime.memcpyAsync

    def noted(*values):
        copied.append(values)
        copy(*values)

    monkeypatch.setattr(cupy.cuda.runtime, "memcpyAsync", noted)
    if not room:
        monkeypatch.setattr(SeveralGpus, "near_room", lambda device, nbytes: None)
    program = gdsl.compile("bfs", tune=["schedule.layout=by_degree"])
    for source in (3, 4):
        expected = program(graph, source=source, backend="reference")
        copied.clear()
        found = program(graph, source=source, gpus=2)
        assert np.array_equal(numpy_of(found.distance), expected.distance)
        assert np.array_equal(numpy_of(found.parent) < 0, expected.parent < 0)
        beside = [nbytes for _, _, nbytes, kind, stream in copied if (kind, stream) == (3, 3)]
        assert beside == ([4 * graph.num_vertices - 3 * 256] * 2 if room else [])


@pytest.mark.parametrize("gpus", [2, [0, 0]], ids=str)
def test_results_that_each_gpu_has_whole_are_what_the_first_has(cupy, driver, graph, monkeypatch, gpus):
    """No bytes are copied, and no later run changes them."""
    copied, copy = [], cupy.cuda.runtime.memcpyAsync
    monkeypatch.setattr(
        cupy.cuda.runtime, "memcpyAsync", lambda *values: (copied.append(values[2:4]), copy(*values))[1]
    )
    program, weights = gdsl.compile("sssp"), np.arange(graph.num_edges, dtype=np.float32)
    expected = [program(graph, source=each, weight=weights, backend="reference").distance for each in range(4)]
    found = [program(graph, source=each, weight=weights, gpus=gpus).distance for each in range(4)]
    assert (4 * graph.num_vertices, 3) not in copied
    assert all(np.array_equal(numpy_of(one), other) for one, other in zip(found, expected, strict=True))
    labels = gdsl.compile("connected_components")
    results = [labels(graph, gpus=gpus).component for _ in range(3)]
    assert all(np.array_equal(numpy_of(each), labels(graph, backend="reference").component) for each in results)
    assert len({each.data.ptr for each in (*found, *results)}) == 7 and (4 * graph.num_vertices, 3) not in copied


def test_results_are_brought_near_only_in_memory_that_a_run_leaves(cupy, driver, graph, monkeypatch):
    """Their rooms come after all that the run needs, and are freed with other working memory."""
    monkeypatch.setattr(SeveralGpus, "chunk_lengths", lambda device, vertices: ())
    events, acquire, near_room = [], ScratchMemory.acquire, SeveralGpus.near_room
    monkeypatch.setattr(
        ScratchMemory, "acquire", lambda scratch, *values: (acquire(scratch, *values), events.append("work"))[0]
    )
    monkeypatch.setattr(
        SeveralGpus, "near_room", lambda device, nbytes: (near_room(device, nbytes), events.append("near"))[0]
    )
    program = gdsl.compile("bfs", tune=["schedule.layout=by_degree"])
    for _ in range(2):
        program(graph, source=3, gpus=2)
    assert events == ["work", "near", "near"]
    scratch, device = scratch_of(graph), registry.get("cuda:0,1").device()
    rooms = [weakref.ref(room) for room in scratch._near.values()]
    assert registry.get("cuda:0,1")._graphs.free_unused(device)
    gc.collect()
    assert [each() for each in rooms] == [None, None]
    found = program(graph, source=3, gpus=2)
    assert np.array_equal(numpy_of(found.distance), program(graph, source=3, backend="reference").distance)
    assert events == ["work", "near", "near"] * 2
