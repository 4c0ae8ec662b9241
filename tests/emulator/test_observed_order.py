"""Runs that begin in the order as given, are stopped, and begin again from near to far: always the values of the
reference, wherever the stop comes."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.graphs import grid, make_graph, random_graph
from support.near_far import PROGRAMS

import gdsl
from gdsl.backends.cuda import observed_order
from gdsl.backends.cuda.enactor import Enactor
from gdsl.backends.cuda.memory import GraphOnDevice
from gdsl.backends.cuda.observed_order import TooManyVisitsError
from gdsl.backends.interface import Limits, Outcome
from gdsl.binding import bind
from gdsl.diagnostics import GdslError
from gdsl.graph import Graph, rmat
from gdsl.operations import Order
from gdsl.plan.graph_class import REVISITED, WIDE
from gdsl.plan.solo_rounds import solo_loops

from . import build
from .driver import EmulatedModule, EmulatorError
from .fake_cupy import FakeCupy
from .running import SMALL, TINY, Built, device_for, expect
from .running import build as build_program

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")
NAMES = sorted({*PROGRAMS} - {"again"})
GRAPHS = {
    "grid": lambda: make_graph(grid(9, 11), 99, directed=False),
    "hubs": lambda: rmat(6, 5, seed=5),
    "loops": lambda: make_graph([(0, 0), (0, 1), (0, 1), (1, 2), (2, 0), (3, 3)], 5),
    "alone": lambda: make_graph([], 1),
}


def enactor_of(built: Built, graph: Graph, seed: int, gpus: int = 1) -> Enactor:
    device: Any = device_for(seed) if gpus == 1 else device_for(seed, blocks=2 * gpus, gpus=gpus)
    on_device = GraphOnDevice(device, graph, built.widths)
    return Enactor(device, built.module.get_function, built.plan, built.generated, on_device, device.multiprocessors)


def check(outcome: Outcome, expected: Outcome) -> None:
    for name, values in expected.arrays.items():
        assert numpy.array_equal(outcome.arrays[name], values), name
    assert outcome.scalars == expected.scalars


def run_with_each_bound(
    built: Built, name: str, graph: Graph, seed: int, bounds: tuple[int, ...], gpus: int = 1
) -> int:
    """Run with each bound, again from near to far after a stop, and without a bound; how many were stopped."""
    bindings = bind(built.program, graph, {"source": seed % graph.num_vertices})
    expected, given = expect(built.program, graph, bindings), enactor_of(built, graph, seed, gpus)
    other = build_program(PROGRAMS[name], (), built.plan.sizes, on=REVISITED, several_gpus=gpus > 1)
    ordered = enactor_of(other, graph, seed + 1, gpus)
    stops = 0
    for most in bounds:
        try:
            outcome = given.run(bindings, Limits(), most)
        except TooManyVisitsError as stop:
            stops += 1
            assert stop.visits > most and 0 < stop.passes <= stop.visits and 0 < stop.usual <= stop.visits
            outcome = ordered.run(bindings, Limits())
            assert {record.order for record in outcome.trace} >= {Order.NEAR_FAR}
        else:
            first = outcome.trace[0].site if outcome.trace else None
            assert outcome.visits == sum(record.edges for record in outcome.trace if record.site == first)
        check(outcome, expected)
        check(given.run(bindings, Limits()), expected)
    return stops


@pytest.mark.sampled(18)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("graph", GRAPHS)
def test_a_run_can_be_stopped_after_any_pass(name: str, graph: str) -> None:
    built, made = build_program(PROGRAMS[name], (), TINY), GRAPHS[graph]()
    edges = made.num_edges
    stops = run_with_each_bound(built, name, made, 3, (1, max(edges // 4, 1), max(edges, 1), 4 * edges + 1, 1 << 40))
    assert stops <= 4 and (stops >= 1 or graph in ("loops", "alone"))


@pytest.mark.sampled(6)
@pytest.mark.rare(12)
@pytest.mark.parametrize("gpus", [2, 3])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("graph", GRAPHS)
def test_a_run_on_several_gpus_can_be_stopped_after_any_pass(name: str, graph: str, gpus: int) -> None:
    built, made = build_program(PROGRAMS[name], (), TINY, several_gpus=True), GRAPHS[graph]()
    edges = made.num_edges
    stops = run_with_each_bound(built, name, made, gpus, (1, max(edges // 4, 1), max(edges, 1), 1 << 40), gpus)
    assert stops <= 3 and (stops >= 1 or graph in ("loops", "alone"))


def test_a_run_is_stopped_while_the_first_of_several_gpus_is_alone() -> None:
    """Its barriers are then not those of all, at whose word the host looks for a stop."""
    built, made = build_program(PROGRAMS["detours"], (), TINY, several_gpus=True), GRAPHS["grid"]()
    assert any(solo_loops(built.plan)) and "request_stop(run.control);" in built.generated.text
    assert run_with_each_bound(built, "detours", made, 2, (1, made.num_edges), 2) == 2


EDGES = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=24)


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(st.sampled_from(NAMES), EDGES, st.booleans(), st.integers(1, 60), st.integers(0, 7))
def test_made_graphs(name: str, edges: list[tuple[int, int]], directed: bool, most: int, seed: int) -> None:
    graph = make_graph(edges, 8, directed=directed)
    run_with_each_bound(build_program(PROGRAMS[name], (), SMALL), name, graph, seed, (most,))


def stop_once(text: str) -> int:
    """The visits after which a run of this text on a grid is stopped; 0 if it is not."""
    built, graph = build_program(PROGRAMS["detours"], (), TINY), GRAPHS["grid"]()
    changed = dataclasses.replace(built, module=EmulatedModule(text, "detours.cu"))
    try:
        enactor_of(changed, graph, 1).run(bind(built.program, graph, {"source": 3}), Limits(), 200)
    except TooManyVisitsError as stop:
        return stop.visits
    return 0


@pytest.mark.parametrize(
    "old, new",
    [
        ("shared.stop_requested = true;\n        request_stop(run.control);", ""),
        ("run.control->stopped_after = nanoseconds() - shared.started_at;", ""),
        ("visited + (iteration == 0 ? 0 : shared.visits)", "visited"),
        ("visited + (iteration == 0 ? 0 : shared.visits)", "visited + shared.visits"),
        ("visits > most && ", "visits < most && "),
    ],
)
@pytest.mark.sampled(3)
@pytest.mark.rare(2)
def test_a_stop_needs_each_of_its_parts(old: str, new: str) -> None:
    text = build_program(PROGRAMS["detours"], (), TINY).generated.text
    assert old in text and 200 < stop_once(text) < 1000
    with pytest.raises((AssertionError, GdslError, EmulatorError)):
        assert 200 < stop_once(text.replace(old, new)) < 1000


def test_what_a_stopped_run_has_reached_is_not_the_result() -> None:
    """So the tests above would show a host that takes it for the result."""
    built, graph = build_program(PROGRAMS["detours"], (), TINY), GRAPHS["grid"]()
    bindings = bind(built.program, graph, {"source": 3})
    enactor = enactor_of(built, graph, 1)
    reached: list[Any] = []
    begin = enactor._start_outcome

    def begun(*given: Any) -> Any:
        reached.append(begin(*given))
        return reached[-1]

    enactor._start_outcome = begun  # type: ignore[method-assign, assignment]
    with pytest.raises(TooManyVisitsError):
        enactor.run(bindings, Limits(), 200)
    with pytest.raises(AssertionError):
        check(reached[0].outcome, expect(built.program, graph, bindings))


# Calls


@pytest.fixture
def network(monkeypatch: pytest.MonkeyPatch) -> Graph:
    """A graph that the order as given visits more often than the bound, which is as low as it gets."""
    monkeypatch.setattr(observed_order, "LEAST_VISITS", 1)
    monkeypatch.setattr(observed_order, "MOST_VISITS", 1)
    made = random_graph(90, 900, seed=2)
    weight = numpy.random.default_rng(4).integers(1, 1000, made.num_edges).astype(numpy.float32)
    return Graph(made.offsets, made.columns, directed=True, attributes={"weight": weight})


def distances(graph: Graph, source: int) -> list[float]:
    found: list[float] = gdsl.compile("sssp")(graph, source=source, backend="reference").distance.tolist()
    return found


def orders(result: Any) -> set[Order | None]:
    return {record.order for record in result.trace}


def test_calls_say_which_order_they_had_and_why(cupy: FakeCupy, network: Graph) -> None:
    program = gdsl.compile("sssp", tune=["schedule.block=32"])
    for source in (3, 4, 3, 5):
        found = program(network, source=source, backend="cuda")
        assert found.distance.get().tolist() == distances(network, source)
        order = next(iter(orders(found)))
        assert found.order_line.startswith(f"order: {'near_far' if order is Order.NEAR_FAR else 'as_given'}, ")
        plan = program.last_run(network, "cuda")[1].build(network).plan
        assert plan is not None and plan.graph.revisited == (order is Order.NEAR_FAR)
    first = gdsl.compile("sssp", tune=["schedule.block=32"])(network, source=3, backend="cuda")
    assert orders(first) == {Order.NEAR_FAR}, "which was stopped and began again"


def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run from near to far always takes no time."""
    note = observed_order.ObservedOrder.note_near_far
    monkeypatch.setattr(observed_order.ObservedOrder, "note_near_far", lambda self, ms: note(self, 0.0))


