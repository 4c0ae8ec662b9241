"""Arrays that several GPUs have whole: the results of the reference in any order of threads, and each mistake in how
copies are kept equal turns something red."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.graphs import grid, make_graph, random_graph
from support.replicas import REPLICATED

from gdsl.backends.interface import Outcome
from gdsl.binding import bind
from gdsl.ir.nodes import Program

from . import build
from .mutants import Mutant, mutants_in
from .mutating import as_params, assert_shows, built_with, seen_on_gpus
from .running import SMALL, TINY, Built, device_for, differences, emulated, expect, program_of

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")
GRAPHS = (
    make_graph([], 0),
    make_graph([], 1),
    make_graph([(0, 0), (0, 1), (0, 1), (1, 2), (2, 0), (3, 3), (2, 5)], 6, directed=False),
    make_graph([(at, at + 1) for at in range(69)][::-1], 70, directed=False),
    make_graph(grid(7, 10), 70, directed=False),
    make_graph([(199, at) for at in range(1, 180)], 200, directed=False),
    random_graph(90, 60, seed=5, directed=True),
    random_graph(300, 280, seed=7, directed=False),
)
SETTLED = frozenset({"upwards", "stored by its own call"})
"""Programs whose results the checker does not prove to be unique, though they are."""


@pytest.mark.parametrize("what", REPLICATED)
@pytest.mark.sampled(3)
@pytest.mark.rare(3)
def test_results_are_those_of_one_array(what: str) -> None:
    program = program_of(REPLICATED[what])
    built = emulated(program, TINY if len(what) % 2 else SMALL, several_gpus=True)
    assert "x" in {each.array for each in built.plan.replicas}
    results = [array.name for array in program.arrays if not array.is_local]
    for graph in GRAPHS:
        expected = expect(program, graph, bind(program, graph, {}))
        for seed in range(4):
            gpus = 2 + seed % 3
            found = built.run(graph, bind(program, graph, {}), device_for(seed, blocks=gpus + seed, gpus=gpus))
            wrong = [each for each in differences(program, expected, found) if "trace" not in each]
            assert [each for each in wrong if "iterations" not in each] == [], (graph, seed)
            for name in results if what in SETTLED else ():
                assert np.array_equal(found.arrays[name], expected.arrays[name]), (graph, seed)


@pytest.mark.parametrize("what", ["labels", "linked first"])
@pytest.mark.slow
def test_passes_are_left_out(what: str) -> None:
    """Where labels are lowered in copies, or fewer operators share a sweep, it makes no difference."""
    for left_out in ("label_copies", "fusion", "synchronization", "replicas", "load_balance"):
        program = program_of(REPLICATED[what], (f"without={left_out}",))
        built = emulated(program, SMALL, several_gpus=True)
        for graph in GRAPHS[2:]:
            expected = expect(program, graph, bind(program, graph, {}))
            found = built.run(graph, bind(program, graph, {}), device_for(3, blocks=5, gpus=3))
            assert np.array_equal(found.arrays["x"], expected.arrays["x"]), left_out


_CHANGED = {
    "labels": REPLICATED["labels"],
    "own": REPLICATED["stored by its own call"],
    "linked": REPLICATED["linked first"],
    "joined": REPLICATED["joined alone"],
}


def differ(program: Program, expected: Outcome, found: Outcome) -> bool:
    """In a result; how many passes it took may differ."""
    return any(not np.array_equal(found.arrays[name], values) for name, values in expected.arrays.items())


def seen(built: Built, seeds: int = 20) -> set[str]:
    """The kinds of red."""
    return seen_on_gpus(built, GRAPHS[3:], lambda *_: {}, differ, gpus=3, seeds=seeds)


@pytest.mark.parametrize("text", _CHANGED.values(), ids=_CHANGED)
@pytest.mark.slow
def test_nothing_is_red_without_a_mistake(text: str) -> None:
    assert seen(emulated(program_of(text), several_gpus=True), seeds=3) == set()


@pytest.mark.parametrize("mutant", as_params(mutants_in("of_several_gpus/replicas", _CHANGED)))
@pytest.mark.sampled(5)
@pytest.mark.rare(2)
def test_a_mistake_is_seen(mutant: Mutant, tmp_path: Path) -> None:
    assert_shows(mutant, seen(built_with(mutant, tmp_path, several_gpus=True)))
