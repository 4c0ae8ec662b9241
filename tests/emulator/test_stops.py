"""Indices that the text does not ask for, where several threads share a push: nobody else asks for them either."""

from __future__ import annotations

import pytest
from support.graphs import make_graph

from gdsl.binding import bind
from tests.plan.test_stops import EDGES, RIGHT

from . import build
from .running import TINY, device_for, differences, expect
from .running import build as build_program

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")


@pytest.mark.parametrize("direction", ["push", "pull"])
@pytest.mark.parametrize("name", ["taken", "stored", "far"])
@pytest.mark.sampled(3)
@pytest.mark.rare(2)
def test_nobody_asks_where_the_text_does_not(name: str, direction: str) -> None:
    built = build_program(RIGHT[name], (f"f.direction={direction}",), TINY)
    graph = make_graph(EDGES, 4)
    bindings = bind(built.program, graph, {})
    found = built.run(graph, bindings, device_for(1))
    assert differences(built.program, expect(built.program, graph, bindings), found) == []
