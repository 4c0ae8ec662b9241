"""Compilers that misbehave: one message, nothing of it kept, and `auto` goes on to the next backend."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import gdsl
from gdsl import cache
from gdsl.backends.cpu import backend
from gdsl.backends.cpu import library as libraries
from gdsl.backends.cpu.backend import CpuBackend, plan_of
from gdsl.diagnostics import GdslError
from gdsl.native import compiler as compilers
from gdsl.native import processes, processor
from gdsl.native.library_check import is_cut_off

TEXT = """program p;
problem { vertex a : int32 = 7; }
vertex functor f(v) { apply { a[v] = 8; } }
schedule { compute(vertices, f); }
"""

REAL = shutil.which("g++") or shutil.which("c++")
pytestmark = pytest.mark.skipif(REAL is None, reason="needs a C++ compiler")

# `$out` is the file after -o, the last word of every call.
AFTERWARDS = {
    "half": 'truncate -s $(( $(stat -c %s "$out") / 2 )) "$out"',
    "nearly whole": 'truncate -s $(( $(stat -c %s "$out") - 100 )) "$out"',
    "a header": 'truncate -s 64 "$out"',
    "a page": 'truncate -s 4096 "$out"',
    "empty": ': > "$out"',
    "garbage": 'head -c 20000 /dev/urandom > "$out"',
    "text": 'echo "int main() {}" > "$out"',
    "zeros behind the start": 'dd if=/dev/zero of="$out" bs=512 seek=1 count=30 conv=notrunc 2>/dev/null',
    "another library": 'echo "int other() { return 1; }" | g++ -x c++ - -shared -fPIC -o "$out"',
    "one symbol missing": """echo 'extern "C" int gdsl_run() { return 0; }' | g++ -x c++ - -shared -fPIC -o "$out" """,
    "an object": 'echo "int other() { return 1; }" | g++ -x c++ - -c -o "$out"',
    "ends the process": """echo 'struct s { s() { __builtin_trap(); } } x; extern "C" int gdsl_run() { return 0; }
        extern "C" int gdsl_release() { return 0; }' | g++ -x c++ - -shared -fPIC -o "$out" """,
}


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("GDSL_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "_warned", False)


@pytest.fixture
def script(tmp_path, monkeypatch):
    """Makes a shell script the compiler."""

    def make(text):
        file = tmp_path / "cxx"
        file.write_text(f'#!/bin/sh\nfor word; do out="$word"; done\n{text}\n')
        file.chmod(0o755)
        monkeypatch.setenv("CXX", str(file))

    return make


def assert_gone(group):
    """Nothing of a process group goes on."""
    for _ in range(200):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    pytest.fail("something of the compiler goes on")


def run(backend="cpu"):
    return gdsl.compile(TEXT)(gdsl.Graph.from_edges([0], [1]), backend=backend)


def refused(code="E0906"):
    with pytest.raises(GdslError) as caught:
        run()
    assert caught.value.code == code
    assert caught.value.diagnostics[0].fix
    assert len(str(caught.value)) < 1000
    return str(caught.value)


@pytest.mark.parametrize("kind", AFTERWARDS)
@pytest.mark.sampled(12)
def test_broken_library_is_one_message_and_is_not_kept(kind, script):
    script(f'{REAL} -O0 "$@" || exit 1\n{AFTERWARDS[kind]}')
    assert "cannot be loaded" in refused()
    assert not list(cache.directory().glob("cpu/*"))
    result = run("auto")
    if result.backend == "reference":  # where a GPU answers, that is what is taken
        assert "cannot be loaded" in result.backend_line
    assert result.a.tolist() == [8, 8]


def test_library_that_is_broken_once_is_made_again(script, tmp_path):
    script(f'{REAL} -O0 "$@" || exit 1\nif mkdir {tmp_path}/once 2>/dev/null; then truncate -s 5000 "$out"; fi')
    refused()
    assert run().a.tolist() == [8, 8]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A cache with the library, made by another process, so that none has it open."""
    place = tmp_path_factory.mktemp("made") / "cache"
    code = f"from gdsl.native import compiler; compiler.OPTIONS = {compilers.OPTIONS!r}"
    code += f"; import gdsl; gdsl.compile({TEXT!r}).prepare('cpu')"
    environment = {**os.environ, "GDSL_CACHE_DIR": str(place)}
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120, env=environment)
    return place


@pytest.fixture
def filled(made):
    """The library in the test's own cache."""
    shutil.copytree(made, cache.directory())
    [entry] = cache.directory().glob("cpu/*.so")
    return entry


@pytest.mark.slow
def test_kept_library_that_cannot_be_loaded_any_more_is_made_again(monkeypatch, filled):
    """The entry is whole and is the right one; it may be the machine that has changed around it."""
    entry = filled
    data = b"no library"
    entry.write_bytes(data + cache._trailer(entry.name, data))
    compiled = []
    real = compilers.compile_library
    monkeypatch.setattr(compilers, "compile_library", lambda *words: compiled.append(words) or real(*words))
    assert run().a.tolist() == [8, 8]
    assert len(compiled) == 1
    assert run().a.tolist() == [8, 8]
    assert len(compiled) == 1


@pytest.mark.sampled(12)
@pytest.mark.parametrize("size", [0, 1, 63, 64, 1000, 4096, 8192])
def test_damaged_library_in_the_cache_never_ends_the_process(size, filled):
    os.truncate(filled, size)
    assert run().a.tolist() == [8, 8]


@pytest.mark.skipif(sys.platform != "linux", reason="the format is that of Linux")
def test_library_is_whole_or_cut_off(tmp_path, filled):
    whole = filled
    assert not is_cut_off(whole)
    data = whole.read_bytes()[: -cache._TRAILER]
    assert not is_cut_off(whole)
    file = tmp_path / "x.so"
    for size in (*range(4, 70), *range(100, len(data), 371), len(data) - 1):
        file.write_bytes(data[:size])
        assert is_cut_off(file), size


def test_compiler_that_writes_nothing(script):
    script("exit 0")
    assert "wrote nothing" in refused()


def test_compiler_that_writes_a_directory(script):
    script('mkdir "$out"')
    refused()


def test_endless_output_is_cut(script):
    script("exec yes 'warning: all is well'")
    started = time.monotonic()
    assert "printed more than" in refused()
    assert time.monotonic() - started < 60


@pytest.mark.parametrize(
    "text", ["sleep 1000", "sleep 1000 & wait", "exec >/dev/null 2>&1; sleep 1000", "trap '' TERM; sleep 1000"]
)
@pytest.mark.slow
@pytest.mark.rare(4)
def test_compiler_that_never_ends_is_stopped_with_all_that_it_started(script, monkeypatch, text, tmp_path):
    monkeypatch.setenv("GDSL_COMPILER_TIMEOUT", "0.3")
    script(f"echo $$ > {tmp_path}/pid\n{text}")
    assert "did not end within 0.3 seconds" in refused()
    assert_gone(int((tmp_path / "pid").read_text()))


def test_what_a_compiler_leaves_behind_is_not_waited_for(script):
    """As the server of a compiler cache, which holds on to the output of who started it."""
    script(f'sleep 20 &\n{REAL} -O0 "$@"')
    started = time.monotonic()
    assert run().a.tolist() == [8, 8]
    assert time.monotonic() - started < 19


def test_compiler_that_is_killed(script):
    script("kill -SEGV $$")
    with pytest.raises(GdslError) as caught:
        run()
    assert "SIGSEGV" in str(caught.value)


def test_file_that_cannot_be_started(tmp_path, monkeypatch):
    file = tmp_path / "cxx"
    file.write_bytes(b"\x7fELF no program")
    file.chmod(0o755)
    monkeypatch.setenv("CXX", str(file))
    assert "could not be compiled" in refused()


@pytest.mark.parametrize(
    "value",
    [
        'g++ "',
        "g++ '",
        "'",
        '"',
        "g++ \\",
        "/",
        "{dir}",
        "no-such-compiler",
        "{dir}/none",
        "{dir}/plain",
        "~/none",
        "--version",
    ],
)
def test_cxx_that_names_no_compiler_is_one_message(tmp_path, monkeypatch, value):
    (tmp_path / "plain").write_text("not to be executed")
    monkeypatch.setenv("CXX", value.format(dir=tmp_path))
    assert "CXX" in refused("E0902")
    result = run("auto")
    if result.backend == "reference":
        assert "CXX" in result.backend_line


@pytest.mark.sampled(12)
@pytest.mark.parametrize(
    "value",
    ["", "   ", "{real}", "{real} -O1 -DANYTHING='a b'", "env {real}", "env LC_ALL=C {real} -O0", "{real}\n-O0"],
)
def test_cxx_with_words_and_wrappers_works(monkeypatch, value):
    monkeypatch.setenv("CXX", value.format(real=REAL))
    assert run().a.tolist() == [8, 8]


def test_another_compiler_behind_the_same_wrapper_is_another_compiler(tmp_path, monkeypatch):
    inner = tmp_path / "inner"
    inner.write_text(f'#!/bin/sh\nexec {REAL} "$@"\n')
    inner.chmod(0o755)
    monkeypatch.setenv("CXX", f"env {inner}")
    before = compilers.find_compiler().identity
    inner.write_text(f'#!/bin/sh\nexec {REAL} -O0 "$@"\n')
    assert compilers.find_compiler().identity != before


@pytest.mark.parametrize("value", ["0", "-1", "nan", "inf", "soon", ""])
def test_nonsense_as_the_time_that_a_compiler_may_take_is_none(monkeypatch, value):
    monkeypatch.setenv("GDSL_COMPILER_TIMEOUT", value)
    compilers._timeout_of.cache_clear()
    said: list[str] = []
    monkeypatch.setattr(compilers, "caution", said.append)
    assert compilers._timeout() == compilers._DEFAULT_TIMEOUT
    expected = [f"GDSL_COMPILER_TIMEOUT='{value}' is not a number of seconds; 120 is used"] if value else []
    assert said == expected


def test_doctor_tries_the_compiler(script):
    script("exit 0")
    answer = subprocess.run(
        [sys.executable, "-m", "gdsl", "doctor"], capture_output=True, text=True, check=False, timeout=120
    )
    assert answer.returncode == 1
    assert "!!  C++ compiler" in answer.stdout
    assert "wrote nothing" in answer.stdout


@pytest.mark.slow
def test_interrupted_compiler_is_stopped(tmp_path):
    """Ctrl-C reaches gdsl alone, as compilers have sessions of their own; they end with it."""
    code = f"""
import os, signal, threading, sys
from gdsl.native import processes
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    processes.run(["sh", "-c", "echo $$ > {tmp_path}/pid; sleep 1000"], 60, 1000)
except KeyboardInterrupt:
    sys.exit(7)
"""
    done = subprocess.run([sys.executable, "-c", code], check=False, timeout=60)
    assert done.returncode == 7
    assert_gone(int((tmp_path / "pid").read_text()))


def test_output_is_bounded_in_memory():
    with pytest.raises(processes.EndlessError):
        processes.run(["yes"], 60, 1 << 16)


@pytest.mark.slow
def test_libraries_are_closed_when_nobody_uses_them(tmp_path):
    """Of one compiler the first stays, and with it the OpenMP library."""
    import gc

    def mapped():
        with open("/proc/self/maps") as maps:
            return {line.split()[-1] for line in maps if str(tmp_path) in line}

    if not Path("/proc/self/maps").exists():
        pytest.skip("the mapped files cannot be seen here")
    graph = gdsl.Graph.from_edges([0], [1])
    for value in range(4):
        assert gdsl.compile(TEXT.replace("8", str(value)))(graph, backend="cpu").a.tolist() == [value] * 2
    kept = gdsl.compile(TEXT)
    assert kept(graph, backend="cpu").a.tolist() == [8, 8]
    gc.collect()
    assert len(mapped()) <= 2
    assert kept(graph, backend="cpu").a.tolist() == [8, 8]


def test_frozen_applications_try_libraries_themselves(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert run().a.tolist() == [8, 8]
    file = tmp_path / "x.so"
    file.write_bytes(b"no library")
    assert libraries.refusal(file) is not None
    assert CpuBackend().availability().ok


def test_tunings_that_come_to_one_text_are_compiled_once(monkeypatch):
    """Threads of the cpu backend know no balances; a direction is other text."""
    compiled = []
    real = compilers.compile_library
    monkeypatch.setattr(compilers, "compile_library", lambda *words: compiled.append(words) or real(*words))
    bfs = Path(__file__).parents[2] / "samples" / "bfs.gdsl"
    graph = gdsl.Graph.from_edges([0, 1], [1, 2])
    for balance in ("warp", "merge", "warp"):
        program = gdsl.compile(bfs, tune=[f"visit.balance={balance}"])
        assert program.run(graph, {"source": 0}, backend="cpu").distance.tolist() == [0, 1, 2]
        assert len(compiled) == 1
    gdsl.compile(bfs, tune=["visit.direction=pull"]).prepare("cpu")
    assert len(compiled) == 2


def test_a_kept_program_starts_no_process_and_plans_nothing_before_a_trace_is_looked_at(monkeypatch):
    text = "program p; problem { vertex a : int32 = 7; }\nvertex functor f(v) { apply { a[v] += 1; } }"
    program = gdsl.compile(f"{text}\nschedule {{ compute(vertices, f); }}\n")
    graph = gdsl.Graph.from_edges([0], [1])
    first = program(graph, backend="cpu")
    processor.identity.cache_clear()
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("a process is started"))
    planned = []

    def plans(*given, **named):
        planned.append(plan_of(*given, **named))
        return planned[-1]

    monkeypatch.setattr(backend, "plan_of", plans)
    again = gdsl.compile(program.text.text)(graph, backend="cpu")
    assert again.a.tolist() == first.a.tolist() == [8, 8]
    assert planned == []
    assert again.trace == first.trace
    assert len(planned) == 1
