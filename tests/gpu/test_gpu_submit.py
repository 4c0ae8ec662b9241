"""Runs that are not waited for, on a GPU: their results, what stops them, and what comes in between."""

from __future__ import annotations

import gc
import os
import random
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np
import pytest

import gdsl
from gdsl.graph import GraphOptions, generate
from tests.support.graphs import make_graph, path

pytestmark = pytest.mark.gpu
GRAPH = GraphOptions(weights="random:1").apply(generate("rmat:10"))
OTHER = GraphOptions(weights="random:2").apply(generate("grid:40"))
LONG = make_graph(path(3000), 3000)
ENDLESS = """program p; problem { vertex a : int32; scalar s : int32; }
    vertex functor f(v) { apply { a[v] += 1; } }
    schedule { while (s == 0) { compute(vertices, f); } }"""
FAILING = """program failing; problem { param at : int64 = 0; vertex a : int32; }
    vertex functor f(v) { apply { a[vertex(int64(v) * at)] += 1; } }
    schedule { repeat (3) { compute(vertices, f); } }"""
BFS, SSSP = gdsl.compile("bfs"), gdsl.compile("sssp")
KEYS = [(name, number, source) for name in ("bfs", "sssp") for number in range(2) for source in range(8)]


@cache
def expected(name: str, number: int, source: int) -> Any:
    program, graph = (BFS if name == "bfs" else SSSP), (GRAPH, OTHER)[number]
    return program(graph, source=source, backend="cpu").distance


def submitted(name: str, number: int, source: int, **options: Any) -> gdsl.Pending:
    program, graph = (BFS if name == "bfs" else SSSP), (GRAPH, OTHER)[number]
    return program.submit(graph, source=source, backend="cuda", **options)


@pytest.fixture(autouse=True, scope="module")
def ran_before() -> None:
    """The first run of a program on a graph begins once the line has ended."""
    for name, number, _ in KEYS:
        submitted(name, number, 0).result()


def assert_right(pending: gdsl.Pending, key: tuple[str, int, int]) -> None:
    result = pending.result()
    assert np.array_equal(result.host_arrays()["distance"], expected(*key)), key
    assert result.time_ms > 0 and result.trace[0].frontier_size == 1


@pytest.mark.parametrize("seed", range(4))
def test_any_order_with_failures_calls_and_streams_between(seed: int) -> None:
    import cupy

    choose = random.Random(seed)
    failing, keys = gdsl.compile(FAILING), KEYS
    streams = [cupy.cuda.Stream.null, cupy.cuda.Stream(), cupy.cuda.Stream(non_blocking=True)]
    stream, waiting = streams[0], list[tuple[gdsl.Pending, Any]]()
    for _ in range(300):
        what, key = choose.random(), choose.choice(keys)
        with stream:
            if what < 0.6:
                waiting.append((submitted(*key), key))
            elif what < 0.7:
                waiting.append((submitted(key[0], 1, key[2], max_iterations=1), "E0803"))  # there all have neighbors
            elif what < 0.75:
                waiting.append((failing.submit(GRAPH, at=5, backend="cuda"), "E0801"))
            elif what < 0.8:
                (BFS if key[0] == "bfs" else SSSP)((GRAPH, OTHER)[key[1]], source=key[2], backend="cuda")
            elif what < 0.82:
                BFS.map(GRAPH, source=range(8), backend="cuda")
            elif what < 0.9:
                stream = choose.choice(streams)
            while len(waiting) > choose.choice((1, 3, 9)):
                check(*waiting.pop(choose.randrange(len(waiting))))
    for each in waiting:
        check(*each)


def check(pending: gdsl.Pending, key: Any) -> None:
    if isinstance(key, str):
        with pytest.raises(gdsl.GdslError) as caught:
            pending.result()
        assert caught.value.code == key
    else:
        assert_right(pending, key)


def test_threads() -> None:
    def work(number: int) -> None:
        choose = random.Random(number)
        for _ in range(100):
            keys = [choose.choice(KEYS) for _ in range(3)]
            for pending, key in [(submitted(*key), key) for key in keys]:
                assert_right(pending, key)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))


def test_a_thread_that_has_not_used_the_gpu_runs_on_a_new_graph() -> None:
    def run(seed: int) -> None:
        graph = generate(f"rmat:6:seed={seed}")
        found = (BFS.submit(graph, source=0, backend="cuda").result(), BFS(graph, source=0, backend="cuda"))
        expected = BFS(graph, source=0, backend="cpu").distance
        assert all(np.array_equal(each.host_arrays()["distance"], expected) for each in found)

    for seed in range(2):
        with ThreadPoolExecutor(1) as pool:
            pool.submit(run, seed).result()


def test_results_and_graphs_that_nobody_keeps() -> None:
    import cupy

    pool, used = cupy.get_default_memory_pool(), []
    for turn in range(12):
        graph = generate(f"rmat:16:seed={turn + 1}")
        for source in range(6):
            BFS.submit(graph, source=source, backend="cuda")
        del graph
        assert_right(submitted("bfs", 0, turn % 8), ("bfs", 0, turn % 8))
        gc.collect()
        used.append(pool.used_bytes())
    assert max(used[1:]) - used[0] < 1 << 20


