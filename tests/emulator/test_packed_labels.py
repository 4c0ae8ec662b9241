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
from .mutants import GENERATED, Mutant
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
GRAPHS = (
    make_graph([], 0),
    make_graph([(0, 0), (0, 1), (0, 1), (1, 2), (2, 0), (3, 3), (2, 5)], 6, directed=False),
    make_graph([(at, at + 1) for at in range(1099)][::-1], 1100, directed=False),
    random_graph(1023, 1000, seed=7, directed=False),
    random_graph(1024, 1000, seed=7, directed=False),
    random_graph(3100, 2500, seed=5, directed=False),
    PIECES,
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


_FILE = "runtime/labels.cuh"
_ONCE = NOT_LABELED["no loop over all edges"]
"""Without the loop that settles what was not linked, which would make mistakes good."""
MUTANTS = (
    Mutant(
        "labels are read before all are packed",
        GENERATED,
        "synchronize(run);\n    unpack_labels",
        "unpack_labels",
        _ONCE,
        "race",
    ),
    Mutant(
        "no other GPU's labels are read",
        _FILE,
        "if (gpu == this_gpu) { continue; }\n            const bool",
        "if (true) { continue; }\n            const bool",
        _ONCE,
        "result",
    ),
    Mutant(
        "no other GPU's room is known",
        _FILE,
        "addresses[packed][own_gpu()]",
        "addresses[packed][0]",
        _ONCE,
        "result bounds error race",
    ),
    Mutant(
        "linked vertices have no bit",
        _FILE,
        "__ballot_sync(FULL_WARP, label != T(v));",
        "__ballot_sync(FULL_WARP, label == T(v));",
        _ONCE,
        "result",
    ),
    Mutant("all labels are the usual one", _FILE, "label != T(v) && label != usual", "false", _ONCE, "result"),
    Mutant(
        "the usual label is that of a lane",
        _FILE,
        "if (lane == 0) { group[PACKED_USUAL] = usual; }",
        "if (lane == 0) { group[PACKED_USUAL] = T(first); }",
        _ONCE,
        "result",
    ),
    Mutant(
        "labels are listed a place later",
        _FILE,
        "{ group[PACKED_USUAL + 1 + place] = label; }",
        "{ group[PACKED_USUAL + 2 + place] = label; }",
        _ONCE,
        "result bounds race",
    ),
    Mutant(
        "the bits of a row are those of the next",
        _FILE,
        "linked = lane == row ? others : linked;",
        "linked = lane == row + 1 ? others : linked;",
        _ONCE,
        "result",
    ),
    Mutant(
        "lists without room are read", _FILE, "theirs[k] = has_room ?", "theirs[k] = whole ?", _ONCE, "result bounds"
    ),
    Mutant(
        "the incomplete group is taken for packed",
        _FILE,
        "const bool whole = first + PACKED_VERTICES <= count;",
        "const bool whole = true;",
        _ONCE,
        "result bounds race",
    ),
    Mutant(
        "the incomplete group is left out",
        _FILE,
        "const uint32 linked = whole ? reinterpret_cast<const uint32*>(group)[lane] : ~0u;",
        "const uint32 linked = whole ? reinterpret_cast<const uint32*>(group)[lane] : 0u;",
        _ONCE,
        "result",
    ),
    Mutant(
        "larger labels are taken, too",
        _FILE,
        "if (theirs[k] < own[k]) {",
        "if (first + (row + k) * 32 + lane < count) {",
        _ONCE,
        "result",
    ),
    Mutant(
        "labels of other vertices are followed",
        _FILE,
        "next = load_cached(&labels[label]);",
        "next = load_cached(&labels[label / 2]);",
        _ONCE,
        "result",
    ),
)


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
    assert seen_on_gpus(emulated(once(), several_gpus=True), [PIECES], lambda *_: {}, differ, seeds=3) == set()


@pytest.mark.parametrize("mutant", as_params(MUTANTS))
@pytest.mark.sampled(7)
@pytest.mark.rare(2)
def test_a_mistake_is_seen(mutant: Mutant, tmp_path: Path) -> None:
    built = built_with(mutant, tmp_path, once(), several_gpus=True)
    assert_shows(mutant, seen_on_gpus(built, [PIECES], lambda *_: {}, differ, seeds=3))
