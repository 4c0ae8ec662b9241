"""Programs on a GPU: real graphs, lists long enough to be cut, in every form of the generated code."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import gdsl
from gdsl.graph import generate
from tests import test_real_graphs as real
from tests.oracles import BY_NAME
from tests.support.graphs import simple_part

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
def hubs(kind: str) -> gdsl.Graph:
    """Two vertices with thousands of neighbors, one list as long as a chunk, and random edges between the others.

    `kind`: directed, undirected, or simple, which is undirected without loops and parallel edges.
    """
    random = np.random.default_rng(7)
    count = 6000
    ends = [random.integers(0, count, 20_000), random.integers(0, count, 20_000)]
    ends[0] = np.concatenate([ends[0], np.zeros(5000, int), np.full(512, 17), random.integers(0, count, 4000)])
    ends[1] = np.concatenate([ends[1], np.arange(1, 5001), np.arange(100, 612), np.full(4000, 5999)])
    graph = gdsl.Graph.from_edges(ends[0], ends[1], count, directed=kind == "directed")
    return simple_part(graph) if kind == "simple" else graph


@pytest.mark.parametrize("form", [(), ("schedule.fuse=off",)], ids=["fused", "unfused"])
@pytest.mark.parametrize("program", BY_NAME)
def test_long_lists(program: str, form: tuple[str, ...]) -> None:
    case = BY_NAME[program]
    graphs = [graph for graph in map(hubs, ("directed", "undirected", "simple")) if case.suits(graph)]
    assert graphs
    for graph in graphs:
        for seed in (1, 3):
            real.answers_of(program, graph, case.values(graph, seed), "cuda", *form)


def test_trace_agrees_with_the_cpu_backend() -> None:
    """Frontier sizes and edges of every level are the same, whatever the direction."""
    graph = generate("rmat:16")
    values = BY_NAME["bfs"].values(graph, 1)
    for words in ((), ("visit.direction=pull",), ("schedule.fuse=off",)):
        traces = [real.compiled("bfs", *words).run(graph, values, backend=backend).trace for backend in ("cuda", "cpu")]
        sizes = [[(r.site, r.iteration, r.frontier_size, r.edges) for r in trace] for trace in traces]
        assert sizes[0] == sizes[1]
