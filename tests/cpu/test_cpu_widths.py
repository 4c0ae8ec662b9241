"""Vertices of 32 bits beside edges of 64: what a graph of many edges needs, forced on small ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gdsl.backends.cpu.backend import CpuBackend
from gdsl.backends.interface import Limits
from gdsl.backends.reference.interpreter import interpret
from gdsl.binding import bind
from gdsl.pipeline import load
from gdsl.types import Widths
from tests.cpu.running import SMALL
from tests.oracles import BY_NAME
from tests.support.graphs import random_graph

ROOT = Path(__file__).parents[2]
WIDE_EDGES = Widths(32, 64)
GRAPHS = (random_graph(60, 150, seed=1, directed=False), random_graph(70, 300, seed=2))

EDGES = """program p; problem {
    edge own : edge = id; edge twice : int64; vertex best : edge = none; vertex who : vertex = id;
}
edge functor f(src, dst, e) { apply { twice[e] = int64(e) * 2; best[dst] min= e; } }
schedule { compute(edges, f); }
"""


@pytest.mark.sampled(12)
@pytest.mark.parametrize("name", ["bfs", "sssp", "edge_values", "lookups", "matching", "discovery_tree"])
def test_programs(name: str) -> None:
    folder = "samples" if (ROOT / "samples" / f"{name}.gdsl").exists() else "tests/programs"
    program, case = load(ROOT / folder / f"{name}.gdsl"), BY_NAME[name]
    ready = CpuBackend(SMALL).build(program, WIDE_EDGES)
    for graph in (graph for graph in GRAPHS if case.suits(graph)):
        bindings = bind(program, graph, case.values(graph, 1))
        found = ready.run(graph, bindings, Limits())
        expected = interpret(program, graph, bindings, Limits())
        case.check(graph, {**bindings.params, **bindings.inputs}, {**found.arrays, **found.scalars})
        for array in program.arrays:
            if array.name in expected.arrays and array.unique and not array.type.is_float:
                np.testing.assert_array_equal(found.arrays[array.name], expected.arrays[array.name])


def test_ids_have_the_width_of_their_kind() -> None:
    program = load(EDGES)
    ready = CpuBackend(SMALL).build(program, WIDE_EDGES)
    for graph in GRAPHS:
        found = ready.run(graph, bind(program, graph, {}), Limits())
        assert (found.arrays["own"].dtype, found.arrays["who"].dtype) == (np.int64, np.int32)
        narrow = CpuBackend(SMALL).build(program, 32).run(graph, bind(program, graph, {}), Limits())
        for name, values in narrow.arrays.items():
            np.testing.assert_array_equal(found.arrays[name], values, err_msg=name)
