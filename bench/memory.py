"""Rows with little of the GPU's memory: the bytes of edge lists that a run reads from the host, beside the rate of the
link, and the same kernels with their edge lists in CUDA's managed memory."""

from __future__ import annotations

import contextlib
import gc
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

import gdsl
from bench.graphs import BenchmarkGraph
from bench.measure import Measurement, Series, summarize
from bench.rows import Row
from bench.works import WORKS, Work
from gdsl.memory_use import memory_use

TIMEOUT = 300.0
"""Seconds after which a run is stopped: managed memory can take long."""
_PROBE, _TIMES = 1 << 28, 8
"""Bytes that are copied to measure the link, and how often."""
_MANAGED_RUNS = 2


def measure_memory(row: Row, graph: BenchmarkGraph, repeat: int, memory: str) -> Measurement:
    """Run `row` within `memory` from every source `repeat` times after one run that is not counted, and check the
    results; then as often as is affordable with managed memory."""
    work = WORKS[row.work]
    program = gdsl.compile(work.program)
    measurement = Measurement(row, work.unit, memory=memory)
    peaks = []
    for source in graph.sources if work.takes_source else [None]:
        series, result, peak = _series(work, graph, program, source, repeat, memory)
        measurement.series.append(series)
        peaks.append(peak)
    summarize(measurement)
    measurement.notes += [result.memory_line or "memory: everything is on the GPU"]
    measurement.notes += [f"at most {max(peaks) / 1e9:.3f} GB of the GPU's memory were in use"]
    _compare(measurement, work, graph, program, result, memory)
    limit = _limit_of(memory)
    if limit is not None and max(peaks) > limit and measurement.problem is None:
        measurement.problem = f"the runs used {max(peaks):,} bytes of the GPU's memory"
    return measurement


def _limit_of(memory: str) -> int | None:
    use = memory_use(memory)
    return None if use is None else use.limit


def _series(
    work: Work, graph: BenchmarkGraph, program: gdsl.Program, source: int | None, repeat: int, memory: str
) -> tuple[Series, gdsl.Result, int]:
    """The runs, the last result, and the most bytes that they used."""
    series, values = Series(source, [], 0, graph.num_edges), work.values(graph, source)
    result: Any = None
    with counted() as used:
        for number in range(repeat + 1):
            result = None  # its memory is the next one's
            result = program.run(graph.graph, values, backend="cuda", memory=memory, timeout=TIMEOUT)
            if number:
                series.times_ms.append(result.time_ms)
    series.iterations = result.iterations
    if work.reached is not None:
        series.edges = int(graph.module.diff(graph.offsets)[work.reached(graph, result, source)].sum())
    series.problem = work.check(graph, result, source)
    return series, result, used[0]


@contextlib.contextmanager
def counted() -> Iterator[list[int]]:
    """The most bytes of the GPU's memory in use inside, besides those that were before: of CuPy's pool, and of divided
    lists."""
    import cupy

    from gdsl.backends.cuda import host_memory

    pool, most, divided = cupy.get_default_memory_pool(), [0], [0]
    before = pool.used_bytes()

    class Hook(cupy.cuda.memory_hook.MemoryHook):  # type: ignore[misc]
        name = "most bytes in use"

        def malloc_postprocess(self, **_: Any) -> None:
            most[0] = max(most[0], pool.used_bytes() - before + divided[0])

    original = host_memory._divided

    def divide(cupy: Any, device: int, nbytes: int, resident: int) -> Any:
        buffer = original(cupy, device, nbytes, resident)
        divided[0] += 0 if buffer is None else buffer.resident
        most[0] = max(most[0], pool.used_bytes() - before + divided[0])
        return buffer

    host_memory._divided = divide
    try:
        with Hook():
            yield most
    finally:
        host_memory._divided = original


def _compare(
    measurement: Measurement, work: Work, graph: BenchmarkGraph, program: gdsl.Program, result: gdsl.Result, memory: str
) -> None:
    """Notes about the link and about managed memory."""
    source = measurement.series[-1].source
    values = work.values(graph, source)
    needs = program.dry_run(graph.graph, values, backend="cuda", memory=memory)
    if measurement.ms is None or not needs.needed_of_host:
        return
    link, direct = link_rate(), direct_rate()
    measurement.notes.append(
        f"the link copies {link / 1e9:.1f} GB/s, and a kernel that only reads whole lines of pinned memory reaches "
        f"{direct / 1e9:.1f}"
    )
    if work.unit == "ms an iteration":
        rate = needs.needed_of_host / (measurement.ms / 1e3)
        measurement.notes.append(
            f"{rate / 1e9:.1f} of {link / 1e9:.1f} GB/s, {rate / link:.0%} of what the link copies: "
            f"{needs.needed_of_host / 1e9:.2f} GB an iteration"
        )
    else:
        least = needs.needed_of_host / link * 1e3
        measurement.notes.append(
            f"copying {needs.needed_of_host / 1e9:.2f} GB once takes {least:.1f} ms at {link / 1e9:.1f} GB/s"
        )
    del result
    limit = _limit_of(memory)
    if limit is None:  # a quarter of the lists has room: otherwise all would move to the GPU
        limit = needs.needed + needs.needed_of_host // 4
    managed = managed_ms(work, graph, program, source, limit)
    if managed is None:
        measurement.notes.append("managed memory: not measured, as the GPU's other memory cannot be set aside")
        return
    managed /= max(measurement.series[-1].iterations, 1) if work.unit == "ms an iteration" else 1
    measurement.peers["managed memory"] = managed
    measurement.notes.append(
        f"managed memory takes {managed:.1f} {work.unit}, {managed / measurement.ms:.1f} times as much"
    )


