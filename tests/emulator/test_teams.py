"""Programs in the form that teams of blocks run, for many values in one launch: each as a call by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gdsl
from gdsl.backends.batch import Bounds, FailedAtError, Part
from gdsl.backends.cuda import plan_of, teams
from gdsl.backends.cuda.memory import GraphOnDevice
from gdsl.backends.cuda.numbering import Kernels
from gdsl.backends.cuda.renumbered_graph import RenumberedGraph
from gdsl.backends.cuda.teams import TeamRuns
from gdsl.backends.interface import Bindings, Limits, Outcome, Pair
from gdsl.binding import bind
from gdsl.codegen.cuda.generate import generate
from gdsl.codegen.generated import CudaText
from gdsl.diagnostics import GdslError
from gdsl.graph import Graph
from gdsl.ir.nodes import Program
from gdsl.plan import occupancy
from gdsl.plan.nodes import Plan
from tests.support.graphs import random_graph

from .build import compiler
from .driver import EmulatedModule, EmulatorError, Schedule
from .emulated_device import EmulatedDevice
from .fake_cupy import FakeCupy
from .running import NARROW, SMALL, VARYING, device_for, differences, expect, program_of, renumbering

pytestmark = pytest.mark.skipif(compiler() is None, reason="no g++ on this machine")

CHECKED = """program checked;
problem { param start : vertex; param shift : int32 = 0; vertex level : int32 = -1; scalar seen : int64 = 0; }
edge functor visit(src, dst, e) { cond level[dst] == -1; apply { level[dst] = iteration + 1; } }
vertex functor add(v) { apply { if (level[int32(v) + shift] >= 0) { seen += 1; } } }
schedule { level[start] = 0; frontier f = {start}; while (f) { f = advance(f, visit); } compute(vertices, add); }
"""
FLAGGED = """program flagged;
problem { param source : vertex; vertex seen : bool; vertex odd : bool; vertex last : vertex = none; }
edge functor visit(src, dst, e) { apply { seen[dst] |= true; odd[dst] ^= true; last[dst] max= src; accept true; } }
schedule { frontier f = advance({source}, visit); advance(f, visit, to=none); }
"""
TURNING = """program turning;
problem {
    param times : int32;
    vertex a : int32 = 1;
    vertex b : int32 = 2;
    vertex c : int32 = 3;
    scalar s : int32 = 3;
    scalar t : int32 = 4;
}
vertex functor add(v) { apply { b[v] = a[v] + b[v] + 7 * c[v]; } }
schedule { repeat (times) { compute(vertices, add); swap(a, b); swap(b, c); swap(s, t); } }
"""
SENDING = """program sending;
problem { param last : int32; vertex sends : bool; vertex least : int32; vertex most : int32; }
edge functor seen(src, dst, e) -> int32 { cond sends[src]; value least[far]; }
schedule {
    compute(vertices, v => { sends[v] = int32(v) % 4 == 1 && int32(v) <= last; });
    repeat (3) {
        most = neighbor_reduce(vertices, seen, max, over=in_edges);
        compute(vertices, v => { least[v] = most[v]; });
    }
}
"""
SEVERAL = """program several;
problem {
    param n : int32;
    param k : int32;
    local vertex a[n] : int32 = 7;
    local scalar most : int32;
    vertex b : int32;
}
vertex functor add(v) {
    apply {
        for i in 0..n { a[v][i] += int32(v) + i; }
        for i in 0..n { b[v] += a[v][i] * k; }
        most max= n;
    }
}
schedule { compute(vertices, add); compute(vertices, v => { b[v] += most; }); }
"""


@cache
def built(name: str) -> tuple[Program, Plan, CudaText, EmulatedModule]:
    program = program_of(name)
    plan = plan_of(program, SMALL, teams=True)
    generated = generate(plan, NARROW)
    return program, plan, generated, EmulatedModule(generated.text, f"{program.name}.cu")


def parts_of(name: str, graph: Graph, bound: Sequence[Bindings], device: EmulatedDevice, **options: Any) -> list[Part]:
    _, plan, generated, module = built(name)
    on_device = GraphOnDevice(device, graph, NARROW)
    if options.pop("by_degree", False) and plan.layout is not None:
        on_device = RenumberedGraph(Kernels(device, renumbering(NARROW).get_function), on_device, graph)
    runs = TeamRuns(device, module.get_function, plan, generated, on_device)
    return list(runs.run(bound, options.pop("limits", Limits()), Bounds(**options)))


def outcomes(parts: Sequence[Part]) -> list[Outcome]:
    def row(values: Any, number: int) -> Any:
        return Pair(*(each[number] for each in values)) if isinstance(values, Pair) else values[number]

    return [
        Outcome(
            {name: row(values, number) for name, values in part.arrays.items()},
            {name: values[number] for name, values in part.scalars.items()},
            part.iterations[number],
            part.time_ms,
        )
        for part in parts
        for number in range(len(part.iterations))
    ]


def check(
    name: str, graph: Graph, values: Sequence[Mapping[str, Any]], blocks: int, seed: int = 1, **options: Any
) -> list[Part]:
    """Run with `values` by teams of so many blocks; every result is what the reference gives by itself."""
    program = built(name)[0]
    bound = [bind(program, graph, each, id_bits=32) for each in values]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(occupancy, "blocks_a_team", lambda *_: blocks)
        parts = parts_of(name, graph, bound, device_for(seed, 4), **options)
    found = outcomes(parts)
    assert len(found) == len(bound)
    for bindings, outcome in zip(bound, found, strict=True):
        expected = expect(program, graph, bindings)
        arrays = {**bindings.inputs, **outcome.arrays}
        traced = replace(outcome, arrays=arrays, traced=expected.trace)  # of many runs there is none
        assert differences(program, expected, traced) == []
        if program.name not in VARYING:
            assert outcome.iterations == expected.iterations
    return parts


def weighted(graph: Graph, dtype: str) -> dict[str, Any]:
    return {"weight": np.random.default_rng(1).integers(1, 9, graph.num_edges).astype(dtype)}


@pytest.fixture(scope="module")
def karate() -> Graph:
    return gdsl.Graph.read(Path(__file__).parents[2] / "samples" / "graphs" / "karate.mtx")


def test_how_many_are_done_is_told_while_they_run(karate: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a launch by itself, and each value once over several launches."""
    monkeypatch.setattr(teams, "_EVERY", 0.0)
    program = built("bfs")[0]
    bound = [bind(program, karate, {"source": source}, id_bits=32) for source in range(9)]
    for at_once in (9, 4, 1):
        told: list[int] = []
        parts_of("bfs", karate, bound, device_for(1, 4), at_once=at_once, done=told.append)
        assert sum(told) == 9 and min(told) > 0


