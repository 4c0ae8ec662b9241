"""The emulator itself: right on right kernels under every order, and red on each mistake that it is there for."""

from __future__ import annotations

import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy
import pytest

from . import build
from .driver import EmulatedBuffer, EmulatedModule, Schedule, launch
from .emulated_device import EmulatedDevice
from .findings import Finding, Kind

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")

KERNELS = Path(__file__).parent / "kernels"
BFS = (KERNELS / "bfs.cu").read_text()
BLOCKS, THREADS = 3, 64


def random_csr(num_vertices: int, num_edges: int, seed: int) -> tuple[Any, Any]:
    random = numpy.random.default_rng(seed)
    sources = numpy.sort(random.integers(0, num_vertices, num_edges))
    offsets = numpy.searchsorted(sources, numpy.arange(num_vertices + 1)).astype(numpy.int32)
    return offsets, random.integers(0, num_vertices, num_edges).astype(numpy.uint32)


def hops(offsets: Any, columns: Any, source: int) -> Any:
    distance = numpy.full(len(offsets) - 1, -1, numpy.int32)
    distance[source] = 0
    level = [source]
    while level:
        found = []
        for v in level:
            for u in columns[offsets[v] : offsets[v + 1]]:
                if distance[u] < 0:
                    distance[u] = distance[v] + 1
                    found.append(int(u))
        level = found
    return distance


class Search:
    """One graph in the emulator's memory and the search that is run on it."""

    def __init__(self, num_vertices: int = 150, num_edges: int = 600, seed: int = 1) -> None:
        device = EmulatedDevice()
        self.offsets, self.columns = random_csr(num_vertices, num_edges, seed)
        self.expected = hops(self.offsets, self.columns, 3)
        self.inputs = [device.upload(self.offsets), device.upload(self.columns)]
        self.distance = device.allocate(4 * num_vertices)
        self.queues = device.allocate(8 * num_vertices)
        self.words = [device.allocate(nbytes) for nbytes in (8, 24, 4)]
        self.device, self.num_vertices = device, num_vertices

    def run(self, text: str, schedule: Schedule) -> tuple[bool, tuple[Finding, ...], bool]:
        """(came to its end, findings, right answer)."""
        for buffer in self.words:
            self.device.zero(buffer)
        fields = ["offsets", "columns", "distance", "queues", "arrived", "sizes", "reached"]
        dtype = numpy.dtype([*((name, "u8") for name in fields), ("num_vertices", "i4"), ("source", "u4")], align=True)
        problem = numpy.zeros((), dtype)
        for name, buffer in zip(fields, [*self.inputs, self.distance, self.queues, *self.words], strict=True):
            problem[name] = buffer.pointer
        problem["num_vertices"], problem["source"] = self.num_vertices, 3
        module = EmulatedModule(text, "bfs.cu")
        ended, findings = launch(module.get_function("bfs"), BLOCKS, THREADS, [problem], schedule)
        distance = self.device.fetch(self.distance, numpy.int32, self.num_vertices)
        reached = int(self.device.fetch(self.words[2], numpy.int32, 1)[0])
        right = numpy.array_equal(distance, self.expected) and reached == (self.expected >= 0).sum()
        return ended, findings, bool(right)


@pytest.fixture(scope="module")
def search() -> Search:
    return Search()


def replaced(old: str, new: str) -> str:
    assert BFS.count(old) == 1, old
    return BFS.replace(old, new)


def line_of(text: str, part: str) -> str:
    return f"bfs.cu:{text[: text.index(part)].count(chr(10)) + 1}"


def test_right_kernel_stays_clean_under_every_order(search: Search) -> None:
    for seed in range(50):
        assert search.run(BFS, Schedule(seed=seed)) == (True, (), True)


def test_same_seed_gives_the_same_run(search: Search) -> None:
    def queue_of(seed: int) -> bytes:
        search.run(BFS, Schedule(seed=seed))
        return search.queues.bytes().tobytes()

    assert queue_of(5) == queue_of(5)
    assert len({queue_of(seed) for seed in range(5)}) == 5


