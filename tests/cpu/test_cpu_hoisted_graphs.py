"""Graphs that are kept with the given one: later runs of any program find them, and stopped runs keep nothing."""

from __future__ import annotations

import gc
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from gdsl.backends.cpu import hoisted_graphs
from gdsl.backends.interface import Limits
from gdsl.backends.reference.interpreter import interpret
from gdsl.binding import bind
from gdsl.graph.graph import Graph
from gdsl.types import Widths
from tests.cpu.running import assert_agree, executable
from tests.support.graphs import make_graph, random_graph

NAMED = """program named;
problem {
    input edge given : int64;
    vertex out : int64; vertex back : int64; vertex twins : int64; scalar edges_of : int64;
}
edge functor upwards(src, dst, e) { cond (out_degree(src), src) < (out_degree(dst), dst) || place % 3 == 0; }
edge functor values(src, dst, e) -> int64 { value given[e] * int64(dst) + place; }
edge functor backwards(src, dst, e) -> int64 { value reverse(e) == edge(none) ? 1 : given[reverse(e)]; }
schedule {
    graph h = subgraph(filter(edges, upwards));
    on h {
        edges_of = num_edges;
        out = neighbor_reduce(vertices, values, sum);
        back = neighbor_reduce(vertices, values, sum, over=in_edges);
        twins = neighbor_reduce(vertices, backwards, sum);
    }
}"""
NUMBERED = """program numbered;
problem { vertex out : int64; vertex back : int64; scalar found : int64; }
edge functor upwards(src, dst, e) { cond (out_degree(src), src) < (out_degree(dst), dst) || place % 3 == 0; }
edge functor ends(src, dst, e) -> int64 { value int64(dst) + 2; }
edge functor sources(src, dst, e) -> int64 { value int64(src); }
schedule {
    repeat (2) {
        graph h = subgraph(filter(edges, upwards));
        on h {
            out = neighbor_reduce(vertices, ends, sum);
            back = neighbor_reduce(vertices, sources, sum, over=in_edges);
            found = intersect(edges);
        }
    }
}"""
LOOPING = """program looping;
problem { vertex out : int64; }
edge functor upwards(src, dst, e) { cond (out_degree(src), src) < (out_degree(dst), dst) || place % 3 == 0; }
edge functor ends(src, dst, e) -> int64 { value int64(dst) + iteration; }
schedule {
    graph h = subgraph(filter(edges, upwards));
    on h { repeat (2) { out = neighbor_reduce(vertices, ends, sum); } }
}"""
"""All that runs besides what makes the graph is in a loop."""
PLACED = """program placed;
problem { vertex out : int64; vertex back : int64; vertex both : int64; }
edge functor upwards(src, dst, e) { cond (out_degree(src), src) < (out_degree(dst), dst) || place % 3 == 0; }
edge functor places(src, dst, e) -> int64 { value int64(dst) + 100 * place; }
edge functor note(src, dst, e) { cond place < 2; apply { both[src] += 7 + int64(place); } }
schedule {
    graph h = subgraph(filter(edges, upwards));
    on h {
        out = neighbor_reduce(vertices, places, sum, over=all_edges);
        back = neighbor_reduce(vertices, places, max, over=in_edges);
        advance(vertices, note, to=none, over=in_edges);
    }
}"""
"""The place of an edge that is found in an in-list follows from its id, which nothing else reads."""
AGAIN = NUMBERED.replace("program numbered;", "program again;").replace("repeat (2)", "if (num_vertices > 0)")


def graphs() -> dict[str, Graph]:
    return {
        "no edges": make_graph([], 5),
        "loops and parallel edges": make_graph([(0, 0), (0, 1), (0, 1), (1, 0), (2, 3), (3, 3), (3, 2)], 5),
        "directed": random_graph(40, 300, seed=3),
    }


@pytest.mark.parametrize("name", graphs())
def test_later_runs_and_other_programs_find_them(name: str) -> None:
    graph = graphs()[name]
    values = {"given": np.arange(graph.num_edges) + 1}
    for text in (NAMED, NUMBERED, NAMED, LOOPING, AGAIN, PLACED, NUMBERED):
        ready = executable(text, ())
        bindings = bind(ready.program, graph, values if text is NAMED else {})
        expected = interpret(ready.program, graph, bindings, Limits())
        for _ in range(2):
            assert_agree(ready.program, expected, ready.run(graph, bindings, Limits()))
    slots = hoisted_graphs._kept[graph]
    assert [slot.state for slot in slots.values()] == [
        2
    ] * 4  # with ids and ways back, with in-lists, with neither, with ids


def test_runs_at_the_same_time_make_one() -> None:
    graph, ready = random_graph(300, 4000, seed=8), executable(NUMBERED, ())
    bindings = bind(ready.program, graph, {})
    expected = interpret(ready.program, graph, bindings, Limits())
    with ThreadPoolExecutor(4) as pool:
        for outcome in pool.map(lambda _: ready.run(graph, bindings, Limits()), range(8)):
            assert_agree(ready.program, expected, outcome)


def test_they_are_freed_with_their_graph() -> None:
    graph, freed = make_graph([(0, 1), (1, 2), (2, 0)], 3), []
    hoisted_graphs.addresses_of(graph, Widths.both(32), ("some", "others"))
    weakref.finalize(next(iter(hoisted_graphs._kept[graph].values())), freed.append, "a slot")
    del graph
    gc.collect()
    assert freed == ["a slot"]


def test_a_stopped_run_keeps_nothing() -> None:
    graph, ready = random_graph(50, 400, seed=2), executable(NUMBERED, ())
    bindings = bind(ready.program, graph, {})
    from gdsl.backends.cpu.run import Run

    run = Run(ready, graph, bindings, Limits())
    run.control.host_stop = 1
    run.call(ready.library.run)
    assert [slot.state for slot in hoisted_graphs._kept[graph].values()] == [0]
    run.end()
    expected = interpret(ready.program, graph, bindings, Limits())
    assert_agree(ready.program, expected, ready.run(graph, bindings, Limits()))
