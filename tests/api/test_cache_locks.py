"""What several threads or processes want to compile at the same moment is compiled once."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gdsl import cache
from gdsl.backends.cpu.backend import CpuBackend
from gdsl.cache import locks
from gdsl.deadline import limited
from gdsl.native import compiler
from gdsl.pipeline import load
from gdsl.types import Widths

HOLDS = """
import sys, time
from gdsl import cache
with cache.lock("kind", ("key",)):
    print("here", flush=True)
    sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GDSL_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def files(place: Path) -> list[str]:
    return [path.name for path in place.rglob("*") if path.is_file()]


@pytest.mark.skipif(compiler.find_compiler() is None, reason="no C++ compiler")
def test_threads_compile_a_program_once(monkeypatch: pytest.MonkeyPatch, own_cache: Path) -> None:
    program = load("program ones; problem { vertex x : int32; } schedule { compute(vertices, (v) => { x[v] = 1; }); }")
    compiled, compile_library = [], compiler.compile_library

    def counted(text: str, name: str, by: compiler.Compiler) -> bytes:
        compiled.append(name)
        return compile_library(text, name, by)

    monkeypatch.setattr(compiler, "compile_library", counted)
    together = threading.Barrier(3)

    def build(_: int) -> str:
        together.wait()
        return CpuBackend().build(program, Widths.both(32)).generated.text

    with ThreadPoolExecutor(3) as pool:
        texts = list(pool.map(build, range(3)))
    assert len(set(texts)) == 1
    assert compiled == ["ones.cpp"]
    assert not [name for name in files(own_cache) if name.startswith(".gdsl-")]


def test_threads_are_inside_one_after_the_other(own_cache: Path) -> None:
    inside, most = [], []

    def enter(number: int) -> None:
        with cache.lock("kind", ("key",)):
            inside.append(number)
            most.append(len(inside))
            time.sleep(0.002)
            inside.remove(number)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(enter, range(32)))
    assert most == [1] * 32
    assert files(own_cache) == []


def test_another_process_is_waited_for_but_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdin is not None and other.stdout is not None
        assert other.stdout.readline() == "here\n"
        entered = []
        monkeypatch.setattr(locks, "_LONGEST", 0.01)
        with cache.lock("kind", ("key",)):  # both are inside
            entered.append("too long")
        monkeypatch.setattr(locks, "_LONGEST", 60.0)
        with limited(0.01), cache.lock("kind", ("key",)):
            entered.append("at the deadline")
        with cache.lock("kind", ("another",)):
            entered.append("at once")
        other.stdin.close()
        with cache.lock("kind", ("key",)):
            entered.append("after it")
        assert entered == ["too long", "at the deadline", "at once", "after it"]


@pytest.mark.parametrize("place", ["file", "name\0", "x" * 300])
def test_without_a_cache_nobody_waits(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(cache, "directory", lambda: tmp_path / place)
    with cache.lock("kind", ("key",)), cache.lock("kind", ("key",)):
        pass


def test_errors_inside_are_raised_and_end_the_turn(own_cache: Path) -> None:
    with pytest.raises(OSError, match="from inside"), cache.lock("kind", ("key",)):
        raise OSError("from inside")
    with cache.lock("kind", ("key",)):
        assert len(files(own_cache)) == 1
    assert files(own_cache) == []
