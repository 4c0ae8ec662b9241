"""The timeout and Ctrl-C hold for everything between the call and the result, not for the run alone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import gdsl
from gdsl import Graph
from gdsl.api.saved_results import read_result
from gdsl.backends import registry
from gdsl.deadline import timeout_error
from gdsl.diagnostics import GdslError
from gdsl.graph import table_columns
from tests.support.clock import Clock, wait_until_computing

GRAPH = Graph.from_edges([0, 1, 2], [1, 2, 0])
KARATE = Path(__file__).parents[2] / "samples" / "graphs" / "karate.mtx"
LONG = 90
"""Seconds after which a test gives up waiting for a process."""
LOOP = "function endless(x: int32) -> int32 { var y = x; while (y != -5) { y = y ^ 1; } return y; }"
RANGE = "function endless(x: int64) -> int64 { var y = x; for i in 0..int64(inf) { y = y ^ i; } return y; }"
CALLS = "function c0(x: int32) -> int32 { return x ^ 1; }" + "".join(
    f"function c{i}(x: int32) -> int32 {{ return c{i - 1}(x) ^ c{i - 1}(x ^ 1); }}" for i in range(1, 60)
)
FUNCTIONS = {"while": LOOP, "range": RANGE, "calls": CALLS + "function endless(x: int32) -> int32 { return c59(x); }"}


def where(function: str) -> str:
    data = "problem { input vertex x : int32 where endless(x) > 0; }"
    return f"program p;\n{data}\n{function}\nschedule {{ }}"


PLACES = {
    "initial value": "problem { vertex a : int32 = endless(1); }",
    "initial scalar": "problem { scalar s : int32 = endless(1); }",
    "schedule": "problem { scalar s : int32; } schedule { s = endless(1); }",
    "condition": "problem { scalar s : int32; } schedule { while (endless(s) > 0) { s = 1; } }",
    "functor": "problem { vertex a : int32; } vertex functor f(v) { apply { a[v] = endless(1); } } "
    "schedule { compute(vertices, f); }",
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("form", FUNCTIONS)
def test_a_where_that_never_ends(form: str) -> None:
    program = gdsl.compile(where(FUNCTIONS[form]))
    for backend in ("reference", "cpu"):
        if not registry.availability(backend).ok:
            continue
        program.prepare(backend)
        with pytest.raises(GdslError) as caught:
            program.run(GRAPH, {"x": [1, 2, 3]}, backend=backend, timeout=0.3)
        assert caught.value.code == "E0802"
        assert "0.3 seconds" in str(caught.value)
        assert "while testing the `where` of input `x`" in str(caught.value)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("backend", ["reference", "cpu"])
@pytest.mark.sampled(12)
def test_expressions_that_never_end(place: str, backend: str) -> None:
    if not registry.availability(backend).ok:
        pytest.skip("no C++ compiler")
    schedule = "" if "schedule {" in PLACES[place] else "schedule { }"
    program = gdsl.compile(f"program p;\n{PLACES[place]}\n{LOOP}\n{schedule}")
    program.prepare(backend)
    with pytest.raises(GdslError) as caught:
        program.run(GRAPH, {}, backend=backend, timeout=0.5)
    assert caught.value.code == "E0802"
    assert gdsl.compile("program q; problem { } schedule { }").run(GRAPH, backend=backend).iterations == 0


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("backend", ["reference", "cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
@pytest.mark.sampled(12)
def test_functions_whose_calls_never_end(place: str, backend: str) -> None:
    if not registry.availability(backend).ok:
        pytest.skip(f"no {backend}")
    schedule = "" if "schedule {" in PLACES[place] else "schedule { }"
    program = gdsl.compile(f"program p;\n{PLACES[place]}\n{FUNCTIONS['calls']}\n{schedule}")
    program.prepare(backend)
    began = time.monotonic()
    with pytest.raises(GdslError) as caught:
        program.run(GRAPH, {}, backend=backend, timeout=0.5)
    assert caught.value.code == "E0802"
    assert time.monotonic() - began < LONG


def test_the_timeout_counts_from_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    from gdsl.backends.reference.backend import ReferenceBackend

    build, clock = ReferenceBackend.build, Clock(monkeypatch)

    def slow(self: ReferenceBackend, *arguments: object) -> object:
        clock.advance(LONG + 1)
        return build(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(ReferenceBackend, "build", slow)
    with pytest.raises(GdslError, match=r"90 seconds, its timeout, while compiling the program"):
        gdsl.compile("program q; problem { } schedule { }").run(GRAPH, backend="reference", timeout=LONG)
    monkeypatch.setattr(ReferenceBackend, "build", build)
    result = gdsl.compile("program q; problem { } schedule { }").run(GRAPH, backend="reference", timeout=LONG)
    assert result.iterations == 0


@pytest.mark.slow
def test_a_compiler_that_never_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is ended with what it has started."""
    pids = tmp_path / "pids"
    script = tmp_path / "c++"
    script.write_text(f"#!/bin/sh\nsleep 1000 &\necho $$ $! > {pids}\nwait\n")
    script.chmod(0o755)
    monkeypatch.setenv("CXX", str(script))
    monkeypatch.setenv("GDSL_CACHE_DIR", str(tmp_path / "cache"))
    from gdsl.deadline import limited
    from gdsl.native import compiler

    wanted, clock = compiler.Compiler((str(script),), "never"), Clock(monkeypatch)

    def pass_time() -> None:
        while not (pids.exists() and pids.read_text().endswith("\n")):
            time.sleep(0.05)
        clock.advance(LONG + 1)

    threading.Thread(target=pass_time, daemon=True).start()
    with limited(LONG), pytest.raises(GdslError, match="while compiling the program"):
        compiler.compile_library("int main() {}", "p.cpp", wanted)
    for pid in map(int, pids.read_text().split()):
        assert _is_gone(pid)


