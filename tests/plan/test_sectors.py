"""Which pushes prefetch nearby the memory that they touch."""

from __future__ import annotations

import pytest

from gdsl.backends.cuda import plan_of as cuda_plan
from gdsl.operations import Over
from gdsl.plan.graph_class import GENERAL, GraphClass
from gdsl.plan.heuristics import class_for
from gdsl.plan.hints import PrefetchSectors
from gdsl.plan.nodes import Plan
from gdsl.plan.printer import print_plan
from gdsl.plan.target import CPU, CUDA_UNFUSED, Target
from gdsl.plan.walking import sweeps

from .planning import DEEP, plan_of
from .test_heuristics import HUBS, ROOM, program
from .test_occupancy import ROADS

TWO_ENDS = """program two_ends;
problem { param s : vertex; vertex sums : (int64, int64) = (0, 0); input vertex toll : float64;
    vertex kept[3] : int32; vertex last : vertex; local scalar passes : int32; }
edge functor go(src, dst, e) {
    cond toll[dst] > toll[src]; apply { sums[dst] max= (1, 2); kept[dst][1] += 1; last[dst] any= src; }
}
schedule { frontier f = { s }; while (f && passes < 9) { passes = passes + 1; f = advance(f, go); } }
"""
SPREAD = """program spread;
problem { param s : vertex; }
edge functor go(src, dst, e) { }
schedule { frontier f = { s }; while (f) { f = advance(f, go); } }
"""


def fetched(plan: Plan) -> list[tuple[str, ...]]:
    """The arrays of vertices of which something is fetched, by sweep."""
    hints = (sweep.hint(PrefetchSectors) for sweep in sweeps(plan))
    return [hint.arrays for hint in hints if hint is not None]


@pytest.mark.parametrize(
    "text, tune, graph, arrays",
    [
        ("bfs", (), DEEP, ("distance",)),
        ("bfs", ("schedule.block=512",), DEEP, ("distance",)),
        ("betweenness", (), DEEP, ("depth",)),
        ("sssp", ("schedule.order=near_far",), GENERAL, ("distance",)),
        (TWO_ENDS, (), DEEP, ("toll", "sums")),
    ],
)
def test_searches_fetch_what_they_wait_for(
    text: str, tune: tuple[str, ...], graph: GraphClass, arrays: tuple[str, ...]
) -> None:
    """What they only store nobody waits for, and what is three values a vertex has other sectors."""
    plan = plan_of(text, *tune, graph=graph)
    assert set(fetched(plan)) == {arrays}
    assert f"prefetch nearby: where their out-edges begin, {', '.join(arrays)}" in print_plan(plan)


@pytest.mark.parametrize(
    "text, tune, graph",
    [
        ("bfs", (), GENERAL),
        ("bfs", ("schedule.block=256",), GENERAL),
        ("bfs", ("visit.direction=pull",), DEEP),
        ("bfs", ("visit.frontier=bitmap",), DEEP),
        (SPREAD, ("go.dedup=none",), DEEP),
        ("sssp", ("schedule.order=as_given",), GENERAL),
        ("pagerank", (), DEEP),
        ("triangle_count", (), DEEP),
    ],
)
def test_others_fetch_nothing(text: str, tune: tuple[str, ...], graph: GraphClass) -> None:
    assert fetched(plan_of(text, *tune, graph=graph)) == []


def test_from_near_to_far_lists_are_fetched_too() -> None:
    plan = plan_of("sssp", "schedule.order=near_far")
    (sweep,) = sweeps(plan)
    over = Over.OUT_EDGES
    assert sweep.hint(PrefetchSectors, over) == PrefetchSectors((over,), ("weight",), over=over)
    assert "prefetch nearby: the out-edges, weight" in print_plan(plan)
    assert all(sweep.hint(PrefetchSectors, over) is None for sweep in sweeps(plan_of("bfs", graph=DEEP)))


def test_the_graph_decides() -> None:
    for name in ("bfs", "sssp"):
        given = program(name)
        assert fetched(cuda_plan(given, graph=class_for(given, *ROADS, ROOM)))
        assert fetched(cuda_plan(given, graph=class_for(given, *HUBS, ROOM))) == fetched(cuda_plan(given)) == []


@pytest.mark.parametrize("on", [CPU, CUDA_UNFUSED], ids=["cpu", "unfused"])
def test_other_targets_have_none(on: Target) -> None:
    assert fetched(plan_of("bfs", on=on, graph=DEEP)) == []
