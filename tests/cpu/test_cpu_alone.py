"""What one thread does alone is what threads do together; filters and votes on both sides of their sizes."""

from __future__ import annotations

import dataclasses
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from gdsl.backends.interface import Limits
from gdsl.backends.reference.interpreter import interpret
from gdsl.binding import bind
from gdsl.graph import Graph
from gdsl.plan.target import Sizes
from tests.cpu.running import SMALL, assert_agree, executable
from tests.cpu.test_cpu_operators import GRAPHS, PROGRAMS, summary, text_of
from tests.support.graphs import make_graph, random_graph

COMB = [(v, v + 7) for v in range(600)] + [(v, v + 1) for v in range(0, 690, 5)]
ALONE = Sizes(hub_degree=3, hub_chunk=2)
FILTERS = """program p; problem { vertex kept : int32; vertex twice : int32; scalar sizes : int64; }
vertex functor third(v) { cond int32(v) % 3 != 1; }
vertex functor drawn(v) { cond random(v, 5) < 0.5 && kept[v] == 1; }
vertex functor all(v) { apply { } }
schedule {
    frontier f = filter(filter(vertices, third), all); compute(f, v => { kept[v] = 1; });
    frontier g = filter(f, drawn); compute(g, v => { twice[v] = 1; }); sizes = size(f) * 1000 + size(g);
}"""
SHARES = """program p;
problem {
    param every : int32; param first : int32; vertex most : int32; vertex few : int32; vertex next : bool;
    scalar sizes : int64;
}
edge functor go(src, dst, e) { cond !next[dst]; apply { next[dst] = true; } }
schedule {
    frontier f = filter(vertices, v => int32(v) % every != first); compute(f, v => { most[v] += 1; });
    frontier g = filter(vertices, v => int32(v) % every == first); compute(g, v => { few[v] += 1; });
    sizes = size(f) * 1000 + size(g);
    f = f - g; g = filter(f, v => int32(v) % every != first + 1); compute(g, v => { few[v] += 2; });
    while (g && iteration < 2) { g = advance(g, go); }
}"""
"""Filters that pass nearly all of 64 members, or hardly any; the edges of what they pass are counted for `go`."""
ALONE_IN_SWEEPS = "without=followers"
"""Filters that do nothing but test, whatever runs on what they find."""
VOTES = """program p; requires symmetric;
problem { input vertex given : vertex; vertex chosen : vertex; vertex again : vertex; local vertex label : vertex; }
schedule {
    chosen = neighbor_vote(vertices, (src, dst, e) => (given[dst], 1));
    compute(vertices, v => { label[v] = int32(v) < 40 ? vertex(0) : v; });
    graph h = contract(label);
    on h { again = neighbor_vote(vertices, (src, dst, e) => (given[dst], 1)); }
}"""


def check(text: str, graphs: list[Graph], sizes: Sizes | None, *tune: str, **given: np.ndarray) -> None:
    ready = executable(text, tune, sizes)
    for graph in graphs:
        own = {name: values[: graph.num_vertices] for name, values in given.items()}
        bindings = bind(ready.program, graph, own)
        expected = interpret(ready.program, graph, bindings, Limits())
        found = ready.run(graph, bindings, Limits())
        assert_agree(ready.program, expected, found)
        assert summary(found) == summary(expected)


@pytest.mark.sampled(12)
@pytest.mark.parametrize("name", PROGRAMS)
def test_forms_by_one_thread(name: str) -> None:
    check(text_of(name, "all_edges"), GRAPHS, ALONE)


@pytest.mark.parametrize("sizes", [None, SMALL], ids=["alone", "together"])
def test_filters_of_every_length(sizes: Sizes | None) -> None:
    check(FILTERS, [make_graph([(0, 0)], count) for count in (1, 2, 63, 64, 65, 127, 128, 200)], sizes, ALONE_IN_SWEEPS)


@pytest.mark.parametrize("sizes", [None, ALONE, SMALL], ids=["usual", "alone", "together"])
@pytest.mark.parametrize("every", [1, 2, 5, 9, 16, 22, 64, 1000])
@pytest.mark.sampled(36)
def test_filters_that_pass_any_share(every: int, sizes: Sizes | None) -> None:
    ready = executable(SHARES, (ALONE_IN_SWEEPS,), sizes)
    for count in (1, 64, 65, 1100, 1500):
        graph = make_graph([(v, (7 * v + 1) % count) for v in range(count)], count)
        for first in sorted({0, 1, every // 2}):
            bindings = bind(ready.program, graph, {"every": every, "first": first})
            expected = interpret(ready.program, graph, bindings, Limits())
            assert_agree(ready.program, expected, ready.run(graph, bindings, Limits()))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("own_votes", [0, 64, 65536])
@pytest.mark.slow
def test_votes_for_vertices_and_for_none(own_votes: int) -> None:
    """Some keys have no place of their own: none, and in a made graph the ids of the graph that it was made of."""
    graphs = [random_graph(90, 900, seed=seed, directed=False) for seed in (1, 2)]
    given = np.random.default_rng(4).integers(-1, 90, 90).astype(np.int64)
    check(VOTES, graphs, dataclasses.replace(SMALL, own_votes=own_votes), given=given)


def test_runs_that_observe_threads_give_the_same() -> None:
    """By several threads and by one in turns, on graphs in turns and on one, also by two runs at the same time."""
    ready = executable("connected_components", (), SMALL)
    graphs = [make_graph(edges, 700, directed=False) for edges in (COMB, COMB[::3])]
    wanted = [
        interpret(ready.program, graph, bind(ready.program, graph, {}), Limits()).arrays["component"]
        for graph in graphs
    ]

    def runs(which: list[int]) -> list[bool]:
        return [
            np.array_equal(
                ready.run(graphs[i], bind(ready.program, graphs[i], {}), Limits()).arrays["component"], wanted[i]
            )
            for i in which
        ]

    assert all(runs([0] * 20 + [1, 0] * 5 + [1] * 10))
    with ThreadPoolExecutor(2) as pool:
        assert all(map(all, pool.map(runs, [[0] * 30, [0, 1] * 15])))
