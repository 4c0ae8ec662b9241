"""The tests' small shapes reach every line of the runtime and of the generated operators."""

from __future__ import annotations

import pytest
from oracles import BY_NAME, Case
from oracles.case import not_empty
from support.graphs import complete, grid, make_graph, path, random_graph, star

from gdsl.backends.interface import Limits
from gdsl.binding import bind
from gdsl.diagnostics import GdslError
from gdsl.plan.graph_class import GENERAL

from . import build
from .coverage import gcov, line_counts
from .running import DEEP, SMALL, TINY, Built, device_for
from .running import build as build_program

pytestmark = pytest.mark.skipif(build.compiler() is None or gcov() is None, reason="needs g++ and gcov")

GRAPHS = {
    "few": random_graph(160, 420, seed=1, directed=False),
    "many": random_graph(300, 3000, seed=2, directed=False),
    "star": make_graph(star(120), 121, directed=False),
    # Wide, then narrow: a direction that was switched is switched back.
    "tail": make_graph([*complete(30), *((a + 29, b + 29) for a, b in path(120))], 150, directed=False),
    "empty": make_graph([], 0),
    # Searches stay narrow, and no list is cut into chunks; behind the mesh a tree, on which they are not.
    "narrow": make_graph([*grid(9, 8), *((71 + (i - 1) // 3, 71 + i) for i in range(1, 600))], 671, directed=False),
}
COPIES = """
program copies;
problem { param source : vertex; scalar both : int64; }
edge functor any_edge(src, dst, e) { }
schedule {
    frontier f = { source };
    f = advance(f, any_edge);
    frontier g = f;
    g = advance(g, any_edge);
    both = size(f) + size(g);
}
tune { any_edge.direction = pull; }
"""
COMBINED = """
program combined;
problem { param source : vertex; scalar total : int64; }
edge functor any_edge(src, dst, e) { }
vertex functor odd(v) { cond int32(v) % 2 == 1; }
vertex functor few(v) { cond int32(v) < 3; }
schedule {
    frontier f = advance({ source }, any_edge);
    frontier g = advance(f, any_edge);
    frontier h;
    frontier k;
    repeat (4) {
        h = f & g; total += size(h);
        h = f | g; total += size(h);
        h = f - g; total += size(h);
        h = f - h; total += size(h);
        k = f;
        k = k | g; total += size(k);
        h = vertices - k; total += size(h);
        if (iteration == 0) { f = filter(f, odd); }
        if (iteration == 1) { g = filter(g, odd); }
        if (iteration == 2) { f = filter(f, few); g = filter(g, few); }
    }
}
tune { any_edge.direction = pull; }
"""
BEYOND = """
program beyond;
problem { param source : vertex; vertex next : vertex = none; vertex seen : int32; }
vertex functor follow(v) { apply { seen[next[v]] += 1; } }
schedule { compute(vertices, follow); }
"""
COUNTED = """
program counted;
problem { param source : vertex; vertex seen : int32 = -1; }
edge functor visit(src, dst, e) { cond seen[dst] == -1; apply { seen[dst] = iteration; } }
schedule { frontier f = where(v => int32(v) % 7 != 0) @most; f = advance(f, visit); }
"""
HOPS = """
program hops;
problem { param source : vertex; vertex hops : float32 = inf; }
edge functor relax(src, dst, e) { apply { accept changed(hops[dst] min= hops[src] + 1); } }
schedule { hops[source] = 0; frontier f = { source }; while (f) { f = advance(f, relax); } }
"""
FLOATS = """
program floats;
problem { param source : vertex; vertex low : float32; vertex high : float64; }
edge functor both(src, dst, e) { apply { low[dst] min= -float32(int32(src)); high[dst] max= float64(int32(src)); } }
schedule { advance(vertices, both, to=none); }
"""
PROGRAMS = [
    (COPIES, (), SMALL, GENERAL),
    (BEYOND, (), SMALL, GENERAL),
    ("bfs", (), SMALL, GENERAL),
    ("bfs", (), SMALL, DEEP),
    ("bfs", ("visit.direction=push", "visit.balance=block"), TINY, GENERAL),
    ("bfs", ("visit.direction=pull", "schedule.fuse=off"), TINY, GENERAL),
    ("sssp", ("relax.direction=push", "relax.balance=thread"), SMALL, GENERAL),
    ("sssp", ("relax.direction=pull",), SMALL, GENERAL),
    ("sssp", (), SMALL, GENERAL),
    ("sssp", ("schedule.order=near_far",), SMALL, GENERAL),
    (HOPS, ("schedule.order=near_far",), SMALL, GENERAL),
    (FLOATS, (), SMALL, GENERAL),
    (COUNTED, (), SMALL, GENERAL),
    ("core", (), SMALL, GENERAL),
    ("weak_hops", (), TINY, GENERAL),
    ("neighborhoods", (), SMALL, GENERAL),
    ("pagerank", (), SMALL, GENERAL),
    ("sets", (), SMALL, GENERAL),
    ("lookups", (), SMALL, GENERAL),
    ("matching", (), SMALL, GENERAL),
    (COMBINED, (), SMALL, GENERAL),
    ("tree_edges", (), SMALL, GENERAL),
    ("light_edges", (), SMALL, GENERAL),
    ("back_edges", (), TINY, GENERAL),
    ("edge_sets", (), SMALL, GENERAL),
    ("common_neighbors", (), SMALL, GENERAL),
    ("search_levels", (), SMALL, GENERAL),
    ("coreness", (), SMALL, GENERAL),
    ("numbered", (), SMALL, GENERAL),
]


TEXT = Case(
    "text", check=lambda graph, values, answers: None, values=lambda graph, seed: {"source": 0}, suits=not_empty
)


def run_everything(name: str, built: Built) -> None:
    case = BY_NAME.get(name, TEXT)
    for place, graph in enumerate(GRAPHS.values()):
        if not case.suits(graph):
            continue
        bindings = bind(built.program, graph, case.values(graph, place))
        for seed in range(2 if name != BEYOND else 0):
            built.run(graph, bindings, device_for(seed))
        for limits, stop_at in ((Limits(max_iterations=1), 0), (Limits(), 300)):
            device = device_for(place)
            device.schedule.stop_at = stop_at
            try:
                built.run(graph, bindings, device, limits)
            except GdslError as error:
                assert error.diagnostics[0].code in ("E0801", "E0802", "E0803")


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.thorough
def test_every_line_of_generated_text_is_executed() -> None:
    """A line of the runtime may be reached by any of the programs; it counts by its text."""
    reached: dict[str, int] = {}
    first_seen: dict[str, str] = {}
    for name, words, shape, on in PROGRAMS:
        built = build_program(name, words, shape, coverage=True, on=on)
        run_everything(name, built)
        lines = built.generated.text.split("\n")
        own = f"{built.program.name}.cu"
        for (file, number), count in line_counts(built.module).items():
            if file != own or number > len(lines):
                continue
            text = lines[number - 1].strip()
            reached[text] = reached.get(text, 0) + count
            first_seen.setdefault(text, f"{own}:{number}")
    never = {text: first_seen[text] for text, count in reached.items() if count == 0 and text not in UNREACHED}
    assert not never, "\n".join(f"{place}: {text}" for text, place in never.items())
    assert len(reached) > 200


UNREACHED = frozenset(
    {
        "if (largest_degree < int64(HUB_DEGREE)) { return 0; }",
        "__device__ __forceinline__ uint64 edges() const { return 0; }",
        "__device__ __forceinline__ void record(uint64) {}",
        "order.put_off(staged[i]);",
        "atomicOr(&run.counters()->spilled, 1ull);",
        "state.factor = 0.5;",
        "run.control->stopped_after = nanoseconds() - shared.started_at;",
        "shared.stop_requested = true;",
        "if (warp_stop_requested(run)) { break; }",
        "unpolled = 0;",
    }
)
"""Lines that gcov says did not run. The first one did, since what follows it has run. The next two belong to
`no_deferred_edges`, whose `is_ready` is always false; the others to worklists from near to far that find no room or
visit much in vain, as they do in `test_near_far`; the next two to runs that begin again in another order, as in
`test_observed_order`; the last two to walks of more items than small graphs have, after which a warp of an
intersection looks whether the run is stopped."""
