"""The next level of a history, whose lists are found while all wait: where that is done, and what comes of it."""

from __future__ import annotations

import dataclasses

import pytest
from support.graphs import grid, make_graph, random_graph

from gdsl.backends.cuda import plan_of
from gdsl.binding import bind
from gdsl.pipeline import load
from gdsl.plan.graph_class import GENERAL, GraphClass
from gdsl.plan.hints import NextLevel
from gdsl.plan.walking import operations, sweeps_of

from . import build
from .running import DEEP, ROOT, SMALL, device_for, differences, emulated, expect

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")

BETWEENNESS = str(ROOT / "samples" / "betweenness.gdsl")
FORWARD = """program forth;
problem { param source : vertex; vertex depth : int32; vertex below : int64; vertex read : int64 = 1; }
edge functor reach(src, dst, e) { cond depth[dst] == -1; apply { depth[dst] = iteration + 1; } }
schedule {
    repeat (3) {
        fill(depth, -1);
        depth[source] = 0;
        history levels;
        frontier f = { source };
        while (f) { levels.push(f); f = advance(f, reach); }
        for g in forward(levels) {
            below = neighbor_reduce(g, (src, dst, e) => read[dst], sum);
            compute(g, v => { read[v] = below[v] % 1000003; }) @keep;
        }
    }
}
"""
FOUND = FORWARD.replace("below : int64", "below : bool").replace("read[dst], sum", "read[dst] > 5, some")
FOUND = FOUND.replace("below[v] %", "int64(below[v]) %")
BOTH = FORWARD.replace("problem {", "problem { vertex above : int64;").replace(
    "compute(g", "above = neighbor_reduce(g, (src, dst, e) => read[src] + 1, sum, over=in_edges); compute(g"
)
BOTH = BOTH.replace("below[v] %", "(below[v] + above[v]) %")
GRAPHS = (
    make_graph(grid(9, 7), 63, directed=False),
    random_graph(40, 60, seed=4, directed=False),
    random_graph(70, 90, seed=3, directed=True),
    random_graph(160, 700, seed=3, directed=False),  # with lists that are cut into chunks
)


def looks(text: str, on: GraphClass, *tune: str) -> int:
    """How many reductions look at a level ahead."""
    sweeps = [sweep for each in operations(plan_of(load(text, tune), graph=on)) for sweep in sweeps_of(each)]
    return sum(1 for sweep in sweeps if sweep.hint(NextLevel) is not None)


@pytest.mark.parametrize(
    "text, on, tune, wanted",
    [
        (BETWEENNESS, DEEP, (), 1),
        (FORWARD, DEEP, (), 1),
        (BOTH, DEEP, (), 2),  # the lists of both directions, each for itself
        (BETWEENNESS, GENERAL, (), 0),  # levels are large
        (FORWARD, DEEP, ("schedule.fuse=off",), 0),  # what is known ends with a launch
        (FORWARD.replace("g, (src", "vertices, (src"), DEEP, (), 0),
        (FOUND, DEEP, (), 0),  # lists are not gone through to their ends
    ],
)
def test_where_levels_are_looked_at(text: str, on: GraphClass, tune: tuple[str, ...], wanted: int) -> None:
    assert looks(text, on, *tune) == wanted


SUMS = FORWARD.replace("vertex below", "vertex sums : int64; vertex others : int64; vertex below").replace(
    "compute(g, v => { read[v] = below[v] % 1000003; })", "compute(g, v => { sums[v] += below[v] % 1000003; })"
)
SWAPPED = SUMS.replace("@keep;", "@keep; swap(sums, others);")


@pytest.mark.parametrize(
    "text", [BETWEENNESS, FORWARD, BOTH, SUMS, SWAPPED], ids=["betweenness", "forward", "both", "sums", "swapped"]
)
@pytest.mark.parametrize("threads", [32, 64, 128])
@pytest.mark.sampled(36)
def test_results_are_those_of_the_reference(text: str, threads: int) -> None:
    program = load(text)
    built = emulated(program, dataclasses.replace(SMALL, block_threads=threads, vote_words=16), on=DEEP)
    for seed, graph in enumerate(GRAPHS):
        bindings = bind(program, graph, {"sources": [0, 5, 7]} if text == BETWEENNESS else {"source": 5})
        wanted = expect(program, graph, bindings)
        for blocks in (1, 3):
            assert differences(program, wanted, built.run(graph, bindings, device_for(seed, blocks))) == []
