"""Worklists that look at bounds of hubs before they look at values, as generated CUDA: exactly the values of the
reference."""

from __future__ import annotations

import numpy
import pytest
from support.bounds import PROGRAMS
from support.graphs import grid, make_graph, random_graph

from gdsl.binding import bind
from gdsl.graph import rmat
from gdsl.plan.block_cache import has_bounds
from gdsl.types import Widths

from . import build
from .running import HUBS, NARROW, SMALL, TINY, device_for, emulated, expect, program_of

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")
GRAPHS = {
    "grid": lambda: make_graph(grid(12, 17), 204, directed=False),
    "directed": lambda: random_graph(120, 700, seed=4),
    "hubs": lambda: rmat(7, 8, seed=5),
    "few": lambda: make_graph([(0, 0), (0, 1), (0, 1), (1, 2), (2, 0), (3, 3), (2, 5)], 6),
}
FORMS = ((SMALL, NARROW), (TINY, NARROW), (TINY, Widths.both(64)))


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.slow
@pytest.mark.rare(4)
def test_values_are_those_of_the_reference(name: str) -> None:
    """To the last bit: bounds are rounded to the side on which nothing is missed."""
    for shape, widths in FORMS:
        built = emulated(program_of(PROGRAMS[name]), shape, widths, on=HUBS)
        assert has_bounds(built.plan.schedule)
        for make in GRAPHS.values():
            made = make()
            for seed in range(4 if shape is SMALL else 2):
                bindings = bind(built.program, made, {"source": seed})
                found = built.run(made, bindings, device_for(seed)).arrays
                for array, expected in expect(built.program, made, bindings).arrays.items():
                    assert numpy.array_equal(found[array], expected, equal_nan=True)
