"""What stops runs that are not waited for, and who else asks meanwhile, on the cuda backend; the emulator takes CuPy's
place."""

from __future__ import annotations

import pickle
import threading
import time
from types import SimpleNamespace
from typing import Any

import pytest

import gdsl
from gdsl.backends import processes, registry
from gdsl.backends.cuda import clocks, stream_queue
from gdsl.backends.cuda.device import CudaDevice
from tests.support.clock import Clock

from .build import compiler
from .fake_cupy import FakeCupy, FakeEvent
from .submitting import GIVEN, queued_runs
from .test_calls import CHANGING, COUNT, SMALL, Interrupter, distances

pytestmark = pytest.mark.skipif(compiler() is None, reason="no g++ on this machine")

ENDLESS = "program p; problem { scalar s : int32; } schedule { while (s == 0) { s = 0; } }"


class Stopped:
    """Lets kernels of the device see the host's flag from the next launch on, as if somebody stopped them there."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        start, self.on = CudaDevice.start_clock, False

        def started(device: CudaDevice) -> None:
            start(device)
            device._stop[0] = int(self.on)

        monkeypatch.setattr(CudaDevice, "start_clock", started)


def test_a_run_that_is_stopped_for_another_runs_again(
    cupy: FakeCupy, graph: gdsl.Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, stopped = gdsl.compile("sssp", tune=SMALL), Stopped(monkeypatch)
    program(graph, source=0, backend="cuda")
    stopped.on = True
    pending = [program.submit(graph, source=source, backend="cuda") for source in range(3)]
    stopped.on = False
    assert [each.result().distance.get().tolist() for each in pending] == [distances(source) for source in range(3)]
    stopped.on = True
    pending = [program.submit(graph, source=source, backend="cuda") for source in range(3)]
    stopped.on = False
    assert all(each.done() for each in pending)
    assert [each.result().distance.get().tolist() for each in pending] == [distances(source) for source in range(3)]


@pytest.mark.slow
def test_a_timeout_counts_from_the_submission(
    cupy: FakeCupy, graph: gdsl.Graph, busy: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, stopped = gdsl.compile(ENDLESS, tune=SMALL), Stopped(monkeypatch)
    program.prepare("cuda")
    stopped.on, clock = True, Clock(monkeypatch)
    for ask in (lambda each: each.result(), lambda each: each.done() and each.result()):
        busy.until = None
        pending = program.submit(graph, backend="cuda", timeout=90)
        assert not pending.done()
        clock.advance(91)
        busy.until = time.monotonic() + 0.05
        with pytest.raises(gdsl.GdslError, match=r"stopped after 90 seconds") as caught:
            ask(pending)
        assert caught.value.code == "E0802"
    stopped.on = False
    bfs = gdsl.compile("bfs", tune=SMALL)
    busy.until = None
    first = bfs.submit(graph, source=0, backend="cuda")
    second = bfs.submit(graph, source=1, backend="cuda", timeout=0.1)
    with pytest.raises(gdsl.GdslError, match=r"stopped after 0\.1 seconds"):
        second.result()
    with pytest.raises(gdsl.GdslError, match=r"stopped after 0\.05 seconds"):
        bfs(graph, source=1, backend="cuda", timeout=0.05)
    assert not first.done()
    busy.until = time.monotonic() + 0.2
    behind = bfs.submit(graph, source=1, backend="cuda")
    assert behind.result().distance.get().tolist() == distances(1), "behind one that is late"
    third = bfs.submit(graph, source=2, backend="cuda", timeout=60)
    assert first.result().distance.get().tolist() == distances(0)
    assert third.result().distance.get().tolist() == distances(2)
    assert bfs(graph, source=4, backend="cuda", timeout=60).distance.get().tolist() == distances(4)


def test_time_that_is_over_before_the_turn_comes_is_told_by_result(
    cupy: FakeCupy, graph: gdsl.Graph, busy: SimpleNamespace
) -> None:
    bfs, given = (gdsl.compile(text, tune=SMALL) for text in ("bfs", GIVEN))
    first = given(graph, shift=1, backend="cuda").total
    bfs.submit(graph, source=0, backend="cuda").result()  # a program that has not run there waits for the line
    busy.until = None
    pending = given.submit(graph, shift=1, backend="cuda")
    late = [given.submit(graph, shift=2, backend="cuda", timeout=0.1)]  # whose value lies where the first one's does
    device: Any = registry.get("cuda").device()  # type: ignore[attr-defined]
    assert queued_runs() == 1 and device._stop[0] == 0, "who is in line goes on"
    pending_too = [bfs.submit(graph, source=source, backend="cuda") for source in range(3)]
    late += [bfs.submit(graph, source=1, backend="cuda", timeout=0.1)]  # the fifth in line
    for each in late:
        with pytest.raises(gdsl.GdslError, match=r"stopped after 0\.1 seconds") as caught:
            each.result()
        assert caught.value.code == "E0802" and each.done() and "done" in repr(each)
    busy.until = 0.0
    assert pending.result().total == first
    assert [each.result().distance.get().tolist() for each in pending_too] == [distances(source) for source in range(3)]


@pytest.mark.parametrize("name", ["sssp", "bfs"])
def test_ctrl_c_at_any_time_leaves_nothing_behind(
    cupy: FakeCupy, graph: gdsl.Graph, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    program, interrupter = gdsl.compile(name, tune=SMALL), Interrupter(cupy, monkeypatch)
    for place in range(1, 100):
        pending = [program.submit(graph, source=source, backend="cuda") for source in range(2)]
        interrupter.left = place
        try:
            program.submit(graph, source=7, backend="cuda")
        except KeyboardInterrupt:
            behind = program.submit(graph, source=place % COUNT, backend="cuda")
            assert behind.result().distance.get().tolist() == distances(place % COUNT)
        else:
            break
        finally:
            interrupter.left = -1
        found = [each.result().distance.get().tolist() for each in pending]
        assert found == [distances(source) for source in range(2)]
    assert place > 8


def test_ctrl_c_while_a_result_is_waited_for(
    cupy: FakeCupy, graph: gdsl.Graph, busy: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = gdsl.compile("bfs", tune=SMALL)

    def interrupted(*_: object) -> None:
        busy.until = 0.0
        raise KeyboardInterrupt

    device: Any = registry.get("cuda").device()  # type: ignore[attr-defined]
    for owner, name in ((clocks.Patience, "pause"), (stream_queue.time, "sleep")):
        busy.until = None
        pending = [program.submit(graph, source=source, backend="cuda") for source in range(3)]
        with monkeypatch.context() as patched:
            patched.setattr(owner, name, interrupted)
            with pytest.raises(KeyboardInterrupt):
                pending[1].result()
        assert queued_runs() == 0 and device._stop[0] == 1 and device._holder is None
        assert [each.result().distance.get().tolist() for each in pending] == [distances(each) for each in range(3)]
    assert program(graph, source=3, backend="cuda").distance.get().tolist() == distances(3)


def test_results_in_other_threads(cupy: FakeCupy, graph: gdsl.Graph) -> None:
    from concurrent.futures import ThreadPoolExecutor

    program = gdsl.compile("bfs", tune=SMALL)
    pending = [program.submit(graph, source=source, backend="cuda") for source in range(4)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda each: each.result().distance.get().tolist(), pending))
    assert found == [distances(source) for source in range(4)]


@pytest.mark.parametrize("is_stopped", [False, True])
def test_many_threads_have_one_result(
    cupy: FakeCupy, graph: gdsl.Graph, monkeypatch: pytest.MonkeyPatch, is_stopped: bool
) -> None:
    from concurrent.futures import ThreadPoolExecutor

    program, stopped, gate = gdsl.compile("bfs", tune=SMALL), Stopped(monkeypatch), threading.Barrier(8)
    take = stream_queue.InFlightRun.take

    def taken(flight: stream_queue.InFlightRun) -> Any:
        time.sleep(0.01)  # others find out meanwhile
        return take(flight)

    monkeypatch.setattr(stream_queue.InFlightRun, "take", taken)

    def asked(pending: Any) -> gdsl.Result:
        gate.wait()
        return pending.result()

    with ThreadPoolExecutor(8) as pool:
        for source in range(6):
            stopped.on = is_stopped
            pending = program.submit(graph, source=source, backend="cuda")
            stopped.on = False
            found = set(map(id, pool.map(asked, [pending] * 8)))
            assert found == {id(pending.result())}
            assert pending.result().distance.get().tolist() == distances(source)


def test_a_result_within_a_run_does_not_wait_for_itself(
    cupy: FakeCupy, graph: gdsl.Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a signal handler may ask for it."""
    program, record, refusals = gdsl.compile("bfs", tune=SMALL), FakeEvent.record, []
    pending = program.submit(graph, source=1, backend="cuda")

    def asking(event: FakeEvent, stream: object = None) -> None:
        record(event, stream)
        assert "in progress" in repr(pending)
        with pytest.raises(RuntimeError, match="in progress in this thread") as caught:
            pending.result()
        refusals.append(caught.value)

    with monkeypatch.context() as patched:
        patched.setattr(FakeEvent, "record", asking)
        other = program.submit(graph, source=3, backend="cuda")
    assert refusals
    assert [each.result().distance.get().tolist() for each in (pending, other)] == [distances(1), distances(3)]