def kinds_under(search: Search, text: str, seeds: int = 6) -> tuple[set[Kind], list[Finding]]:
    found: list[Finding] = []
    for seed in range(seeds):
        found += search.run(text, Schedule(seed=seed, max_steps=2_000_000))[1]
    return {finding.kind for finding in found}, found


def test_check_then_store_is_a_race(search: Search) -> None:
    text = replaced(
        "atomicCAS(&p.distance[far], -1, level + 1) == -1;",
        "p.distance[far] == -1;\n                if (won) { p.distance[far] = level + 1; }",
    )
    kinds, found = kinds_under(search, text)
    assert kinds == {Kind.RACE}
    lines = {place.line for finding in found for place in (finding.place, finding.other) if place}
    assert line_of(text, "if (won)") in lines


MISSING = {
    "a block barrier of the scan": (
        "        __syncthreads();\n        shared.sums[threadIdx.x] += below;",
        "        shared.sums[threadIdx.x] += below;",
    ),
    "the barrier before the scan": (
        "    shared.sums[threadIdx.x] = value;\n    __syncthreads();",
        "    shared.sums[threadIdx.x] = value;",
    ),
    "the barrier after the size is read": (
        "        __syncthreads();\n        const uint64 size",
        "        const uint64 size",
    ),
    "the grid barrier of a level": (
        "        }\n        grid_barrier(p, passed);\n    }\n    int32 own",
        "        }\n        __syncthreads();\n    }\n    int32 own",
    ),
    "the grid barrier after the beginning": (
        "    grid_barrier(p, passed);\n    for (int32 level",
        "    for (int32 level",
    ),
    "the fence of the grid barrier": ("        __threadfence();\n", ""),
    "the first barrier of the grid barrier": (
        "    __syncthreads();\n    if (threadIdx.x == 0) {\n        __threadfence",
        "    if (threadIdx.x == 0) {\n        __threadfence",
    ),
    "the warp's order before it reads": ("    __syncwarp();\n    const uint32 count", "    const uint32 count"),
    "the warp's order after it read": ("= staged[lane]; }\n    __syncwarp();", "= staged[lane]; }"),
    "the atomic of the count": ("at = atomicAdd(size, uint64(count));", "at = *size; *size += count;"),
    "the atomic of the sum": ("atomicAdd(p.reached, total);", "*p.reached += total;"),
}


@pytest.mark.parametrize("what", MISSING)
def test_missing_order_is_a_race(search: Search, what: str) -> None:
    kinds, _ = kinds_under(search, replaced(*MISSING[what]))
    assert Kind.RACE in kinds


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("v < p.num_vertices; v += threads) { p.distance", "v <= p.num_vertices; v += threads) { p.distance"),
        ("const int32 end = taken ? p.offsets[v + 1] : 0;", "const int32 end = taken ? p.offsets[v + 1] + 1 : 0;"),
        ("p.queues + (level % 2 ? 0 : p.num_vertices)", "p.queues + (level % 2 ? 0 : 2 * p.num_vertices)"),
        ("shared.sums[threadIdx.x] = value;", "shared.sums[threadIdx.x + 3] = value;"),
        ("p.queues[0] = p.source;", "p.queues[-1] = p.source;"),
    ],
)
def test_access_out_of_bounds(search: Search, old: str, new: str) -> None:
    text = replaced(old, new)
    kinds, found = kinds_under(search, text, seeds=2)
    assert Kind.BOUNDS in kinds
    assert all(finding.place.line.startswith("bfs.cu:") for finding in found)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    const uint32 votes", "    if (!accepted && lane == 9) { return; }\n    const uint32 votes"),
        ("while (__any_sync(FULL_WARP, at < end)) {", "while (at < end) {"),
        ("if (votes == 0) { return; }", "if (!accepted) { return; }"),
        (
            "        if (size == 0) { break; }",
            "        if (threadIdx.x >= size + 8) { return; }\n        if (size == 0) { break; }",
        ),
        (
            "        if (size == 0) { break; }",
            "        if (blockIdx.x >= size) { break; }\n        if (size == 0) { break; }",
        ),
        (
            "    __syncwarp();\n    const uint32 count",
            "    if (lane < 16) { __syncwarp(); } else { __any_sync(FULL_WARP, 1); }\n    const uint32 count",
        ),
        (
            "    int32 own = 0;",
            "    if (threadIdx.x < 32) { __syncthreads(); } else { __syncthreads_or(1); }\n    int32 own = 0;",
        ),
    ],
)
def test_divergence_is_an_error_and_no_hang(search: Search, old: str, new: str) -> None:
    kinds, _ = kinds_under(search, replaced(old, new))
    assert kinds & {Kind.DIVERGENCE, Kind.DEADLOCK}


