"""Runs on several GPUs: each has some of the blocks, and sees what another one does only through accesses whose scope
is the system. Every sample and test program gives the reference's results; each mistake in a scope turns something
red."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import BY_NAME, CASES, Case
from support.graphs import graphs as graph_strategy
from support.graphs import make_graph, random_graph

from gdsl.binding import bind
from gdsl.diagnostics import GdslError
from gdsl.graph import Graph

from . import build
from .driver import EmulatorError
from .findings import Kind
from .modes import FUSED, Mode, modes_of
from .mutants import Mutant, mutants_in
from .mutating import as_params, assert_shows, built_with, seen_on_gpus
from .running import build as build_program
from .running import device_for, differences, expect
from .test_programs import graphs, names_for, reference

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")

GPUS = (2, 3, 4)


def agrees(case: Case, mode: Mode, place: int, gpus: int, most: int | None = None) -> None:
    """`most`: so many graphs at most."""
    built = build_program(case.name, mode.words, mode.shape, mode.widths, several_gpus=True)
    for seed, graph in enumerate(names_for(case, mode, place)[:most]):
        bindings, expected = reference(case, graph, built.widths.vertex)
        device = device_for(seed, blocks=gpus * (1 + seed % 2), gpus=gpus)
        found = built.run(graphs()[graph], bindings, device)
        where = f"on {graph} with {gpus} GPUs, {device.multiprocessors} blocks and seed {seed}"
        assert differences(built.program, expected, found) == [], where
        case.check(graphs()[graph], {**bindings.params, **bindings.inputs}, {**found.arrays, **found.scalars})


@pytest.mark.parametrize("name", ["bfs", "pagerank", "connected_components", "core", "sssp"])
@given(
    graph=graph_strategy(directed=False),
    seed=st.integers(0, 9),
    gpus=st.sampled_from(GPUS),
    more=st.integers(0, 2),
)
@settings(max_examples=25, deadline=None)
@pytest.mark.sampled(3)
def test_any_graph(name: str, graph: Graph, seed: int, gpus: int, more: int) -> None:
    """Without vertices, without edges, with loops and parallel edges, of one vertex with most edges."""
    case, built = BY_NAME[name], build_program(name, several_gpus=True)
    if not case.suits(graph):
        return
    bindings = bind(built.program, graph, case.values(graph, seed))
    found = built.run(graph, bindings, device_for(seed, blocks=gpus + more, gpus=gpus))
    assert differences(built.program, expect(built.program, graph, bindings), found) == []


@pytest.mark.rare(36)
@pytest.mark.parametrize("gpus", GPUS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.sampled(60)
def test_agrees_with_the_reference(case: Case, gpus: int) -> None:
    agrees(case, FUSED, gpus, gpus)


@pytest.mark.parametrize("gpus", [4, 5, 8])
@pytest.mark.parametrize("name", ["bfs", "sssp", "connected_components", "k_core", "pagerank"])
@pytest.mark.sampled(8)
@pytest.mark.rare(1)
def test_more_gpus_than_vertices_and_gpus_without_any(name: str, gpus: int) -> None:
    """And edges that all begin at one vertex, in the part of the first or of the last GPU, or of none in some parts."""
    case, built = BY_NAME[name], build_program(name, several_gpus=True)
    shapes = {
        "one vertex": ([], 1),
        "a loop": ([(0, 0)], 1),
        "two": ([(0, 1), (0, 1)], 2),
        "three": ([(0, 1), (1, 2), (2, 2)], 3),
        "a star at the first": ([(0, far) for far in range(1, 150)], 150),
        "a star at the last": ([(149, far) for far in range(149)], 150),
        "edges in the last part": ([(170 + k % 30, 170 + k * 7 % 30) for k in range(200)], 200),
        "no edges": ([], 131),
    }
    for seed, (what, (edges, count)) in enumerate(shapes.items()):
        weights = [float(k % 7) for k in range(len(edges))]
        graph = make_graph(edges, count, weights, directed=False)
        bindings = bind(built.program, graph, case.values(graph, seed))
        found = built.run(graph, bindings, device_for(seed, blocks=gpus * (1 + seed % 2), gpus=gpus))
        assert differences(built.program, expect(built.program, graph, bindings), found) == [], what


@pytest.mark.slow
@pytest.mark.rare(60)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.sampled(180)
def test_further_modes_agree(case: Case) -> None:
    modes = [mode for mode in modes_of(case.name) if mode is not FUSED and "schedule.fuse=off" not in mode.words]
    for place, mode in enumerate(modes):
        agrees(case, mode, place, GPUS[place % len(GPUS)], most=3)


@pytest.mark.parametrize("name", ["bfs", "core", "sssp"])
@pytest.mark.sampled(3)
def test_a_stop_is_heard_by_all_gpus(name: str) -> None:
    built = build_program(name, several_gpus=True)
    bindings, _ = reference(BY_NAME[name], "several_blocks", 32)
    stopped = 0
    for seed in range(15):
        device = device_for(seed, blocks=4, gpus=2)
        device.schedule.stop_at = 1 + 1597 * seed
        try:
            built.run(graphs()["several_blocks"], bindings, device)
        except GdslError as error:
            assert error.diagnostics[0].code == "E0802"
            stopped += 1
    assert stopped > 0


def test_one_gpus_text_is_red_on_several() -> None:
    """Its scopes are those of one device, so nothing orders what two GPUs do."""
    built = build_program("bfs")
    bindings, _ = reference(BY_NAME["bfs"], "several_blocks", 32)
    with pytest.raises(EmulatorError) as caught:
        built.run(graphs()["several_blocks"], bindings, device_for(0, blocks=4, gpus=2))
    assert {finding.kind for finding in caught.value.findings} == {Kind.RACE}


def test_a_copy_that_is_not_published_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each GPU reads its own copy of the graph, and nothing else has what it needs."""
    built = build_program("bfs", several_gpus=True)
    bindings, _ = reference(BY_NAME["bfs"], "several_blocks", 32)
    device = device_for(0, blocks=4, gpus=2)
    monkeypatch.setattr(device, "publish", lambda buffer: None)
    with pytest.raises(EmulatorError) as caught:
        built.run(graphs()["several_blocks"], bindings, device)
    assert Kind.BOUNDS in {finding.kind for finding in caught.value.findings}


@pytest.mark.parametrize("mutant", as_params(mutants_in("of_several_gpus/several_gpus")))
@pytest.mark.sampled(9)
def test_a_mistake_between_gpus_is_seen(mutant: Mutant, tmp_path: Path) -> None:
    graphs = (random_graph(160, 700, seed=3, directed=False), random_graph(300, 2500, seed=5, directed=False))
    built = built_with(mutant, tmp_path, several_gpus=True)
    seen = seen_on_gpus(built, graphs, BY_NAME[mutant.program].values)
    assert_shows(mutant, seen)
