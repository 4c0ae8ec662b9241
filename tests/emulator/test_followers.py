"""Computations in the sweeps of filters, as generated CUDA, on several GPUs and on the CPU: what the reference gives,
on awkward graphs, in loops that never run, run once or often."""

from __future__ import annotations

import pytest
from support.graphs import named_graphs, random_graph

from gdsl.backends.cpu.backend import CpuBackend
from gdsl.backends.interface import Limits
from gdsl.binding import bind

from . import build as compilers
from .running import build, device_for, differences, expect, program_of

pytestmark = pytest.mark.skipif(compilers.compiler() is None, reason="the emulator needs g++")

PROGRAM = """program followed;
problem {
    vertex left : int32 = out_degree(id) + int32(id) % 5; vertex level : int32 = -1; vertex parity : int32;
    vertex lost : int64; edge toll : int32 = int32(id) % 7; edge kept : bool;
    scalar odd : int64; scalar levels : int32; scalar first : vertex = none; scalar tolls : int64;
    scalar largest : int32; local scalar least : int32;
}
vertex functor stay(v) {
    cond left[v] > largest;
    apply {
        let k = left[v] - largest;
        accept k > 0;
        if (k % 2 == 1) { odd += 1; accept k != 1 || left[v] % 3 != 0; }
    }
}
vertex functor note(v) {
    cond left[v] > 1 && parity[v] >= 0;
    apply { let k = left[v] % 2; parity[v] = k - parity[v]; }
}
schedule {
    repeat (2) {
        frontier rest = where(v => left[v] > 0) @some;
        compute(rest, v => { first max= v; }) @first;
        while (rest) {
            least = 99999;
            compute(rest, v => { least min= left[v]; }) @least;
            compute(rest, note);
            largest = max(largest, least);
            compute(rest, v => { lost[v] += int64(largest); left[v] -= largest % 2; level[v] = largest; }) @lose;
            rest = filter(rest, stay);
            levels += 1;
        }
        edge frontier f = filter(edges, (s, t, e) => toll[e] % 2 == 0 && level[s] >= level[t]) @even;
        compute(f, (s, t, e) => { kept[e] = true; toll[e] += 3; tolls += int64(toll[e]); lost[t] += 1; }) @keep;
        largest = 0;
    }
}
"""


@pytest.mark.parametrize("gpus", [1, 2])
def test_results_are_those_of_the_reference(gpus: int) -> None:
    built, cpu = build(PROGRAM, several_gpus=gpus > 1), CpuBackend().build(program_of(PROGRAM), 32)
    names = {functor.name for functor in built.plan.program.functors}
    assert names >= {"some_first_least_note", "stay_least_note", "even_keep"}
    graphs = {**named_graphs(), "random": random_graph(300, 2000, seed=3, directed=True)}
    for seed, (name, graph) in enumerate(graphs.items()):
        bindings = bind(built.program, graph, {}, id_bits=32)
        expected = expect(built.program, graph, bindings)
        found = [built.run(graph, bindings, device_for(seed, blocks=gpus + seed % 3, gpus=gpus))]
        if gpus == 1:
            found.append(cpu.run(graph, bindings, Limits()))
        assert all(differences(built.program, expected, each) == [] for each in found), name


COUNTED = """program counted;
problem { vertex left : int32 = out_degree(id); vertex pass : int32; local scalar passes : int32; }
schedule {
    repeat (2) {
        frontier rest = where(v => left[v] > 0);
        while (rest) {
            passes += 1;
            compute(rest, v => { pass[v] = passes; left[v] -= 1; });
            rest = filter(rest, v => left[v] > 0);
        }
        compute(vertices, v => { left[v] = out_degree(v); });
    }
}
"""


def test_a_loop_that_runs_again_goes_on_counting() -> None:
    built, graph = build(COUNTED), random_graph(30, 90, seed=3, directed=True)
    bindings = bind(built.program, graph, {}, id_bits=32)
    found = built.run(graph, bindings, device_for(1, blocks=2))
    assert differences(built.program, expect(built.program, graph, bindings), found) == []