def test_loop_without_end_is_an_error(search: Search) -> None:
    kinds, _ = kinds_under(
        search, replaced("            while (__any_sync(FULL_WARP, at < end)) {", "            while (true) {")
    )
    assert kinds & {Kind.STEPS, Kind.BOUNDS}
    kinds, _ = kinds_under(search, replaced("                at += 1;\n", ""), seeds=1)
    assert Kind.STEPS in kinds


def test_read_only_cache_of_written_memory(search: Search) -> None:
    text = replaced("own += p.distance[v] >= 0;", "own += __ldg(&p.distance[v]) >= 0;")
    assert Kind.STALE in kinds_under(search, text)[0]
    text = replaced("taken ? p.offsets[v] : 0", "taken ? __ldg(&p.offsets[v]) : 0")
    assert kinds_under(search, text)[0] == set()


def test_memory_that_nobody_wrote(search: Search) -> None:
    search.queues = search.device.allocate(8 * search.num_vertices)
    _, findings, _ = search.run(replaced("        p.queues[0] = p.source;\n", ""), Schedule(check_uninitialized=True))
    assert Kind.UNINITIALIZED in {finding.kind for finding in findings}


def test_local_variable_of_another_thread() -> None:
    text = """
    extern "C" __global__ void leak(int** place) {
        int own = threadIdx.x;
        if (threadIdx.x == 0) { *place = &own; }
        __syncthreads();
        **place = 1;
        __syncthreads();
    }
    """
    device = EmulatedDevice()
    ended, findings = launch(EmulatedModule(text).get_function("leak"), 1, 32, [device.allocate(8)])
    assert not ended
    assert "local variable" in findings[-1].text


def run_words(
    kernel: str, blocks: int, threads: int, arguments: list[EmulatedBuffer], schedule: Schedule | None = None
) -> None:
    module = EmulatedModule((KERNELS / "words.cu").read_text(), "words.cu")
    assert launch(module.get_function(kernel), blocks, threads, arguments, schedule or Schedule()) == (True, ())


