"""What runs show of other forms of a program, and which forms are tried."""

from __future__ import annotations

from itertools import pairwise

import pytest

from gdsl import pipeline
from gdsl.backends.cuda.observed_forms import HOPELESS, RUNS, TIMES, WARM, ObservedForms
from gdsl.backends.cuda.planning import plan_of
from gdsl.ir.nodes import Program
from gdsl.operations import Balance, Direction, Layout, Order
from gdsl.plan.alternatives import Alternative, Seen, alternatives, may_differ
from gdsl.plan.graph_class import REVISITED, class_of

from .planning import ROOT

BLOCK = Alternative("schedule.block=256", own=(("block", 256),))
OTHER = Alternative("schedule.block=1024", own=(("block", 1024),))


def run(observed: ObservedForms, other: float, best: float = 10.0, expected: float = 100.0, runs: int = 1000) -> float:
    """So many runs, of these times in milliseconds; what all took beyond runs of the best form and compiling."""
    lost = 0.0
    for _ in range(runs):
        if observed.tries_next:
            lost += max(other - observed.usual_ms, 0.0)
            observed.note_try(other)
            continue
        observed.note(other if observed.kept else best)
        observed.expected_ms = expected
        if observed.may_begin and observed.alternatives:
            observed.spend(expected)
            lost += expected
            observed.begin(observed.alternatives.pop(0))
    return lost


def test_what_is_faster_is_kept_and_said() -> None:
    observed = ObservedForms([BLOCK])
    run(observed, 9.0)
    assert observed.kept == (BLOCK,) and observed.is_settled and observed.usual_ms == 9.0
    assert observed.line == "form: schedule.block=256, as runs showed"
    assert observed.lines == ("schedule.block=256 9 ms for 10, kept",)


@pytest.mark.parametrize("ms", [9.8, 10.0, 11.0, 1000.0])
def test_what_is_not_is_tried_once(ms: float) -> None:
    observed = ObservedForms([BLOCK, OTHER])
    run(observed, ms, runs=5000)
    assert observed.kept == () and observed.is_settled and observed.line == ""
    assert len(observed.lines) == 2 and all(" for 10" in line for line in observed.lines)


@pytest.mark.parametrize("ms", [1.0, 9.0, 12.0, 10.0 * HOPELESS])
@pytest.mark.parametrize("expected", [0.0, 100.0, 5000.0])
def test_tries_take_a_tenth_of_the_time_at_most(ms: float, expected: float) -> None:
    """But for what one of them takes beyond what was to be expected."""
    for runs in (1, 10, 100, 400, 1000, 3000):
        observed = ObservedForms([BLOCK, OTHER])
        lost = run(observed, ms, expected=expected, runs=runs)
        assert lost <= 10.0 * runs / TIMES + (WARM + RUNS) * HOPELESS * 10.0
        assert runs >= TIMES * (WARM + RUNS) or (not observed.lines and observed.trying is None)


def test_without_room_runs_are_looked_at_again_when_they_have_taken_twice_the_time() -> None:
    observed, looked = ObservedForms(), list[int]()
    for number in range(1, 10_001):
        observed.note(10.0)
        if observed.may_begin:
            looked.append(number)
            observed.postpone()
    assert 3 <= len(looked) <= 8 and all(2 * first <= second for first, second in pairwise(looked))


def test_runs_that_differ_more_than_forms_show_nothing() -> None:
    observed = ObservedForms([BLOCK])
    for _ in range(300):
        observed.note(10.0)
    observed.begin(BLOCK)
    times = iter([5.0, 5.0, *[5.0, 20.0] * RUNS])
    others = iter([4.0, 21.0] * RUNS)
    while observed.trying is not None:
        if observed.tries_next:
            observed.note_try(next(times))
        else:
            observed.note(next(others))
    assert observed.kept == ()


def test_one_slow_run_of_each_form_does_not_count() -> None:
    observed = ObservedForms([])
    observed.note(10.0)
    observed.begin(BLOCK)
    for place in range(2 * RUNS + WARM + 1):
        if observed.trying is not None:
            slow = 50.0 if place == 6 else 0.0
            observed.note_try(8.0 + slow) if observed.tries_next else observed.note(10.0)
    assert observed.kept == (BLOCK,)


