"""What stops the cpu backend, and what it does without: each one clear message, and the process goes on."""

from __future__ import annotations

import ctypes
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from gdsl.backends.cpu import create_backend, source_text
from gdsl.backends.cpu.backend import CpuBackend
from gdsl.backends.cpu.memory import HostSlice
from gdsl.backends.cpu.run import Run
from gdsl.backends.interface import Bindings, Limits
from gdsl.backends.reference.interpreter import interpret
from gdsl.binding import bind
from gdsl.diagnostics import GdslError
from gdsl.graph import Graph
from gdsl.native import compiler as compilers
from gdsl.pipeline import load
from gdsl.plan.target import Sizes
from gdsl.types import Widths
from tests.cpu.running import executable, run
from tests.support.graphs import make_graph, path

GRAPH = make_graph(path(5), 5)
ENDLESS = "program p; problem { scalar s : int32; } schedule { while (s == 0) { s = 0; } }"
SPINNING = """program p; problem { vertex a : int32; }
vertex functor f(v) { apply { var i = 0; while (i < 10) { var j = 0; while (j < 10) { j = j * 2; } } a[v] = i; } }
schedule { compute(vertices, f); }"""
QUICK = "program quick; problem { vertex a : int32 = 7; } schedule { fill(a, 8); }"


@pytest.mark.sampled(2)
@pytest.mark.parametrize("text", [ENDLESS, SPINNING], ids=["schedule", "functor"])
def test_timeout(text: str) -> None:
    started = time.monotonic()
    with pytest.raises(GdslError) as caught:
        run(text, GRAPH, limits=Limits(timeout=0.2))
    assert caught.value.code == "E0802"
    assert time.monotonic() - started < 30
    assert run(QUICK, GRAPH).arrays["a"].tolist() == [8] * 5


WORKLIST = """program p; problem { vertex d : int32 = inf; }
edge functor relax(src, dst, e) { apply { d[dst] min= d[src] + 1; } }
schedule { d[0] = 0; frontier f = { 0 };
    while (f) { f = advance(f, relax); }
}"""


def test_a_timeout_names_the_loop() -> None:
    cycle = make_graph([(0, 1), (1, 2), (2, 0), (2, 1)], 3)
    for backend in ("reference", "cpu"):
        for timeout in (0.05, 1.0, 20.0):  # in a short time a busy machine may not come to the loop
            with pytest.raises(GdslError) as caught:
                if backend == "cpu":
                    run(WORKLIST, cycle, limits=Limits(timeout=timeout))
                interpret(load(WORKLIST), cycle, Bindings({}, {}), Limits(timeout=timeout))
            [one] = caught.value.diagnostics
            words = r"in pass [\d,]+ of the `while` loop in line 4, in which `relax` had run on \d"
            if found := re.search(words, one.message):
                break
        assert one.code == "E0802" and found and one.span is not None and one.span.line == 4


def test_timeout_within_an_intersection() -> None:
    """Two vertices with many edges between them, and lists as long: the one operator would go on for minutes."""
    many = 300_000
    leaves = np.arange(2, many + 2)
    destinations = np.concatenate([np.ones(many, np.int64), leaves, leaves])
    sources = np.repeat([0, 0, 1], many)
    graph = Graph.from_edges(sources, destinations, many + 2)
    with pytest.raises(GdslError) as caught:
        run("program p; problem { scalar s : int64; } schedule { s = intersect(edges); }", graph, limits=Limits(0.2))
    assert caught.value.code == "E0802"


def test_max_iterations_names_the_loop() -> None:
    with pytest.raises(GdslError) as caught:
        run(ENDLESS, GRAPH, limits=Limits(max_iterations=3))
    assert caught.value.code == "E0803"
    assert caught.value.diagnostics[0].span is not None


STOPPED = """program p; problem { param at : int32; vertex a : int32; vertex b : int32; vertex later : int32; }
edge functor low(src, dst, e) { cond src <= dst; apply { accept true; } }
edge functor other(src, dst, e) { apply { accept dst != 3; } }
vertex functor touch(v) { apply { a[v] += b[at]; } }
schedule {
    frontier grown = { 0 };
    frontier found = advance(vertices, low);
    while (found) { compute(grown, touch); }
    frontier added = advance(vertices, other);
    grown = grown | added;
    compute(grown, touch);
    fill(later, 1);
}
tune { low.direction = pull; other.direction = push; }
"""
"""After the loop, a set takes over the memory of one that was pulled, which has no queue."""


