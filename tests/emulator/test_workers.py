"""Programs that workers with a GPU each run together, on the emulator: the text of the unfused form, with exchanges
through the memory of the host, gives what the reference gives, with the same bits for all workers, and stops on all."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from oracles import BY_NAME, CASES, Case
from support.fake_nccl import FakeNccl
from support.graphs import named_graphs, random_graph

from gdsl.backends.interface import Limits, Pair
from gdsl.backends.workers.outcomes import ShareOutcome
from gdsl.binding import bind
from gdsl.diagnostics import GdslError
from gdsl.graph import Graph

from . import build
from .emulated_device import EmulatedDevice
from .running import differences, expect
from .workers import Introduced, build_for_workers, run_on_workers

pytestmark = [pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++"), pytest.mark.slow]

MAKES_GRAPHS = re.compile(r"\bgraph \w+ *[=;]")
WITHOUT_GRAPHS = [case for case in CASES if not MAKES_GRAPHS.search(case.path.read_text(encoding="utf-8"))]
FEW = ("random_directed", "grid_undirected", "self_loops_directed", "one_vertex_directed", "empty")
GRAPHS = named_graphs()


def check(case: Case, graph: Graph, size: int, direct: int | None = None) -> None:
    """`case` on `graph` with `size` workers, whose data go through the host, or from GPU to GPU (`direct`)."""
    built, values = build_for_workers(case.name), case.values(graph, 1)
    bindings = bind(built.program, graph, values)
    outcomes, found = run_on_workers(built, graph, values, size, seed=size, direct=direct)
    assert differences(built.program, expect(built.program, graph, bindings), found) == []
    case.check(graph, {**bindings.params, **bindings.inputs}, {**found.arrays, **found.scalars})
    assert_same_bits(outcomes)


def assert_same_bits(outcomes: list[ShareOutcome]) -> None:
    """All workers have the same values and the same trace."""
    first = outcomes[0]
    for other in outcomes[1:]:
        assert other.parts == first.parts and other.exchanges == first.exchanges
        assert other.outcome.scalars == first.outcome.scalars or any(
            value != value for value in first.outcome.scalars.values()
        )
        for name in first.outcome.arrays.keys() - first.parts:
            assert _bits(other.outcome.arrays[name]) == _bits(first.outcome.arrays[name]), name
        counts = [
            [(each.site, each.iteration, each.frontier_size, each.edges) for each in one.outcome.trace]
            for one in (first, other)
        ]
        assert counts[0] == counts[1]


def _bits(values: Any) -> bytes:
    both = values if isinstance(values, Pair) else (values,)
    return b"".join(np.ascontiguousarray(each).tobytes() for each in both)


@pytest.mark.rare(12)
@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("case", WITHOUT_GRAPHS, ids=lambda case: case.name)
def test_agrees_with_the_reference(case: Case, size: int) -> None:
    for name in FEW:
        if case.suits(GRAPHS[name]):
            try:
                check(case, GRAPHS[name], size)
            except AssertionError as error:
                raise AssertionError(f"on {name}: {error}") from None


@pytest.mark.rare(12)
@pytest.mark.parametrize("case", WITHOUT_GRAPHS, ids=lambda case: case.name)
def test_agrees_with_the_reference_from_gpu_to_gpu(case: Case) -> None:
    """With whole arrays, and with lists where they are shorter."""
    for name in FEW:
        if case.suits(GRAPHS[name]):
            for size, direct in ((2, 1 << 20), (3, 0)):
                try:
                    check(case, GRAPHS[name], size, direct)
                except AssertionError as error:
                    raise AssertionError(f"on {name}: {error}") from None


def test_more_workers_than_vertices_and_one_worker() -> None:
    """Workers without vertices do nothing, and one worker meets nobody."""
    for size in (1, 5):
        check(BY_NAME["bfs"], GRAPHS["one_vertex_directed"], size)
        check(BY_NAME["bfs"], GRAPHS["grid_undirected"], size)


FAILS = """program fails; problem { param at : int64; vertex x : int32; vertex y : int32; }
schedule { while (iteration < 3) { compute(vertices, (v) => { if (v == 29) { x[v] = y[vertex(at)]; } }); } }
"""
SPINS = """program spins; problem { vertex x : int32; }
schedule { while (true) { compute(vertices, (v) => { x[v] += 1; }); } }
"""


@pytest.mark.parametrize(
    ("text", "given", "limits", "code"),
    [
        (FAILS, {"at": 77}, Limits(), "E0801"),
        (SPINS, {}, Limits(max_iterations=5), "E0803"),
        (SPINS, {}, Limits(timeout=0.3), "E0802"),
    ],
    ids=["a check of one worker", "iterations", "timeout"],
)
def test_what_stops_one_worker_stops_all(text: str, given: dict[str, Any], limits: Limits, code: str) -> None:
    """The vertex at which the check fails is worker 2's alone, so the others hear of it when they meet next."""
    for direct in (None, 0):
        with pytest.raises(GdslError) as caught:
            run_on_workers(
                build_for_workers(text), random_graph(30, 60, seed=1), given, 3, limits=limits, direct=direct
            )
        assert caught.value.code == code


@pytest.mark.parametrize("fails_at", [1, 6])
def test_a_failure_of_nccl_stops_all(fails_at: int) -> None:
    """One worker hears of it, and all raise the same error."""
    graph = random_graph(30, 60, seed=1)

    def failing(mine: Introduced) -> FakeNccl:
        return FakeNccl(mine, fails_at=fails_at if mine.rank == 1 else None)

    with pytest.raises(GdslError) as caught:
        run_on_workers(build_for_workers("bfs"), graph, {"source": 0}, 3, direct=0, nccl=failing)
    assert caught.value.code == "E0807" and "worker 1 cannot exchange data any more" in str(caught.value)


def test_too_little_memory_for_an_exchange_stops_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """One GPU has no room for one more array, and the others wait for it."""
    calls = itertools.count()
    usual = EmulatedDevice.empty_array

    def scarce(device: EmulatedDevice, dtype: Any, count: int) -> Any:
        if next(calls) == 20:
            raise MemoryError
        return usual(device, dtype, count)

    monkeypatch.setattr(EmulatedDevice, "empty_array", scarce)
    with pytest.raises(GdslError) as caught:
        run_on_workers(build_for_workers("bfs"), random_graph(30, 60, seed=1), {"source": 0}, 3, direct=0)
    assert caught.value.code == "E0912"


def test_a_worker_without_an_exchange_gives_something_else() -> None:
    """What the verifier refuses would be wrong: results and all later exchanges differ."""
    built = build_for_workers("sssp")
    graph = random_graph(40, 160, seed=3, directed=False)
    values = BY_NAME["sssp"].values(graph, 1)
    expected = expect(built.program, graph, bind(built.program, graph, values))
    lacking = replace(built, plan=replace(built.plan, schedule=without_data(built.plan.schedule)))
    _, found = run_on_workers(lacking, graph, values, 3)
    assert differences(built.program, expected, found) != []


def without_data(steps: tuple[Any, ...]) -> tuple[Any, ...]:
    """The steps with exchanges that unite sets and exchange no data."""
    changed = []
    for step in steps:
        if hasattr(step, "body"):
            step = replace(step, body=without_data(step.body))
        elif hasattr(step, "data"):
            step = replace(step, data=())
        changed.append(step)
    return tuple(changed)