def _is_gone(pid: int) -> bool:
    for _ in range(100):
        try:
            if "Z" in Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1][:3]:
                return True
            os.kill(pid, 0)
        except (OSError, ProcessLookupError):
            return True
        time.sleep(0.05)
    return False


def gdslc(*words: str, **options: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "gdsl", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    )  # type: ignore[call-overload, no-any-return]


def endless_program(tmp_path: Path) -> str:
    path = tmp_path / "p.gdsl"
    path.write_text(where(LOOP))
    (tmp_path / "x.txt").write_text("1 " * 34)
    return str(path)


@pytest.mark.slow
def test_ctrl_c_in_a_where(tmp_path: Path) -> None:
    process = gdslc(
        "run", endless_program(tmp_path), str(KARATE), "-p", f"x=@{tmp_path / 'x.txt'}", "--backend", "reference"
    )
    wait_until_computing(process)
    process.send_signal(signal.SIGINT)
    output, error = process.communicate(timeout=LONG)
    assert (process.returncode, output, error.strip()) == (130, "", "interrupted")


@pytest.mark.sampled(6)
@pytest.mark.parametrize("endless", ["zero", "random", "pipe"])
def test_inputs_without_an_end(tmp_path: Path, endless: str) -> None:
    file = {"zero": "/dev/zero", "random": "/dev/urandom", "pipe": str(tmp_path / "pipe")}[endless]
    if endless == "pipe":
        os.mkfifo(file)
        threading.Thread(target=_write_forever, args=(file,), daemon=True).start()
    process = gdslc("run", endless_program(tmp_path), str(KARATE), "-p", f"x=@{file}", "--backend", "reference")
    _, error = process.communicate(timeout=LONG)
    assert process.returncode == 1
    assert error.startswith(f"error[E0611]: cannot read an array from {file}: ")
    assert len(error.strip().split("\n")) == 1


def _write_forever(path: str) -> None:
    try:
        with open(path, "w") as pipe:
            while True:
                pipe.write("1 2 3\n" * 1000)
    except BrokenPipeError:
        pass


@pytest.mark.parametrize("what", ["input", "program"])
@pytest.mark.slow
@pytest.mark.rare(2)
def test_the_timeout_covers_waiting_for_a_file(tmp_path: Path, what: str) -> None:
    pipe = tmp_path / "silent.mtx"
    os.mkfifo(pipe)
    given = {
        "program": endless_program(tmp_path),
        "graph": str(KARATE),
        "input": str(tmp_path / "x.txt"),
        what: str(pipe),
    }
    doing = "compiling" if what == "program" else "reading"
    for timeout in ("5", "60"):  # a busy machine may not come to it in a short time
        words = [given["program"], given["graph"], "-p", f"x=@{given['input']}", "--backend", "reference"]
        process = gdslc("run", *words, "--timeout", timeout)
        _, error = process.communicate(timeout=120 + LONG)
        assert process.returncode == 1
        told = f"error[E0802]: the run was stopped after {timeout} seconds, its timeout"
        if error == f"{told}, while {doing} {pipe}\n":
            return
        assert error.startswith(told)
    pytest.fail(error)


@pytest.mark.slow
def test_arrays_from_pipes(tmp_path: Path) -> None:
    """Every byte counts, and array files come through pipes too."""
    import numpy as np

    program = tmp_path / "p.gdsl"
    program.write_text(
        "program p; problem { input vertex x : int32 where x >= 100; scalar s : int32; } schedule { s = 1; }"
    )
    np.save(tmp_path / "x.npy", np.arange(100, 134, dtype=np.int32))
    (tmp_path / "x.txt").write_text(" ".join(str(value) for value in range(100, 134)))
    for file in ("x.npy", "x.txt"):
        pipe = tmp_path / f"pipe_{file}"
        os.mkfifo(pipe)
        content = (tmp_path / file).read_bytes()
        threading.Thread(target=pipe.write_bytes, args=(content,), daemon=True).start()
        process = gdslc("run", str(program), str(KARATE), "-p", f"x=@{pipe}", "--backend", "reference", "--json")
        output, error = process.communicate(timeout=LONG)
        assert process.returncode == 0, error
        assert '"value": 1' in output


def late(*_: object, **__: object) -> None:
    """What a signal raises in the middle of a library."""
    raise timeout_error(0.1)


def test_a_timeout_is_not_taken_for_an_error_of_a_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program, path = gdsl.samples.sssp, tmp_path / "a.npz"
    np.savez(path, distance=np.zeros(3))
    monkeypatch.setattr(np, "load", late)
    with pytest.raises(GdslError) as of_results:
        read_result(path, program, GRAPH)
    frame = type("Frame", (), {"columns": property(late)})()
    with pytest.raises(GdslError) as of_columns:
        table_columns._Frame(frame)
    assert {each.value.code for each in (of_results, of_columns)} == {"E0802"}