def test_queued_runs_and_batches_have_the_order_that_runs_have_shown(
    cupy: FakeCupy, network: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    settled(monkeypatch)
    program = gdsl.compile("sssp", tune=["schedule.block=32"])
    for source in (3, 8):  # the first is waited for, since it shows the order
        found = program.submit(network, source=source, backend="cuda").result()
        assert found.distance.get().tolist() == distances(network, source) and orders(found) == {Order.NEAR_FAR}
    batch = program.map(network, source=[1, 2], backend="cuda")
    for source, found in zip((1, 2), batch, strict=True):
        assert found.distance.tolist() == distances(network, source)
    executable: Any = program.last_run(network, "cuda")[1]
    assert {graph_class for _, graph_class, _ in executable._batches._forms} <= {REVISITED, WIDE}


def test_a_limit_of_passes_counts_those_of_the_order_as_given(
    cupy: FakeCupy, network: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    settled(monkeypatch)
    program = gdsl.compile("sssp", tune=["schedule.block=32"])
    program(network, source=3, backend="cuda")
    found = program(network, source=3, backend="cuda", max_iterations=90)
    assert orders(found) == {None} and found.order_line == ""


def test_without_memory_for_the_other_order_the_first_one_stays(
    cupy: FakeCupy, network: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gdsl.backends.cuda.executable import CudaExecutable

    run = CudaExecutable._run

    def refusing(self: CudaExecutable, *given: Any) -> Outcome:
        if self._graph_class.revisited:
            raise GdslError.single("E0912", "no memory")
        return run(self, *given)

    monkeypatch.setattr(CudaExecutable, "_run", refusing)
    program = gdsl.compile("sssp", tune=["schedule.block=32"])
    for _ in range(2):
        found = program(network, source=3, backend="cuda")
        assert found.distance.get().tolist() == distances(network, 3) and orders(found) == {None}
        assert found.order_line == "order: as_given, since there is no memory for near_far"