@pytest.mark.parametrize("reason", ["passes", "check", "host"])
def test_a_stopped_run_leaves_out_all_steps_that_follow(reason: str) -> None:
    """Each step relies on those before it: a union reads the queue that the operator before it has filled."""
    ready = executable(STOPPED)
    bindings = bind(ready.program, GRAPH, {"at": 1000 if reason == "check" else 0}, id_bits=32)
    stopped = Run(ready, GRAPH, bindings, Limits(max_iterations=3))
    stopped.control.host_stop = reason == "host"
    stopped.call(ready.library.run)
    control = stopped.control
    assert bool(control.exhausted) == (reason == "passes") and bool(control.failure) == (reason == "check")
    assert stopped.raw_results()["later"].tolist() == [0] * 5
    ready.library.release(ctypes.byref(control))


STOPPED_TOGETHER = """program p;
problem { param at : int32; vertex seen : bool; vertex a : int32; vertex b : int32; vertex later : int32;
    scalar passes : int32; }
edge functor visit(src, dst, e) { cond !seen[dst]; apply { seen[dst] = true; } }
schedule {
    frontier f = { 0 };
    while (f) {
        compute(f, v => { a[v] += b[at]; });
        passes += 1;
        if (at == 1) { f = { 0 }; } else { f = advance(f, visit); }
    }
    fill(later, 1);
}
"""


@pytest.mark.parametrize("reason", ["passes", "check", "host"])
def test_a_stopped_run_of_many_values_leaves_out_all_steps_that_follow(reason: str) -> None:
    ready = CpuBackend(Sizes(shared_visits=0)).build_instances(load(STOPPED_TOGETHER), Widths.both(32))
    assert ready is not None
    last = {"passes": 1, "check": 1000, "host": 2}[reason]
    bound = [bind(ready.program, GRAPH, {"at": at}, id_bits=32) for at in (0, last)]
    stopped = [Run(ready, GRAPH, each, Limits(max_iterations=9)) for each in bound]
    control = stopped[0].control
    control.host_stop = reason == "host"
    assert ready.library.run((HostSlice * 3)(*(each.host for each in stopped))) == 0
    assert bool(control.exhausted) == (reason == "passes") and bool(control.failure) == (reason == "check")
    for each, passes in zip(stopped, (5, 9) if reason == "passes" else (0, 0), strict=True):
        assert each.raw_results()["later"].tolist() == [0] * 5
        assert each.raw_results()["passes"].tolist() == [passes]
        each.end()


@pytest.mark.parametrize("text", [ENDLESS, SPINNING], ids=["schedule", "functor"])
def test_ctrl_c(text: str) -> None:
    run(QUICK, GRAPH)
    timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        timer.start()
        run(text, GRAPH)
    assert run(QUICK, GRAPH).arrays["a"].tolist() == [8] * 5


