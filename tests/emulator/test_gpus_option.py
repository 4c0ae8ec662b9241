"""The option `gpus` from a call to the kernels, on the emulator in the place of CuPy: what is launched where, what is
copied, and each refusal."""

from __future__ import annotations

import ctypes
import gc
import sys
import weakref
from types import SimpleNamespace

import numpy as np
import pytest
from support.fake_driver import PAGE, FakeDriver
from support.graphs import random_graph
from support.merges import MERGED

import gdsl
from gdsl import GdslError
from gdsl.backends import registry
from gdsl.backends.cuda import flat_ranges, plan_of
from gdsl.backends.cuda.memory import ScratchMemory
from gdsl.backends.cuda.run_memory import RunMemory
from gdsl.backends.cuda.several_gpus import _ABORTED, SeveralGpus
from gdsl.graph import rmat
from gdsl.plan.buffer_nodes import Role
from gdsl.plan.merges import copies_of

from . import build
from .driver import EmulatedBuffer
from .fake_cupy import FakeCupy, install
from .running import program_of

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")


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
    return found


@pytest.fixture
def cupy(monkeypatch, driver) -> FakeCupy:
    """Two GPUs."""
    return install(monkeypatch, gpus=2)


@pytest.fixture
def graph() -> gdsl.Graph:
    return random_graph(300, 1200, seed=5, directed=False)


def numpy_of(values):
    return values.get() if hasattr(values, "get") else np.asarray(values)


@pytest.mark.parametrize("gpus", [2, "all", [1, 0], [0, 0], (0, 1, 0)], ids=str)
def test_a_run_on_several_gpus(cupy, driver, graph, gpus):
    program = gdsl.compile("bfs")
    expected = program(graph, source=3, backend="reference")
    for _ in range(3):
        found = program(graph, source=3, gpus=gpus)
        assert np.array_equal(numpy_of(found.distance), expected.distance)
        assert found.iterations == expected.iterations
        assert [r.frontier_size for r in found.trace] == [r.frontier_size for r in expected.trace]
    assert found.backend == "cuda"
    count = len(gpus) if not isinstance(gpus, (int, str)) else 2
    assert cupy.log[f"run on {count} GPUs"] == 3
    owners = set(range(2)) if gpus != [0, 0] else {0}
    assert {owner for owner, _ in driver.created.values()} == owners


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


@pytest.mark.parametrize("name", ["k_core", "pagerank", "connected_components", "sssp"])
@pytest.mark.sampled(4)
@pytest.mark.rare(3)
def test_other_samples(cupy, graph, name):
    graph = gdsl.Graph(
        graph.offsets,
        graph.columns,
        directed=False,
        attributes={"weight": np.ones(graph.num_edges, np.float32)},
    )
    program = gdsl.compile(name)
    values = {"source": 3} if "source" in program.params else {}
    expected = program(graph, **values, backend="reference")
    found = program(graph, **values, gpus=2)
    for array in expected.arrays:
        assert np.allclose(numpy_of(found.arrays[array]), expected.arrays[array], rtol=1e-4)
    for scalar, value in expected.scalars.items():
        assert found.scalars[scalar] == pytest.approx(value, rel=1e-3, abs=1e-6)


SWAPS = """
program swaps;
problem { input vertex first : int32; vertex here : int32 = int32(id); vertex there : int32 = 0; }
vertex functor step(v) { apply { there[v] = here[v] + first[v]; } }
schedule { repeat (3) { compute(vertices, step); swap(here, there); } }
"""


def test_results_whose_buffers_change_places(cupy, graph):
    program = gdsl.compile(SWAPS)
    first = np.arange(graph.num_vertices, dtype=np.int32)
    found = program(graph, first=first, gpus=2)
    assert np.array_equal(numpy_of(found.here), 4 * first)
    assert np.array_equal(numpy_of(found.there), 3 * first)


def test_map_and_submit_run_one_after_the_other(cupy, graph):
    program = gdsl.compile("bfs")
    expected = [program(graph, source=s, backend="reference").distance for s in (1, 2)]
    many = program.map(graph, source=[1, 2], gpus=2)
    assert [np.array_equal(a, b) for a, b in zip(numpy_of(many.distance), expected, strict=True)] == [True, True]
    pending = program.submit(graph, source=2, gpus=2)
    assert np.array_equal(numpy_of(pending.result().distance), expected[1])
    assert cupy.log["run on 2 GPUs"] == 3