def test_collectives_give_what_cuda_gives() -> None:
    device = EmulatedDevice()
    out = device.allocate(4 * 16 * 64)
    run_words("collectives", 1, 64, [out])
    table = device.fetch(out, numpy.uint32, 16 * 64).reshape(64, 16).astype(numpy.int64)
    lane = numpy.arange(64) % 32
    assert set(table[:, 0]) == {sum(1 << i for i in range(0, 32, 3))}
    assert set(table[:, 1]) == {3}
    assert set(table[:, 2]) == {50}
    assert (table[:, 3] == numpy.where(lane >= 3, lane - 3, lane)).all()
    assert (table[:, 4] == numpy.where(lane < 29, lane + 3, lane)).all()
    assert (table[:, 5] == lane ^ 1).all()
    assert set(table[:, 6]) == {496}
    assert set(table[:, 7]) == {2**32 - 5}
    assert set(table[:, 8]) == {31}
    assert set(table[:, 9]) == {8}
    assert set(table[:, 10]) == {1}
    assert (table[:, 11] == 0xFF << lane // 8 * 8).all()
    assert set(table[:, 12]) == {4}
    assert set(table[:, 13]) == {3}
    assert set(table[:, 14]) == {1064}
    assert set(table[:, 15]) == {1}


def test_bits_give_what_cuda_gives() -> None:
    device = EmulatedDevice()
    out = device.allocate(4 * 8)
    run_words("bits", 1, 1, [out])
    expected = [6408, 410004, 633231, 1 << 31, 0x3F800000, 3, 43, 1023 + 2]
    assert device.fetch(out, numpy.uint32, 8).tolist() == expected


def test_atomics_give_what_cuda_gives() -> None:
    device = EmulatedDevice()
    ints = device.upload(numpy.zeros(4, numpy.int32))
    unsigned = device.upload(numpy.array([2**32 - 1, 0, 0, 0], numpy.uint32))
    words = device.upload(numpy.zeros(3, numpy.uint64))
    single, double = device.upload(numpy.zeros(1, numpy.float32)), device.upload(numpy.zeros(1, numpy.float64))
    run_words("atomics", 2, 64, [ints, unsigned, words, single, double])
    assert device.fetch(ints, numpy.int32, 4).tolist() == [128, -256, -63, 63]
    found = device.fetch(unsigned, numpy.uint32, 4).tolist()
    winner = int(device.fetch(words, numpy.uint64, 3)[2])
    assert found == [0, 2**32 - 1, 0, winner]
    assert device.fetch(words, numpy.uint64, 2).tolist() == [128 << 33, 63 << 40]
    assert device.fetch(single, numpy.float32, 1)[0] == 64
    assert device.fetch(double, numpy.float64, 1)[0] == 32


def test_a_cache_is_that_of_a_block() -> None:
    device, late = EmulatedDevice(), numpy.zeros(3, numpy.int64)
    for seed in range(10):
        word, counts = device.upload(numpy.zeros(1, numpy.uint32)), device.upload(numpy.zeros(3, numpy.uint32))
        run_words("caches", 2, 64, [word, counts], Schedule(seed=seed))
        late += device.fetch(counts, numpy.uint32, 3)
    assert late[0] == late[1] == 0 < late[2]


def test_blocks_of_an_ordinary_launch_take_turns() -> None:
    text = """
    extern "C" __global__ void sum(int* out, int first) {
        __shared__ int total;
        if (threadIdx.x == 0) { total = first; }
        __syncthreads();
        atomicAdd(&total, 1);
        __syncthreads();
        if (threadIdx.x == 0) { atomicAdd(out, total); }
    }
    """
    module, device = EmulatedModule(text), EmulatedDevice()
    for resident in (0, 1, 3):
        out = device.upload(numpy.zeros(1, numpy.int32))
        arguments = [out, numpy.int32(5)]
        assert launch(module.get_function("sum"), 20, 32, arguments, Schedule(resident=resident)) == (True, ())
        assert device.fetch(out, numpy.int32, 1)[0] == 20 * 37


def test_refused_by_the_compiler_where_cuda_has_no_such_atomic() -> None:
    text = 'extern "C" __global__ void no(short* x) { atomicAdd(x, short(1)); }'
    with pytest.raises(build.CompileError):
        EmulatedModule(text)


def test_threads_compile_one_text_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of it is kept yet: each has a file of its own until it is whole."""
    everybody, run = Barrier(3), subprocess.run

    def run_together(*arguments: Any, **options: Any) -> Any:
        done = run(*arguments, **options)
        everybody.wait()
        return done

    monkeypatch.setattr(build, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(build.subprocess, "run", run_together)
    with ThreadPoolExecutor(3) as pool:
        [path] = set(pool.map(build.compile_module, [BFS] * 3))
    assert list(tmp_path.iterdir()) == [path]