def test_an_endless_run_and_those_behind_it() -> None:
    endless = gdsl.compile(ENDLESS).prepare("cuda")
    for ask in range(3):
        late = endless.submit(LONG, backend="cuda", timeout=0.3)
        behind = [(submitted(*key), key) for key in (("bfs", 0, 1), ("sssp", 1, 2))]
        assert not behind[0][0].done()
        if ask == 0:
            assert_right(*behind[1])
        if ask == 1:
            started = time.monotonic()
            while not late.done():
                time.sleep(0.01)
            assert time.monotonic() - started < 5
        with pytest.raises(gdsl.GdslError) as caught:
            late.result()
        assert caught.value.code == "E0802"
        for pending, key in behind:
            assert_right(pending, key)


def test_ctrl_c() -> None:
    endless = gdsl.compile(ENDLESS).prepare("cuda")
    for _ in range(2):
        before = submitted("bfs", 0, 3)
        pending = endless.submit(LONG, backend="cuda")
        behind = submitted("sssp", 0, 4)
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            pending.result()
        assert_right(behind, ("sssp", 0, 4))
        assert_right(before, ("bfs", 0, 3))
        del pending
    endless.submit(LONG, backend="cuda")
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        BFS(GRAPH, source=1, backend="cuda")
    assert_right(submitted("bfs", 1, 3), ("bfs", 1, 3))


def test_a_new_program_behind_an_endless_run() -> None:
    endless = gdsl.compile(ENDLESS).prepare("cuda")
    late = endless.submit(LONG, backend="cuda", timeout=0.5)
    fresh = gdsl.compile("program fresh; problem { vertex a : int32 = 3; } schedule { fill(a, 8); }")
    assert set(fresh.submit(LONG, backend="cuda").result().a.get().tolist()) == {8}
    with pytest.raises(gdsl.GdslError) as caught:
        late.result()
    assert caught.value.code == "E0802"


def told_by(text: str) -> list[str]:
    """What a process of its own prints, in which nothing is at hand from before."""
    head = f"import gc, os, signal, threading\nimport gdsl\nfrom gdsl.graph import generate\nENDLESS = {ENDLESS!r}\n"
    command = [sys.executable, "-X", "faulthandler", "-c", head + text]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout.splitlines()


TURNS = """
graph, grids = generate("rmat:10"), [generate(f"grid:{side}") for side in (40, 41, 42)]
programs = [gdsl.compile(name).prepare("cuda") for name in ("k_core", "coloring")]
for program in programs * 2:  # the first says how long traces are
    program.submit(graph, backend="cuda").result()
bfs, endless = gdsl.compile("bfs").prepare("cuda"), gdsl.compile(ENDLESS).prepare("cuda")
deep = gdsl.Graph.from_edges(range(1600), range(1, 1601))
for each, source in ((deep, 1599), (grids[0], 0)):
    bfs.submit(each, source=source, backend="cuda").result()
for turn in range(3):
    before = bfs.submit(deep, source=0, backend="cuda") if turn == 2 else None
    pending = endless.submit(deep, backend="cuda")
    behind = [program.submit(graph, backend="cuda") for program in programs[:: 1 if turn else -1]]
    print(pending.done(), before is None or len(before.result().trace))
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        if turn:
            bfs(grids[turn], source=0, backend="cuda")
        else:
            pending.result()
    except KeyboardInterrupt:
        print("stopped")
    print(*(each.result().trace is not None for each in behind))
"""
LET_GO = """
graph = generate("grid:40")
other, endless = gdsl.compile("bfs"), gdsl.compile(ENDLESS).prepare("cuda")
other(graph, source=0, backend="cuda")
for turn in range(2):
    pending = endless.submit(graph, backend="cuda", timeout=0.5)
    other = None
    gc.collect()
    print(pending.done())
    try:
        pending.result()
    except gdsl.GdslError as error:
        print(error.code)
print(gdsl.compile("bfs")(graph, source=0, backend="cuda").distance.max())
"""


def test_programs_take_turns_beside_an_endless_run() -> None:
    """Each lays the memory out anew that both work in; and a run whose trace is longer than any before is over, which
    does not wait for those behind it."""
    assert told_by(TURNS) == [*["False True", "stopped", "True True"] * 2, "False 1601", "stopped", "True True"]


def test_a_program_that_nobody_has_any_more_is_let_go_beside_an_endless_run() -> None:
    """The driver unloads machine code once all runs have ended, which nobody stops meanwhile."""
    assert told_by(LET_GO) == ["False", "E0802", "False", "E0802", "78"]


def test_python_ends_with_an_endless_run() -> None:
    text = f"""
import gdsl
program, graph = gdsl.compile({ENDLESS!r}), gdsl.Graph.from_edges([0, 1], [1, 2])
pending = program.submit(graph, backend="cuda")
print(pending.done())
"""
    ended = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout.strip()) == (0, "False"), ended.stderr


def test_long_traces() -> None:
    program = gdsl.compile("bfs")
    program.submit(OTHER, source=0, backend="cuda").result()
    expected = program(LONG, source=0, backend="cuda").trace
    pending = [
        gdsl.compile("bfs", tune=["schedule.block=256"]).submit(LONG, source=0, backend="cuda") for _ in range(6)
    ]
    pending += [program.submit(LONG, source=0, backend="cuda") for _ in range(6)]
    assert [len(each.result().trace) for each in pending] == [len(expected)] * 12
