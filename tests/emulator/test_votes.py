"""Votes of lists of every length: counted in registers, in a table by a warp, and by a block."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from oracles import BY_NAME
from support.graphs import make_graph

from gdsl.binding import bind
from gdsl.graph import Graph
from gdsl.types import Widths

from . import build
from .running import NARROW, SMALL, device_for, differences, expect
from .running import build as build_program

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")


def stars() -> Graph:
    """Vertices whose lists have 0 to 90 places, in either direction, parallel edges and loops among them."""
    random = np.random.default_rng(7)
    lengths = (0, 1, 2, 31, 32, 33, 40, 47, 48, 64, 90)
    edges = [(v, int(u)) for v, length in enumerate(lengths) for u in random.integers(0, 60, length)]
    edges += [(u, v) for v, u in edges[::3]]
    return make_graph(edges, 60)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("hub_degree", [34, 100, 1000])
@pytest.mark.parametrize("widths", [NARROW, Widths.both(64)], ids=["narrow", "wide"])
def test_lists_of_every_length(hub_degree: int, widths: Widths) -> None:
    case = BY_NAME["communities"]
    words = () if widths is NARROW else ("schedule.ids=64",)
    built = build_program(
        case.name,
        words,
        dataclasses.replace(SMALL, hub_degree=hub_degree, reduced_hub=max(hub_degree, SMALL.reduced_hub)),
        widths,
    )
    graph = stars()
    for seed in range(3):
        bindings = bind(built.program, graph, case.values(graph, seed), id_bits=widths.vertex)
        found = built.run(graph, bindings, device_for(seed, blocks=1 + seed))
        assert differences(built.program, expect(built.program, graph, bindings, widths.vertex), found) == []
        case.check(graph, {**bindings.params, **bindings.inputs}, {**found.arrays, **found.scalars})
