"""Runs on several GPUs: every sample and test program against the reference, with two kernels that share one GPU and,
where there are two, with one on each."""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from oracles import BY_NAME, CASES, Case
from support.graphs import named_graphs, random_graph

import gdsl
from gdsl.binding import bind
from gdsl.graph import Graph, rmat, uniform
from tests.emulator.running import ROOT, VARYING, equal

cupy = pytest.importorskip("cupy")
pytest.importorskip("cuda.bindings.driver", reason="needs gdsl[gpus]")
pytestmark = pytest.mark.gpu


def _count() -> int:
    try:
        return int(cupy.cuda.runtime.getDeviceCount())
    except cupy.cuda.runtime.CUDARuntimeError:
        return 0


TWO = pytest.param(2, marks=pytest.mark.skipif(_count() < 2, reason="this machine has one GPU"), id="two")
THREE = pytest.param([0, 0, 0], id="three on one")
on_gpus = pytest.mark.parametrize("gpus", [pytest.param([0, 0], id="two on one"), TWO])


@cache
def graphs() -> dict[str, Graph]:
    """Awkward ones, and one whose arrays are spread."""
    return {
        **named_graphs(),
        "several_blocks": random_graph(400, 3000, seed=3, directed=False),
        "rmat": rmat(16, seed=2),
    }


def suited(case: Case) -> Iterator[str]:
    """Every third of the graphs that the program accepts, the last one among them."""
    names = [name for name, graph in graphs().items() if case.suits(graph)]
    yield from names[::-3]


def differences(program: Any, expected: Any, found: Any) -> list[str]:
    """The unique results that differ."""
    before, after = expected.host_arrays(), found.host_arrays()
    types = {array.name: array.type for array in program.ir.arrays if array.unique and not array.is_input}
    return [
        name
        for name in before
        if (kind := types.get(name.split(".")[0]))
        and not (np.array_equal if kind.is_pair else functools.partial(equal, kind))(before[name], after[name])
    ]


@on_gpus
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_agrees_with_the_reference(case: Case, gpus: Any) -> None:
    paths = (ROOT / folder / f"{case.name}.gdsl" for folder in ("samples", "tests/programs"))
    program = gdsl.compile(next(path for path in paths if path.exists()))
    for name in suited(case):
        graph = graphs()[name]
        values = case.values(graph, 1)
        small = graph.num_edges < 10_000  # the reference and oracles take minutes on others
        expected = program.run(graph, values, backend="reference" if small else "cuda")
        found = program.run(graph, values, gpus=gpus, timeout=60)
        assert differences(program, expected, found) == [], name
        if small:
            bindings = bind(program.ir, graph, values)
            case.check(graph, {**bindings.params, **bindings.inputs}, {**found.host_arrays(), **found.scalars})
        if case.name not in VARYING:
            assert found.iterations == expected.iterations


@pytest.mark.parametrize("gpus", [pytest.param([0, 0], id="two on one"), THREE, TWO])
@pytest.mark.parametrize("name", ["bfs", "pagerank", "sssp", "connected_components", "k_core", "triangle_count"])
def test_large_graphs_agree_with_one_gpu(name: str, gpus: Any) -> None:
    """Arrays of many pages, which are spread over the GPUs."""
    case = BY_NAME[name]
    graph = rmat(20, seed=2)
    values = case.values(graph, 1)
    program = gdsl.compile(name)
    expected = program.run(graph, values, backend="cuda")
    for _ in range(3):
        found = program.run(graph, values, gpus=gpus, timeout=120)
        assert differences(program, expected, found) == []


NEXT = """program next;
problem { input vertex x : int32; vertex y : int32; vertex half : float64; }
vertex functor step(v) { apply { y[v] = x[v] + 1; half[v] = float64(x[v]) / 2; } }
schedule { compute(vertices, step); }
"""


@pytest.mark.parametrize("gpus", [pytest.param([0, 0], id="two on one"), THREE, TWO])
def test_results_in_the_memories_of_all_gpus(gpus: Any) -> None:
    """Where vertices are numbered by degree; CuPy reads and copies them, and they are inputs of the next run."""
    graph = uniform((1 << 21) + 12345, 1 << 23, seed=3)
    bfs, following = (gdsl.compile(each, tune=["schedule.layout=by_degree"]) for each in ("bfs", NEXT))
    expected = bfs.run(graph, {"source": 5}, backend="cuda")
    distance = expected.distance.get()
    held = []
    for _ in range(3):
        found = bfs.run(graph, {"source": 5}, gpus=gpus, timeout=60)
        assert differences(bfs, expected, found) == []
        assert np.array_equal(found.distance.copy().get(), distance)
        assert bool((cupy.from_dlpack(found.distance) == expected.distance).all())
        assert int(found.distance.astype(cupy.int64).sum()) == int(distance.sum(dtype=np.int64))
        held.append(found.distance)
    for options in ({"gpus": gpus}, {"backend": "cuda"}):
        after = following.run(graph, {"x": held[0]}, **options)
        assert np.array_equal(after.y.get(), distance + 1)
        assert np.array_equal(after.half.get(), distance / 2)
    assert all(np.array_equal(each.get(), distance) for each in held)


ENDLESS = """program p; problem { vertex a : int32; scalar s : int32; }
    vertex functor f(v) { apply { a[v] += 1; } }
    schedule { while (s == 0) { compute(vertices, f); } }"""


@on_gpus
def test_a_timeout_stops_all_gpus(gpus: Any) -> None:
    graph = graphs()["several_blocks"]
    program = gdsl.compile(ENDLESS)
    for _ in range(2):
        started = time.monotonic()
        with pytest.raises(gdsl.GdslError) as caught:
            program(graph, gpus=gpus, timeout=1)
        assert caught.value.code == "E0802"
        assert time.monotonic() - started < 20
    assert gdsl.samples.bfs(graph, source=0, gpus=gpus).host_arrays()["distance"][0] == 0


@on_gpus
def test_threads_take_turns(gpus: Any) -> None:
    graph = graphs()["several_blocks"]
    program = gdsl.compile("bfs")
    expected = program(graph, source=1, backend="reference").distance
    wrong: list[str] = []

    def run(number: int) -> None:
        for _ in range(5):
            asked = gpus if number % 2 else None
            found = program(graph, source=1, backend="cuda", gpus=asked).host_arrays()["distance"]
            if not np.array_equal(found, expected):
                wrong.append(f"thread {number}")

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
