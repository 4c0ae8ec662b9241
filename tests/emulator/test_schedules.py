"""Every sample under legal combinations of knobs on the emulator: no finding, and the reference's results.

A few combinations each, always the same ones; GDSL_TEST_EXAMPLES=2 in the environment, or more, asks for all.
"""

from __future__ import annotations

import os

import pytest
from oracles import SAMPLES, Case
from support.graphs import random_graph

from gdsl.api.schedules import Schedules, Way, differences
from gdsl.binding import bind
from gdsl.source import Source

from . import build
from .running import SMALL, TINY, device_for, emulated, expect

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")

COUNT = max(1, 20 // len(SAMPLES))
GRAPHS = (
    random_graph(160, 700, seed=3, directed=False),
    random_graph(40, 60, seed=4, directed=False),
    random_graph(9, 30, seed=5, directed=False),
)


def ways(case: Case) -> list[Way]:
    source = Source(case.path.name, case.path.read_text(encoding="utf-8"))
    schedules = Schedules(source, ("schedule.ids=32", "schedule.block=32"), grid=True)
    everything = int(os.environ.get("GDSL_TEST_EXAMPLES", "1")) > 1
    return list(schedules.all() if everything else schedules.sample(COUNT))


@pytest.mark.parametrize("case", SAMPLES, ids=lambda case: case.name)
def test_every_combination_gives_what_the_reference_gives(case: Case) -> None:
    for place, way in enumerate(ways(case)):
        program = way.program.ir
        built = emulated(program, (SMALL, TINY)[place % 2])
        for graph in GRAPHS:
            bindings = bind(program, graph, case.values(graph, 1))
            expected = expect(program, graph, bindings)
            found = built.run(graph, bindings, device_for(place, blocks=1 + place % 4))
            everything = [{**outcome.arrays, **outcome.scalars} for outcome in (expected, found)]
            assert list(differences(program, *everything)) == [], way.words