@pytest.mark.parametrize("blocks", [1, 2])
@pytest.mark.parametrize(
    "name, param, values",
    [
        ("bfs", "source", [0, 33, 5, 5, 12, 7, 1]),
        ("label_propagation", "seed", [0, 1, 2, 3, 4]),
        ("pagerank", "damping", [0.5, 0.85, 0.25]),
        (TURNING, "times", [0, 1, 2, 3, 4, 5]),
    ],
)
@pytest.mark.sampled(3)
def test_each_value_gets_its_own(karate: Graph, name: str, param: str, values: list[Any], blocks: int) -> None:
    check(name, karate, [{param: value} for value in values], blocks, seed=len(values) + blocks)


@pytest.mark.parametrize("blocks", [1, 2])
def test_worklists_with_weights(karate: Graph, blocks: int) -> None:
    kind = {array.name: array.type.name for array in built("sssp")[0].arrays}["weight"]
    check("sssp", karate, [{"source": value, **weighted(karate, kind)} for value in (0, 9, 33, 2, 4)], blocks)


@pytest.mark.parametrize("blocks", [1, 2])
@pytest.mark.parametrize("by_degree", [False, True])
def test_arrays_of_several_values_of_other_numbers(karate: Graph, blocks: int, by_degree: bool) -> None:
    """Where no result tells how many values an element has, each run may have its own number of them."""
    values = [{"n": n, "k": k} for n, k in ((1, 1), (9, 2), (3, 3), (70, 1), (2, 5), (9, 0))]
    check(SEVERAL, karate, values, blocks, by_degree=by_degree, at_once=4)


@pytest.mark.parametrize("blocks", [1, 2])
def test_reductions_that_send(blocks: int) -> None:
    """What is sent is compared with a value from the cache; teams of one block meet behind its own barriers alone."""
    graph = random_graph(31, 90, seed=5)
    for seed in range(3):
        check(SENDING, graph, [{"last": last} for last in (0, 9, 30, 31)], blocks, seed)


