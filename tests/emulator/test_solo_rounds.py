"""Small passes of a loop that one of several GPUs runs alone: the results of the reference in any order of threads,
however often the GPUs part and meet again, and each mistake in how they do so turns something red."""

from __future__ import annotations

from pathlib import Path

import pytest
from oracles import BY_NAME
from support.graphs import grid, make_graph, random_graph
from support.solo import SOLO

from gdsl.backends.interface import Limits
from gdsl.binding import bind
from gdsl.diagnostics import GdslError
from gdsl.plan.solo_rounds import solo_loops

from . import build
from .mutants import Mutant, mutants_in
from .mutating import as_params, assert_shows, built_with, seen_on_gpus
from .running import SMALL, TINY, device_for, differences, emulated, expect, program_of
from .running import build as build_program

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")
_FANS = [(0, at) for at in range(1, 90)] + [(at, 90) for at in range(1, 90)] + [(at, at + 1) for at in range(90, 120)]
GRAPHS = (
    make_graph([], 1),
    make_graph([(0, 0), (0, 1), (0, 1), (1, 2), (2, 0), (3, 3), (2, 5)], 6),
    make_graph([(at, at + 1) for at in range(69)], 70),
    make_graph(grid(7, 10), 70, directed=False),
    make_graph([*_FANS, *((120, 120 + at) for at in range(1, 90))], 210),
    random_graph(90, 130, seed=5, directed=True),
    random_graph(300, 1900, seed=7, directed=False),
)
"""Sets of few members, of many between two of few, and of few after many."""


@pytest.mark.parametrize("what", SOLO)
@pytest.mark.sampled(4)
@pytest.mark.rare(2)
def test_results_are_those_of_all_gpus(what: str) -> None:
    program = program_of(SOLO[what])
    built = emulated(program, TINY if len(what) % 2 else SMALL, several_gpus=True)
    assert any(solo_loops(built.plan))
    for graph in GRAPHS:
        for seed in range(3):
            bindings = bind(program, graph, {"source": seed % graph.num_vertices})
            gpus = 2 + seed % 2
            found = built.run(graph, bindings, device_for(seed, blocks=gpus + seed, gpus=gpus))
            assert differences(program, expect(program, graph, bindings), found) == [], (graph, seed)


@pytest.mark.parametrize("lists", [(), ("schedule.block=128",)], ids=["as it is", "blocks of 128"])
@pytest.mark.sampled(2)
def test_from_near_to_far(lists: tuple[str, ...]) -> None:
    built = build_program("sssp", ("schedule.order=near_far", *lists), several_gpus=True)
    assert any(solo_loops(built.plan))
    for graph in GRAPHS[1:]:
        for seed in range(3):
            bindings = bind(built.program, graph, BY_NAME["sssp"].values(graph, seed))
            found = built.run(graph, bindings, device_for(seed, blocks=2 * (2 + seed % 2), gpus=2 + seed % 2))
            assert differences(built.program, expect(built.program, graph, bindings), found) == [], (graph, seed)


def test_a_limit_of_passes_ends_all_gpus() -> None:
    built = build_program("bfs", several_gpus=True)
    graph = GRAPHS[2]
    bindings = bind(built.program, graph, {"source": 0})
    for most in (1, 5, 30):
        device = device_for(most, blocks=4, gpus=2)
        with pytest.raises(GdslError) as caught:
            built.run(graph, bindings, device, Limits(max_iterations=most))
        assert caught.value.diagnostics[0].code == "E0803"


@pytest.mark.parametrize("name", ["bfs", "core"])
def test_a_stop_ends_all_gpus(name: str) -> None:
    """Whether the first one is alone, goes to be, or has just been."""
    built, graph, stopped = build_program(name, several_gpus=True), GRAPHS[4 if name == "bfs" else 6], 0
    bindings = bind(built.program, graph, BY_NAME[name].values(graph, 0))
    for seed in range(60):
        device = device_for(seed, blocks=4, gpus=2)
        device.schedule.stop_at = 1 + 131 * seed
        try:
            built.run(graph, bindings, device)
        except GdslError as error:
            assert error.diagnostics[0].code == "E0802"
            stopped += 1
    assert stopped > 20


_CHANGED = {"search": SOLO["a search"], "marks": SOLO["marks"], "limit": SOLO["a scalar of each thread"]}


@pytest.mark.parametrize("mutant", as_params(mutants_in("of_several_gpus/solo_rounds", _CHANGED)))
@pytest.mark.sampled(3)
def test_a_mistake_is_seen(mutant: Mutant, tmp_path: Path) -> None:
    built = built_with(mutant, tmp_path, program=program_of(mutant.program), several_gpus=True)
    seen = seen_on_gpus(built, GRAPHS[2:], lambda graph, seed: {"source": 0})
    assert_shows(mutant, seen)
