"""Labels that several GPUs pack before they are joined: the components of the reference in any order of threads, and
each mistake in how they are packed and read turns something red."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from support.graphs import make_graph, random_graph
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
PIECES = make_graph(
    [
        *((at, at + 1024) for at in range(1024)),  # a group in which all labels differ
        *((2047 + at % 3, at) for at in range(2050, 3072)),  # one of a few labels
        *(
            (at, at + 1024) for at in range(2048, 3072, 2)
        ),  # one in which many have others than most, and some their own
        *((at - 700, at) for at in range(4096, 4400)),  # and one that is not whole
    ],
    4400,
    directed=True,
)
LOST = make_graph(
    [
        *((at, 2048 + 25 * at) for at in range(1, 40)),  # leaves that one GPU links to a vertex
        *((2048 + 25 * at, 0) for at in range(1, 40)),  # that another one links to what most are linked to:
        *((1025 + group, 4129 + 1057 * group) for group in range(8)),  # many in a group, and only one
        *((4129 + 1057 * group, 1024) for group in range(8)),
    ],
    13000,
    directed=True,
)
"""Where two GPUs link a vertex to different ones, the leaf is left alone if only the smaller label counts."""
GRAPHS = (
    make_graph([], 0),
    make_graph([(0, 0), (0, 1), (0, 1), (1, 2), (2, 0), (3, 3), (2, 5)], 6, directed=False),
    make_graph([(at, at + 1) for at in range(1099)][::-1], 1100, directed=False),
    random_graph(1023, 1000, seed=7, directed=False),
    random_graph(1024, 1000, seed=7, directed=False),
    random_graph(3100, 2500, seed=5, directed=False),
    PIECES,
    LOST,
)


@pytest.mark.parametrize("what", LABELED)
@pytest.mark.sampled(4)
@pytest.mark.rare(2)
def test_results_are_those_of_one_array(what: str) -> None:
    program = program_of(LABELED[what])
    built = emulated(program, TINY if len(what) % 2 else SMALL, several_gpus=True)
    assert any(sweep.labels is not None and sweep.labels.packed is not None for sweep in sweeps(built.plan))
    for graph in GRAPHS:
        expected = expect(program, graph, bind(program, graph, {}))
        for seed in range(3):
            gpus = 2 + seed
            found = built.run(graph, bind(program, graph, {}), device_for(seed, blocks=gpus + seed, gpus=gpus))
            wrong = [each for each in differences(program, expected, found) if "trace" not in each]
            assert [each for each in wrong if "iterations" not in each] == [], (graph, seed)


_ONCE = NOT_LABELED["no loop over all edges"]
"""Without the loop that settles what was not linked, which would make mistakes good."""


def differ(program: Program, expected: Outcome, found: Outcome) -> bool:
    """How many passes it took may differ."""
    return not np.array_equal(found.arrays["x"], expected.arrays["x"])


def once() -> Program:
    """The program without the loop, as if it had one."""
    program = program_of(_ONCE)
    schedule = tuple(
        dataclasses.replace(step, loose=True) if isinstance(step, Advance) else step for step in program.schedule
    )
    return dataclasses.replace(program, schedule=schedule)


def test_pieces_are_joined() -> None:
    """Nothing that either of two GPUs has linked is lost."""
    graphs = [PIECES, LOST]
    assert seen_on_gpus(emulated(once(), several_gpus=True), graphs, lambda *_: {}, differ, seeds=3) == set()


@pytest.mark.parametrize("mutant", as_params(mutants_in("of_several_gpus/packed_labels", {"once": _ONCE})))
@pytest.mark.sampled(7)
@pytest.mark.rare(2)
def test_a_mistake_is_seen(mutant: Mutant, tmp_path: Path) -> None:
    built = built_with(mutant, tmp_path, once(), several_gpus=True)
    assert_shows(mutant, seen_on_gpus(built, [PIECES, LOST], lambda *_: {}, differ, seeds=3))
