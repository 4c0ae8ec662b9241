"""Data of a program may have the names of what a run works with."""

from __future__ import annotations

import pytest
from support.graphs import random_graph

from gdsl.binding import bind

from . import build
from .running import build as build_program
from .running import device_for, differences, expect

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")

PROGRAM = """
program named;
problem { edge marks : int32; vertex trace : int32; edge hubs : int32; scalar control : int64; }
vertex functor count(v) { apply { trace[v] = out_degree(v); control += 1; } }
edge functor note(src, dst, e) { apply { marks[e] = out_degree(src); hubs[e] = 7; accept out_degree(src) > 1; } }
schedule { frontier f = advance(vertices, note); compute(f, count); }
"""


def test_arrays_named_like_buffers_of_the_run_come_back_whole() -> None:
    built = build_program(PROGRAM)
    graph = random_graph(20, 70, seed=5, directed=True)
    bindings = bind(built.program, graph, {}, id_bits=32)
    found = built.run(graph, bindings, device_for(1))
    assert differences(built.program, expect(built.program, graph, bindings), found) == []
    assert len(found.arrays["marks"]) == len(found.arrays["hubs"]) == graph.num_edges
