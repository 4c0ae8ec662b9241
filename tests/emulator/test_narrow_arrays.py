"""Arrays of small numbers in 8 and 16 bits, as generated CUDA and on the CPU: what the reference gives, which keeps
all numbers in their own type, on awkward graphs, with the pass and without."""

from __future__ import annotations

import pytest
from support.graphs import named_graphs, random_graph

from gdsl.backends.cpu.backend import CpuBackend
from gdsl.backends.interface import Limits
from gdsl.binding import bind

from . import build as compilers
from .running import build, device_for, differences, expect, program_of

pytestmark = pytest.mark.skipif(compilers.compiler() is None, reason="the emulator needs g++")
FORMS = {"narrow": (), "wide": ("without=narrow_arrays",), "unfused": ("schedule.fuse=off",)}


@pytest.mark.parametrize("form", FORMS)
def test_results_are_those_of_the_reference(form: str) -> None:
    name, tune = "small_numbers", FORMS[form]
    built, cpu = build(name, tune), CpuBackend().build(program_of(name, tune), 32)
    kinds = {each.array: each.type.name for each in built.plan.narrow}
    narrow = {"state": "uint8", "tone": "int8", "wide": "uint16", "deep": "int16", "kind": "int8"}
    assert kinds == (narrow if form == "narrow" else {})
    graphs = {**named_graphs(), "random": random_graph(300, 2000, seed=3, directed=True)}
    for seed, (graph_name, graph) in enumerate(graphs.items()):
        bindings = bind(built.program, graph, {}, id_bits=32)
        expected = expect(built.program, graph, bindings)
        found = [built.run(graph, bindings, device_for(seed, blocks=1 + seed % 3)), cpu.run(graph, bindings, Limits())]
        assert all(differences(built.program, expected, each) == [] for each in found), graph_name