def test_a_run_within_a_run_is_an_error(cupy, graph, monkeypatch):
    """As in a signal handler: on other GPUs, too, it would wait for its own thread."""
    program, raised = gdsl.compile("bfs"), []
    wait = SeveralGpus.wait_for

    def interrupted(device, *arguments):
        with pytest.raises(RuntimeError, match="in progress in this thread") as error:
            program(graph, source=3, gpus=[1, 0])
        raised.append(error)
        return wait(device, *arguments)

    program(graph, source=3, gpus=[1, 0])
    with monkeypatch.context() as patch:
        patch.setattr(SeveralGpus, "wait_for", interrupted)
        program(graph, source=3, gpus=2, timeout=60)
    assert raised
    program(graph, source=3, gpus=[1, 0])


def test_a_profile_names_the_gpus(cupy, graph, tmp_path):
    profile = gdsl.profile("bfs", graph, source=3, gpus=[1, 0])
    document = profile.as_document()
    assert ["GPUs", "1, 0"] in document["facts"]
    assert [each["gpu"] for each in document["memory"]["gpus"]] == [1, 0]
    profile.to_html(tmp_path / "page.html")
    assert type(profile).read(tmp_path / "page.html").as_document() == document


def test_limits(cupy, graph):
    program = gdsl.compile("bfs")
    with pytest.raises(gdsl.GdslError) as error:
        program(graph, source=3, gpus=2, max_iterations=1)
    assert error.value.code == "E0803"
    assert numpy_of(program(graph, source=3, gpus=2).distance)[3] == 0


def test_each_gpu_has_a_copy_of_a_graph_that_is_kept(cupy, driver, graph, monkeypatch):
    """Once a run has made it: the same runs use the copies, and what they give is the same."""
    program = gdsl.compile("triangle_count")
    graph = graph.changed(loops=False, dedup="first")
    expected = program(graph, backend="reference").triangles
    device, found = registry.get("cuda:0,1").device(), []
    find = RunMemory._find_kept
    monkeypatch.setattr(RunMemory, "_find_kept", lambda memory: (found.append(memory.on_device.kept), find(memory)))
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
    """One copy of what each other GPU has; without room, they are read where they are."""
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


def test_results_are_brought_near_only_in_memory_that_a_run_leaves(cupy, driver, graph, monkeypatch):
    """Their rooms come after all that the run needs, and are freed with other working memory."""
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


@pytest.mark.parametrize("after", [0, 1])
def test_a_launch_that_fails_leaves_no_kernel_waiting(cupy, graph, after):
    """The kernel that has begun is told to leave, and the next run is right."""
    program = gdsl.compile("bfs")
    expected = numpy_of(program(graph, source=3, gpus=2).distance)
    cupy.driver.fails_after = after
    with pytest.raises(RuntimeError, match="the launch failed"):
        program(graph, source=3, gpus=2)
    assert np.array_equal(numpy_of(program(graph, source=3, gpus=2).distance), expected)


def test_a_kernel_that_dies_takes_no_other_with_it(cupy, graph, monkeypatch):
    """The run ends with the driver's error, and those that waited for that kernel have been told to leave."""
    program = gdsl.compile("bfs")
    expected = numpy_of(program(graph, source=3, gpus=2).distance)
    device = registry.get("cuda:0,1").device()
    healthy, aborted = device.shares[1].ended, []

    def dies() -> None:
        aborted.append(True)
        raise RuntimeError("an illegal memory access was encountered")

    device.shares[1].ended = SimpleNamespace(ptr=7, record=lambda stream: None, synchronize=dies)
    words = []
    barrier_words = [device._control, *device._barrier_words[1:]]
    assert len(set(barrier_words)) == 2
    monkeypatch.setattr(
        device, "halt", lambda: words.extend(ctypes.c_uint64.from_address(word).value for word in barrier_words)
    )
    with monkeypatch.context() as patch:
        patch.setattr(cupy.cuda.runtime, "eventQuery", lambda pointer: 700 if pointer == 7 else 600)
        with pytest.raises(RuntimeError, match="illegal memory access"):
            program(graph, source=3, gpus=2)
    assert aborted
    assert set(words) == {_ABORTED}
    device.shares[1].ended = healthy
    monkeypatch.delattr(device, "halt")
    assert np.array_equal(numpy_of(program(graph, source=3, gpus=2).distance), expected)


def test_one_gpu_of_the_list_is_the_plain_form(cupy, graph):
    program = gdsl.compile("bfs")
    for gpus in (1, [1], [0]):
        program(graph, source=3, gpus=gpus)
    assert not any(what.startswith("run on") for what in cupy.log)


def code_of(call) -> tuple[str, str]:
    with pytest.raises(gdsl.GdslError) as error:
        call()
    return error.value.code, str(error.value)


