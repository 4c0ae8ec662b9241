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
from .mutants import GENERATED, Mutant
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


_FILE = "runtime/labels.cuh"
_ONCE = NOT_LABELED["no loop over all edges"]
"""Without the loop that settles what was not linked, which would make mistakes good."""
PAIRS = make_graph([(at, at + 150) if at % 2 else (at + 150, at) for at in range(150)], 300, directed=True)
"""Each vertex has one neighbor, so that no link is lost."""
MUTANTS = (
    Mutant(
        "labels are lowered before all are there",
        GENERATED,
        "synchronize(run);\n    const auto visit",
        "const auto visit",
        _ONCE,
        "race result bounds",
    ),
    Mutant(
        "labels are joined before all are lowered",
        GENERATED,
        "synchronize(run);\n    join_labels",
        "join_labels",
        _ONCE,
        "race",
    ),
    Mutant("labels are joined with their own alone", _FILE, "if (gpu == this_gpu) {", "if (true) {", _ONCE, "result"),
    Mutant(
        "own labels are not joined", _FILE, "copy_of_gpu<T>(run, number, this_gpu)[i]", "vertex(i)", _ONCE, "result"
    ),
    Mutant("half of the labels are stored", _FILE, "if (i < end) { store(", "if (i < 150) { store(", _ONCE, "result"),
    Mutant("calls lower the labels of all", GENERATED, "d.x = own_copy<vertex>(run, 0);", "", _ONCE, "race result"),
    Mutant(
        "copies are not filled", _FILE, "copy_for_gpu(run, number, labels, count);", "", _ONCE, "result bounds error"
    ),
    Mutant("no other GPU's labels are known", _FILE, "[own_gpu()] = ", "[0] = ", _ONCE, "result bounds error race"),
)


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


@pytest.mark.parametrize("mutant", as_params(MUTANTS))
@pytest.mark.sampled(5)
@pytest.mark.rare(2)
def test_a_mistake_is_seen(mutant: Mutant, tmp_path: Path) -> None:
    built = built_with(mutant, tmp_path, once(), several_gpus=True)
    assert_shows(mutant, seen_on_gpus(built, [PAIRS], lambda *_: {}, differ))
