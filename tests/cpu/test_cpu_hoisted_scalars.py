"""Scalars that are kept with the graph: later runs of any program know them, and stopped runs keep nothing."""

from __future__ import annotations

import gc
from concurrent.futures import ThreadPoolExecutor

import pytest

import gdsl
from gdsl.backends import hoisted_scalars
from gdsl.backends.cpu.run import Run
from gdsl.backends.interface import Limits
from gdsl.backends.reference.interpreter import interpret
from gdsl.binding import bind
from gdsl.graph.graph import Graph
from tests.cpu.running import assert_agree, executable
from tests.support.graphs import make_graph, random_graph

HUBS = """program hubs;
problem {
    param times : int32 = 1; vertex close : int64; scalar many : int64;
    local scalar hub : vertex; local scalar most : int32;
}
edge functor reach(src, dst, e) { cond src == hub; apply { close[dst] += most * times; } }
schedule {
    hub = argmax(v => out_degree(v)); most = int32(max(v => in_degree(v)));
    many = count((s, d, e) => has_edge(d, s));
    advance(vertices, reach, to=none);
}
"""


def graphs() -> dict[str, Graph]:
    return {
        "no vertices": make_graph([], 0),
        "no edges": make_graph([], 5),
        "loops and parallel edges": make_graph([(0, 0), (0, 1), (0, 1), (1, 0), (2, 3), (3, 3), (3, 2)], 5),
        "directed": random_graph(40, 300, seed=3),
    }


@pytest.mark.parametrize("name", graphs())
def test_later_runs_and_other_programs_know_them(name: str) -> None:
    graph = graphs()[name]
    for text in (HUBS, HUBS.replace("program hubs;", "program others;")):
        ready = executable(text, ())
        bindings = bind(ready.program, graph, {})
        expected = interpret(ready.program, graph, bindings, Limits())
        for _ in range(2):
            assert_agree(ready.program, expected, ready.run(graph, bindings, Limits()))
    assert len(hoisted_scalars._kept[graph]) == 1


def test_runs_beside_each_other_and_batches() -> None:
    graph, ready = random_graph(300, 4000, seed=8), executable(HUBS, ())
    bindings = bind(ready.program, graph, {})
    expected = interpret(ready.program, graph, bindings, Limits())
    with ThreadPoolExecutor(4) as pool:
        for outcome in pool.map(lambda _: ready.run(graph, bindings, Limits()), range(8)):
            assert_agree(ready.program, expected, outcome)
    program = gdsl.compile(HUBS)
    many = program.map(graph, times=[1, 2, 3, 4, 5], backend="cpu")
    for times, close in zip((1, 2, 3, 4, 5), many.close, strict=True):
        assert close.tolist() == program(graph, times=times, backend="reference").close.tolist()


def test_they_are_freed_with_their_graph_and_change_with_it() -> None:
    gc.collect()
    before, program = len(hoisted_scalars._kept), gdsl.compile(HUBS)
    graph = gdsl.Graph.from_edges([0, 1, 1], [1, 2, 3], num_vertices=5)
    first = program(graph, backend="cpu").close.tolist()
    assert len(hoisted_scalars._kept) == before + 1
    grown = graph.updated(insert=([4, 4, 4, 4], [0, 1, 2, 3]))
    assert program(grown, backend="cpu").close.tolist() == program(grown, backend="reference").close.tolist()
    assert program(graph, backend="cpu").close.tolist() == first
    del graph, grown
    gc.collect()
    assert len(hoisted_scalars._kept) == before


def test_a_stopped_run_keeps_nothing() -> None:
    graph, ready = random_graph(50, 400, seed=2), executable(HUBS, ())
    bindings = bind(ready.program, graph, {})
    run = Run(ready, graph, bindings, Limits())
    run.control.host_stop = 1
    run.call(ready.library.run)
    run.end()
    assert not hoisted_scalars._kept[graph]
    expected = interpret(ready.program, graph, bindings, Limits())
    for _ in range(2):
        assert_agree(ready.program, expected, ready.run(graph, bindings, Limits()))
    assert len(hoisted_scalars._kept[graph]) == 1