def link_rate() -> float:
    """Bytes per second of copies from pinned memory of the host to the GPU."""
    import cupy

    pinned = cupy.cuda.alloc_pinned_memory(_PROBE)
    there, stream = cupy.empty(_PROBE, np.uint8), cupy.cuda.Stream(non_blocking=True)
    best = 0.0
    for _ in range(_TIMES):
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        begin.record(stream)
        there.data.copy_from_host_async(int(pinned.ptr), _PROBE, stream)
        end.record(stream)
        end.synchronize()
        best = max(best, _PROBE / (cupy.cuda.get_elapsed_time(begin, end) / 1e3))
    return best


_READING = r"""
extern "C" __global__ void read_lines(const unsigned* values, unsigned* sums, const unsigned long long count) {
    const unsigned long long threads = (unsigned long long)gridDim.x * blockDim.x;
    unsigned sum = 0;
    for (unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x; i < count; i += threads) {
        sum += __ldg(&values[i]);
    }
    atomicAdd(sums, sum);
}
"""


def direct_rate() -> float:
    """Bytes per second that a kernel reads from pinned memory of the host, a warp a line of 128 bytes at a time: more
    than this no program reaches without copies."""
    import cupy

    from gdsl.backends.cuda import host_memory

    device = cupy.cuda.Device()
    buffer = host_memory.allocate(cupy, device.id, _PROBE, 0)
    kernel, sums = cupy.RawKernel(_READING, "read_lines"), cupy.zeros(1, np.uint32)
    blocks, best = device.attributes["MultiProcessorCount"] * 4, 0.0
    for _ in range(_TIMES):
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        begin.record()
        kernel((blocks,), (512,), (np.uint64(buffer.pointer), sums, np.uint64(_PROBE // 4)))
        end.record()
        end.synchronize()
        best = max(best, _PROBE / (cupy.cuda.get_elapsed_time(begin, end) / 1e3))
    return best


def managed_ms(
    work: Work, graph: BenchmarkGraph, program: gdsl.Program, source: int | None, limit: int
) -> float | None:
    """The least milliseconds of a run of the same kernels with edge lists in managed memory, while all of the GPU's
    memory but `limit` bytes is taken; None if it cannot be taken."""
    import cupy

    from gdsl.backends.cuda import host_memory

    def allocate(cupy: Any, device: int, nbytes: int, resident: int) -> Any:
        memory = cupy.cuda.malloc_managed(max(nbytes, 1))
        return host_memory.HostBuffer(memory, nbytes, int(memory.ptr))

    def place(cupy: Any, device: int, values: Any, resident: int) -> Any:
        buffer = allocate(cupy, device, values.nbytes, resident)
        there = np.ctypeslib.as_array(_bytes_at(buffer.pointer, values.nbytes))
        there[:] = np.ascontiguousarray(values).reshape(-1).view(np.uint8)
        return buffer

    originals, times = (host_memory.place, host_memory.allocate), list[float]()
    own = graph.graph
    again = gdsl.Graph(own.offsets, own.columns, directed=own.directed, attributes=dict(own.attributes))
    host_memory.place, host_memory.allocate = place, allocate
    ballast: Any = None
    try:
        gc.collect()
        cupy.get_default_memory_pool().free_all_blocks()
        free, _ = cupy.cuda.runtime.memGetInfo()
        with contextlib.suppress(cupy.cuda.memory.OutOfMemoryError):
            ballast = cupy.cuda.Memory(max(free - limit, 1))
        if ballast is None:
            return None
        for _ in range(_MANAGED_RUNS):
            started = time.perf_counter()
            result = program.run(again, work.values(graph, source), backend="cuda", memory="host", timeout=TIMEOUT)
            times.append(result.time_ms)
            del result
            if time.perf_counter() - started > TIMEOUT / 4:
                break
    finally:
        (host_memory.place, host_memory.allocate), ballast = originals, None
    return min(times)


def _bytes_at(pointer: int, count: int) -> Any:
    import ctypes

    return (ctypes.c_uint8 * count).from_address(pointer)
