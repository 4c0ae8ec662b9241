"""Elements that the schedule reads, in stores and conditions, beside the operators that read them without the pass."""

from __future__ import annotations

import pytest
from support.graphs import make_graph, random_graph

from gdsl.backends.cuda.memory import GraphOnDevice
from gdsl.backends.interface import Limits
from gdsl.binding import bind
from gdsl.diagnostics import GdslError

from . import build
from .running import NARROW, TINY, device_for, emulated, expect, program_of
from .test_hoisted_graphs import agrees, enactor_on

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")
HOPS = """program hops;
problem {
    param source : vertex; param goal : vertex; vertex distance : int32 = -1; vertex two[2] : int32;
    scalar hops : int32; scalar at : int64; scalar last : vertex; local scalar seen : int32;
}
vertex functor spread(v) { apply { two[v][1] = seen + int32(v); } }
schedule {
    distance[source] = 0;
    frontier f = { source };
    while (f && distance[goal] == -1) {
        f = advance(f, (s, t, e) => { cond distance[t] == -1; apply { distance[t] = iteration + 1; } });
    }
    seen = distance[goal] + 2 * distance[source];
    compute(vertices, spread);
    hops = distance[goal]; last = vertex(max(distance)); at = two[last][1];
}
"""


@pytest.mark.parametrize("words", [(), ("without=read_elements",), ("schedule.bounds=off",)])
def test_hops(words: tuple[str, ...]) -> None:
    built = emulated(program_of(HOPS, words), TINY)
    for seed in range(6):
        graph = random_graph(30 + 5 * seed, 60 + 20 * seed, seed=seed)
        bindings = bind(built.program, graph, {"source": seed, "goal": 20 - seed})
        device = device_for(seed, blocks=1 + seed % 4)
        enactor = enactor_on(built, device, GraphOnDevice(device, graph, NARROW))
        for _ in range(2):
            agrees(built, enactor, graph, bindings)


@pytest.mark.parametrize("words", [(), ("without=read_elements",)])
def test_an_element_that_does_not_exist(words: tuple[str, ...]) -> None:
    built = emulated(program_of(HOPS, words), TINY)
    graph = make_graph([(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6)], 6 + 1)
    far = make_graph([(0, 1)], 2)
    bindings = bind(built.program, graph, {"source": 0, "goal": 6})
    device = device_for(1)
    agrees(built, enactor_on(built, device, GraphOnDevice(device, graph, NARROW)), graph, bindings)
    bindings = bind(built.program, far, {"source": 1, "goal": 1})
    text = HOPS.replace("vertex(max(distance))", "vertex(max(distance) + 7)")
    wrong = emulated(program_of(text, words), TINY)
    with pytest.raises(GdslError) as expected:
        expect(wrong.program, far, bindings)
    with pytest.raises(GdslError) as found:
        enactor_on(wrong, device, GraphOnDevice(device, far, NARROW)).run(bindings, Limits())
    assert str(found.value) == str(expected.value)
