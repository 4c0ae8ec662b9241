"""Runs whose edge lists are in the memory of the host: the values of the reference, and no more of the GPU's memory
than allowed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracles import CASES, Case
from support.graphs import random_graph

import gdsl
from gdsl.api.schedules import differences as differences_of
from gdsl.backends.placement import Placement
from gdsl.diagnostics import GdslError
from gdsl.types import Widths

from .build import compiler
from .fake_cupy import FakeCupy
from .modes import FUSED
from .running import build as build_program
from .running import device_for, differences
from .test_programs import graphs, names_for, reference

pytestmark = pytest.mark.skipif(compiler() is None, reason="no g++ on this machine")

TUNE = ["schedule.block=64"]
PAGE = 64
SHARES = (Placement(0, 1, PAGE), Placement(1, 2, PAGE), Placement(9, 10, PAGE))
"""No edge list on the device, the first half of each, and nearly all: boundaries are inside of lists."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.sampled(12)
def test_divided_lists_give_the_same_values(case: Case) -> None:
    built = build_program(case.name, FUSED.words, FUSED.shape, FUSED.widths)
    layout = built.plan.layout
    if layout is not None and layout.looks_up and layout.always:
        pytest.skip("it runs on other ids only")
    names = [name for name in names_for(case, FUSED, 0) if graphs()[name].num_edges < 3000]
    for seed, name in enumerate(names):
        graph, device = graphs()[name], device_for(seed)
        bindings, expected = reference(case, name, built.widths.vertex)
        found = built.run(graph, bindings, device, placement=SHARES[seed % len(SHARES)])
        assert differences(built.program, expected, found) == [], (name, seed)
        case.check(graph, {**bindings.params, **bindings.inputs}, {**found.arrays, **found.scalars})


def weighted(directed: bool = True) -> gdsl.Graph:
    graph = random_graph(200, 4000, seed=7, directed=directed)
    weight = np.random.default_rng(3).random(graph.num_edges, np.float32)
    return gdsl.Graph(graph.offsets, graph.columns, directed=directed, attributes={"weight": weight})


PROGRAMS: dict[str, dict[str, Any]] = {
    "bfs": {"source": 0},
    "sssp": {"source": 0},
    "pagerank": {},
    "triangle_count": {},
    "strongly_connected_components": {},
}


def least_of(error: GdslError) -> int:
    """The limit that a message names."""
    return int(str(error).partition("memory=")[2].split(")")[0])


@pytest.mark.parametrize(
    "name", [*list(PROGRAMS)[:3], *(pytest.param(n, marks=pytest.mark.slow) for n in list(PROGRAMS)[3:])]
)
def test_a_run_uses_no_more_than_it_may(cupy: FakeCupy, name: str) -> None:
    program, values = gdsl.compile(name, tune=TUNE), PROGRAMS[name]
    expected = program(weighted(), backend="reference", **values)
    with pytest.raises(GdslError) as caught:
        program(weighted(), backend="cuda", memory=1, **values)
    assert caught.value.code == "E0914"
    least = least_of(caught.value)
    with pytest.raises(GdslError) as caught:
        program(weighted(), backend="cuda", memory=least - 1, **values)
    assert least_of(caught.value) == least
    for limit in (least, least + 3000, least + 9000, 1 << 30):
        graph, before, found = weighted(), cupy.held, None
        cupy.most_held = before
        for _ in range(2):
            found = None  # the memory of results is the caller's
            found = program(graph, backend="cuda", memory=limit, **values)
            assert list(differences_of(program.ir, expected, found)) == []
        assert cupy.most_held - before <= limit
        assert bool(found.memory_line) == (limit < 1 << 30)
        if found.memory_line:
            assert "edge lists" in found.memory_line and "since the run may use" in found.memory_line
        del found, graph


def test_nothing_is_resident_on_request(cupy: FakeCupy) -> None:
    program, graph = gdsl.compile("sssp", tune=TUNE), weighted()
    found = program(graph, source=0, backend="cuda", memory="host")
    assert found.memory_line.endswith("(columns, weight) are in the host's memory, as requested")
    on_device = next(iter(program._executables["cuda", Widths.both(32)]._within.values()))[2].on_device
    assert on_device.device_bytes() == on_device.scratch.held_bytes()
    assert "memory" in dict(program.last_run(graph, "cuda")[1].build(graph).facts)
    again = program(graph, source=0, backend="cuda")
    assert again.memory_line == "" and again.distance.get().tolist() == found.distance.get().tolist()


def test_lists_that_do_not_fit_go_to_the_host(cupy: FakeCupy) -> None:
    program, graph = gdsl.compile("bfs", tune=TUNE), weighted(directed=False)
    expected = program(graph, source=0, backend="reference")
    needs = program.dry_run(graph, {"source": 0}, backend="cuda", memory=1 << 30).needs
    cupy.free = sum(need.nbytes for need in needs if need.name != "run.gaps") - 8000
    kept = []
    for _ in range(3):  # results that the caller keeps leave less for lists
        found = program(graph, source=0, backend="cuda")
        assert "since they do not fit in the GPU's memory" in found.memory_line
        assert list(differences_of(program.ir, expected, found)) == []
        kept.append(found)
    other = gdsl.compile("connected_components", tune=TUNE)
    assert list(differences_of(other.ir, other(graph, backend="reference"), other(graph, backend="cuda"))) == []
    with pytest.raises(GdslError) as caught:
        gdsl.compile("bfs", tune=TUNE)(graph, source=0, backend="cuda", memory="device")
    assert caught.value.code == "E0912" and "--memory host" in str(caught.value)
    assert cupy.most_held <= cupy.free


def test_submitted_and_many_runs(cupy: FakeCupy) -> None:
    program, graph = gdsl.compile("bfs", tune=TUNE), weighted()
    expected = [program(graph, source=v, backend="reference").distance.tolist() for v in range(3)]
    pending = program.submit(graph, source=1, backend="cuda", memory="host")
    assert pending.result().distance.get().tolist() == expected[1] and pending.result().memory_line
    runs = program.imap(graph, source=range(3), backend="cuda", memory="host")
    assert [np.asarray(run.distance).reshape(-1).tolist() for run in runs] == expected


def test_wide_ids_and_the_callers_own_arrays_of_edges(cupy: FakeCupy) -> None:
    program, graph = gdsl.compile("sssp", tune=[*TUNE, "schedule.ids=64"]), weighted()
    weight = np.arange(graph.num_edges, dtype=np.float32)
    expected = program(graph, source=0, weight=weight, backend="reference")
    found = program(graph, source=0, weight=weight, backend="cuda", memory="host")
    assert "(columns)" in found.memory_line
    assert list(differences_of(program.ir, expected, found)) == []
