"""Values of the far end that are computed beforehand, as generated CUDA and on the CPU: what the reference gives, on
awkward graphs, in a loop that changes what they read."""

from __future__ import annotations

import pytest
from support.graphs import named_graphs, random_graph

from gdsl.backends.cpu.backend import CpuBackend
from gdsl.backends.interface import Limits
from gdsl.binding import bind
from gdsl.diagnostics import GdslError

from . import build as compilers
from .running import build, device_for, differences, expect, program_of, trace_of

pytestmark = pytest.mark.skipif(compilers.compiler() is None, reason="the emulator needs g++")

PROGRAM = """program far;
problem {
    param edge_part : float32 = 0.5;
    vertex x : float64 = 1.0 / (int32(id) + 1) ; vertex k : int32 = int32(id) % 7 - 3;
    local edge w : float32 = float32(int32(id) % 5);
    vertex even : float64; vertex least : float32; vertex most : int32; vertex both : float64;
    vertex close : float64; edge score : float64;
}
edge functor shared(s, t, e) -> float64 { value x[s] / out_degree(s); }
edge functor cheapest(s, t, e) -> float32 { value edge_part * w[e] + float32(x[t] * k[t] - out_degree(s)); }
edge functor rest(s, t, e) -> int32 { value k[far] % 3 + k[near] * (k[far] // (in_degree(far) + 1)); }
edge functor drawn(s, t, e) -> float64 { value random(t, iteration, k[t]) + x[s]; }
common functor meet(u, t, c, e, eu, et) {
    cond k[c] * k[u] > -3;
    apply { score[e] += 1 / log(float64(out_degree(c)) + x[c] + 2) + x[u]; close[c] += x[t]; }
}
schedule {
    repeat (3) {
        even = neighbor_reduce(vertices, shared, sum, over=in_edges);
        least = neighbor_reduce(vertices, cheapest, min);
        most = neighbor_reduce(vertices, rest, max, over=all_edges);
        compute(vertices, v => { x[v] = even[v] + 0.125; k[v] = k[v] * 3 % 11 + most[v] % 2; }) @change;
        both = neighbor_reduce(vertices, drawn, max);
        intersect(edges, meet);
    }
}
"""


def test_values_are_those_of_the_reference() -> None:
    built, cpu = build(PROGRAM), CpuBackend().build(program_of(PROGRAM), 32)
    names = {functor.name for functor in built.plan.program.vertex_functors}
    assert names >= {"shared_ahead", "cheapest_ahead", "rest_ahead", "drawn_ahead", "meet_ahead"}
    graphs = {**named_graphs(), "random": random_graph(300, 2000, seed=3, directed=True)}
    for seed, (name, graph) in enumerate(graphs.items()):
        bindings = bind(built.program, graph, {}, id_bits=32)
        expected = expect(built.program, graph, bindings)
        found = built.run(graph, bindings, device_for(seed, blocks=1 + seed % 3))
        for outcome in (found, cpu.run(graph, bindings, Limits())):
            assert differences(built.program, expected, outcome) == [], name
            own = [each for each in trace_of(outcome) if each[0] < len(built.program.tuning.sites)]
            assert tuple(own) == trace_of(expected), name


STOPS = """program stops;
problem {{ vertex a : int64 = 7; vertex b : vertex = none; vertex x : int64 = 3; vertex total : int64; }}
edge functor gives(s, t, e) -> int64 {{ value a[b[{end}]] + x[s] // out_degree(s); }}
schedule {{
    compute(vertices, v => {{ if (out_degree(v) > 0) {{ b[v] = vertex(0); }} }});
    total = neighbor_reduce(vertices, gives, sum, over=in_edges);
}}
"""
"""`b` is out of range at vertices without out-edges."""


def test_what_may_stop_is_asked_where_the_program_asks_for_it() -> None:
    graph = random_graph(40, 50, seed=5, directed=True)
    for end, stops in (("s", False), ("t", True)):
        text = STOPS.format(end=end)
        built, cpu = build(text), CpuBackend().build(program_of(text), 32)
        assert any("ahead" in functor.name for functor in built.plan.program.vertex_functors)
        bindings = bind(built.program, graph, {}, id_bits=32)
        runs = (
            lambda: expect(built.program, graph, bindings),  # noqa: B023 (called before the next pass)
            lambda: built.run(graph, bindings, device_for(1)),  # noqa: B023
            lambda: cpu.run(graph, bindings, Limits()),  # noqa: B023
        )
        if stops:
            for run in runs:
                with pytest.raises(GdslError, match="E0801"):
                    run()
        else:
            expected, *found = (run() for run in runs)
            assert all(differences(built.program, expected, each) == [] for each in found)