def test_unfused_and_numbered_programs(cupy: FakeCupy, graph: gdsl.Graph) -> None:
    for knob in ("schedule.fuse=off", "schedule.layout=by_degree"):
        program = gdsl.compile("bfs", tune=[*SMALL, knob])
        pending = [program.submit(graph, source=source, backend="cuda") for source in range(6)]
        for source, each in enumerate(pending):
            assert each.result().distance.get().tolist() == distances(source)


def test_it_stays_in_its_process(cupy: FakeCupy, graph: gdsl.Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    program = gdsl.compile("bfs", tune=SMALL)
    pending = program.submit(graph, source=2, backend="cuda")
    with pytest.raises(TypeError, match="cannot leave its process"):
        pickle.dumps(pending)
    with monkeypatch.context() as patched:
        patched.setattr(processes, "current", -1)
        with pytest.raises(gdsl.GdslError, match="forked") as caught:
            pending.result()
        assert caught.value.code == "E0901" and "in progress" in repr(pending)
    assert pending.result().distance.get().tolist() == distances(2)


class LostError(RuntimeError):
    """What the driver says of a device that has given up."""


@pytest.mark.parametrize("how", ["call", "submit"])
def test_a_device_that_has_given_up_is_told_of(
    cupy: FakeCupy, graph: gdsl.Graph, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    def lost(event: FakeEvent) -> None:
        raise LostError

    program = gdsl.compile("bfs")
    program(graph, source=0, backend="cuda")
    with monkeypatch.context() as context, pytest.raises(LostError):
        context.setattr(cupy.cuda.runtime, "eventQuery", lambda pointer: 719)
        context.setattr(FakeEvent, "synchronize", lost)
        if how == "call":
            program(graph, source=0, backend="cuda")
        else:
            pending = program.submit(graph, source=0, backend="cuda")
            assert pending.done()
            pending.result()
    assert program(graph, source=1, backend="cuda").distance.get().tolist() == distances(1)


@pytest.mark.parametrize("is_waited_for", [True, False])
def test_who_is_stopped_has_no_results_to_put_in_order(cupy: FakeCupy, graph: gdsl.Graph, is_waited_for: bool) -> None:
    """A kernel that is stopped does not say where names lie that change places."""
    program = gdsl.compile(CHANGING, tune=[*SMALL, "schedule.layout=by_degree"])

    def found(passes: int | None) -> gdsl.Result:
        if is_waited_for:
            return program(graph, backend="cuda", max_iterations=passes)
        return program.submit(graph, backend="cuda", max_iterations=passes).result()

    for passes in (1, 2, 1):
        with pytest.raises(gdsl.GdslError) as caught:
            found(passes)
        assert caught.value.code == "E0803"
        assert found(None).a.get().tolist() == [7] * COUNT
