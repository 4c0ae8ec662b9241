"""The benchmark of runs with little memory, on the emulator: its times say nothing."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gdsl
from bench import memory
from bench.graphs import load
from bench.rows import Row
from gdsl.backends.cuda import host_memory
from gdsl.diagnostics import GdslError

from . import build
from .driver import EmulatedBuffer, library
from .fake_cupy import FakeCupy, MemoryPointer, _Device

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")


class Hook:
    """`MemoryHook`, called by the allocations of `with_hooks`."""

    active: list[Any]

    def __enter__(self) -> Hook:
        Hook.active.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        Hook.active.remove(self)


@pytest.fixture
def cupy(cupy: FakeCupy, monkeypatch: pytest.MonkeyPatch) -> FakeCupy:
    """With what only the benchmark uses."""
    Hook.active = []
    hold = cupy.hold

    def held(buffer: EmulatedBuffer, nbytes: int | None = None) -> EmulatedBuffer:
        found = hold(buffer, nbytes)
        for hook in Hook.active:
            hook.malloc_postprocess(size=buffer.nbytes)
        return found

    def managed(nbytes: int) -> MemoryPointer:
        buffer = EmulatedBuffer(nbytes)
        library().native.emulator_mark_written(buffer.pointer, buffer.nbytes)
        return MemoryPointer(buffer)

    def empty(count: int, dtype: Any) -> Any:
        return SimpleNamespace(data=SimpleNamespace(copy_from_host_async=lambda *_: None))

    def zeros(count: int, dtype: Any) -> Any:
        return cupy.asarray(np.zeros(count, dtype))

    pool = SimpleNamespace(free_bytes=lambda: 0, free_all_blocks=lambda: None, used_bytes=lambda: cupy.held)
    cupy.cuda.memory_hook = SimpleNamespace(MemoryHook=Hook)
    cupy.cuda.malloc_managed, cupy.cuda.Memory = managed, lambda nbytes: object()
    monkeypatch.setattr(cupy, "hold", held)
    monkeypatch.setattr(_Device, "attributes", {"MultiProcessorCount": 1}, raising=False)
    for name, value in (("empty", empty), ("zeros", zeros), ("get_default_memory_pool", lambda: pool)):
        monkeypatch.setattr(cupy, name, value, raising=False)
    monkeypatch.setattr(memory, "_PROBE", 1 << 12)
    return cupy


@contextlib.contextmanager
def quick_blocks(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Programs in small blocks, which the emulator runs sooner."""
    compile_program = gdsl.compile
    with monkeypatch.context() as patch:
        patch.setattr(gdsl, "compile", lambda program: compile_program(program, tune=["schedule.block=64"]))
        yield


@pytest.mark.parametrize("work", [pytest.param("pagerank", marks=pytest.mark.slow), "bfs"])
def test_figures_of_a_row(cupy: FakeCupy, monkeypatch: pytest.MonkeyPatch, work: str) -> None:
    graph = load("rmat8", "cpu", 1)
    plain = dataclasses.replace(memory.WORKS[work], check=lambda *_: None, reached=None)  # its arrays are NumPy's
    monkeypatch.setitem(memory.WORKS, work, plain)
    with quick_blocks(monkeypatch):
        program = gdsl.compile(memory.WORKS[work].program)
        values = memory.WORKS[work].values(graph, graph.sources[0])
        with pytest.raises(GdslError) as caught:
            program.run(graph.graph, values, backend="cuda", memory=0)
        limit = int(str(caught.value).partition("memory=")[2].split(")")[0])
        found = memory.measure_memory(Row(work, "rmat8"), graph, 1, str(limit))
    assert found.problem is None and found.memory == str(limit)
    notes = "\n".join(found.notes)
    assert "are in the host's memory" in notes and "of the GPU's memory were in use" in notes
    assert "the link copies" in notes and "managed memory takes" in notes
    assert ("GB an iteration" in notes) == (work == "pagerank")
    assert host_memory.place.__module__ == host_memory.__name__, "what was replaced is there again"
