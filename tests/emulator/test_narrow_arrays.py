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
PROGRAM = """program small_numbers;

problem {
    vertex square : int64; vertex below : uint32; vertex sum : int32; vertex last : int32; vertex seen : int64;
    edge code : int64; scalar closest : int32;
    local vertex state : int32 = int32(id) % 3;                 # 0 to 3
    local vertex tone : int64 = int64(id) % 101 - 50;           # -50 to 50
    local vertex wide : uint32 = uint32(id) % 1000;             # 0 to 999
    local vertex deep : int32 = max(-30000, -7 * min(out_degree(id), 4000));
    local edge kind : int32 = int32(id) % 7 - 3;
}

edge functor reach(src, dst, e) {
    cond state[dst] != 3;
    apply { state[dst] = 3; }
}
edge functor differs(src, dst, e) -> int32 { value state[dst] * 1000 + deep[src] - kind[e]; }
vertex functor tell(v) {
    apply {
        square[v] = tone[v] * tone[v] * 100000000000;
        below[v] = wide[v] - 2000;
        last[v] = deep[v] + state[v] << 20;
        tone[v] = -50;
    }
}
function another(v: vertex, w: uint32, count: int64) -> vertex { return vertex((int64(v) + int64(w)) % count); }
vertex functor look(v) { apply {
    seen[v] = tone[another(v, wide[v], num_vertices)] + int64(state[another(v, wide[v] // 2, num_vertices)]);
} }
vertex functor meet(v) {
    apply { state[v] = 2; seen[v] += now state[another(v, 1, num_vertices)] > 3 ? 1 : 0; }
}

schedule {
    compute(vertices, look);
    frontier f = where(v => state[v] == 1);
    frontier g = advance(f, reach);
    sum = neighbor_reduce(vertices, differs, sum);
    compute(f, tell);
    compute(edges, (s, t, e) => { code[e] = int64(kind[e]) * 10000000000 + tone[s] - int64(deep[t]); kind[e] = 3; });
    closest = min(state, g) - min(kind);
    compute(where(v => last[v] % 2 == 0), meet);
    if (f) { state[vertex(0)] = 2; }
    fill(deep, -29999);
    compute(g, v => { last[v] += deep[v] + state[v]; });
}
"""
FORMS = {"narrow": (), "wide": ("without=narrow_arrays",), "unfused": ("schedule.fuse=off",)}


@pytest.mark.parametrize("form", FORMS)
def test_results_are_those_of_the_reference(form: str) -> None:
    tune = FORMS[form]
    built, cpu = build(PROGRAM, tune), CpuBackend().build(program_of(PROGRAM, tune), 32)
    kinds = {array: kind.name for array, kind in built.plan.narrow}
    narrow = {"state": "uint8", "tone": "int8", "wide": "uint16", "deep": "int16", "kind": "int8"}
    assert kinds == (narrow if form == "narrow" else {})
    graphs = {**named_graphs(), "random": random_graph(300, 2000, seed=3, directed=True)}
    for seed, (name, graph) in enumerate(graphs.items()):
        bindings = bind(built.program, graph, {}, id_bits=32)
        expected = expect(built.program, graph, bindings)
        found = [built.run(graph, bindings, device_for(seed, blocks=1 + seed % 3)), cpu.run(graph, bindings, Limits())]
        assert all(differences(built.program, expected, each) == [] for each in found), name


COMMON = """program of_pairs;
problem { vertex number : int32; local vertex state : int32 = 7; local vertex entered : int32 = 7; }
common functor note(u, w, x) { cond u != x; apply { state[x] = 200; entered[w] = 256 - min(in_degree(w), 1); } }
schedule {
    frontier f = where(v => int64(v) % 3 == 0 && int64(v) + 2 < num_vertices);
    frontier g = where(v => int64(v) % 3 == 2);
    intersect(pairs=(f, g), note);
    compute(vertices, v => { number[v] = state[v] * 1000 + entered[v]; });
}
"""
"""Calls for common neighbors store, too, and the second vertex of a pair may have no edge that leads to it."""


def test_calls_for_pairs_store_in_narrow_arrays() -> None:
    built, cpu = build(COMMON), CpuBackend().build(program_of(COMMON), 32)
    assert {array: kind.name for array, kind in built.plan.narrow} == {"state": "uint8", "entered": "uint16"}
    for name, graph in named_graphs().items():
        bindings = bind(built.program, graph, {}, id_bits=32)
        expected = expect(built.program, graph, bindings)
        found = [built.run(graph, bindings, device_for(1)), cpu.run(graph, bindings, Limits())]
        assert all(differences(built.program, expected, each) == [] for each in found), name
