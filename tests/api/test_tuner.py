"""The search for knobs, with times that are made up: what is kept, stopped, left out and refused. Results are those of
the reference, and code is generated for a GPU, so that every knob has something to decide."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from gdsl.api import tuner
from gdsl.api.program import Program
from gdsl.api.schedules import KnobChoice, knob_choices
from gdsl.api.tuner import Tuner
from gdsl.api.tuning_outcome import Stop, TuningOutcome, Verdict
from gdsl.backends import failures
from gdsl.diagnostics import GdslError
from gdsl.graph import Graph, open_graph
from gdsl.source import Source

TEXT = """program hops;
problem {
    param source : vertex;
    vertex distance : int32 = -1;
    vertex parent : vertex = none;
    scalar reached : int64 = 0;
}
edge functor visit(src, dst, e) {
    cond distance[dst] == -1;
    apply { distance[dst] = iteration + 1; parent[dst] any= src; }
}
vertex functor count(v) { cond distance[v] >= 0; apply { reached += 1; } }
schedule {
    distance[source] = 0;
    frontier f = { source };
    while (f) { f = advance(f, visit); }
    compute(vertices, count);
}
"""
SSSP = """program far;
problem { param source : vertex; input edge weight : float32 where weight >= 0; vertex distance : float32 = inf; }
edge functor relax(src, dst, e) { apply { accept changed(distance[dst] min= distance[src] + weight[e]); } }
schedule { distance[source] = 0; frontier f = { source }; while (f) { f = advance(f, relax); } }
"""
Cost = Callable[[tuple[str, ...]], float]


class Machine:
    """A backend whose runs take as long as `cost` says of their words, in milliseconds, on a clock of its own."""

    def __init__(self, cost: Cost) -> None:
        self.cost, self.now = cost, 100.0
        self.runs: Counter[tuple[str, ...]] = Counter()

    def clock(self) -> float:
        return self.now

    def __call__(self, program: Program, graph: Graph, values: Any, backend: str, timeout: float | None) -> Any:
        words = program._tune
        self.runs[words] += 1
        ms = self.cost(words)
        if timeout is not None and ms > 1000 * timeout:
            self.now += timeout
            raise failures.timeout_error(timeout)
        self.now += ms / 1000
        result = program.run(graph, values, backend="reference")
        result.time_ms = ms
        return result


@pytest.fixture(autouse=True)
def no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Program, "prepare", lambda self, *_, **__: self)


def search(cost: Cost, seconds: float = 1e6, text: str = TEXT, graph: str = "karate") -> tuple[TuningOutcome, Machine]:
    machine = Machine(cost)
    found = Tuner(
        Source("<text>", text), open_graph(graph), {"source": 0}, "cuda", seconds, run=machine, clock=machine.clock
    ).search()
    return found, machine


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two knobs of three values: what is not about which knobs there are needs no more."""
    words = {"visit.balance": ("bins", "block", "merge"), "visit.direction": ("push", "pull")}
    knobs = [KnobChoice(name, ("", *(f"{name}={value}" for value in values))) for name, values in words.items()]
    monkeypatch.setattr(tuner, "knob_choices", lambda *_: knobs)


def has(words: tuple[str, ...], word: str) -> bool:
    return word in words


