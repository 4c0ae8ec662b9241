"""Graphs that are kept with the given one: the first call makes them, later ones find them, also after a stop."""

from __future__ import annotations

import pytest
from support.graphs import make_graph, named_graphs, random_graph

from gdsl.backends.cuda.enactor import Enactor
from gdsl.backends.cuda.memory import GraphOnDevice
from gdsl.backends.cuda.numbering import Kernels
from gdsl.backends.cuda.renumbered_graph import RenumberedGraph
from gdsl.backends.interface import Bindings, Limits
from gdsl.binding import bind
from gdsl.diagnostics import GdslError
from gdsl.graph import Graph, open_graph
from tests.cpu.test_cpu_hoisted_graphs import PLACED

from . import build
from .driver import library
from .emulated_device import EmulatedDevice
from .running import NARROW, SMALL, TINY, Built, device_for, differences, expect, renumbering
from .running import build as build_program

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")
LOOPS = [(0, 0), (0, 1), (1, 0), (1, 0), (2, 2), (2, 2), (2, 3), (3, 4), (4, 2), (4, 5), (5, 4), (5, 0)]
WALKS = """program walks;
problem {
    vertex there : int64;
    vertex back : int64;
    edge names : int64;
    scalar common : int64;
    scalar passes : int32;
}
edge functor upwards(src, dst, e) { cond (in_degree(src), src) < (out_degree(dst), dst) && place < 3; }
edge functor forth(src, dst, e) { apply { there[dst] += int64(e) + 1; names[e] = int64(reverse(e)) + 2; } }
edge functor from(src, dst, e) -> int64 { value int64(e); }
schedule {
    repeat (2) {
        graph h = subgraph(filter(edges, upwards));
        on h {
            advance(vertices, forth, to=none);
            back = neighbor_reduce(vertices, from, max, over=in_edges);
            common += intersect(edges);
            graph i = subgraph(filter(edges, upwards));
            on i { advance(vertices, forth, to=none) @again; }
        }
        passes += 1;
    }
}
"""


def graphs() -> dict[str, Graph]:
    """Graphs with loops, with parallel edges, without edges, and without vertices."""
    few = {name: graph for name, graph in named_graphs().items() if graph.num_vertices < 20}
    return few | {"loops": make_graph(LOOPS, 7), "random": random_graph(40, 260, seed=3), "simple": simple()}


def simple() -> Graph:
    """A graph with many triangles, for programs that want each edge both ways, and once."""
    return open_graph("rmat:5", undirected=True, loops=False, dedup="first")


def suits(built: Built, graph: Graph) -> bool:
    """Whether the graph is as the program requires."""
    try:
        bind(built.program, graph, {})
    except GdslError as error:
        assert error.diagnostics[0].code == "E0609"
        return False
    return True


def enactor_on(built: Built, device: EmulatedDevice, on_device: GraphOnDevice) -> Enactor:
    """What runs the program again and again."""
    return Enactor(
        device, built.module.get_function, built.plan, built.generated, on_device, blocks=device.multiprocessors
    )


def agrees(built: Built, enactor: Enactor, graph: Graph, bindings: Bindings) -> int:
    """Compares a run with the reference; returns how many steps it took."""
    found = enactor.run(bindings, Limits())
    assert differences(built.program, expect(built.program, graph, bindings), found) == []
    return int(library().native.emulator_steps())


LISTS = """program lists;
problem { vertex label : int32 = int32(id) // 3; vertex found : int64; vertex reached : int64; }
edge functor upwards(src, dst, e) { cond (out_degree(src), src) < (out_degree(dst), dst); }
edge functor one(src, dst, e) -> int64 { value int64(dst) + 1; }
edge functor forth(src, dst, e) { apply { reached[dst] += int64(src) + 1; } }
vertex functor measure(v) { apply { reached[v] += int64(out_degree(v)); } }
schedule {
    graph h = subgraph(filter(edges, upwards));
    on h {
        found = neighbor_reduce(vertices, one, sum);
        advance(vertices, forth, to=none);
        graph c = contract(label);
        on c { compute(vertices, measure); }
    }
}
"""
"""Nothing that runs on the kept graph comes from an edge to its source."""


@pytest.mark.parametrize("name", ["triangle_count", "clustering_coefficient", "coloring", WALKS, LISTS, PLACED])
@pytest.mark.slow
def test_later_calls_give_the_same(name: str) -> None:
    built = build_program(name, (), TINY)
    for seed, graph in enumerate(each for each in graphs().values() if suits(built, each)):
        device, bindings = device_for(seed, blocks=1 + seed % 4), bind(built.program, graph, {})
        enactor = enactor_on(built, device, GraphOnDevice(device, graph, NARROW))
        for _ in range(3):
            agrees(built, enactor, graph, bindings)


def test_what_is_kept_is_made_once_until_it_is_dropped() -> None:
    built, graph = build_program("triangle_count", (), SMALL), simple()
    device, bindings = device_for(1), bind(built.program, graph, {})
    on_device = GraphOnDevice(device, graph, NARROW)
    enactor, other = enactor_on(built, device, on_device), enactor_on(built, device, on_device)
    first = agrees(built, enactor, graph, bindings)
    assert 0 < agrees(built, enactor, graph, bindings) < first
    assert agrees(built, other, graph, bindings) < first  # whatever runs on the graph finds it
    held = on_device.hoisted.held_bytes()
    assert held > 0 and on_device.hoisted.free_unused()
    assert on_device.hoisted.held_bytes() == 0
    assert agrees(built, enactor, graph, bindings) > 0.9 * first
    assert agrees(built, other, graph, bindings) < 0.9 * first
    assert on_device.hoisted.held_bytes() == held
    on_device.free()
    assert on_device.hoisted.held_bytes() == 0


@pytest.mark.slow
def test_a_graph_of_a_stopped_run_is_made_again() -> None:
    """Wherever the run is stopped: what it has not completed is not found."""
    built, graph = build_program("triangle_count", (), SMALL), simple()
    bindings, ready = bind(built.program, graph, {}), []
    for seed in range(40):
        device = device_for(seed)
        on_device = GraphOnDevice(device, graph, NARROW)
        enactor = enactor_on(built, device, on_device)
        device.schedule.stop_at = 1 + 1597 * seed
        try:
            enactor.run(bindings, Limits())
        except GdslError as error:
            assert error.diagnostics[0].code == "E0802"
            ready.append(_is_ready(on_device))
        device.schedule.stop_at = 0
        for _ in range(2):
            agrees(built, enactor, graph, bindings)
    assert {*ready} == {True, False}


def _is_ready(on_device: GraphOnDevice) -> bool:
    (arrays,) = on_device.hoisted._graphs.values()
    return bool(arrays["hoisted_graphs"].bytes()[0])


def test_each_order_of_the_vertices_has_its_own() -> None:
    built, graph = build_program("triangle_count", (), SMALL), simple()
    device, bindings = device_for(1), bind(built.program, graph, {})
    given = GraphOnDevice(device, graph, NARROW)
    by_degree = RenumberedGraph(Kernels(device, renumbering(NARROW).get_function), given, graph)
    for on_device in (given, by_degree):
        for _ in range(2):
            agrees(built, enactor_on(built, device, on_device), graph, bindings)
    assert given.hoisted.held_bytes() == by_degree.hoisted.held_bytes() > 0
