"""Graphs larger than the memory that a run may use. Most of the time is compiling, so run
`pytest -m gpu -n 8 -k 'not alone' tests/gpu/test_gpu_memory.py`, then `pytest -m gpu -n0 -k alone
tests/gpu/test_gpu_memory.py`: tests of what is free need the GPU to themselves."""

from __future__ import annotations

import gc
from functools import cache
from typing import Any

import numpy as np
import pytest

import gdsl
from bench.memory import counted
from gdsl.api.schedules import differences
from gdsl.backends.cuda import host_memory
from gdsl.diagnostics import GdslError
from gdsl.graph import generate
from tests import test_real_graphs as real
from tests.gpu.test_gpu_graphs import hubs
from tests.oracles import BY_NAME, LIBRARY, SAMPLES
from tests.support.graphs import named_graphs

pytestmark = pytest.mark.gpu

FAST = [case.name for case in (*SAMPLES, *LIBRARY) if not case.slow]


def least_of(program: gdsl.Program, graph: gdsl.Graph, values: Any) -> int:
    """The smallest limit with which a run works, as the message for a smaller one has it."""
    with pytest.raises(GdslError) as caught:
        program.run(graph, values, backend="cuda", memory=0)
    assert caught.value.code == "E0914"
    return int(str(caught.value).partition("memory=")[2].split(")")[0])


@pytest.mark.parametrize("name", BY_NAME)
def test_every_program_with_edge_lists_in_the_host(name: str) -> None:
    case, program = BY_NAME[name], real.compiled(name)
    for graph in (*named_graphs().values(), *map(hubs, ("directed", "undirected", "simple"))):
        if not case.suits(graph):
            continue
        values = case.values(graph, 1)
        expected = program.run(graph, values, backend="cuda")
        for memory in ("host", least_of(program, graph, values)):
            gc.collect()
            with counted() as most:
                found = program.run(graph, values, backend="cuda", memory=memory)
            assert list(differences(program.ir, expected, found)) == [], memory
            assert memory == "host" or most[0] <= int(memory), "it used more than it may"
            case.check(graph, values, {**found.scalars, **found.host_arrays()})


@cache
def large(directed: bool) -> gdsl.Graph:
    """Lists of several pages, divided inside of a list."""
    graph = generate("rmat:17").changed(weights="random:1", loops=False, dedup="first")
    attributes = {"weight": graph.attributes["weight"]}
    return gdsl.Graph(graph.offsets, graph.columns, directed=True, attributes=attributes) if directed else graph


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("name", FAST)
def test_divided_lists(name: str, directed: bool) -> None:
    graph, case, program = large(directed), BY_NAME[name], real.compiled(name)
    if not case.suits(graph):
        pytest.skip("it cannot run on such a graph")
    values = case.values(graph, 1)
    expected = program.run(graph, values, backend="cuda")
    least = least_of(program, graph, values)
    for limit in (least + (5 << 20), least + (9 << 20)):
        gc.collect()
        with counted() as most:
            found = program.run(graph, values, backend="cuda", memory=limit)
        assert list(differences(program.ir, expected, found)) == []
        assert most[0] <= limit, "it used more than it may"


def test_alone_pages_can_be_divided_here() -> None:
    """Otherwise the tests above read everything from the host."""
    import cupy

    page = host_memory.page_bytes(cupy.cuda.Device().id)
    if page is None:
        pytest.skip("without gdsl[gpus], or a driver that maps memory of the host, no list is divided")
    values = np.random.default_rng(1).integers(0, 1 << 30, 3 * page // 4 + 1000).astype(np.int32)
    for resident in (0, page, 2 * page):
        buffer = host_memory.place(cupy, cupy.cuda.Device().id, values, resident)
        assert buffer.resident == resident
        memory = cupy.cuda.UnownedMemory(buffer.pointer, values.nbytes, buffer, cupy.cuda.Device().id)
        there = cupy.ndarray(values.shape, values.dtype, cupy.cuda.MemoryPointer(memory, 0))
        copied = there + 1  # by a kernel, which reads both memories
        assert np.array_equal(copied.get(), values + 1)


def test_alone_memory_is_given_back() -> None:
    import cupy

    program, source = real.compiled("bfs"), {"source": 0}
    program.run(generate("rmat:16"), source, backend="cuda", memory="host")
    gc.collect()
    before, _ = cupy.cuda.runtime.memGetInfo()
    for _ in range(3):
        graph = generate("rmat:18")
        limit = least_of(program, graph, source) + (8 << 20)
        program.run(graph, source, backend="cuda", memory=limit)
        del graph
        gc.collect()
    cupy.get_default_memory_pool().free_all_blocks()
    after, _ = cupy.cuda.runtime.memGetInfo()
    assert after >= before - (64 << 20)


def test_alone_lists_that_do_not_fit_go_to_the_host() -> None:
    """With most of the GPU's memory taken by another program."""
    import cupy

    program, graph = real.compiled("pagerank"), generate("rmat:21")
    expected = program.run(graph, {}, backend="cpu")
    for memory in ("device", "host"):  # loads the kernels, as the driver needs memory for that
        program.run(generate("rmat:10"), {}, backend="cuda", memory=memory)
    needs = program.dry_run(graph, {}, backend="cuda", memory="host")
    gc.collect()
    cupy.get_default_memory_pool().free_all_blocks()
    free, _ = cupy.cuda.runtime.memGetInfo()
    ballast = cupy.cuda.Memory(free - needs.needed - needs.needed_of_host // 2)
    try:
        found = program.run(graph, {}, backend="cuda")
        assert "since they do not fit in the GPU's memory" in found.memory_line
        assert list(differences(program.ir, expected, found)) == []
        with pytest.raises(GdslError) as caught:
            real.compiled("pagerank", "schedule.fuse=on").run(graph, {}, backend="cuda", memory="device")
        assert caught.value.code == "E0912" and "--memory host" in str(caught.value)
    finally:
        del ballast
