"""Sets that several GPUs keep in queues of their own: the results of the reference in any order of threads, and each
mistake in how they are filled and walked turns something red."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.graphs import grid, make_graph, random_graph
from support.queues import QUEUED

from gdsl.binding import bind

from . import build
from .mutants import Mutant, mutants_in
from .mutating import as_params, assert_shows, built_with, seen_on_gpus
from .running import SMALL, TINY, device_for, differences, emulated, expect, program_of

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")
GRAPHS = (
    make_graph([], 0),
    make_graph([], 1),
    make_graph([(0, 0), (0, 1), (0, 1), (1, 2), (2, 0), (3, 3), (2, 5)], 6, directed=False),
    make_graph(grid(7, 10), 70, directed=False),
    make_graph([(199, at) for at in range(1, 180)], 200, directed=False),
    random_graph(300, 280, seed=7, directed=True),
    random_graph(3000, 900, seed=7, directed=True),
)


@pytest.mark.parametrize("what", QUEUED)
@pytest.mark.sampled(4)
@pytest.mark.rare(2)
def test_results_are_those_of_one_queue(what: str) -> None:
    program = program_of(QUEUED[what])
    built = emulated(program, TINY if len(what) % 2 else SMALL, several_gpus=True)
    assert built.plan.own_queues
    for graph in GRAPHS:
        bindings = bind(program, graph, {})
        expected = expect(program, graph, bindings)
        for seed in range(3):
            gpus = 2 + seed
            found = built.run(graph, bindings, device_for(seed, blocks=gpus + seed, gpus=gpus))
            assert differences(program, expected, found) == [], (graph, seed)


@pytest.mark.parametrize("mutant", as_params(mutants_in("of_several_gpus/own_queues", {"size": QUEUED["its size"]})))
@pytest.mark.sampled(4)
@pytest.mark.rare(2)
def test_a_mistake_is_seen(mutant: Mutant, tmp_path: Path) -> None:
    built = built_with(mutant, tmp_path, several_gpus=True)
    assert_shows(mutant, seen_on_gpus(built, GRAPHS[3:], lambda *_: {}, seeds=6))
