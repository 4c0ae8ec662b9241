"""What runs show of the order of work, and which plans let them."""

from __future__ import annotations

import pytest
from support.near_far import PROGRAMS

from gdsl import pipeline
from gdsl.backends.cuda import planning
from gdsl.backends.cuda.observed_order import LEAST_VISITS, ObservedOrder
from gdsl.plan.graph_class import REVISITED, WIDE, GraphClass, class_of
from gdsl.plan.heuristics import effects_of_graph, relevant
from gdsl.plan.occupancy import LISTING, resident_threads
from gdsl.plan.printer import print_plan
from gdsl.plan.small_frontiers import is_listed
from gdsl.plan.walking import operations
from gdsl.plan.work_order import MOST_VISITS, most_visits, orders

from .planning import ROOT, plan_of

EDGES = 10 * LEAST_VISITS
BEHIND = """
program behind;
problem { param source : vertex; vertex seen : int32; vertex cost : int32 = inf; }
vertex functor look(v) { apply { seen[v] += 1; } }
edge functor relax(src, dst, e) { apply { accept changed(cost[dst] min= max(cost[src], int32(e) % 9)); } }
schedule {
    repeat (3) { compute(vertices, look); }
    cost[source] = 0;
    frontier f = { source };
    while (f) { f = advance(f, relax); }
}
"""


def stopped(spent: float, near_far: float) -> ObservedOrder:
    """After a run that was stopped and begun again."""
    found = ObservedOrder(EDGES)
    assert found.most_visits == MOST_VISITS * EDGES and not found.is_near_far and found.needs_run
    found.note_stop(2 * EDGES + 5, spent, 10, EDGES)
    found.note_near_far(near_far)
    return found


def test_near_far_in_less_time_than_was_spent_in_vain_is_settled() -> None:
    found = stopped(4.0, 3.0)
    assert found.is_near_far and found.ran_near_far and not found.needs_run
    assert found.line == "order: near_far, since as_given makes more than 2.0 visits of each edge"
    found.note_near_far(100.0)
    assert found.is_near_far, "however long another run takes"


def test_otherwise_the_order_as_given_has_as_much_time_and_stays_if_it_is_faster() -> None:
    found = stopped(4.0, 8.0)
    assert not found.is_near_far and found.needs_run and found.most_visits == 2 * (2 * EDGES + 5)
    found.note_as_given(EDGES // 2, 0.1)
    assert found.most_visits and not found.is_near_far, "few visits show nothing"
    found.note_as_given(3 * EDGES, 6.0)
    assert not found.most_visits and not found.is_near_far and not found.ran_near_far
    assert found.line == "order: as_given, took 6 ms where near_far took 8 ms"
    found.note_as_given(0, 60.0)
    assert not found.most_visits and not found.is_near_far


@pytest.mark.parametrize("ends", [True, False])
def test_or_gives_way_if_it_is_slower_too(ends: bool) -> None:
    found = stopped(4.0, 8.0)
    if ends:
        found.note_as_given(4 * EDGES, 9.0)
    else:
        found.note_stop(4 * EDGES + 11, 8.1, 10, EDGES)
    assert found.is_near_far and not found.needs_run
    assert found.line.startswith("order: near_far, took 8 ms where as_given")


@pytest.mark.parametrize(("graph", "listed"), [(REVISITED, True), (WIDE, False), (class_of(["narrow"]), True)])
def test_wide_passes_need_no_lists(graph: GraphClass, listed: bool) -> None:
    plan = planning.plan_of(pipeline.load(str(ROOT / "samples" / "sssp.gdsl")), graph=graph)
    assert orders(plan) and any(is_listed(each) for each in operations(plan)) is listed
    assert (resident_threads(plan) == LISTING) is listed


def test_what_begins_again_has_lists_of_few_members_where_passes_were_small() -> None:
    """Of fewer edges than threads in the mean of the passes before the first stop, or of far fewer in most of them."""
    threads = EDGES // 10
    for passes, usual, wide in ((21, threads, False), (20, threads // 4, True), (20, threads // 4 - 1, False)):
        found = ObservedOrder(EDGES, threads)
        found.note_stop(2 * EDGES, 4.0, passes, usual)
        assert found.is_wide is wide
        found.note_stop(2 * EDGES, 4.0, 1 if not wide else 99, threads)
        assert found.is_wide is wide, "the code is there"


def test_small_graphs_and_graphs_visited_once_stay_as_given() -> None:
    small = ObservedOrder(7)
    assert small.most_visits == LEAST_VISITS and not small.needs_run
    found = ObservedOrder(EDGES)
    found.note_as_given(EDGES, 1.0)
    assert found.line == "order: as_given, 1.0 visits of each edge" and not found.needs_run and not found.is_near_far
    found.give_up()
    assert not found.most_visits and "no memory" in found.line


@pytest.mark.parametrize("name", sorted({*PROGRAMS} - {"again"}))
@pytest.mark.sampled(3)
def test_the_first_loop_of_auto_has_a_bound_where_it_may_have_another_order(name: str) -> None:
    program, text = pipeline.load(PROGRAMS[name]), PROGRAMS[name]
    assert most_visits(plan_of(text)) == MOST_VISITS and "revisited" in effects_of_graph(program)
    assert "beyond 2 visits of each edge in all passes" in print_plan(plan_of(text))
    assert relevant(program, class_of(["revisited", "deep", "hubs"])) == REVISITED
    ordered = planning.plan_of(program, graph=REVISITED)
    assert orders(ordered) and most_visits(ordered) is None
    for tune in ("schedule.order=as_given", "schedule.order=near_far"):
        assert most_visits(plan_of(text, tune)) is None
        assert "revisited" not in effects_of_graph(pipeline.load(text, (tune,)))


def test_others_have_none() -> None:
    for text in (BEHIND, PROGRAMS["again"]):  # behind a loop, and in one
        assert most_visits(plan_of(text)) is None and "revisited" not in effects_of_graph(pipeline.load(text))
    given, unfused = (
        pipeline.load(str(ROOT / "samples" / "sssp.gdsl"), words) for words in ((), ("schedule.fuse=off",))
    )
    assert most_visits(planning.plan_of(given)) == MOST_VISITS
    assert most_visits(planning.plan_of(unfused)) is None
    assert most_visits(planning.plan_of(given, teams=True)) is None
    assert most_visits(planning.plan_of(given, several_gpus=True)) == MOST_VISITS
