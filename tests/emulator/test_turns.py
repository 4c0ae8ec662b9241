"""How long calls wait for the device, and calls of many kinds in turn, on the cuda backend; the emulator takes CuPy's
place."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import gdsl
from gdsl.backends import registry
from gdsl.backends.cuda.run_memory import RunMemory
from gdsl.backends.interface import Bindings, Limits
from tests.support.clock import Clock

from .build import compiler
from .fake_cupy import FakeCupy
from .test_calls import COUNT, SMALL, distances

pytestmark = pytest.mark.skipif(compiler() is None, reason="no g++ on this machine")
SEVERAL = """program several;
problem { param n : int32; param k : int32; vertex a[n] : int32 = 7; vertex b : int32; }
vertex functor add(v) { apply { for i in 0..n { a[v][i] += int32(v) + i; } for i in 0..n { b[v] += a[v][i] * k; } } }
schedule { compute(vertices, add); }
"""


@contextmanager
def held_by_another(seconds: float) -> Iterator[None]:
    """Another thread has the device, for so long after somebody has begun to wait for it."""
    device: Any = registry.get("cuda").device()  # type: ignore[attr-defined]
    held, left = threading.Event(), threading.Event()

    def hold() -> None:
        with device.reserved(None):
            held.set()
            while not device.waiting_threads and not left.wait(0.001):
                pass
            left.wait(seconds)

    other = threading.Thread(target=hold)
    other.start()
    held.wait()
    try:
        yield
    finally:
        left.set()
        other.join()


def test_waiting_for_the_turn_is_part_of_the_time(
    cupy: FakeCupy, graph: gdsl.Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, given, begin = gdsl.compile("bfs", tune=SMALL), list[float](), RunMemory.begin
    program.map(graph, source=range(2), backend="cuda")

    def begun(memory: RunMemory, bindings: Bindings, limits: Limits, most_visits: int = 0) -> None:
        given.append(limits.left or 0.0)
        begin(memory, bindings, limits, most_visits)

    monkeypatch.setattr(RunMemory, "begin", begun)
    for ask in (program, program.submit, program.map):
        source: Any = range(2) if ask == program.map else 1
        with held_by_another(0.3):
            ask(graph, source=source, backend="cuda", timeout=60)
    assert len(given) == 3 and max(given) < 59.9, "of the 60 seconds"


@pytest.mark.slow
def test_many_values_wait_no_longer_than_their_time(
    cupy: FakeCupy, graph: gdsl.Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(monkeypatch)
    program = gdsl.compile("bfs", tune=SMALL)
    program.map(graph, source=range(3), backend="cuda")
    with held_by_another(60), pytest.raises(gdsl.GdslError, match=r"stopped after 0\.2 seconds") as caught:
        program.map(graph, source=range(3), backend="cuda", timeout=0.2)
    assert caught.value.code == "E0802"
    results = program.imap(graph, source=range(6), backend="cuda", batch=2, timeout=90)
    assert [next(results).iterations for _ in range(2)] == [COUNT, COUNT - 1]
    clock.advance(89.5)
    with held_by_another(60), pytest.raises(gdsl.GdslError, match="stopped after 90 seconds, its timeout"):
        next(results)
    assert not list(results), "it has ended"


def rows(n: int, k: int) -> list[int]:
    """`b` of SEVERAL."""
    return [sum((7 + vertex + i) * k for i in range(n)) for vertex in range(COUNT)]


def test_counts_that_change_from_call_to_call(cupy: FakeCupy, graph: gdsl.Graph) -> None:
    program, numbers, pending = gdsl.compile(SEVERAL, tune=SMALL), random.Random(1), []
    for turn in range(18):
        n, k = numbers.randrange(1, 6), numbers.randrange(9)
        if turn % 3 == 0:
            assert program(graph, n=n, k=k, backend="cuda").b.get().tolist() == rows(n, k)
        elif turn % 3 == 1:
            found = program.map(graph, n=n, k=[k, k + 1], backend="cuda").host_arrays()["b"].tolist()
            assert found == [rows(n, k), rows(n, k + 1)]
        else:
            pending += [(rows(n, k), program.submit(graph, n=n, k=k, backend="cuda")) for n in (n, n + 1)]
    assert all(each.result().b.get().tolist() == expected for expected, each in pending)


def test_results_of_several_generators_in_turn(cupy: FakeCupy, graph: gdsl.Graph) -> None:
    bfs, several = (gdsl.compile(text, tune=SMALL) for text in ("bfs", SEVERAL))
    up, down = (bfs.imap(graph, source=order, backend="cuda", batch=3) for order in (range(8), range(7, -1, -1)))
    long, short = (several.imap(graph, n=n, k=range(8), backend="cuda", batch=1 + n) for n in (3, 1))
    for turn in range(8):
        found = [np.asarray(next(each).distance).tolist() for each in (up, down)]
        pending = bfs.submit(graph, source=5, backend="cuda")
        assert found == [distances(turn), distances(7 - turn)]
        assert [np.asarray(next(each).b).tolist() for each in (long, short)] == [rows(3, turn), rows(1, turn)]
        if turn % 3 == 0:
            with pytest.raises(gdsl.GdslError, match="stopped after 1 pass"):
                bfs.map(graph, source=range(3), backend="cuda", max_iterations=1)
        assert pending.result().distance.get().tolist() == distances(5)
    left = bfs.imap(graph, source=range(8), backend="cuda", batch=3)
    next(left)
    del left
    for count in (1, 7, 2):
        found = bfs.map(graph, source=range(count), backend="cuda").host_arrays()["distance"].tolist()
        assert found == [distances(source) for source in range(count)]


def test_threads_of_calls_of_all_kinds(cupy: FakeCupy, graph: gdsl.Graph) -> None:
    programs = [gdsl.compile(name, tune=SMALL) for name in ("bfs", "sssp")]

    def work(seed: int) -> None:
        numbers = random.Random(seed)
        for turn in range(20):
            program, source = numbers.choice(programs), numbers.randrange(COUNT)
            sources = [(source + more) % COUNT for more in range(3)]
            pending = [program.submit(graph, source=each, backend="cuda") for each in sources]
            failing = program.submit(graph, source=0, backend="cuda", max_iterations=2)
            if turn % 4 == 0:
                assert program(graph, source=source, backend="cuda").distance.get().tolist() == distances(source)
            if turn % 4 == 2:
                batch = program.map(graph, source=[source, 0], backend="cuda")
                assert batch.host_arrays()["distance"].tolist() == [distances(source), distances(0)]
            for more in numbers.sample(range(3), 3):
                assert pending[more].result().distance.get().tolist() == distances(sources[more])
            with pytest.raises(gdsl.GdslError, match="stopped after 2 passes"):
                failing.result()

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(work, range(3)))