def test_an_end_that_another_thread_has_decided() -> None:
    observed = ObservedForms([])
    assert not observed.note_try(3.0)
    observed.lose("was stopped")
    assert observed.lines == ()


def of(name: str, *words: str) -> Program:
    return pipeline.load(str(ROOT / "samples" / f"{name}.gdsl"), words)


def words_of(name: str, seen: Seen, graph: object = None) -> list[str]:
    program = of(name)
    found = list(alternatives(program, plan_of(program, graph=graph), seen))  # type: ignore[arg-type]
    for each in found:
        plan_of(each.applied(program))  # which is verified
    return [each.word for each in found]


def seen(num_edges: int = 1 << 24, largest: int = 20, **more: object) -> Seen:
    empty = {"labels": {0: "visit", 1: "lose"}, "pushed": (), "shares": {}}
    return Seen(**{**empty, "num_edges": num_edges, "largest_degree": largest, **more})  # type: ignore[arg-type]


def test_what_runs_leave_to_try() -> None:
    blocks = ["schedule.block=256", "schedule.block=1024"]
    assert words_of("bfs", seen()) == [*blocks, "schedule.layout=by_degree"]
    assert words_of("bfs", seen(100)) == blocks, "what is in the cache in any order"
    assert words_of("bfs", seen(pushed=(0,), by_degree=True)) == [
        "visit.direction=push",
        *blocks,
        "schedule.layout=as_given",
    ]
    assert words_of("bfs", seen(100, shares={0: 0.9})) == [*blocks, "visit.balance=thread"]
    assert words_of("bfs", seen(100, 512, shares={0: 0.9})) == blocks, "where lists may be long"
    assert words_of("bfs", seen(100), class_of(["deep"])) == ["schedule.block=512"]
    assert words_of("sssp", seen(100)) == [*blocks, "schedule.order=near_far"]
    assert words_of("sssp", seen(100, near_far=True), REVISITED) == ["schedule.block=512"]
    assert words_of("k_core", seen(100))[0] == "without=local_rounds"
    assert words_of("pagerank", seen()) == [*blocks, "schedule.layout=by_degree"]


def test_a_program_with_knobs_of_its_own_stays_as_it_is() -> None:
    assert may_differ(of("bfs")) and may_differ(of("bfs", "visit.direction=push"))
    for word in (
        "schedule.block=256",
        "schedule.fuse=off",
        "schedule.layout=as_given",
        "visit.balance=warp",
        "without=fusion",
    ):
        assert not may_differ(of("bfs", word)), word
    assert not may_differ(of("sssp", "schedule.order=as_given"))


def test_forms_set_what_they_say() -> None:
    program = of("bfs")
    site = Alternative("", ((0, "direction", Direction.PUSH), (0, "balance", Balance.THREAD)))
    both = Alternative("", own=(("layout", Layout.BY_DEGREE), ("order", Order.NEAR_FAR))).applied(site.applied(program))
    knobs = both.tuning.sites[0]
    assert (knobs.direction, knobs.balance) == (Direction.PUSH, Balance.THREAD)
    assert (both.tuning.layout, both.tuning.order) == (Layout.BY_DEGREE, Order.NEAR_FAR)
    assert program.tuning == of("bfs").tuning


def test_a_try_fits_into_the_timeout() -> None:
    """Else a run would be late because of what nobody asked for; and what is not tried is not written down for ever."""
    observed = ObservedForms([BLOCK])
    while not observed.tries_next:
        run(observed, 9.0, runs=1)
    room = (2 * HOPELESS * 10.0 + 100.0) / 1e3
    observed.expected_ms = 100.0
    assert observed.fits(None) and observed.fits(room + 2 * observed.limit) and not observed.fits(0.1)
    for _ in range(100):
        observed.note(10.0)
    assert len(observed._others) == 1 and observed.tries_next
