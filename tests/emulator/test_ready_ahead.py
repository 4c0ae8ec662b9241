"""What a call makes ready for the next one, and what it leaves where it is; the emulator takes CuPy's place."""

from __future__ import annotations

import gc
from typing import Any

import pytest

import gdsl
from gdsl.backends.cuda import run_memory, trace
from tests.support.graphs import make_graph, path

from .build import compiler
from .fake_cupy import FakeCupy
from .test_calls import COUNT, NARROW, SMALL, distances

pytestmark = pytest.mark.skipif(compiler() is None, reason="no g++ on this machine")


def iterations(result: gdsl.Result) -> list[int]:
    return [record.iteration for record in result.trace]


def edges(result: gdsl.Result) -> list[tuple[int, int]]:
    return [(record.iteration, record.edges) for record in result.trace]


@pytest.mark.parametrize("fuse", ["on", "off"])
def test_a_trace_is_kept_once_something_else_is_written_there(cupy: FakeCupy, graph: gdsl.Graph, fuse: str) -> None:
    program = gdsl.compile("bfs", tune=[*SMALL, f"schedule.fuse={fuse}"])
    first: Any = program(graph, source=0, backend="cuda")
    assert first._traced._kept is None
    second: Any = program(graph, source=COUNT // 2, backend="cuda")
    assert first._traced._kept is not None and second._traced._kept is None
    program.submit(graph, source=3, backend="cuda").result()
    program(graph, source=2, backend="cuda")
    assert len(iterations(first)) > len(iterations(second)) > 1
    expected = gdsl.compile("bfs", tune=SMALL)(graph, source=0, backend="cuda")
    assert iterations(first) == iterations(expected)


@pytest.mark.parametrize("waited_for", [2, 10, 14, 15, 17])
def test_a_trace_stays_what_it_was_when_the_kernel_that_hands_over_is_loaded(
    cupy: FakeCupy, graph: gdsl.Graph, waited_for: int
) -> None:
    program = gdsl.compile("bfs", tune=SMALL)
    for _ in range(waited_for):
        result = program(graph, source=0, backend="cuda")
    for _ in range(20 - waited_for):
        program.submit(graph, source=COUNT // 2, backend="cuda").result()
    expected = gdsl.compile("bfs", tune=SMALL)(graph, source=0, backend="cuda")
    assert edges(result) == edges(expected) != edges(program(graph, source=COUNT // 2, backend="cuda"))


def test_the_device_is_left_to_others_where_the_driver_gives_up(
    cupy: FakeCupy, graph: gdsl.Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = gdsl.compile("bfs", tune=SMALL)
    program(graph, source=1, backend="cuda")

    def broken(number: int) -> None:
        raise ArithmeticError("the driver has given up")

    with monkeypatch.context() as there:
        there.setattr(cupy.cuda.runtime, "getDevice", lambda: 1)
        there.setattr(cupy.cuda.runtime, "setDevice", broken)
        with pytest.raises(ArithmeticError):
            program(graph, source=1, backend="cuda")
    assert program(graph, source=1, backend="cuda", timeout=60).distance.get().tolist() == distances(1)


def test_a_trace_is_kept_before_the_process_forks(cupy: FakeCupy, graph: gdsl.Graph) -> None:
    program = gdsl.compile("bfs", tune=SMALL)
    program(graph, source=1, backend="cuda")
    result: Any = program(graph, source=0, backend="cuda")
    trace._keep_all()
    assert result._traced._kept is not None and result._traced._here is None
    assert iterations(result)[-1] == COUNT - 1


def test_nothing_is_kept_of_a_trace_that_is_not_there_yet() -> None:
    written: Any = trace.Written(None, NARROW, run_memory.numpy.arange(64, dtype="u1"), 16)  # type: ignore[arg-type]
    assert written.keep() == b"" and written._here is not None
    written.header = 2, 1, 1
    assert written.keep() == bytes(range(32))
    assert written.keep(b"others") == bytes(range(32)), "what was kept first stays"


def test_the_traces_of_a_program_that_is_gone_are_not_looked_at(cupy: FakeCupy, graph: gdsl.Graph) -> None:
    gc.collect()
    before = len(trace._all)
    program = gdsl.compile("bfs", tune=SMALL)
    program(graph, source=1, backend="cuda")
    assert len(trace._all) == before + 1
    del program
    gc.collect()
    assert len(trace._all) == before


@pytest.mark.parametrize("most", [1 << 27, 0])
def test_much_memory_for_a_next_run_one_program_alone_has_on_a_graph(
    cupy: FakeCupy, graph: gdsl.Graph, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    programs = [gdsl.compile("bfs", tune=SMALL), gdsl.compile("bfs", tune=["schedule.block=64"])]
    for much, kept in ((1 << 24, [True, True]), (0, [False, True])):
        monkeypatch.setattr(run_memory, "_MUCH_AHEAD", much)
        monkeypatch.setattr(run_memory, "_MOST_AHEAD", most)
        for program in programs:
            assert program(graph, source=1, backend="cuda").distance.get().tolist() == distances(1)
        memories = [program._executables["cuda", NARROW]._latest_enactor(graph).memory for program in programs]
        assert [memory._ahead is not None for memory in memories] == (kept if most else [False, False])


def test_results_in_another_order_come_from_the_same_memory_in_each_run(cupy: FakeCupy) -> None:
    program, graph = gdsl.compile("bfs", tune=[*SMALL, "schedule.layout=by_degree"]), make_graph(path(COUNT), COUNT)
    results = [program(graph, source=source, backend="cuda") for source in range(2)]
    cupy.log.clear()
    results.append(program(graph, source=2, backend="cuda"))
    assert cupy.log["alloc"] == 2, "what the caller is given"
    found = [[max(vertex - source, -1) for vertex in range(COUNT)] for source in range(3)]
    assert [result.distance.get().tolist() for result in results] == found
    memory = program._executables["cuda", NARROW]._latest_enactor(graph).memory
    assert memory._ahead is not None and memory._inside
    memory.free_unused()
    assert memory._ahead is None and not memory._inside
    assert program(graph, source=1, backend="cuda").distance.get().tolist() == found[1]