@pytest.mark.slow
def test_the_best_of_several_knobs_is_found() -> None:
    def cost(words: tuple[str, ...]) -> float:
        ms = 1000.0
        ms -= 300 * has(words, "visit.balance=merge") + 200 * has(words, "visit.balance=warp")
        ms -= 100 * has(words, "schedule.block=256")
        ms += 5000 * has(words, "schedule.fuse=off") + 1000 * has(words, "visit.direction=pull")
        return ms + 250 * has(words, "visit.frontier=bitmap") - 10 * has(words, "schedule.block=128")

    found, machine = search(cost)
    assert found.knobs == ("visit.balance=merge", "schedule.block=256") and found.stop is Stop.DONE
    assert (found.auto_ms, found.tuned_ms) == (1000, 600)
    by_word = {each.word: each for each in found.tries if each.verdict is Verdict.KEPT}
    assert list(by_word) == ["visit.balance=warp", "visit.balance=merge", "schedule.block=256"]
    assert by_word["visit.balance=merge"].best_ms == 800
    stopped = [each for each in found.tries if each.word == "schedule.fuse=off"]
    assert stopped[0].verdict is Verdict.STOPPED and stopped[0].ms is None
    fused_off = sum(count for words, count in machine.runs.items() if "schedule.fuse=off" in words)
    assert len(stopped) == 1 and fused_off == 2, "what is hopeless is not repeated"
    (far,) = (each for each in found.tries if each.word == "visit.direction=pull")
    assert far.verdict is Verdict.NOT_FASTER and far.ms == 2000
    assert sum(count for words, count in machine.runs.items() if "visit.direction=pull" in words) == 2
    tried = {each.word for each in found.tries}
    assert not any("ids" in word or "bounds" in word for word in tried), "these change more than the time"
    assert {"visit.direction=push", "visit.direction=auto(alpha=12)", "schedule.block=32"} <= tried
    assert "visit.direction=auto" not in tried and "visit.dedup=exact" not in tried, "what comes to the same is not run"


def test_each_code_is_measured_once(few: None) -> None:
    found, _ = search(lambda words: 10.0)
    assert found.knobs == () and found.gain == 0 and found.stop is Stop.DONE
    assert len({each.word for each in found.tries}) == len(found.tries) == 5
    assert all(each.verdict is Verdict.NOT_FASTER for each in found.tries)


@pytest.mark.parametrize(("faster", "kept"), [(0.985, False), (0.97, True)])
def test_what_is_less_than_two_percent_is_nothing(few: None, faster: float, kept: bool) -> None:
    found, _ = search(lambda words: 100 * (faster if "visit.balance=bins" in words else 1))
    assert (found.knobs == ("visit.balance=bins",)) is kept


def test_gains_that_do_not_last_are_given_up(few: None) -> None:
    """Where the best beside the program as it is turns out to be no faster, nothing is kept."""
    fast = iter([50.0] * 16)
    found, _ = search(lambda words: next(fast, 100.0) if "visit.balance=bins" in words else 100.0)
    assert any(each.verdict is Verdict.KEPT for each in found.tries)
    assert found.knobs == () and found.gain == 0


def test_the_time_ends_the_search(few: None) -> None:
    found, machine = search(lambda words: 1000.0 - 100 * ("visit.balance=bins" in words), seconds=20)
    assert found.stop is Stop.TIME and found.knobs == ("visit.balance=bins",)
    assert machine.now <= 100 + 20 + 2 * 4, "the end is seen after the runs that were going on"
    found, machine = search(lambda words: 15_000.0, seconds=20)
    assert (found.tries, found.stop, found.knobs) == ([], Stop.TIME, ())
    assert machine.now < 130, "nothing is begun that would last longer"
    with pytest.raises(GdslError, match="--seconds") as raised:
        search(lambda words: 15_000.0, seconds=10)
    assert raised.value.code == "E0802"


@pytest.mark.parametrize("at", [2, 5, 20, 36])
def test_ctrl_c_keeps_the_best_so_far(few: None, at: int) -> None:
    count = iter(range(1000))

    def cost(words: tuple[str, ...]) -> float:
        if next(count) == at:
            raise KeyboardInterrupt
        return 300.0 - 40 * ("visit.balance=bins" in words) - 20 * ("visit.direction=push" in words)

    if at < 4:  # before the program as it is has been measured
        with pytest.raises(KeyboardInterrupt):
            search(cost)
        return
    found, _ = search(cost)
    assert found.stop is Stop.INTERRUPTED
    best = {words for each in found.tries if each.verdict is Verdict.KEPT for words in [each.word]}
    assert set(found.knobs) == best and len(best) == {5: 0, 20: 1, 36: 2}[at]


