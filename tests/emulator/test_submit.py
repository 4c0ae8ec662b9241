"""Runs that are not waited for, on the cuda backend; the emulator takes CuPy's place."""

from __future__ import annotations

import gc
import threading
import time
import warnings
import weakref
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gdsl
from gdsl.backends import registry
from gdsl.backends.cuda import pinned_copies, stream_queue
from gdsl.backends.cuda.device import CudaDevice
from gdsl.backends.cuda.launching import Launching
from tests.support.graphs import make_graph, path

from .build import compiler
from .fake_cupy import FakeCupy
from .submitting import GIVEN, queued_runs
from .test_calls import CHANGING, COUNT, COUNTED, SCALED, SMALL, distances

pytestmark = pytest.mark.skipif(compiler() is None, reason="no g++ on this machine")


def test_results_come_in_any_order(cupy: FakeCupy, graph: gdsl.Graph, busy: SimpleNamespace) -> None:
    program = gdsl.compile("bfs", tune=SMALL)
    busy.until = None
    pending = [program.submit(graph, source=source, backend="cuda") for source in range(4)]
    assert [each.done() for each in pending] == [False] * 4
    assert "in progress" in repr(pending[0])
    with pytest.raises(TimeoutError, match=r"in progress after 0\.01 seconds"):
        pending[1].result(timeout=0.01)
    busy.until = 0.0
    for source in (2, 0, 3, 1):
        result = pending[source].result()
        assert result.distance.get().tolist() == distances(source)
        assert result is pending[source].result() and pending[source].done()
        reached = COUNT - 1 - min(source, COUNT - 1 - source)
        assert len(result.trace) >= reached and result.time_ms == 0.001 and result.backend == "cuda"
    assert "done" in repr(pending[0])
    assert len({array.data.ptr for each in pending for array in each.result().arrays.values()}) == 8


def test_many_in_a_row_wait_for_the_oldest_alone(cupy: FakeCupy, graph: gdsl.Graph) -> None:
    program = gdsl.compile("bfs", tune=SMALL)
    pending = [program.submit(graph, source=source % COUNT, backend="cuda") for source in range(30)]
    assert queued_runs() == stream_queue.MOST_QUEUED
    for source, each in enumerate(pending):
        assert each.result().distance.get().tolist() == distances(source % COUNT)
    assert queued_runs() == 0


def test_a_run_on_a_known_graph_asks_little_of_the_device(cupy: FakeCupy, graph: gdsl.Graph) -> None:
    program = gdsl.compile("bfs", tune=SMALL)
    for source in range(6):
        cupy.log.clear()
        program.submit(graph, source=source, backend="cuda")
    assert cupy.log == {"alloc": 2, "launch": 1, "raw kernel": 1}, "two results, the run, and what hands it over"


