"""Scalars that are kept with the graph: the first run finds them, later ones of any program know them."""

from __future__ import annotations

import pytest
from support.graphs import named_graphs, random_graph

from gdsl.backends import hoisted_scalars
from gdsl.backends.cuda.memory import GraphOnDevice
from gdsl.backends.cuda.numbering import Kernels
from gdsl.backends.cuda.renumbered_graph import RenumberedGraph
from gdsl.backends.interface import Limits
from gdsl.binding import bind
from gdsl.diagnostics import GdslError
from gdsl.graph import Graph
from gdsl.types import Widths

from . import build
from .running import NARROW, SMALL, TINY, Built, device_for, emulated, program_of, renumbering
from .running import build as build_program
from .test_hoisted_graphs import agrees, enactor_on

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")
HUBS = """program hubs;
problem {
    vertex close : int32; scalar many : int64; scalar passes : int32;
    local scalar hub : vertex; local scalar most : int32; local scalar steps : int32;
}
vertex functor measure(v) { apply { most max= in_degree(v); } }
edge functor reach(src, dst, e) { cond src == hub; apply { close[dst] += most; } }
schedule {
    hub = argmax(v => out_degree(v));
    compute(vertices, measure);
    if (num_edges > 0) { many = count((s, d, e) => has_edge(d, s)); }
    while (steps < most) { steps += 1; advance(vertices, reach, to=none); }
    passes = steps;
}
"""
"""A vertex, a scalar that steers a loop, and one that some graphs do not need."""
OTHER = """program other;
problem { scalar first : vertex; }
schedule { first = argmax(v => out_degree(v)); }
"""


def kept(on_device: GraphOnDevice) -> list[tuple[int, ...]]:
    """What is kept with a graph."""
    return list(hoisted_scalars._kept.get(on_device, {}).values())


@pytest.mark.parametrize("name", [HUBS, "betweenness", "connected_components", "fewer_colors"])
@pytest.mark.parametrize("gpus", [1, 2])
@pytest.mark.slow
def test_later_runs_give_the_same(name: str, gpus: int) -> None:
    built = emulated(program_of(name), TINY, several_gpus=gpus > 1)
    few = {key: graph for key, graph in named_graphs().items() if graph.num_vertices < 20}
    for seed, graph in enumerate([*few.values(), random_graph(40, 260, seed=3)]):
        try:
            bindings = bind(built.program, graph, _values(name, graph))
        except GdslError:
            continue
        device = device_for(seed, blocks=gpus * (1 + seed % 3), gpus=gpus)
        enactor = enactor_on(built, device, GraphOnDevice(device, graph, NARROW))
        for _ in range(3):
            agrees(built, enactor, graph, bindings)


def _values(name: str, graph: Graph) -> dict[str, object]:
    import numpy

    given = {"given": numpy.arange(graph.num_vertices, dtype=numpy.int32)}
    return {"betweenness": {"sources": []}, "fewer_colors": given}.get(name, {})


def test_the_first_run_alone_finds_them() -> None:
    built, graph = build_program(HUBS, (), SMALL), random_graph(60, 500, seed=4)
    device, bindings = device_for(1), bind(built.program, graph, {})
    on_device = GraphOnDevice(device, graph, NARROW)
    enactor, again = enactor_on(built, device, on_device), enactor_on(built, device, on_device)
    first = agrees(built, enactor, graph, bindings)
    assert len(kept(on_device)) == 2
    assert agrees(built, enactor, graph, bindings) < first
    assert agrees(built, again, graph, bindings) < first
    other = GraphOnDevice(device, graph, NARROW)
    assert agrees(built, enactor_on(built, device, other), graph, bindings) == pytest.approx(first, rel=0.1)


def test_other_programs_with_the_same_lines_know_them() -> None:
    one = build_program(OTHER, (), SMALL)
    two = build_program(OTHER.replace("program other;", "program another;"), (), SMALL)
    graph = random_graph(60, 500, seed=4)
    device, bindings = device_for(1), bind(one.program, graph, {})
    on_device = GraphOnDevice(device, graph, NARROW)
    first = agrees(one, enactor_on(one, device, on_device), graph, bindings)
    assert agrees(two, enactor_on(two, device, on_device), graph, bindings) < first
    assert len(kept(on_device)) == 1


def test_each_order_of_the_vertices_and_each_width_has_its_own() -> None:
    graph = random_graph(60, 500, seed=4)
    for widths in (NARROW, Widths.both(64)):
        built = emulated(program_of(HUBS), SMALL, widths)
        device, bindings = device_for(1), bind(built.program, graph, {})
        given = GraphOnDevice(device, graph, widths)
        assert not kept(given)
        for _ in range(2):
            agrees(built, enactor_on(built, device, given), graph, bindings)
    built, device = build_program("betweenness", (), SMALL), device_for(1)
    bindings = bind(built.program, graph, {"sources": []})
    given = GraphOnDevice(device, graph, NARROW)
    by_degree = RenumberedGraph(Kernels(device, renumbering(NARROW).get_function), given, graph)
    for on_device in (given, by_degree):
        for _ in range(2):
            agrees(built, enactor_on(built, device, on_device), graph, bindings)
        assert len(kept(on_device)) == 1


def test_a_stopped_run_keeps_nothing() -> None:
    built, graph = build_program(HUBS, (), SMALL), random_graph(60, 500, seed=4)
    bindings = bind(built.program, graph, {})
    for seed in range(4):
        device = device_for(seed)
        on_device = GraphOnDevice(device, graph, NARROW)
        enactor = enactor_on(built, device, on_device)
        device.schedule.stop_at = 1 + 2000 * seed
        with pytest.raises(GdslError):
            enactor.run(bindings, Limits())
        assert not kept(on_device)
        device.schedule.stop_at = 0
        for _ in range(2):
            agrees(built, enactor, graph, bindings)


def test_what_a_run_does_not_reach_is_found_by_a_later_one() -> None:
    text = """program branches;
problem { param asks : bool; scalar most : int32; }
schedule { if (asks) { most = int32(max(v => out_degree(v))); } }
"""
    built: Built = build_program(text, (), SMALL)
    graph, device = random_graph(60, 500, seed=4), device_for(1)
    on_device = GraphOnDevice(device, graph, NARROW)
    enactor = enactor_on(built, device, on_device)
    for asks, number in ((False, 0), (True, 1), (False, 1), (True, 1)):
        agrees(built, enactor, graph, bind(built.program, graph, {"asks": asks}))
        assert len(kept(on_device)) == number