def test_several_runs_at_once() -> None:
    found: list[list[int]] = []
    threads = [threading.Thread(target=lambda: found.append(run(QUICK, GRAPH).arrays["a"].tolist())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[8] * 5] * 8


def test_no_compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CXX", "no-such-compiler")
    monkeypatch.setattr(compilers.importlib.util, "find_spec", lambda name: None)
    availability = create_backend().availability()
    assert not availability.ok
    assert availability.fix
    with pytest.raises(GdslError) as caught:
        create_backend().build(load(QUICK), 32)
    assert caught.value.code == "E0902"
    assert caught.value.diagnostics[0].fix


def script(tmp_path: Path, name: str, text: str) -> str:
    file = tmp_path / name
    file.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    file.chmod(0o755)
    return str(file)


def test_a_compiler_without_openmp_still_serves(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    real = compilers.required_compiler().command[0]
    refusing = (
        f'for word; do if [ "$word" = -fopenmp ]; then echo "error: no OpenMP" >&2; exit 1; fi; done; {real} "$@"'
    )
    monkeypatch.setenv("CXX", script(tmp_path, "no-openmp", refusing))
    monkeypatch.setenv("GDSL_CACHE_DIR", str(tmp_path / "cache"))
    with pytest.warns(RuntimeWarning, match="no OpenMP"):
        executable = create_backend().build(load(QUICK), 32)
    assert executable.run(GRAPH, Bindings({}, {}), Limits()).arrays["a"].tolist() == [8] * 5


def test_text_that_compiles_without_openmp_alone_is_noticed() -> None:
    """By every test that compiles anything."""
    text = 'extern "C" int f() {\n#pragma omp parallel for\n    return 1;\n}\n'
    with pytest.raises(AssertionError, match="does not compile with OpenMP"):
        compilers.compile_library(text, "f.cpp", compilers.required_compiler())


def test_a_compiler_that_fails_is_one_message(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CXX", script(tmp_path, "broken", 'echo "internal compiler error" >&2; exit 1'))
    monkeypatch.setenv("GDSL_CACHE_DIR", str(tmp_path / "cache"))
    with pytest.raises(GdslError) as caught:
        create_backend().build(load(QUICK), 32)
    assert caught.value.code == "E0905"
    assert "internal compiler error" in str(caught.value)


def test_the_second_build_needs_no_compiler_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GDSL_CACHE_DIR", str(tmp_path / "cache"))
    create_backend().build(load(QUICK), 32)
    monkeypatch.setattr(compilers, "compile_library", lambda *_: pytest.fail("compiled again"))
    executable = create_backend().build(load(QUICK), 32)
    assert executable.run(GRAPH, Bindings({}, {}), Limits()).arrays["a"].tolist() == [8] * 5


def test_a_cache_that_cannot_be_written_does_not_matter(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the directory should be", encoding="utf-8")
    monkeypatch.setenv("GDSL_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr("gdsl.cache._warned", True)
    executable = create_backend().build(load(QUICK), 32)
    assert executable.run(GRAPH, Bindings({}, {}), Limits()).arrays["a"].tolist() == [8] * 5


@pytest.mark.slow
def test_the_same_bytes_under_another_hash_seed() -> None:
    code = (
        "import sys; from gdsl.backends.cpu import source_text; from gdsl.pipeline import load;"
        "sys.stdout.write(source_text(load(sys.argv[1]), 32))"
    )
    sample = "samples/connected_components.gdsl"
    texts = {
        subprocess.run(
            [sys.executable, "-c", code, sample],
            env={**os.environ, "PYTHONHASHSEED": seed},
            stdout=subprocess.PIPE,
            check=True,
            cwd=Path(__file__).parents[2],
        ).stdout
        for seed in ("1", "2")
    }
    assert len(texts) == 1


def test_names_that_mean_something_in_cpp() -> None:
    text = '''"""Ends here */ and goes on \\
    ??/ {% raw %}"""
    program register;
    problem { param int_ : int32 = 1; vertex xor : int32; vertex queue : int32; vertex columns : int32;
              vertex words : int32; scalar NULL : int32; vertex run : int32; scalar M_PI : float32;
              vertex _Bool : bool; }
    function y0(double : float32) -> float32 { return double + 1.0; }
    function main(x : float32) -> float32 { return y0(x); }
    vertex functor template(this) { apply {
        let d = int_; let minimum = d + 1; let total = main(2.0);
        xor[this] = minimum; queue[this] = 2; columns[this] = 3; words[this] += d; NULL += 1; run[this] = int32(total);
        _Bool[this] = true; } }
    edge functor delete(namespace, struct, int) { apply { words[struct] += 10; } }
    schedule { frontier frontier_ = vertices; frontier out = advance(frontier_, delete); compute(out, template);
               frontier members_of = { 0 }; compute(members_of, template); M_PI = 3.0; }'''
    outcome = run(text, GRAPH)
    assert outcome.arrays["xor"].tolist() == [2] * 5
    assert outcome.arrays["words"].tolist() == [1, 11, 11, 11, 11]
    assert outcome.arrays["run"].tolist() == [3] * 5
    assert outcome.scalars == {"NULL": 5, "M_PI": 3.0}


def test_names_of_the_text_around_a_functor() -> None:
    text = """program p;
    problem { vertex queue : int32; vertex T : int32; vertex far_ : int32; scalar members : int64; }
    edge functor visit(out, at, run) { apply {
        let visit_apply = 1; let totals = 2; let result = 3; let reduced = 4; let combine = 5; let bits = 6;
        T[at] += visit_apply + totals + result + reduced + combine + bits; far_[out] += 1; members += 1; } }
    vertex functor apply_visit(seen) { apply { queue[seen] += 1; } }
    edge functor reduce(combine, near_, value_) -> int32 { value T[combine]; }
    schedule { frontier seen_ = vertices; frontier next = advance(seen_, visit);
               frontier result = advance(next, visit, over=in_edges); compute(result, apply_visit);
               T = neighbor_reduce(result, reduce, sum, over=in_edges); }"""
    outcome = run(text, GRAPH)
    assert outcome.arrays["far_"].tolist() == [2, 2, 2, 2, 0]
    assert outcome.arrays["queue"].tolist() == [1, 1, 1, 1, 0]
    assert outcome.arrays["T"].tolist() == [0, 0, 42, 42, 42]
    assert outcome.scalars == {"members": 8}


def test_the_text_reads_well() -> None:
    text = source_text(load("samples/bfs.gdsl"), 32)
    assert text.startswith("// bfs: ")
    assert "visit_claim(const data_slice& d, vertex dst, int32 iteration)" in text
    assert "distance[dst] = iteration + 1;" in text
    assert max(map(len, text.splitlines())) < 160
