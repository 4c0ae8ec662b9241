"""Loops from near to far, as generated CUDA: exactly the values of the reference, in any order of threads, without a
race, and also where the queue has no room."""

from __future__ import annotations

import dataclasses

import numpy
import pytest
from support.graphs import grid, make_graph, random_graph
from support.near_far import PROGRAMS

from gdsl.binding import bind
from gdsl.graph import Graph, rmat
from gdsl.ir.nodes import While
from gdsl.ir.traversal import walk
from gdsl.operations import Order
from gdsl.plan.target import Sizes
from gdsl.plan.walking import sweeps
from gdsl.plan.work_order import orders
from gdsl.types import Widths

from . import build
from .driver import EmulatedModule
from .running import SMALL, TINY, Built, device_for, expect
from .running import build as build_program

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")
WORDS = ("schedule.order=near_far",)
GRAPHS = {
    "grid": lambda: make_graph(grid(12, 17), 204, directed=False),
    "directed": lambda: random_graph(120, 500, seed=4),
    "hubs": lambda: rmat(7, 5, seed=5),
    "loops": lambda: make_graph([(0, 0), (0, 1), (0, 1), (1, 2), (2, 0), (3, 3)], 5),
    "alone": lambda: make_graph([], 1),
}


def check(built: Built, graph: Graph, source: int, seed: int) -> None:
    bindings = bind(built.program, graph, {"source": source})
    outcome = built.run(graph, bindings, device_for(seed))
    expected = expect(built.program, graph, bindings)
    for array in built.program.arrays:
        found = outcome.arrays[array.name]
        assert numpy.array_equal(found, expected.arrays[array.name]), array.name
    for scalar in built.program.scalars:
        assert outcome.scalars[scalar.name] == expected.scalars[scalar.name]
    assert {record.order for record in outcome.trace} <= {Order.NEAR_FAR, None}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", PROGRAMS)
def test_members_visited_with_their_values_are_passed_over(name: str) -> None:
    """In the order as given, with the same end."""
    built = build_program(PROGRAMS[name], ("schedule.order=as_given",), TINY)
    loops = [node for node in walk(built.program.schedule) if isinstance(node, While)]
    assert len([sweep for sweep in sweeps(built.plan) if sweep.skips is not None]) == len(loops)
    for graph in ("hubs", "grid", "loops"):
        made = GRAPHS[graph]()
        for seed in range(4):
            check(built, made, seed % made.num_vertices, seed)


@pytest.mark.sampled(20)
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize("shape", [SMALL, TINY], ids=["small", "tiny"])
def test_values_are_those_of_the_reference(name: str, graph: str, shape: Sizes) -> None:
    built = build_program(PROGRAMS[name], WORDS, shape)
    loops = [node for node in walk(built.program.schedule) if isinstance(node, While)]
    assert len(orders(built.plan)) == len(loops)
    made = GRAPHS[graph]()
    for seed in range(3):
        check(built, made, seed % made.num_vertices, seed)


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.sampled(5)
@pytest.mark.rare(2)
def test_wide_ids(name: str) -> None:
    built = build_program(PROGRAMS[name], (*WORDS, "schedule.ids=64"), TINY, Widths.both(64))
    check(built, GRAPHS["grid"](), 3, 1)


@pytest.mark.sampled(15)
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("room", [1, 3, 20])
def test_what_finds_no_room_is_not_lost(name: str, room: int) -> None:
    built = build_program(PROGRAMS[name], WORDS, TINY)
    text = built.generated.text
    smaller = text.replace("room(g.num_vertices)", f"room({room})")
    assert smaller != text
    module = EmulatedModule(smaller, f"{name}.cu")
    for graph in ("grid", "hubs"):
        check(dataclasses.replace(built, module=module), GRAPHS[graph](), 5, 2)


@pytest.mark.parametrize(
    "shape", [dataclasses.replace(TINY, thin_round=1), dataclasses.replace(TINY, thin_round=10**9)]
)
@pytest.mark.parametrize("width", ["0", "1", "1e300", "-1.0 * FLOAT64_INF * 0"])
@pytest.mark.sampled(8)
def test_any_width_will_do(shape: Sizes, width: str) -> None:
    """However the width is found: only how much is done hangs on it."""
    for name in ("detours", "potentials"):
        built = build_program(PROGRAMS[name], WORDS, shape)
        text = built.generated.text.replace("state.width *= state.factor;", f"state.width = {width};")
        module = EmulatedModule(text, f"{name}.cu")
        check(dataclasses.replace(built, module=module), GRAPHS["grid"](), 100, 3)


@pytest.mark.parametrize("lost", ["order.put_off(staged[i]);", "atomicOr(&run.counters()->spilled, 1ull);"])
def test_room_is_needed_or_seen_to(lost: str) -> None:
    """Without what `test_what_finds_no_room_is_not_lost` is about, something is lost."""
    built = build_program(PROGRAMS["detours"], WORDS, TINY)
    text = built.generated.text.replace("room(g.num_vertices)", "room(3)").replace(lost, "")
    with pytest.raises(AssertionError):
        check(dataclasses.replace(built, module=EmulatedModule(text, "lost.cu")), GRAPHS["grid"](), 5, 2)
