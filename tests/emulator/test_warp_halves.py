"""Few members of two operators, of which one does not wait for the other: which warps have them."""

from __future__ import annotations

import dataclasses

import pytest
from support.graphs import grid, make_graph, random_graph

from gdsl.backends.cuda import plan_of
from gdsl.binding import bind
from gdsl.pipeline import load
from gdsl.plan.hints import Warps, WarpShare
from gdsl.plan.walking import operations, sweeps_of

from . import build
from .running import ROOT, SMALL, device_for, differences, emulated, expect

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")

BETWEENNESS = str(ROOT / "samples" / "betweenness.gdsl")
WAYS = """program ways;
problem { param source : vertex; vertex depth : int32 = -1; vertex ways : int64; vertex seen : int64; }
edge functor reach(src, dst, e) { cond depth[dst] == -1; apply { depth[dst] = iteration + 1; } }
schedule {
    depth[source] = 0; seen[source] = 1;
    frontier f = { source };
    while (f) {
        f = advance(f, reach);
        ways = neighbor_reduce(f, (src, dst, e) => seen[src] % 1000003, sum, over=in_edges) @arriving;
    }
}
"""
KEPT = WAYS.replace("@arriving;", "@arriving; compute(f, v => { depth[v] += int32(ways[v] % 2); }) @keep;").replace(
    "depth[dst] == -1", "depth[dst] < 0"
)
BESIDE = WAYS.replace("vertex seen", "vertex odd : bool; vertex seen").replace(
    "@arriving;", "@arriving; compute(f, v => { odd[v] = ways[v] % 2 == 1; }) @keep;"
)
AHEAD = WAYS.replace(  # neighbors are looked at side by side before one of them is changed
    "cond depth[dst] == -1; apply { depth[dst] = iteration + 1; }",
    "cond depth[dst] == -1 && seen[dst] == 0; apply { depth[dst] = iteration + 1; }",
)
ONCE = (
    WAYS.replace("frontier f = { source };", "frontier f = { source };")
    .replace(
        "    while (f) {\n        f = advance(f, reach);\n",
        "    frontier g = { source, 1, 2 };\n    repeat (1) {\n",
    )
    .replace("neighbor_reduce(f", "neighbor_reduce(g")
    .replace("@arriving;\n    }", "@arriving;\n    }\n    while (f) { f = advance(f, reach); }")
)
FOUND = WAYS.replace("ways : int64", "ways : bool").replace("seen[src] % 1000003, sum", "seen[src] > 0, some")
GRAPHS = (
    make_graph(grid(9, 7), 63, directed=False),
    make_graph(grid(40, 2), 80, directed=False),
    random_graph(70, 90, seed=3, directed=True),
    random_graph(160, 700, seed=3, directed=False),  # with lists that are cut into chunks
)
BOTH = {"reach": Warps.FIRST, "arriving": Warps.LAST}


def halves(text: str, *tune: str) -> dict[str, Warps]:
    """The operators of which few members go to half of the warps, by label."""
    found = operations(plan_of(load(text, tune)))
    pairs = ((each.step.label, sweep.hint(WarpShare)) for each in found for sweep in sweeps_of(each))
    return {label: share.warps for label, share in pairs if share is not None}


@pytest.mark.parametrize(
    "text, tune, wanted",
    [
        (BETWEENNESS, (), BOTH | {"arriving_further": Warps.LAST}),
        (WAYS, (), BOTH),
        (AHEAD, (), BOTH),
        (BESIDE, (), BOTH),
        (KEPT, (), {}),  # the next search asks what the reduction has left
        (ONCE, (), {}),  # not in each pass of one loop
        (FOUND, (), {}),  # a list that is not gone through to its end
        (WAYS, ("schedule.fuse=off",), {}),
        (WAYS, ("reach.balance=block",), {}),
        (WAYS, ("arriving.balance=merge",), {}),
    ],
)
def test_who_has_half_of_the_warps(text: str, tune: tuple[str, ...], wanted: dict[str, Warps]) -> None:
    assert halves(text, *tune) == wanted


@pytest.mark.parametrize(
    "text",
    [BETWEENNESS, WAYS, BESIDE, AHEAD, KEPT, ONCE],
    ids=["betweenness", "ways", "beside", "ahead", "kept", "once"],
)
@pytest.mark.parametrize("threads", [32, 128])
@pytest.mark.sampled(24)
def test_results_are_those_of_the_reference(text: str, threads: int) -> None:
    program = load(text)
    built = emulated(program, dataclasses.replace(SMALL, block_threads=threads, vote_words=16))
    for seed, graph in enumerate(GRAPHS):
        bindings = bind(program, graph, {"sources": [0, 5, 7]} if text == BETWEENNESS else {"source": 5})
        wanted = expect(program, graph, bindings)
        for blocks in (1, 3, 8):
            assert differences(program, wanted, built.run(graph, bindings, device_for(seed, blocks))) == []
