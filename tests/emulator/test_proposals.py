"""Pushes in which each of several GPUs proposes one edge for each far end: results of the reference in any order of
threads, and each mistake in how proposals are made and settled turns something red."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.graphs import grid, make_graph, random_graph
from support.proposals import PROPOSED

from gdsl.backends.interface import Outcome
from gdsl.binding import bind
from gdsl.graph import Graph
from gdsl.plan.walking import sweeps

from . import build
from .mutants import Mutant, mutants_in
from .mutating import as_params, assert_shows, built_with, findings_on_two_gpus, rewritten, seen_on_gpus
from .running import SMALL, TINY, device_for, differences, emulated, expect, program_of

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")
HUB = make_graph([(0, at) for at in range(1, 180)] + [(at, at + 1) for at in range(1, 179)], 200, directed=False)
LARGE = random_graph(2600, 9000, seed=9, directed=False)
"""Each block clears a part of its bitmap."""
GRAPHS = (
    make_graph([], 1),
    make_graph([(0, 0), (0, 1), (0, 1), (1, 2), (2, 0), (3, 3), (2, 5)], 6),
    make_graph(grid(7, 10), 70, directed=False),
    HUB,
    random_graph(90, 400, seed=5, directed=True),
    random_graph(300, 2500, seed=7, directed=False),
)


def check_chosen(graph: Graph, expected: Outcome, found: Outcome) -> None:
    """Which of several near ends was chosen may differ, but it is one of them, wherever the reference has one."""
    sources = np.repeat(np.arange(graph.num_vertices), np.diff(graph.offsets))
    edges = set(zip(sources.tolist(), np.asarray(graph.columns).tolist(), strict=True))
    for name, backward in (("parent", False), ("next", True), ("by", False)):
        chosen = found.arrays.get(name)
        if chosen is None:
            continue
        assert np.array_equal(chosen < 0, expected.arrays[name] < 0)
        level = found.arrays.get("level")
        for vertex, other in enumerate(chosen.tolist()):
            if other < 0 or (level is None and other == vertex):
                continue
            assert ((vertex, other) if backward else (other, vertex)) in edges
            assert level is None or level[vertex] == level[other] + 1


@pytest.mark.parametrize("what", PROPOSED)
@pytest.mark.sampled(4)
@pytest.mark.rare(2)
def test_results_are_those_of_the_reference(what: str) -> None:
    program = program_of(PROPOSED[what])
    built = emulated(program, TINY if len(what) % 2 else SMALL, several_gpus=True)
    assert any(sweep.proposals is not None for sweep in sweeps(built.plan))
    for graph in GRAPHS:
        for seed in range(4):
            params = {"source": 3 * seed % graph.num_vertices} if program.params else {}
            bindings = bind(program, graph, params)
            gpus = 2 + seed % 3
            found, expected = built.run(graph, bindings, device_for(seed, blocks=gpus, gpus=gpus)), None
            expected = expect(program, graph, bindings)
            assert differences(program, expected, found) == [], (graph, seed)
            check_chosen(graph, expected, found)


def test_far_ends_are_claimed_on_their_own_gpu_alone() -> None:
    """Where many edges are walked: then claims need no more than the scope of a device."""

    def changed(text: str) -> str:
        return text.replace("atomicCAS_system(", "atomicCAS(").replace(
            "const bool many = ", "const bool many = true || "
        )

    program, alone = (program_of("bfs", ("visit.direction=push", *more)) for more in ((), ("without=proposals",)))
    assert findings_on_two_gpus(rewritten(program, changed), GRAPHS[-1]) == set()
    assert findings_on_two_gpus(rewritten(alone, changed), GRAPHS[-1]) == {"race"}


_SEARCH = PROPOSED["another test"] + "tune { visit.direction = auto(alpha=1, beta=1); }\n"
"""In which most passes push."""


@pytest.mark.parametrize("mutant", as_params(mutants_in("of_several_gpus/proposals", {"search": _SEARCH})))
@pytest.mark.sampled(8)
@pytest.mark.rare(2)
def test_a_mistake_is_seen(mutant: Mutant, tmp_path: Path) -> None:
    graphs = (GRAPHS[-1], random_graph(160, 1400, seed=3, directed=False), HUB, LARGE)
    built = built_with(mutant, tmp_path, several_gpus=True)
    seen = seen_on_gpus(built, graphs, lambda graph, seed: {"source": seed})
    assert_shows(mutant, seen)
