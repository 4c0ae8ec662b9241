"""What runs that are not waited for may ask of the driver while another goes on: nothing that would be there once that
has ended, as one without an end is never over; the emulator takes CuPy's place."""

from __future__ import annotations

import gc
import time
import weakref
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gdsl
from gdsl.backends.cuda.launching import Launching
from tests.support.graphs import make_graph, path

from .build import compiler
from .fake_cupy import FakeCupy
from .submitting import queued_runs
from .test_calls import COUNT, SMALL, distances

pytestmark = pytest.mark.skipif(compiler() is None, reason="no g++ on this machine")
Asked = list[tuple[str, int]]
"""What was asked of the driver, and how many were in the line."""
SEVERAL = """program several; problem { param count : int32 = 2; vertex a[count] : int32; }
vertex functor fill_all(v) { apply { for i in 0..count { a[v][i] = i + 1; } } }
schedule { compute(vertices, fill_all); }
"""


@pytest.fixture
def asked(cupy: FakeCupy, monkeypatch: pytest.MonkeyPatch) -> Asked:
    """What was asked that waits for all runs, or may."""
    found: Asked = []

    def noted(owner: Any, name: str) -> None:
        function = getattr(owner, name)

        def called(*values: Any, **named: Any) -> Any:
            found.append((name, queued_runs()))
            return function(*values, **named)

        monkeypatch.setattr(owner, name, called)

    for owner, name in (
        (cupy.cuda, "alloc_pinned_memory"),
        (cupy, "asarray"),
        (Launching, "load"),
        (cupy.stream, "synchronize"),
    ):
        noted(owner, name)
    return found


def test_programs_that_take_turns_make_nothing(
    cupy: FakeCupy, graph: gdsl.Graph, busy: SimpleNamespace, asked: Asked
) -> None:
    """The second needs more memory to work in than there was, so that the first finds what it clears elsewhere."""
    programs = [gdsl.compile(name, tune=SMALL) for name in ("k_core", "coloring")]
    expected = [program.submit(graph, backend="cuda").result().host_arrays() for program in programs]
    asked.clear()
    busy.until = time.monotonic() + 0.2
    pending = [programs[turn % 2].submit(graph, backend="cuda") for turn in range(8)]
    for turn, each in enumerate(pending):
        for name, values in each.result().host_arrays().items():
            assert np.array_equal(values, expected[turn % 2][name]), (turn, name)
    assert asked == []


def test_buffers_of_other_lengths_are_made_once_the_line_has_ended(
    cupy: FakeCupy, graph: gdsl.Graph, busy: SimpleNamespace, asked: Asked
) -> None:
    program = gdsl.compile(SEVERAL, tune=SMALL)
    program.submit(graph, backend="cuda").result()
    busy.until = time.monotonic() + 0.2
    asked.clear()
    pending = [program.submit(graph, count=count, backend="cuda") for count in (2, 3)]
    assert asked and all(in_line == 0 for _, in_line in asked), asked
    found = [each.result().host_arrays()["a"].tolist() for each in pending]
    assert found == [[[*range(1, count + 1)]] * COUNT for count in (2, 3)]


def test_a_program_new_to_a_graph_waits_for_the_line(
    cupy: FakeCupy, graph: gdsl.Graph, busy: SimpleNamespace, asked: Asked
) -> None:
    program, other = gdsl.compile("bfs", tune=SMALL), make_graph(path(5), 5)
    program.submit(graph, source=0, backend="cuda").result()
    busy.until = time.monotonic() + 0.2
    asked.clear()
    pending = [program.submit(each, source=0, backend="cuda") for each in (graph, other)]
    assert asked and all(in_line == 0 for _, in_line in asked), asked
    assert [each.result().distance.get().tolist() for each in pending] == [[*range(COUNT)], [*range(5)]]


def test_what_is_on_its_way_on_another_stream_waits_for_the_line(
    cupy: FakeCupy, graph: gdsl.Graph, busy: SimpleNamespace, asked: Asked
) -> None:
    """The default stream is over once all others are."""
    first, other, default = gdsl.compile("bfs", tune=SMALL), gdsl.compile("sssp", tune=SMALL), cupy.stream
    for program in (first, other):
        program.submit(graph, source=0, backend="cuda").result()
    cupy.stream = SimpleNamespace(ptr=7, synchronize=default.synchronize)
    busy.until = time.monotonic() + 0.2
    asked.clear()
    pending = [program.submit(graph, source=1, backend="cuda") for program in (first, other)]
    assert asked and all(in_line == 0 for _, in_line in asked), asked
    assert [each.result().distance.get().tolist() for each in pending] == [distances(1)] * 2


def test_a_trace_of_more_records_does_not_wait_for_another_run(
    cupy: FakeCupy, busy: SimpleNamespace, asked: Asked
) -> None:
    """It comes by another stream than that of the runs."""
    first, other, long = gdsl.compile("bfs", tune=SMALL), gdsl.compile("sssp", tune=SMALL), make_graph(path(100), 100)
    for program in (first, other):
        program.submit(long, source=98, backend="cuda").result()
    asked.clear()
    busy.until = None
    pending, behind = (program.submit(long, source=0, backend="cuda") for program in (first, other))
    assert queued_runs() == 2
    busy.until = 0.0
    result = pending.result()
    assert len(result.trace) >= 99 and result.distance.get().tolist() == [*range(100)]
    assert asked == [] and cupy.log["synchronize beside"] == 1
    assert len(first.submit(long, source=1, backend="cuda").result().trace) >= 99
    assert asked and all(in_line == 0 for _, in_line in asked), "more room on the host, once there is nobody in line"
    assert behind.result().distance.get().tolist() == other(long, source=0, backend="cuda").distance.get().tolist()


def test_what_nobody_has_any_more_is_unloaded_once_nothing_runs(
    cupy: FakeCupy,
    graph: gdsl.Graph,
    busy: SimpleNamespace,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """To unload machine code the driver waits for all runs."""
    load, modules = Launching.load, list[Any]()

    def noted(device: Any, cubin: bytes) -> Any:
        module = load(device, cubin)
        modules.append(weakref.ref(module))
        return module

    monkeypatch.setattr(Launching, "load", noted)
    first, other = gdsl.compile("bfs", tune=SMALL), gdsl.compile("sssp", tune=SMALL)
    for program in (first, other):
        program.submit(graph, source=0, backend="cuda").result()
    count = len(modules)
    busy.until = None
    pending = other.submit(graph, source=1, backend="cuda")
    del first, program
    gc.collect()
    assert queued_runs() == 1 and all(module() is not None for module in modules)
    busy.until = 0.0
    assert pending.result().distance.get().tolist() == other(graph, source=1, backend="cuda").distance.get().tolist()
    gc.collect()
    assert sum(module() is not None for module in modules) == count - 1
