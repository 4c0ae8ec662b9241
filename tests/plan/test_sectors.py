"""Which pushes prefetch nearby the memory that they touch."""

from __future__ import annotations

import pytest

from gdsl.operations import Order, Over
from gdsl.plan.heuristics import suited
from gdsl.plan.hints import PrefetchSectors
from gdsl.plan.nodes import Plan
from gdsl.plan.printer import print_plan
from gdsl.plan.target import CPU, CUDA_UNFUSED, Target
from gdsl.plan.walking import sweeps

from .planning import plan_of
from .test_grids import ROADS
from .test_heuristics import HUBS, ROOM, program

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
NARROW = ("schedule.block=256",)


def fetched(plan: Plan) -> list[tuple[str, ...]]:
    """The arrays of vertices of which something is fetched, by sweep."""
    hints = (sweep.hint(PrefetchSectors) for sweep in sweeps(plan))
    return [hint.arrays for hint in hints if hint is not None]


@pytest.mark.parametrize(
    "text, tune, arrays",
    [
        ("bfs", NARROW, ("distance",)),
        ("betweenness", NARROW, ("depth",)),
        ("sssp", ("schedule.order=near_far",), ("distance",)),
        (TWO_ENDS, NARROW, ("toll", "sums")),
    ],
)
def test_searches_fetch_what_they_wait_for(text: str, tune: tuple[str, ...], arrays: tuple[str, ...]) -> None:
    """What they only store nobody waits for, and what is three values a vertex has other sectors."""
    plan = plan_of(text, *tune)
    assert set(fetched(plan)) == {arrays}
    assert f"prefetch nearby: where their out-edges begin, {', '.join(arrays)}" in print_plan(plan)


@pytest.mark.parametrize(
    "text, tune",
    [
        ("bfs", ()),
        ("bfs", ("schedule.block=512",)),
        ("bfs", (*NARROW, "visit.direction=pull")),
        ("bfs", (*NARROW, "visit.frontier=bitmap")),
        (SPREAD, (*NARROW, "go.dedup=none")),
        ("sssp", ("schedule.order=as_given",)),
        ("pagerank", NARROW),
        ("triangle_count", NARROW),
    ],
)
def test_others_fetch_nothing(text: str, tune: tuple[str, ...]) -> None:
    assert fetched(plan_of(text, *tune)) == []


def test_from_near_to_far_lists_are_fetched_too() -> None:
    plan = plan_of("sssp", "schedule.order=near_far")
    (sweep,) = sweeps(plan)
    over = Over.OUT_EDGES
    assert sweep.hint(PrefetchSectors, over) == PrefetchSectors((over,), ("weight",), over=over)
    assert "prefetch nearby: the out-edges, weight" in print_plan(plan)
    assert all(sweep.hint(PrefetchSectors, over) is None for sweep in sweeps(plan_of("bfs", *NARROW)))


def test_the_graph_decides() -> None:
    for name in ("bfs", "sssp"):
        given = program(name)
        on_roads = suited(given, ROADS, ROOM)
        assert on_roads.tuning.block == 256 or on_roads.tuning.order is Order.NEAR_FAR
        of_hubs = suited(given, HUBS, ROOM)
        assert fetched(plan_of(name)) == [] and of_hubs.tuning.order is not Order.NEAR_FAR


@pytest.mark.parametrize("on", [CPU, CUDA_UNFUSED], ids=["cpu", "unfused"])
def test_other_targets_have_none(on: Target) -> None:
    assert fetched(plan_of("bfs", *NARROW, on=on)) == []
