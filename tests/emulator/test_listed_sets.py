"""Sets of few members as lists: where a push keeps them so, results and traces as without, in any order of threads."""

from __future__ import annotations

import dataclasses

import pytest
from support.graphs import grid, make_graph, random_graph
from support.near_far import PROGRAMS

from gdsl.backends.cuda import plan_of
from gdsl.binding import bind
from gdsl.diagnostics import GdslError
from gdsl.pipeline import load
from gdsl.plan.graph_class import GENERAL, GraphClass
from gdsl.plan.hints import FewAsList
from gdsl.plan.target import Sizes
from gdsl.plan.walking import sweeps
from gdsl.types import Widths

from . import build
from .running import DEEP, HUBS, NARROW, SMALL, TINY, device_for, differences, emulated, expect, program_of

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")
FROM_NEAR = ("schedule.order=near_far",)
ROOM = dataclasses.replace(SMALL, listed_places=1 << 12, listed_edges=1 << 12)
"""Sets of any size are few."""
IN_TURNS = dataclasses.replace(SMALL, listed_places=20, listed_edges=1)
"""Sets are few at first, and again at the end."""

LEVELS = """program levels;
problem { param source : vertex; vertex depth : int32 = -1; scalar widest : int64; scalar all : int64; }
edge functor reach(src, dst, e) { cond depth[dst] == -1; apply { depth[dst] = iteration + 1; } }
schedule {
    depth[source] = 0;
    frontier f = { source };
    while (f) { widest = max(widest, size(f)); all += size(f); f = advance(f, reach); }
}
"""
"""What asks how large its sets are."""
AGAIN_AND_AGAIN = """program again_and_again;
problem { param source : vertex; vertex depth : int32; scalar reached : int64; }
edge functor reach(src, dst, e) { cond depth[src] == -1; apply { depth[src] = iteration + 1; } }
vertex functor count(v) { cond depth[v] >= 0; apply { reached += 1; } }
schedule {
    repeat (3) {
        fill(depth, -1);
        depth[source] = 0;
        frontier f = { source };
        while (f && iteration < 7) { f = advance(f, reach, over=in_edges); }
        compute(vertices, count);
    }
}
"""
"""Loops that end while there are members left, one behind the other."""
COUNTED = LEVELS.replace("while (f) {", "repeat (5) {")
"""A loop of so many passes that nothing comes after."""
REUSED = AGAIN_AND_AGAIN.replace("compute(vertices, count);", "compute(f, count);")
"""The members are asked for behind the loop."""
REPLACED = LEVELS.replace("f = advance(f, reach);", "f = advance(f, reach); if (iteration == 3) { f = { source }; }")
"""The set is another one in the midst of the loop."""
LEFT = """program left;
problem { param source : vertex; vertex depth : int32 = -1; scalar passes : int32; }
edge functor reach(src, dst, e) { cond depth[dst] == -1; apply { depth[dst] = iteration + 1; } }
schedule {
    depth[source] = 0;
    frontier f = { source };
    repeat (3) {
        while (f && iteration < 2) { passes += 1; f = advance(f, reach); }
    }
}
"""
"""A loop that begins again with the members that it left."""
SOMETIMES = LEFT.replace("repeat (3) {", "repeat (3) { if (passes == 4) { f = { source }; }")
"""These are others in some rounds."""
NONE_LEFT = LEFT.replace("f && iteration < 2", "f")
"""A loop that leaves none."""
GRAPHS = (
    make_graph(grid(12, 17), 204, directed=False),
    random_graph(120, 160, seed=4, directed=True),
    random_graph(90, 150, seed=7, directed=False),
    make_graph([(0, 0), (0, 1), (0, 1), (1, 2), (2, 0), (3, 3), (2, 5)], 6),
    make_graph([(0, i) for i in range(1, 40)], 40),
    make_graph([], 1),
)


def listed(text: str, on: GraphClass, *tune: str) -> int:
    """How many sweeps of a program keep few members so."""
    return sum(sweep.hint(FewAsList) is not None for sweep in sweeps(plan_of(load(text, tune), graph=on)))