def test_nothing_is_made_beside_the_first_run(
    cupy: FakeCupy, graph: gdsl.Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pinned memory, and kernels that are not loaded yet, are there once a kernel that runs has ended: never, if it is
    one without an end."""
    program, order = gdsl.compile("sssp", tune=SMALL).prepare("cuda"), []

    def noted(function: Any, what: str) -> Any:
        def called(*values: Any) -> Any:
            order.append(what)
            return function(*values)

        return called

    device: Any = registry.get("cuda").device()  # type: ignore[attr-defined]
    for owner, name in (
        (cupy.cuda, "alloc_pinned_memory"),
        (cupy, "asarray"),
        (device._driver, "launchCooperativeKernel"),
    ):
        monkeypatch.setattr(owner, name, noted(getattr(owner, name), name))
    monkeypatch.setattr(Launching, "load", noted(Launching.load, "load"))
    for source in range(6):
        order.clear()
        program.submit(graph, source=source, backend="cuda")
        assert order[-1] == "launchCooperativeKernel", order
        assert order[0] != order[-1] or source, "at first something is made"


def test_what_a_new_program_needs_is_made_once_the_line_has_ended(
    cupy: FakeCupy, graph: gdsl.Graph, busy: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else that would wait for a run which nobody stops when it is late."""
    first, seen = gdsl.compile("bfs", tune=SMALL), []
    first.submit(graph, source=0, backend="cuda").result()
    loaded, pinned = Launching.load, cupy.cuda.alloc_pinned_memory
    monkeypatch.setattr(Launching, "load", lambda *given: seen.append(queued_runs()) or loaded(*given))
    monkeypatch.setattr(cupy.cuda, "alloc_pinned_memory", lambda size: seen.append(queued_runs()) or pinned(size))
    busy.until = None
    pending = [first.submit(graph, source=source, backend="cuda") for source in range(3)]
    assert queued_runs() == 3 and seen == []
    busy.until = time.monotonic() + 0.2
    pending += [gdsl.compile("sssp", tune=SMALL).submit(graph, source=source, backend="cuda") for source in range(3)]
    assert len(seen) > 3 and not any(seen)
    assert [each.result().distance.get().tolist() for each in pending] == [distances(each % 3) for each in range(6)]


def test_calls_and_maps_come_in_between(cupy: FakeCupy, graph: gdsl.Graph) -> None:
    bfs, sssp = (gdsl.compile(name, tune=SMALL) for name in ("bfs", "sssp"))
    for source in range(4):
        first = bfs.submit(graph, source=source, backend="cuda")
        second = sssp.submit(graph, {"source": source}, backend="cuda")
        third = bfs.submit(graph, source=source + 1, backend="cuda")
        assert queued_runs() == (3 if source else 2), "before a program runs for the first time the line ends"
        between = (bfs, sssp)[source % 2](graph, source=5, backend="cuda")
        assert queued_runs() == 0, "a call is waited for, and so is all before it"
        batch = bfs.map(graph, source=range(3), backend="cuda")
        fourth = sssp.submit(graph, source=source + 2, backend="cuda")
        found = [result.distance.get().tolist() for result in (first.result(), second.result(), third.result())]
        assert found == [distances(source), distances(source), distances(source + 1)]
        assert between.distance.get().tolist() == distances(5)
        assert batch.host_arrays()["distance"].tolist() == [distances(each) for each in range(3)]
        assert fourth.result().distance.get().tolist() == distances(source + 2)


def test_scalars_and_what_changes_places(cupy: FakeCupy, graph: gdsl.Graph) -> None:
    changing, counted, given = (gdsl.compile(text, tune=SMALL) for text in (CHANGING, COUNTED, GIVEN))
    expected = changing(graph, backend="cuda")
    pending = [changing.submit(graph, backend="cuda") for _ in range(6)]
    for each in pending:
        found = each.result()
        assert found.numbers() == expected.numbers()
        assert all(np.array_equal(found.host_arrays()[name], values) for name, values in expected.host_arrays().items())
    found = [counted.submit(make_graph(path(9), 9), source=source, backend="cuda") for source in range(9)]
    assert [each.result().seen for each in found] == [9 - source for source in range(9)]
    found = [given.submit(graph, shift=shift, backend="cuda") for shift in range(6)]
    assert [each.result().total for each in found] == [COUNT * (1 + shift) for shift in range(6)]


def test_what_fails_leaves_the_room_in_order_for_those_behind(cupy: FakeCupy, graph: gdsl.Graph) -> None:
    """The next runs are queued before anybody knows."""
    program = gdsl.compile("sssp", tune=SMALL)  # which marks whom it has put into the frontier
    for source in range(3):
        failing = program.submit(graph, source=source, backend="cuda", max_iterations=1 + source)
        behind = [program.submit(graph, source=source + more, backend="cuda") for more in range(2)]
        for more, each in enumerate(behind):
            assert each.result().distance.get().tolist() == distances(source + more)
        for _ in range(2):
            with pytest.raises(gdsl.GdslError, match="this loop was stopped") as caught:
                failing.result()
            assert caught.value.code == "E0803"
        assert failing.done()
    small, counted = make_graph(path(3), 3), gdsl.compile(COUNTED, tune=SMALL)
    pending = [counted.submit(small, source=0, shift=9 * call + 5, backend="cuda") for call in range(6)]
    for call, each in enumerate(pending):
        with pytest.raises(gdsl.GdslError, match=f"E0801.*index {9 * call + 7} .*there are 3"):
            each.result()


def test_wrong_values_are_told_at_once(cupy: FakeCupy, graph: gdsl.Graph) -> None:
    program = gdsl.compile("bfs", tune=SMALL)
    for values, code in (({"source": COUNT}, "E0604"), ({}, "E0601"), ({"source": 0, "x": 1}, "E0602")):
        with pytest.raises(gdsl.GdslError) as caught:
            program.submit(graph, values, backend="cuda")
        assert caught.value.code == code
    with pytest.raises(TypeError, match="options, and 'source' is not one"):
        program.submit(graph, {}, source=3)
    with pytest.raises(ValueError, match="positive number of seconds"):
        program.submit(graph, source=0, timeout=0)
    with pytest.raises(ValueError, match="positive number of seconds"):
        program.submit(graph, source=0, backend="cuda").result(timeout=float("nan"))
    assert queued_runs() <= 1


def test_a_failure_that_nobody_asks_for_is_a_warning(cupy: FakeCupy, graph: gdsl.Graph) -> None:
    program = gdsl.compile("bfs", tune=SMALL)
    program.submit(graph, source=0, backend="cuda", max_iterations=1)
    with pytest.warns(RuntimeWarning, match=r"was never requested: .*bfs\.gdsl:\d.*1 pass, the most allowed"):
        program(graph, source=0, backend="cuda")
    pending = program.submit(graph, source=0, backend="cuda", max_iterations=1)
    assert pending.done()
    with pytest.warns(RuntimeWarning, match="was never requested"):
        del pending
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pending = program.submit(graph, source=0, backend="cuda", max_iterations=1)
        with pytest.raises(gdsl.GdslError):
            pending.result()
        del pending
        program.submit(graph, source=1, backend="cuda")
        program(graph, source=0, backend="cuda")


def test_what_the_driver_says_is_told_as_other_failures(
    cupy: FakeCupy, graph: gdsl.Graph, busy: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = gdsl.compile("bfs", tune=SMALL)
    program.submit(graph, source=0, backend="cuda").result()

    def failing(*_: object) -> bool:
        raise OSError("an illegal address")

    busy.until = None
    pending = [program.submit(graph, source=0, backend="cuda") for _ in range(2)]
    with monkeypatch.context() as patched:
        patched.setattr(CudaDevice, "wait_for", failing)
        assert isinstance(pending[1].exception(), OSError)  # for which the first one must be over
    busy.until = 0.0
    with pytest.raises(OSError, match="illegal address"):
        pending[1].result()
    with pytest.warns(RuntimeWarning, match="was never requested: OSError: an illegal address"):
        del pending
    assert program.submit(graph, source=3, backend="cuda").result().distance.get().tolist() == distances(3)


def test_a_graph_stays_until_its_run_is_over(cupy: FakeCupy, busy: SimpleNamespace) -> None:
    program = gdsl.compile("bfs", tune=SMALL)
    made = make_graph(path(COUNT), COUNT)
    graph = weakref.ref(made)
    busy.until = None
    pending = program.submit(made, source=0, backend="cuda")
    del made
    gc.collect()
    assert graph() is not None
    busy.until = 0.0
    assert pending.result().distance.get().tolist() == list(range(COUNT))
    made = make_graph(path(COUNT), COUNT)
    dropped = weakref.ref(made)
    program.submit(made, source=0, backend="cuda")
    del made
    gc.collect()
    assert dropped() is not None, "its run may go on"
    program(make_graph(path(3), 3), source=0, backend="cuda")
    gc.collect()
    assert dropped() is None
    assert pending.result().distance.get().tolist() == list(range(COUNT))


def test_arrays_of_the_caller_are_his_again(cupy: FakeCupy, graph: gdsl.Graph) -> None:
    program, x = gdsl.compile(SCALED, tune=SMALL), np.ones(COUNT, np.float32)
    pending = [program.submit(graph, x=x, factor=factor, backend="cuda") for factor in range(3)]
    assert queued_runs() == 0
    x[:] = 7
    assert [each.result().y.get().tolist() for each in pending] == [[factor] * COUNT for factor in range(3)]


def test_a_long_trace_is_whole(cupy: FakeCupy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pinned_copies, "_FEW", 5000)
    program, expected = gdsl.compile("bfs", tune=SMALL), None
    for turn in range(3):
        long = make_graph(path(100), 100)
        expected = expected or program(long, source=0, backend="cuda").trace
        pending = [program.submit(long, source=0, backend="cuda") for _ in range(1 + 3 * turn)]
        assert [each.result().trace == expected for each in pending] == [True] * len(pending)
        assert [each.result().distance.get().tolist() for each in pending] == [list(range(100))] * len(pending)


def test_without_memory_a_run_is_waited_for(cupy: FakeCupy, graph: gdsl.Graph) -> None:
    program = gdsl.compile("bfs", tune=SMALL)
    first = program.submit(graph, source=3, backend="cuda")
    cupy.free = 8
    second = program.submit(graph, source=1, backend="cuda")
    cupy.free = 1 << 40
    third = program.submit(graph, source=2, backend="cuda")
    with pytest.raises(gdsl.GdslError) as caught:
        second.result()
    assert caught.value.code == "E0912"
    assert [each.result().distance.get().tolist() for each in (first, third)] == [distances(3), distances(2)]


def test_runs_on_another_stream_wait(cupy: FakeCupy, graph: gdsl.Graph) -> None:
    program = gdsl.compile("bfs", tune=SMALL)
    first, pending, line = cupy.stream, [], []
    for source, number in enumerate((0, 0, 7, 7, 0)):
        cupy.stream = SimpleNamespace(ptr=number, synchronize=first.synchronize)
        pending.append(program.submit(graph, source=source, backend="cuda"))
        line.append(queued_runs())
    assert line == [1, 2, 1, 2, 1]
    assert [each.result().distance.get().tolist() for each in pending] == [distances(source) for source in range(5)]


def test_the_stream_of_each_thread_is_another_one(cupy: FakeCupy, graph: gdsl.Graph) -> None:
    program = gdsl.compile("bfs", tune=SMALL)
    cupy.stream = SimpleNamespace(ptr=2, synchronize=cupy.stream.synchronize)
    pending = [program.submit(graph, source=source, backend="cuda") for source in range(3)]
    assert queued_runs() == 3
    other = threading.Thread(target=lambda: pending.append(program.submit(graph, source=3, backend="cuda")))
    other.start()
    other.join()
    assert queued_runs() == 1
    assert cupy.log["synchronize all"] == 1, "of what the first thread has sent ahead"
    assert [each.result().distance.get().tolist() for each in pending] == [distances(source) for source in range(4)]