def test_refusals_name_what_was_found_and_a_fix(cupy, driver, graph, monkeypatch):
    program = gdsl.compile("bfs")
    run = lambda **options: lambda: program(graph, source=3, **options)  # noqa: E731
    code, text = code_of(run(gpus=3))
    assert code == "E0921" and "3 GPUs are requested, and this machine has 2" in text and "fix: choose fewer" in text
    code, text = code_of(run(gpus=[0, 2]))
    assert code == "E0921" and "GPU 2 is requested" in text and "choose from 0 to 1" in text
    for backend in ("cpu", "reference"):
        code, text = code_of(run(gpus=2, backend=backend))
        assert code in ("E0923", "E0902") and ("does not run on GPUs" in text or code == "E0902")
    unfused = gdsl.compile("bfs", fuse=False)
    code, text = code_of(lambda: unfused(graph, source=3, gpus=2))
    assert code == "E0923" and "schedule.fuse=off" in text and "fix: leave out" in text
    driver.apart = True
    monkeypatch.setattr(registry.get("cuda"), "_groups", {})
    code, text = code_of(lambda: gdsl.compile("bfs")(graph, source=3, gpus=2))
    assert code == "E0922" and "GPU 0 that of GPU 1" in text
    monkeypatch.setitem(sys.modules, "cuda.bindings.driver", None)
    monkeypatch.setattr(registry.get("cuda"), "_groups", {})
    code, text = code_of(lambda: gdsl.compile("bfs")(graph, source=3, gpus=2))
    assert code == "E0907" and "pip install 'gdsl[gpus]'" in text


CALLS = {
    "run": lambda program, graph, **options: program.run(graph, {"source": 3}, **options),
    "call": lambda program, graph, **options: program(graph, source=3, **options),
    "dry_run": lambda program, graph, **options: program.dry_run(graph, {"source": 3}, **options),
    "dry_run elsewhere": lambda program, graph, **options: program.dry_run(
        graph, {"source": 3}, memory="1GB", **options
    ),
    "map": lambda program, graph, **options: program.map(graph, source=[3, 4], **options),
    "submit": lambda program, graph, **options: program.submit(graph, source=3, **options).result(),
    "profile": lambda program, graph, **options: gdsl.profile(program, graph, source=3, **options),
}


@pytest.mark.parametrize("backend", ["cuda:0,1", "cuda:1", "cuda:0"])
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_gpus_are_named_in_one_way(cupy, graph, call, backend):
    """By the name of the backend or by the option; each fix works when it is typed in."""
    program = gdsl.compile("bfs")
    for gpus in (1, 2, [0, 1], "all"):
        code, text = code_of(lambda: call(program, graph, backend=backend, gpus=gpus))  # noqa: B023
        assert code == "E0923"
        assert f"GPUs are named twice, by backend='{backend}' and by gpus={gpus!r}" in text
        assert f"fix: write only one of them: backend='{backend}', or gpus={gpus!r} with backend=\"cuda\"" in text
    call(program, graph, backend=backend)
    call(program, graph, backend="cuda", gpus=2)


@pytest.mark.parametrize("backend", ["cuda:", "cuda:x", "cuda:0,", "cpu:1", "auto:0", "cuda:-1", "cuda:0 "])
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_names_that_are_no_backend(cupy, graph, call, backend):
    for options in ({}, {"gpus": 2}):
        with pytest.raises(ValueError, match=r"backend must be one of auto, cuda, cpu, reference, not '"):
            call(gdsl.compile("bfs"), graph, backend=backend, **options)


def test_gpus_in_the_name_of_the_backend(cupy, graph):
    """Mean what the option means: the same results, the same refusals, and the same needs without any GPU."""
    program = gdsl.compile("bfs")
    expected = program(graph, source=3, backend="reference").distance
    assert np.array_equal(numpy_of(program(graph, source=3, backend="cuda:0,1").distance), expected)
    assert cupy.log["run on 2 GPUs"] == 1
    for call in (call for name, call in CALLS.items() if name != "dry_run elsewhere"):
        code, text = code_of(lambda: call(program, graph, backend="cuda:0,2"))  # noqa: B023
        assert code == "E0921" and "GPU 2 is requested, and this machine has 2" in text


def test_a_dry_run_for_gpus_in_the_name_of_the_backend():
    graph, program = random_graph(300, 1200, seed=5, directed=False), gdsl.compile("bfs")
    run = lambda **options: program.dry_run(graph, {"source": 3}, memory=1 << 30, **options)  # noqa: E731
    assert run(backend="cuda:0,1").gpus == run(backend="cuda", gpus=2).gpus != ()
    assert run(backend="cuda:1").gpus == ()
    code, text = code_of(lambda: run(backend=f"cuda:{','.join(61 * ['0'])}"))
    assert code == "E0921" and "a run has at most 60" in text


