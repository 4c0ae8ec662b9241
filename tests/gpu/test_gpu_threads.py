"""One program, one graph, several threads and streams."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import gdsl
from tests.support.graphs import make_graph, path

pytestmark = pytest.mark.gpu

SAMPLES = Path(__file__).parents[2] / "samples"
COUNT = 3000
GRAPH = make_graph(path(COUNT), COUNT)
ENDLESS = """program endless; problem { vertex a : int32; scalar s : int32; }
    vertex functor f(v) { apply { a[v] += 1; } } schedule { while (s == 0) { compute(vertices, f); } }"""
by_form = pytest.mark.parametrize("fuse", [True, False], ids=["fused", "unfused"])


def expected(source: int) -> list[int]:
    return [-1] * source + list(range(COUNT - source))


@by_form
def test_four_threads(fuse: bool) -> None:
    program = gdsl.compile(SAMPLES / "bfs.gdsl", fuse=fuse)
    wrong: list[object] = []

    def work(thread: int) -> None:
        for turn in range(25 if fuse else 3):
            source = (thread * 700 + turn) % COUNT
            result = program(GRAPH, source=source, backend="cuda")
            if result.distance.get().tolist() != expected(source) or not result.time_ms > 0:
                wrong.append((thread, turn, result))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert not wrong


def test_programs_and_graphs_of_their_own() -> None:
    def work(thread: int) -> bool:
        graph = make_graph(path(500 + thread), 500 + thread)
        program = gdsl.compile(SAMPLES / "bfs.gdsl", tune={"visit.direction": ["push", "pull", "auto"][thread % 3]})
        runs = [program(graph, source=0, backend="cuda").distance.get() for _ in range(20)]
        return all(run.tolist() == list(range(500 + thread)) for run in runs)

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(8)))


@by_form
def test_a_stopped_run_stops_no_other(fuse: bool) -> None:
    program, endless = gdsl.compile(SAMPLES / "bfs.gdsl", fuse=fuse), gdsl.compile(ENDLESS, fuse=fuse)
    codes: list[str] = []

    def stop() -> None:
        for _ in range(5):
            with pytest.raises(gdsl.GdslError) as caught:
                endless(GRAPH, backend="cuda", timeout=0.1)
            codes.append(caught.value.code)

    thread = threading.Thread(target=stop)
    thread.start()
    for _ in range(10 if fuse else 2):
        assert program(GRAPH, source=0, backend="cuda").distance.get().tolist() == expected(0)
    thread.join()
    assert codes == ["E0802"] * 5


@pytest.mark.parametrize("non_blocking", [False, True])
@by_form
def test_streams(fuse: bool, non_blocking: bool) -> None:
    """Inputs made on the stream, and results used there, need no synchronization of the caller's."""
    import cupy

    program = gdsl.compile(
        """program double; problem { input vertex given : int32; vertex made : int32; }
        vertex functor f(v) { apply { made[v] = given[v] * 2; } } schedule { compute(vertices, f); }""",
        fuse=fuse,
    )
    graph = gdsl.Graph.from_edges([], [], num_vertices=1 << 20)
    for turn in range(10):
        with cupy.cuda.Stream(non_blocking=non_blocking) as stream:
            slow = cupy.sort(cupy.arange(1 << 22, dtype=cupy.int32)[::-1])[: 1 << 20]
            given = slow + turn
            del slow
            made = program(graph, given=given, backend="cuda").made
            assert int((made - 2 * given).any()) == 0
            stream.synchronize()
        np.testing.assert_array_equal(made.get(), 2 * (np.arange(1 << 20) + turn))


def test_a_stream_for_each_thread() -> None:
    import cupy

    program = gdsl.compile(SAMPLES / "bfs.gdsl")

    def work(source: int) -> bool:
        with cupy.cuda.Stream(non_blocking=True):
            runs = [program(GRAPH, source=source, backend="cuda").distance.get() for _ in range(10)]
            return all(run.tolist() == expected(source) for run in runs)

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(8)))
