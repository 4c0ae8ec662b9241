"""What runs show of other forms of a program, and which forms are tried."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable
from itertools import pairwise

import pytest

from gdsl import pipeline
from gdsl.backends.cuda.observed_forms import HOPELESS, RUNS, TIMES, WARM, Attempt, NoTimeError, ObservedForms
from gdsl.backends.cuda.planning import plan_of
from gdsl.backends.interface import Limits
from gdsl.ir.nodes import Program
from gdsl.operations import Balance, Direction, Layout, Order
from gdsl.plan.alternatives import Alternative, Seen, alternatives, may_differ
from gdsl.plan.graph_class import REVISITED, class_of

from .planning import ROOT

BLOCK = Alternative("schedule.block=256", own=(("block", 256),))
OTHER = Alternative("schedule.block=1024", own=(("block", 1024),))


@dataclasses.dataclass
class Clock:
    """Runs as they would be, in milliseconds: of the program as it is by their number, and of each other form by its
    factor; what all of them took, and what tries cost."""

    best: Callable[[int], float]
    factor: float
    build: float = 300.0
    looking: float = 300.0
    all_ms: float = 0.0
    cost: float = 0.0

    def run(self, observed: ObservedForms, runs: int) -> None:
        for number in range(runs):
            best = self.best(number) * self.factor ** len(observed.kept)
            ms = best * self.factor
            if observed.tries_next and observed.can_pay:
                spent = observed._unbuilt_ms and self.build
                observed.spend(spent)
                observed.built()
                limit = 1e3 * observed.limit
                if ms > limit:  # it is stopped, and made again
                    observed.spend(limit)
                    observed.lose("was stopped")
                    self.cost += spent + limit
                    self.all_ms += best
                    observed.note(best)
                else:
                    observed.note_try(ms)
                    self.cost += spent + max(ms - best, 0.0)
                    self.all_ms += ms
            else:
                self.all_ms += best
                observed.note(best)
                if observed.may_begin and observed.alternatives:
                    observed.expected_ms = self.build
                    if observed.may_begin:
                        observed.begin(observed.alternatives.pop(0))
                    observed.spend(self.looking)
                    self.cost += self.looking
            assert TIMES * self.cost <= self.all_ms + 1e-6, number


def run(observed: ObservedForms, other: float, best: float = 10.0, runs: int = 1000) -> None:
    """So many runs, of these times in milliseconds."""
    Clock(lambda _: best, other / best, 300.0, 20.0).run(observed, runs)


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
    assert len(observed.lines) == 2 and all((" for 10" in line) == (ms < 100.0) for line in observed.lines)


@pytest.mark.parametrize("factor", [0.5, 0.97, 1.0, 1.3, 3.0, 100.0, 10_000.0])
@pytest.mark.parametrize(
    ("best", "build"),
    [(0.4, 300), (1.0, 300), (1.0, 2_000), (30.0, 300), (30.0, 30_000), (700.0, 3_000), (60_000.0, 9_000)],
)
def test_tries_take_a_tenth_of_the_time_at_most(best: float, build: float, factor: float) -> None:
    """At each moment, in short runs and long ones, however slow the other forms are."""
    observed, runs = ObservedForms([BLOCK, OTHER]), max(2_000, int(45 * (build + 300) / best))
    Clock(lambda _: best, factor, build).run(observed, runs)
    assert observed.is_settled and len(observed.lines) == 2
    assert all("kept" in line for line in observed.lines) == (factor == 0.5)
    few = ObservedForms([BLOCK, OTHER])
    Clock(lambda _: best, factor, build).run(few, TIMES * (WARM + RUNS) - 1)
    assert not few.lines and few.trying is None


@pytest.mark.parametrize("factor", [0.5, 1.0, 3.0, 100.0])
def test_also_where_runs_differ(factor: float) -> None:
    """As searches do, of which most reach nothing."""
    draw = random.Random(3)
    times = [draw.choice([0.01, 0.01, 20.0]) * draw.random() for _ in range(30_000)]
    Clock(times.__getitem__, factor).run(ObservedForms([BLOCK, OTHER]), len(times))
    slower = [10.0 * 1.01**number for number in range(1000)]
    Clock(slower.__getitem__, factor).run(ObservedForms([BLOCK, OTHER]), len(slower))
    faster = [1000.0 * 0.99**number for number in range(1000)]
    Clock(faster.__getitem__, factor).run(ObservedForms([BLOCK, OTHER]), len(faster))


@pytest.mark.parametrize("period", [2, 3, 4])
def test_forms_that_are_alike_are_so_for_a_caller_that_repeats_itself(period: int) -> None:
    """Such as with a search from one vertex and another one in turns: neither form has all slow ones."""
    for slow in range(1, 1 << period):
        for phase in range(period):
            observed = ObservedForms([BLOCK])
            clock = Clock(lambda number: 100.0 if slow >> ((number + phase) % period) & 1 else 10.0, 1.0)  # noqa: B023
            clock.run(observed, 1500)
            assert observed.is_settled and observed.kept == (), (slow, phase)


def test_a_run_that_is_slow_is_not_stopped_for_that() -> None:
    """One of ten reaches the other vertices."""
    observed = ObservedForms([BLOCK])
    Clock(lambda number: 2000.0 if number % 10 == 0 else 2.0, 1.0).run(observed, 3000)
    assert observed.is_settled and "stopped" not in observed.lines[0]


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
    assert words_of("bfs", seen(100, 512, shares={0: 0.9})) == [*blocks, "visit.balance=merge"], "lists may be long"
    larger = ["schedule.block=512", "schedule.block=1024"]
    assert words_of("bfs", seen(100), class_of(["deep"])) == ["without=small_frontiers", *larger]
    assert words_of("sssp", seen(100)) == [*blocks, "schedule.order=near_far"]
    assert words_of("sssp", seen(100, near_far=True), REVISITED) == ["without=small_frontiers", *larger]
    assert words_of("k_core", seen(100))[0] == "without=local_rounds"
    assert words_of("maximal_independent_set", seen(100))[0] == "without=narrow_arrays"
    every = ["schedule.block=256", *larger]
    assert words_of("pagerank", seen()) == [*every, "schedule.layout=by_degree"], "of as many threads, with registers"
    hubs = ["without=block_cache", *every, "schedule.order=near_far"]
    assert words_of("sssp", seen(100, 5000), class_of(["hubs"])) == hubs
    beside = seen(100, labels={1: "received", 2: "settle"}, shares={1: 0.0, 2: 0.9})
    assert words_of("pagerank", beside) == [*every, "received.balance=thread"], "which has the time of its sweep"


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
    one, other = (Alternative(name, own=(("without", (name,)),)) for name in ("local_rounds", "small_frontiers"))
    assert other.applied(one.applied(program)).tuning.without == ("local_rounds", "small_frontiers")


def test_a_try_fits_into_the_timeout() -> None:
    """Else a run would be late because of what nobody asked for; and what is not tried is not written down for ever."""
    observed = ObservedForms([BLOCK])
    for _ in range(400):
        observed.note(10.0)
    observed.begin(BLOCK)
    built = 2 * observed.limit
    room = built + HOPELESS * 0.3
    assert observed.fits(None) and observed.fits(room) and not observed.fits(room - 0.01)
    observed.built()
    assert observed.fits(built) and not observed.fits(built - 0.01)
    assert Attempt(1.0).begun(Limits(), 0.0).timeout == Attempt(1.0).begun(Limits(2.5, spent=0.4), 0.0).timeout == 1.0
    with pytest.raises(NoTimeError):
        Attempt(1.0).begun(Limits(2.5, spent=0.6), 0.0)
    for _ in range(100):
        observed.note(10.0)
    assert observed._others == [] and observed.tries_next
    for _ in range(WARM):
        observed.note_try(10.0)
    for _ in range(100):
        observed.note(10.0)
    assert len(observed._others) == 1 and observed.tries_next


def test_looking_waits_for_time_as_well() -> None:
    observed = ObservedForms()
    observed.note(1.0, operators=1_000_000)
    assert observed.look_fits(None) and observed.look_fits(50.0) and not observed.look_fits(30.0)
    for _ in range(100):
        observed.note(1000.0, operators=10)
    assert not observed.may_begin, "a trace of a million records takes ten seconds"


def test_one_value_of_a_knob_replaces_another_one() -> None:
    observed = ObservedForms([BLOCK, OTHER])
    Clock(lambda _: 30.0, 0.5).run(observed, 4000)
    assert observed.kept == (OTHER,) and observed.line == "form: schedule.block=1024, as runs showed"
    both = Alternative("without=local_rounds", own=(("without", ("local_rounds",)),))
    assert not both.replaces(both) and not OTHER.replaces(both) and OTHER.replaces(BLOCK)


def test_a_form_that_has_no_memory_any_more() -> None:
    observed = ObservedForms([OTHER], (BLOCK,))
    observed.drop("has no memory")
    assert observed.is_settled and observed.line == "" and observed.lines[-1] == "schedule.block=256 has no memory"


def test_other_work_begins_anew() -> None:
    """The best form was found by runs that had less to do."""
    observed = ObservedForms([BLOCK])
    run(observed, 8.0)
    assert observed.kept == (BLOCK,)
    for ms in (9.0, 100.0, 100.0, 9.0, 100.0, 100.0):
        observed.note(ms)
        assert not observed.is_outgrown, "a few of them are chance"
    observed.note(100.0)
    assert observed.is_outgrown
    observed.begin_anew()
    assert observed.kept == () and observed.line == "" and observed.alternatives is None and not observed.is_outgrown
    observed.note(100.0)
    assert not observed.is_outgrown and observed.lines[-1].startswith("anew")
