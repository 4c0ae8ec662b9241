"""Rounds that blocks run by themselves: the results of the reference in any order of threads, with fewer barriers."""

from __future__ import annotations

import pytest
from support.graphs import grid, make_graph, random_graph
from support.local_rounds import FOUND, LOCAL

from gdsl.binding import bind

from . import build
from .running import DEEP, GENERAL, SMALL, TINY, device_for, differences, emulated, expect, has_rounds, program_of

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")
GRAPHS = (
    make_graph([], 1),
    make_graph([(0, 0), (0, 1), (0, 1), (1, 2), (2, 0), (3, 3), (2, 5)], 6),
    make_graph([(at, at + 1) for at in range(59)], 60),
    make_graph(grid(8, 11), 88, directed=False),
    make_graph([(0, at) for at in range(1, 40)] + [(at, at + 39) for at in range(1, 40)], 79, directed=False),
    random_graph(90, 130, seed=5, directed=True),
    random_graph(70, 240, seed=7, directed=False),
)
CASES = [(what, SMALL if at % 2 else TINY) for at, what in enumerate(LOCAL)]


@pytest.mark.parametrize(("what", "shape"), CASES, ids=[what.replace(" ", "-") for what, _ in CASES])
@pytest.mark.sampled(100)
@pytest.mark.rare(3)
def test_results_are_those_of_the_rounds(what: str, shape: object) -> None:
    program = program_of(LOCAL[what])
    assert has_rounds(program)
    built = emulated(program, shape, on=DEEP if shape is TINY else GENERAL)  # type: ignore[arg-type]
    for graph in GRAPHS:
        for seed in range(3):
            bindings = bind(program, graph, {"source": seed % graph.num_vertices})
            found = built.run(graph, bindings, device_for(seed))
            assert differences(program, expect(program, graph, bindings), found) == [], (graph, seed)


@pytest.mark.slow
def test_a_chain_needs_few_passes() -> None:
    """Each pass has a barrier for its computations and one for its advance; the trace has all members and edges."""
    program, chain = program_of(FOUND, ("reach.direction=push",)), GRAPHS[2]
    bindings = bind(program, chain, {"source": 0})
    expected, found = expect(program, chain, bindings), emulated(program).run(chain, bindings, device_for(1))
    assert len(found.trace) * 4 < len(expected.trace)
    advances = [[record for record in each.trace if record.label == "reach"] for each in (expected, found)]
    for part in ("frontier_size", "edges"):
        one, other = (sum(getattr(record, part) for record in records) for records in advances)
        assert other >= one
