"""Labels that several GPUs lower in copies of their own: the components of the reference in any order of threads, and
each mistake in how copies are filled and joined turns something red."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from support.graphs import grid, make_graph, random_graph
from support.labels import LABELED, NOT_LABELED

from gdsl.backends.interface import Outcome
from gdsl.binding import bind
from gdsl.ir.nodes import Advance, Program
from gdsl.plan.walking import sweeps

from . import build
from .mutants import Mutant, mutants_in
from .mutating import as_params, assert_shows, built_with, seen_on_gpus
from .running import SMALL, TINY, device_for, differences, emulated, expect, program_of

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


@pytest.mark.parametrize("what", LABELED)
@pytest.mark.sampled(2)
@pytest.mark.rare(2)
def test_results_are_those_of_one_array(what: str) -> None:
    program = program_of(LABELED[what], ("without=replicas",))
    built = emulated(program, TINY if len(what) % 2 else SMALL, several_gpus=True)
    assert any(sweep.labels is not None for sweep in sweeps(built.plan))
    assert all(array.unique for array in program.arrays if not array.is_local)
    for graph in GRAPHS:
        expected = expect(program, graph, bind(program, graph, {}))
        for seed in range(4):
            gpus = 2 + seed % 3
            found = built.run(graph, bind(program, graph, {}), device_for(seed, blocks=gpus + seed, gpus=gpus))
            wrong = [each for each in differences(program, expected, found) if "trace" not in each]
            assert [each for each in wrong if "iterations" not in each] == [], (graph, seed)


_ONCE = NOT_LABELED["no loop over all edges"]
"""Without the loop that settles what was not linked, which would make mistakes good."""
PAIRS = make_graph([(at, at + 150) if at % 2 else (at + 150, at) for at in range(150)], 300, directed=True)
"""Each vertex has one neighbor, so that no link is lost."""


def differ(program: Program, expected: Outcome, found: Outcome) -> bool:
    """How many passes it took may differ."""
    return not np.array_equal(found.arrays["x"], expected.arrays["x"])


def once() -> Program:
    """The program without the loop, as if it had one."""
    program = program_of(_ONCE, ("without=replicas",))
    schedule = tuple(
        dataclasses.replace(step, loose=True) if isinstance(step, Advance) else step for step in program.schedule
    )
    return dataclasses.replace(program, schedule=schedule)


def test_pairs_are_joined() -> None:
    assert seen_on_gpus(emulated(once(), several_gpus=True), [PAIRS], lambda *_: {}, differ) == set()


@pytest.mark.parametrize("mutant", as_params(mutants_in("of_several_gpus/label_copies", {"once": _ONCE})))
@pytest.mark.sampled(5)
@pytest.mark.rare(2)
def test_a_mistake_is_seen(mutant: Mutant, tmp_path: Path) -> None:
    built = built_with(mutant, tmp_path, once(), several_gpus=True)
    assert_shows(mutant, seen_on_gpus(built, [PAIRS], lambda *_: {}, differ))
