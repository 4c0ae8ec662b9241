"""Numbers that are each the first that is free, given in the sweep that reads those of neighbors: as the reference
gives them, in any order of threads."""

from __future__ import annotations

import pytest
from support.first_free import COLORS, FINISHED, FIRST_FREE
from support.graphs import grid, make_graph, random_graph

from gdsl.binding import bind
from gdsl.plan.target import Sizes

from . import build
from .running import SMALL, TINY, UNCUT, device_for, differences, emulated, expect, has_rounds, program_of

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")
GRAPHS = (
    make_graph([], 1),
    make_graph([(at, at + 1) for at in range(59)], 60, directed=False),
    make_graph([(a, b) for a in range(17) for b in range(a)], 19, directed=False),
    make_graph(grid(8, 11), 88, directed=False),
    make_graph([(0, at) for at in range(1, 40)] + [(at, at + 39) for at in range(1, 40)], 79, directed=False),
    random_graph(70, 240, seed=7, directed=False),
    random_graph(120, 1500, seed=8, directed=False),
)
PROGRAMS = FIRST_FREE | FINISHED
CASES = [(what, shape) for what in PROGRAMS for shape in (SMALL, TINY, UNCUT)]


@pytest.mark.parametrize(("what", "shape"), CASES)
@pytest.mark.sampled(300)
@pytest.mark.rare(3)
def test_numbers_are_those_of_the_reference(what: str, shape: Sizes) -> None:
    program = program_of(PROGRAMS[what])
    assert has_rounds(program)
    built, is_long = emulated(program, shape), what == "in vain"  # a thousand passes, then it gives up
    for graph in GRAPHS[: 4 if is_long else len(GRAPHS)]:
        bindings = bind(program, graph, {})
        expected = expect(program_of(COLORS) if is_long else program, graph, bindings)
        for seed in range(1 if is_long else 4):
            found = built.run(graph, bindings, device_for(seed))
            assert differences(program, expected, found) == [], (graph, seed)


def test_passes_are_fewer() -> None:
    """A path whose numbers come one after the other, in the order in which a warp takes them."""
    program, path = program_of("game_values"), make_graph([(at, at + 1) for at in range(299)], 300)
    bindings = bind(program, path, {})
    visits = [
        sum(record.frontier_size for record in outcome.trace if record.label == "look")
        for outcome in (expect(program, path, bindings), emulated(program).run(path, bindings, device_for(1, blocks=1)))
    ]
    assert visits[1] < visits[0]