@pytest.mark.parametrize("seed", range(4))
def test_any_order_of_the_teams(karate: Graph, seed: int) -> None:
    check("bfs", karate, [{"source": value} for value in range(9)], 1 + seed % 2, seed=seed)


@pytest.mark.parametrize("name", ["bfs", FLAGGED])
@pytest.mark.parametrize("by_degree", [False, True])
def test_in_the_order_of_degrees(name: str, by_degree: bool) -> None:
    """Of an odd number of vertices rows of bools do not share the words by which these are changed."""
    graph = random_graph(31, 70, seed=3, directed=False)
    for seed in range(3):
        check(name, graph, [{"source": value} for value in (0, 30, 9, 16, 4)], 1, seed, by_degree=by_degree)


def test_as_many_at_a_time_as_there_is_memory_for(karate: Graph) -> None:
    values = [{"source": value} for value in range(7)]
    parts = check("bfs", karate, values, 1, at_once=3)
    assert [len(part.iterations) for part in parts] == [3, 3, 1]
    assert "3 launches of 3, as requested" in parts[0].how
    parts = check("bfs", karate, values, 1, memory=6_000, whole=True)
    assert len(parts) > 1
    assert "the most that memory allows" in parts[0].how


def test_the_first_value_that_fails_is_named(karate: Graph) -> None:
    program = built(CHECKED)[0]
    shifts = [0, 0, 0, 5, 0, 9, 0]
    bound = [bind(program, karate, {"start": 0, "shift": shift}, id_bits=32) for shift in shifts]
    for seed in range(3):
        with pytest.raises(FailedAtError) as caught:
            parts_of(CHECKED, karate, bound, device_for(seed, 4))
        assert caught.value.index == 3
        assert caught.value.error.code == "E0801"
    with pytest.raises(FailedAtError) as caught:
        parts_of(CHECKED, karate, bound[:3], device_for(0, 4), limits=Limits(max_iterations=1))
    assert (caught.value.index, caught.value.error.code) == (0, "E0803")


def test_the_host_stops_all(karate: Graph) -> None:
    program = built("bfs")[0]
    bound = [bind(program, karate, {"source": value}, id_bits=32) for value in range(9)]
    device = EmulatedDevice(4, Schedule(stop_at=3000))
    with pytest.raises(GdslError, match="E0802"):
        parts_of("bfs", karate, bound, device)


def test_calls_find_their_way(cupy: FakeCupy, karate: Graph) -> None:
    """From `Program.map` to one launch, and back to one array."""
    program = gdsl.compile("bfs", tune=["schedule.block=32"])
    cupy.log.clear()
    batch = program.map(karate, source=range(6), backend="cuda")
    assert cupy.log["launch"] == 1
    assert "one block each" in batch.how
    reference = program.map(karate, source=range(6), backend="reference")
    assert np.array_equal(np.asarray(batch.host_arrays()["distance"]), reference.distance)
    assert batch.iterations.tolist() == reference.iterations.tolist()
    assert program.map(karate, source=[3], backend="cuda").distance.shape == (1, 34)
    unfused = gdsl.compile("bfs", tune=["schedule.block=32", "schedule.fuse=off"])
    found = unfused.map(karate, source=[0, 1], backend="cuda")
    assert found.how == "one by one, since its steps are kernels of their own"
    assert np.array_equal(found.host_arrays()["distance"], reference.distance[:2])


@pytest.mark.parametrize(
    "blocks, right, wrong",
    [
        pytest.param(1, "    __syncthreads();\n    run.stopped |=", "    run.stopped |=", id="threads go on too early"),
        pytest.param(1, "blockIdx.y * batch.room", "0 * batch.room", id="teams share frontiers"),
        pytest.param(2, "value * batch.record", "blockIdx.y * batch.record", id="teams keep their record"),
    ],
)
def test_mistakes_are_found(
    karate: Graph, monkeypatch: pytest.MonkeyPatch, blocks: int, right: str, wrong: str
) -> None:
    """With these in the text there is a race, or something else comes out."""
    program, plan, generated, _ = built("bfs")
    assert right in generated.text
    module = EmulatedModule(generated.text.replace(right, wrong), "mistaken.cu")
    monkeypatch.setitem(globals(), "built", lambda name: (program, plan, generated, module))
    with pytest.raises((EmulatorError, AssertionError, FailedAtError, GdslError)):
        for seed in range(4):
            check("bfs", karate, [{"source": value} for value in (0, 33, 5, 12, 7, 1, 16, 20)], blocks, seed)
