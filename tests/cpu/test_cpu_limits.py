"""OpenMP's environment and limits of the machine: a run, or one message."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import gdsl
from gdsl.backends.cpu.backend import CpuBackend
from gdsl.backends.cpu.run import Run
from gdsl.backends.interface import Limits
from gdsl.binding import bind
from gdsl.diagnostics import GdslError
from gdsl.native.compiler import find_compiler
from gdsl.pipeline import load

resource = pytest.importorskip("resource")
pytestmark = pytest.mark.skipif(find_compiler() is None, reason="needs a C++ compiler")
TEXT = """program p;
problem { vertex a : int32 = 7; }
vertex functor f(v) { apply { a[v] = 8; } }
schedule { compute(vertices, f); }
"""


@pytest.fixture
def gdslc(tmp_path):
    (tmp_path / "p.gdsl").write_text(TEXT)

    def call(backend="cpu", limit=None, **environment):
        return subprocess.run(
            [sys.executable, "-m", "gdsl", "run", "p.gdsl", "grid:100", "--backend", backend],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            cwd=tmp_path,
            env={**os.environ, **environment},
            preexec_fn=limit,
        )

    return call


GOOD = ["1", "3", " 2 ", "4,2", "100000", "007", "999999999"]
BAD = ["0", "-1", "abc", "1e3", "2147483648", "99999999999999999999", "3,", "1.5", "2;3", "é", "x" * 1000]


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("value", [*GOOD, *BAD, "", " "])
@pytest.mark.sampled(54)
def test_number_of_threads(gdslc, value):
    answer = gdslc(OMP_NUM_THREADS=value)
    assert answer.returncode == 0, answer.stderr
    assert "libgomp" not in answer.stderr
    assert "OMP:" not in answer.stderr
    assert ("warning: OMP_NUM_THREADS" in answer.stderr) == (value in BAD)
    assert len(answer.stderr) < 300


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    ("name", "value"),
    [("OMP_THREAD_LIMIT", "x"), ("OMP_THREAD_LIMIT", "0"), ("OMP_STACKSIZE", "banana"), ("OMP_STACKSIZE", "100G")],
)
def test_other_settings_of_openmp(gdslc, name, value):
    answer = gdslc(**{name: value})
    assert answer.returncode == 0, answer.stderr
    assert answer.stderr.startswith(f"warning: {name}")


def test_settings_stay_as_they_were(monkeypatch, tmp_path):
    import gdsl

    monkeypatch.setenv("OMP_NUM_THREADS", "many")
    monkeypatch.setenv("GDSL_CACHE_DIR", str(tmp_path))
    gdsl.compile(TEXT.replace("8", "9")).prepare("cpu")
    assert os.environ["OMP_NUM_THREADS"] == "many"


@pytest.mark.parametrize("mebibytes", [40, 80, 120, 160, 200, 240, 255, 256, 300, 400, 600])
@pytest.mark.sampled(9)
def test_little_address_space_is_a_run_or_one_message(gdslc, mebibytes):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (mebibytes << 20, mebibytes << 20))

    answer = gdslc(limit=limit)
    said = answer.stdout + answer.stderr
    for word in ("Traceback", "internal error", "libgomp", "OpenBLAS", "terminate called", "cannot write the output"):
        assert word not in said
    assert answer.returncode in (0, 1), answer
    if answer.returncode == 1:
        assert "error[E09" in answer.stderr
        assert answer.stderr.count("error") <= 2


def test_an_index_behind_a_loop_that_was_stopped_is_no_mistake() -> None:
    text = """program p; problem { vertex a : int32; }
        schedule { frontier f = { 0 }; while (f) { } a[1] = 1; }"""
    with pytest.raises(GdslError) as caught:
        gdsl.compile(text).run(gdsl.Graph.from_edges([], [], 1), backend="cpu", max_iterations=10)
    assert caught.value.diagnostics[0].code == "E0803"


def test_no_memory_for_the_ids_of_edges_is_a_message() -> None:
    """They are made before anything else, of programs whose graphs leave edges out."""
    made = "graph h; h = subgraph(filter(edges, (src, dst, e) => src == 0)); on h { compute(vertices, f); }"
    ready = CpuBackend().build(load(TEXT.replace("compute(vertices, f);", made)), 32)
    graph = gdsl.Graph.from_edges([0], [1], 2)
    run = Run(ready, graph, bind(ready.program, graph, {}, id_bits=32), Limits())
    run.host.graph.num_edges = 1 << 50
    run.call(ready.library.run)
    with pytest.raises(GdslError) as caught:
        run.outcome()
    assert caught.value.code == "E0912"


ONE_AND_ALL = """
import os, sys, gdsl
text = "program p; problem { param x : int32; vertex a : int32 = x; } schedule { repeat (x) { a[0] = 1; } }"
program, graph = gdsl.compile(text), gdsl.Graph.generate("grid", rows=200, columns=200)
program.map(graph, x=list(range(64)), backend="cpu")
before = len(os.listdir("/proc/self/task"))
program(graph, x=1, backend="cpu")
print(len(os.listdir("/proc/self/task")) - before)
"""


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="needs Linux")
@pytest.mark.slow
def test_runs_of_one_thread_each_leave_the_others_theirs() -> None:
    answer = subprocess.run(
        [sys.executable, "-c", ONE_AND_ALL],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "OMP_NUM_THREADS": "5"},
    )
    assert answer.returncode == 0, answer.stderr
    assert int(answer.stdout) >= 4
