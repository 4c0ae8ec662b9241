"""Programs on a GPU: real graphs, generated ones, lists long enough to be cut, in every form of the generated code."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import gdsl
from gdsl.backends.interface import TraceRecord
from gdsl.graph import generate
from gdsl.operations import Direction
from tests import test_real_graphs as real
from tests.oracles import BY_NAME
from tests.oracles.case import symmetric
from tests.oracles.samples import weights_of

pytestmark = pytest.mark.gpu
needs_graphs = pytest.mark.skipif(
    not real.FILES, reason="GDSL_TEST_GRAPHS does not name the directory of the real graphs"
)
TUNINGS = {
    "push": ("visit.direction=push",),
    "pull": ("visit.direction=pull",),
    "thread": ("visit.balance=thread",),
    "block": ("visit.balance=block",),
    "unfused": ("schedule.fuse=off",),
    "unfused pull": ("schedule.fuse=off", "visit.direction=pull"),
    "wide ids": ("schedule.ids=64",),
    "small blocks": ("schedule.block=64",),
}
FUNCTORS = {"bfs": "visit", "sssp": "relax"}


def tuning(program: str, words: tuple[str, ...]) -> tuple[str, ...]:
    """`words` for the program's own functor; what speaks of a functor is left out where the program has no such one."""
    functor = FUNCTORS.get(program)
    return tuple(w.replace("visit", functor or "") for w in words if functor or "visit" not in w)


def tuned(programs: list[str]) -> list[tuple[str, str]]:
    """(program, key of TUNINGS) for all that differ from the default."""
    return [(program, key) for program in programs for key, words in TUNINGS.items() if tuning(program, words)]


# ---------------------------------------------------------------- real graphs


@pytest.mark.graphs
@needs_graphs
@pytest.mark.parametrize("program", real.CHECKS)
@real.by_graph()
def test_real_graph(name: str, program: str) -> None:
    real.CHECKS[program](name, "cuda")


@pytest.mark.graphs
@needs_graphs
@pytest.mark.parametrize(("program", "key"), tuned(list(real.CHECKS)))
@pytest.mark.parametrize("name", real.MID_SIZED or ["none"])
def test_real_graph_tuned(name: str, program: str, key: str) -> None:
    real.CHECKS[program](name, "cuda", *tuning(program, TUNINGS[key]))


# ---------------------------------------------------------------- long lists


@cache
def hubs(directed: bool) -> gdsl.Graph:
    """Two vertices with thousands of neighbours, one list as long as a chunk, and random edges between the others."""
    random = np.random.default_rng(7)
    count = 6000
    ends = [random.integers(0, count, 20_000), random.integers(0, count, 20_000)]
    ends[0] = np.concatenate([ends[0], np.zeros(5000, int), np.full(512, 17), random.integers(0, count, 4000)])
    ends[1] = np.concatenate([ends[1], np.arange(1, 5001), np.arange(100, 612), np.full(4000, 5999)])
    return gdsl.Graph.from_edges(ends[0], ends[1], count, directed=directed)


@pytest.mark.parametrize("form", [(), ("schedule.fuse=off",)], ids=["fused", "unfused"])
@pytest.mark.parametrize("program", BY_NAME)
def test_long_lists(program: str, form: tuple[str, ...]) -> None:
    case = BY_NAME[program]
    graphs = [hubs(directed=False)] if case.suits is symmetric else [hubs(directed=True), hubs(directed=False)]
    for graph in graphs:
        for seed in (1, 3):
            real.answers_of(program, graph, case.values(graph, seed), "cuda", *form)


# ---------------------------------------------------------------- generated graphs, against the cpu backend


@cache
def generated(spec: str) -> gdsl.Graph:
    return generate(spec)


@cache
def expected(program: str, spec: str) -> dict[str, Any]:
    """What the cpu backend answers."""
    return answers(program, spec, "cpu")[0]


def answers(program: str, spec: str, backend: str, *tune: str) -> tuple[dict[str, Any], tuple[TraceRecord, ...]]:
    graph = generated(spec)
    values: dict[str, Any] = {}
    if program in FUNCTORS:
        values["source"] = int(np.argmax(graph.out_degrees))
    if program == "sssp":
        values["weight"] = weights_of(graph, 5)
    result = real.compiled(program, *tune).run(graph, values, backend=backend)
    return {**result.scalars, **result.host_arrays()}, result.trace


def check_parents(graph: gdsl.Graph, distance: np.ndarray, parent: np.ndarray) -> None:
    """Every parent is a neighbour one hop nearer. The keys of the edges ascend, as the lists of a graph do."""
    child = np.flatnonzero(distance > 0)
    assert np.array_equal(np.flatnonzero(parent >= 0), child)
    assert np.array_equal(distance[parent[child]] + 1, distance[child])
    keys = graph.edge_sources.astype(np.int64) * graph.num_vertices + graph.columns
    wanted = parent[child].astype(np.int64) * graph.num_vertices + child
    assert np.array_equal(keys[np.searchsorted(keys, wanted)], wanted)


@pytest.mark.parametrize(
    ("program", "key"), [*((p, "") for p in real.CHECKS), *tuned(["bfs", "sssp", "connected_components", "pagerank"])]
)
@pytest.mark.parametrize("spec", ["rmat:20", "grid:1000"])
def test_generated_graph(spec: str, program: str, key: str) -> None:
    if spec == "grid:1000" and "unfused" in key and program in FUNCTORS:
        spec = "grid:300"  # thousands of levels, each of several launches
    found, _ = answers(program, spec, "cuda", *tuning(program, TUNINGS.get(key, ())))
    wanted = expected(program, spec)
    if program == "bfs":
        check_parents(generated(spec), found["distance"], found["parent"])
    if program == "pagerank":
        assert np.abs(found["rank"].astype(np.float64) - wanted["rank"]).sum() < 2e-5
    else:
        name = "component" if program == "connected_components" else "distance"
        np.testing.assert_array_equal(found[name], wanted[name])


def test_auto_takes_both_directions() -> None:
    """On R-MAT the first levels are pushed, the large ones pulled; on a grid all are pushed."""
    visits = [record for record in answers("bfs", "rmat:20", "cuda")[1] if record.label == "visit"]
    assert {record.direction for record in visits} == {Direction.PUSH, Direction.PULL}
    assert visits[0].direction is Direction.PUSH
    largest = max(visits, key=lambda record: record.edges)
    assert largest.direction is Direction.PULL
    visits = [record for record in answers("bfs", "grid:1000", "cuda")[1] if record.label == "visit"]
    assert {record.direction for record in visits} == {Direction.PUSH}


def test_trace_agrees_with_the_cpu_backend() -> None:
    on_gpu, on_cpu = (answers("bfs", "rmat:20", backend)[1] for backend in ("cuda", "cpu"))
    sizes = [[(r.iteration, r.frontier_size, r.edges) for r in trace] for trace in (on_gpu, on_cpu)]
    assert sizes[0] == sizes[1]