@pytest.mark.parametrize(
    "text, on, tune, wanted",
    [
        (LEVELS, DEEP, (), 1),
        (LEVELS, DEEP, ("schedule.block=512",), 1),
        (LEVELS, HUBS, (), 0),
        (LEVELS, GENERAL, (), 0),
        (LEVELS, GENERAL, ("schedule.block=256",), 0),
        (LEVELS, DEEP, ("schedule.fuse=off",), 0),
        (LEVELS, DEEP, ("reach.direction=pull",), 0),
        (LEVELS, DEEP, ("reach.direction=push",), 1),
        (LEVELS, DEEP, ("reach.balance=thread",), 0),
        (AGAIN_AND_AGAIN, DEEP, (), 1),
        (COUNTED, DEEP, (), 1),
        (REUSED, DEEP, (), 0),
        (REPLACED, DEEP, (), 0),
        (LEFT, DEEP, (), 0),
        (SOMETIMES, DEEP, (), 0),
        (NONE_LEFT, DEEP, (), 1),
        (PROGRAMS["detours"], GENERAL, FROM_NEAR, 1),
        (PROGRAMS["again"], GENERAL, FROM_NEAR, 0),
    ],
)
def test_where_few_members_are_a_list(text: str, on: GraphClass, tune: tuple[str, ...], wanted: int) -> None:
    assert listed(text, on, *tune) == wanted


@pytest.mark.parametrize("shape", [ROOM, IN_TURNS, SMALL, TINY], ids=["room", "in_turns", "small", "tiny"])
@pytest.mark.parametrize(
    "text", [LEVELS, AGAIN_AND_AGAIN, COUNTED, "bfs"], ids=["levels", "again_and_again", "counted", "bfs"]
)
@pytest.mark.sampled(6)
def test_results_and_traces_are_those_of_the_reference(text: str, shape: Sizes) -> None:
    for widths in (NARROW, Widths.both(64)):
        built = emulated(program_of(text), shape, widths, on=DEEP)
        assert any(sweep.hint(FewAsList) for sweep in sweeps(built.plan))
        for number, graph in enumerate(GRAPHS):
            bindings = bind(built.program, graph, {"source": number % graph.num_vertices})
            found = built.run(graph, bindings, device_for(number))
            wanted = expect(built.program, graph, bindings, widths.vertex)
            assert differences(built.program, wanted, found) == [], (number, str(widths))


@pytest.mark.parametrize("shape", [ROOM, IN_TURNS, TINY], ids=["room", "in_turns", "tiny"])
@pytest.mark.parametrize("name", ["detours", "reliable", "bottleneck", "potentials"])
@pytest.mark.sampled(4)
def test_worklists_with_an_order(name: str, shape: Sizes) -> None:
    built = emulated(program_of(PROGRAMS[name], FROM_NEAR), shape)
    for number, graph in enumerate(GRAPHS):
        bindings = bind(built.program, graph, {"source": number % graph.num_vertices})
        found = built.run(graph, bindings, device_for(number))
        wanted = expect(built.program, graph, bindings)
        for array in built.program.arrays:
            assert (found.arrays[array.name] == wanted.arrays[array.name]).all(), (name, number, array.name)


@pytest.mark.parametrize("text", [LEFT, SOMETIMES, NONE_LEFT], ids=["left", "sometimes", "none_left"])
def test_loops_that_begin_again(text: str) -> None:
    built = emulated(program_of(text), ROOM, on=DEEP)
    for number, graph in enumerate(GRAPHS):
        bindings = bind(built.program, graph, {"source": number % graph.num_vertices})
        found = built.run(graph, bindings, device_for(number))
        assert differences(built.program, expect(built.program, graph, bindings), found) == [], number


def test_stops_are_seen_at_their_barriers() -> None:
    """All barriers of the loop are those at which members are counted."""
    path = make_graph([(i, i + 1) for i in range(299)], 300, directed=False)
    built = emulated(program_of("bfs"), ROOM, on=DEEP)
    bindings = bind(built.program, path, {"source": 0})
    for seed in range(8):
        device = device_for(seed)
        device.schedule.stop_at = 20_000 + 7_919 * seed
        with pytest.raises(GdslError) as caught:
            built.run(path, bindings, device)
        assert caught.value.diagnostics[0].code == "E0802"