def test_a_best_that_does_not_end_every_time_is_given_up(few: None, monkeypatch: pytest.MonkeyPatch) -> None:
    settle, late = Tuner._settle, []
    monkeypatch.setattr(Tuner, "_settle", lambda self: late.append(1) or settle(self))
    found, _ = search(lambda words: (1e9 if late else 50.0) if "visit.balance=merge" in words else 100.0)
    assert any(each.verdict is Verdict.KEPT for each in found.tries)
    assert late and found.knobs == () and found.gain == 0


def broken(monkeypatch: pytest.MonkeyPatch, word: str, what: Callable[[Any], Any]) -> GdslError:
    run = Program.run

    def wrong(self: Program, *arguments: Any, **options: Any) -> Any:
        result = run(self, *arguments, **options)
        return what(result) if word in self._tune else result

    monkeypatch.setattr(Program, "run", wrong)
    with pytest.raises(GdslError) as raised:
        search(lambda words: 10.0)
    return raised.value


def test_a_knob_that_changes_a_result_is_named(few: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def other(result: Any) -> Any:
        result.arrays["distance"][3] += 1
        return result

    error = broken(monkeypatch, "visit.balance=block", other)
    assert error.code == "E0909" and "`visit.balance=block` changes a result: distance[3] is 2, not 1" in str(error)
    assert "--tune visit.balance=block" in str(error)


def test_what_is_not_unique_may_differ(few: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def other(result: Any) -> Any:
        result.arrays["parent"][3] = 1
        return result

    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        broken(monkeypatch, "visit.balance=block", other)


def test_a_knob_that_ends_in_an_error_is_named(few: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(result: Any) -> Any:
        raise GdslError.single("E0801", "index 7 is out of range")

    error = broken(monkeypatch, "visit.balance=block", fails)
    assert error.code == "E0909" and "`visit.balance=block` changes a result: it ends with E0801, index 7" in str(error)


def test_what_the_machine_has_no_room_for_is_left_out(few: None) -> None:
    def cost(words: tuple[str, ...]) -> float:
        if "visit.balance=merge" in words:
            raise failures.memory_error()
        return 10.0

    found, _ = search(cost)
    assert [each.word for each in found.tries if each.verdict is Verdict.NO_ROOM] == ["visit.balance=merge"]


def test_what_auto_stands_for_on_the_graph_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a grid a GPU's `auto` is from near to far; on a graph of hubs it may become that during a run, so both are
    tried."""
    monkeypatch.setattr(tuner, "knob_choices", lambda *found: knob_choices(*found)[:1])
    weighted = open_graph("grid:12", weights="random:1"), open_graph("lesmis")
    for graph, others in zip(weighted, (["as_given"], ["as_given", "near_far"]), strict=True):
        machine = Machine(lambda words: 10.0)
        source = Source("<text>", SSSP)
        found = Tuner(source, graph, {"source": 0}, "cuda", 1e6, run=machine, clock=machine.clock).search()
        assert [each.word for each in found.tries] == [f"schedule.order={other}" for other in others]


def test_the_reference_knows_no_knobs() -> None:
    source, graph = Source("<text>", TEXT), open_graph("karate")
    found = Tuner(source, graph, {"source": 0}, "reference", 60).search()
    assert (found.tries, found.knobs, found.stop) == ([], (), Stop.DONE)


def test_params_and_programs_that_are_wrong() -> None:
    source, graph = Source("<text>", TEXT), open_graph("karate")
    with pytest.raises(GdslError, match="E0601"):
        Tuner(source, graph, {}, "reference", 60).search()
    with pytest.raises(GdslError, match="E01"):
        Tuner(Source("<text>", "program"), graph, {}, "reference", 60)