@pytest.mark.parametrize("gpus", [[0, 0, 0], [0, 1, 1, 1, 1]], ids=str)
def test_each_kernel_needs_a_multiprocessor(cupy, graph, gpus):
    """Of which the GPUs here have two."""
    code, text = code_of(lambda: gdsl.compile("bfs")(graph, source=3, gpus=gpus))
    assert (
        code == "E0921" and f"GPU {gpus[-1]} is requested {gpus.count(gpus[-1])} times" in text and "fix: name" in text
    )


@pytest.mark.parametrize(
    ("gpus", "error"),
    [
        (True, TypeError), (0, ValueError), (-1, ValueError), ("two", ValueError), (1.5, TypeError), ([], ValueError),
        ([0, "1"], TypeError), ({0, 1}, TypeError), (b"\0", TypeError),
    ],
    ids=str,
)  # fmt: skip
def test_other_values_are_errors_of_the_call(cupy, graph, gpus, error):
    with pytest.raises(error, match="gpus is"):
        gdsl.compile("bfs")(graph, source=3, gpus=gpus)


def test_a_dry_run_says_what_each_gpu_holds():
    graph = random_graph(300, 1200, seed=5, directed=False)
    program = gdsl.compile("bfs")
    found = program.dry_run(graph, {"source": 3}, backend="cuda", memory=1 << 30, gpus=2)
    assert [each.gpu for each in found.gpus] == [0, 1]
    copied = sum(need.nbytes for need in found.needs if need.is_constant or need.is_own)
    assert [each.needed for each in found.gpus] == [found.needed, copied]  # results and frontiers are on the first
    assert found.fits
    large = rmat(17, seed=1)
    found = program.dry_run(large, {"source": 3}, backend="cuda", memory=10 << 20, gpus=2)
    assert sum(each.needed for each in found.gpus) >= found.needed  # some arrays have two copies
    assert all(each.needed >= 4 * large.num_edges // 2 - PAGE for each in found.gpus)
    assert found.fits is False and found.as_document()["gpus"][1]["gpu"] == 1


def test_a_dry_run_for_another_machine_wants_a_number_that_a_run_can_have():
    graph, program = random_graph(30, 120, seed=5), gdsl.compile("bfs")
    for gpus, message in (("all", "whose number is unknown"), (61, "a run has at most 60"), ([-1], "GPU -1")):
        with pytest.raises(GdslError, match=message) as error:
            program.dry_run(graph, {"source": 3}, backend="cuda", memory=1 << 30, gpus=gpus)
        assert error.value.diagnostics[0].code == "E0921"


def test_a_dry_run_counts_the_copies_of_each_kernel():
    """Of what it changes at random, too, by the plan for several GPUs; two kernels of a GPU have two copies."""
    graph = random_graph(300, 1200, seed=5)
    program = gdsl.compile(MERGED["two arrays"])
    run = lambda gpus, memory=1 << 30: program.dry_run(  # noqa: E731
        graph, {"source": 3}, backend="cuda", memory=memory, gpus=gpus
    )
    plan = plan_of(program_of(MERGED["two arrays"]), several_gpus=True)
    (found,) = (need for need in run(2).needs if need.what == Role.MIRROR.value)
    assert found.nbytes == 8 * graph.num_vertices * copies_of(plan) == 24 * graph.num_vertices
    first, second = (each.needed for each in run(2).gpus)
    assert [(each.gpu, each.needed) for each in run([0, 0]).gpus] == [(0, first + second)]
    assert [(each.gpu, each.needed) for each in run([0, 1, 1]).gpus] == [(0, first), (1, 2 * second)]
    assert [each.needed for each in run(2, 1000).gpus] == [first, found.nbytes]  # and of nothing else


def test_a_dry_run_keeps_the_graph_on_the_gpus_as_a_run_does(cupy, graph):
    program = gdsl.compile("bfs")
    for call in (program.dry_run, program.run):
        code, text = code_of(lambda call=call: call(graph, {"source": 3}, gpus=2, memory="host"))
        assert code == "E0923" and "the option memory is for runs on one GPU" in text


def test_a_dry_run_needs_the_persistent_kernel():
    graph, program = random_graph(30, 120, seed=5), gdsl.compile("bfs", fuse=False)
    code, _ = code_of(lambda: program.dry_run(graph, {"source": 3}, backend="cuda", memory=1 << 30, gpus=2))
    assert code == "E0923"
