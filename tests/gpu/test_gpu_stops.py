"""What stops a run on a GPU: each time one clear error, soon, and the process goes on with other programs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import gdsl
from tests.support.graphs import make_graph, path

pytestmark = pytest.mark.gpu

GRAPH = make_graph(path(2000), 2000)
ENDLESS = {
    "schedule": "program p; problem { scalar s : int32; } schedule { while (s == 0) { s = 0; } }",
    "operators": """program p; problem { vertex a : int32; scalar s : int32; }
        vertex functor f(v) { apply { a[v] += 1; } }
        schedule { while (s == 0) { compute(vertices, f); } }""",
    "frontier": """program p; problem { vertex a : int32; } edge functor f(src, dst, e) { apply { a[dst] += 1; } }
        vertex functor all(v) { }
        schedule { frontier f0 = vertices; while (f0) { advance(f0, f, to=none); f0 = where(all); } }""",
    "functor": """program p; problem { vertex a : int32; } vertex functor f(v) { apply {
        var i = 0; while (i < 10) { var j = 0; while (j < 10) { j = j * 2; } } a[v] = i; } }
        schedule { compute(vertices, f); }""",
}
QUICK = gdsl.compile("program quick; problem { vertex a : int32 = 7; } schedule { fill(a, 8); }")
SAMPLE = Path(__file__).parents[2] / "samples" / "bfs.gdsl"
BFS = gdsl.compile(SAMPLE)
LOOPS = {name: text for name, text in ENDLESS.items() if name != "functor"}
by_form = pytest.mark.parametrize("fuse", [True, False], ids=["fused", "unfused"])
by_text = pytest.mark.parametrize("text", ENDLESS.values(), ids=list(ENDLESS))


def assert_usable() -> None:
    """Another program runs, and the sample gives what it should."""
    assert QUICK(GRAPH, backend="cuda").host_arrays()["a"].tolist() == [8] * 2000
    result = BFS(GRAPH, source=0, backend="cuda")
    assert result.host_arrays()["distance"].tolist() == list(range(2000))


@by_form
@by_text
def test_timeout(text: str, fuse: bool) -> None:
    program = gdsl.compile(text, fuse=fuse).prepare("cuda")
    started = time.monotonic()
    with pytest.raises(gdsl.GdslError) as caught:
        program(GRAPH, backend="cuda", timeout=0.3)
    assert caught.value.code == "E0802"
    assert time.monotonic() - started < 10
    assert_usable()


@by_form
@pytest.mark.parametrize("text", LOOPS.values(), ids=list(LOOPS))
def test_max_iterations(text: str, fuse: bool) -> None:
    with pytest.raises(gdsl.GdslError) as caught:
        gdsl.compile(text, fuse=fuse)(GRAPH, backend="cuda", max_iterations=17)
    assert caught.value.code == "E0803"
    assert "17 passes" in str(caught.value)
    assert_usable()


@by_form
@by_text
def test_ctrl_c(text: str, fuse: bool) -> None:
    program = gdsl.compile(text, fuse=fuse).prepare("cuda")
    assert_usable()
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        timer.start()
        program(GRAPH, backend="cuda")
    assert time.monotonic() - started < 10
    assert_usable()


@by_form
def test_an_index_out_of_range(fuse: bool) -> None:
    text = """program p; problem { vertex a : int32; } vertex functor f(v) { apply { a[vertex(int64(v) * 2)] += 1; } }
        schedule { repeat (3) { compute(vertices, f); } }"""
    with pytest.raises(gdsl.GdslError, match="out of range") as caught:
        gdsl.compile(text, fuse=fuse)(GRAPH, backend="cuda")
    assert caught.value.code == "E0801"
    assert_usable()


def test_runs_of_one_program_one_after_the_other() -> None:
    """What a stopped run leaves behind does not reach the next run of the same program."""
    program = gdsl.compile(ENDLESS["operators"].replace("s == 0", "iteration < 50"))
    for _ in range(5):
        with pytest.raises(gdsl.GdslError):
            program(GRAPH, backend="cuda", max_iterations=20)
        assert set(program(GRAPH, backend="cuda").host_arrays()["a"].tolist()) == {50}


FAULT = """
import cupy, pathlib, sys, threading, time
import gdsl
from tests.support.graphs import make_graph, path

program = gdsl.compile(pathlib.Path(sys.argv[1])).prepare("cuda")
graph = make_graph(path(2000), 2000)
program(graph, source=0, backend="cuda")
store = 'extern "C" __global__ void store(int* x) { for (int i = 0; i < 1000; i++) { __nanosleep(1000); } *x = 1; }'
cupy.RawKernel(store, "store")((1,), (1,), (cupy.uint64(8),))
try:
    if sys.argv[2] == "call":
        program(graph, source=0, backend="cuda")
    else:
        program.submit(graph, source=0, backend="cuda").result()
except cupy.cuda.runtime.CUDARuntimeError as error:
    print("raised", error)
"""


@pytest.mark.parametrize("how", ["call", "submit"])
def test_a_kernel_that_faults_is_told_of(how: str) -> None:
    """In a process of its own, whose GPU cannot be used any more. The driver's error comes at once, as nothing of the
    run can be done; the caller's kernel before it waits long enough for the run to be queued."""
    command = [sys.executable, "-c", FAULT, str(SAMPLE), how]
    found = subprocess.run(
        command, check=False, capture_output=True, text=True, timeout=100, cwd=Path(__file__).parents[2]
    )
    assert found.stdout.startswith("raised cudaError"), found.stdout + found.stderr
