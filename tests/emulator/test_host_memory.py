"""Runs whose edge lists are in the memory of the host: the values of the reference, and no more of the GPU's memory
than allowed."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import CASES, Case
from support.graphs import graphs_with_source, make_graph, random_graph

import gdsl
from gdsl.api.schedules import differences as differences_of
from gdsl.backends.cuda import graph_placement, plan_of, renumbered_host_graph
from gdsl.backends.cuda.memory import GraphOnDevice
from gdsl.backends.cuda.numbering import Kernels
from gdsl.backends.cuda.renumbered_graph import RenumberedGraph
from gdsl.backends.cuda.renumbered_host_graph import RenumberedHostGraph, pieces
from gdsl.backends.placement import Placement
from gdsl.binding import bind
from gdsl.diagnostics import GdslError
from gdsl.operations import Balance
from gdsl.plan import heuristics
from gdsl.plan import renumbering as plan_renumbering
from gdsl.plan.graph_class import GENERAL, GraphClass
from gdsl.plan.hints import ListTiles
from gdsl.plan.renumbering import can_be_in_host
from gdsl.plan.walking import sweeps
from gdsl.types import Type, Widths

from .build import compiler
from .fake_cupy import FakeCupy
from .modes import FUSED
from .running import build as build_program
from .running import device_for, differences, expect, program_of, renumbering
from .test_layout import DRAWS
from .test_programs import graphs, names_for, reference

pytestmark = pytest.mark.skipif(compiler() is None, reason="no g++ on this machine")


TUNE = ["schedule.block=64"]
PAGE = 64
SHARES = (Placement(0, 1, PAGE), Placement(1, 2, PAGE), Placement(9, 10, PAGE))
"""No edge list on the device, the first half of each, and nearly all: boundaries are inside of lists."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.sampled(120)
def test_divided_lists_give_the_same_values(case: Case) -> None:
    graph_class = heuristics.in_host(program_of(case.name), GENERAL)
    built = build_program(case.name, FUSED.words, FUSED.shape, FUSED.widths, on=graph_class)
    names = [name for name in names_for(case, FUSED, 0) if graphs()[name].num_edges < 3000]
    for seed, name in enumerate(names):
        graph, device = graphs()[name], device_for(seed)
        bindings, expected = reference(case, name, built.widths.vertex)
        found = built.run(graph, bindings, device, placement=SHARES[seed % len(SHARES)])
        assert differences(built.program, expected, found) == [], (name, seed)
        case.check(graph, {**bindings.params, **bindings.inputs}, {**found.arrays, **found.scalars})


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.sampled(40)
def test_lists_are_renumbered_a_piece_at_a_time(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(renumbered_host_graph, "LEAST_PIECE", 7)
    plan = plan_of(program_of(case.name), verify=False)
    if plan.layout is None or not can_be_in_host(plan, plan.layout):
        return  # it runs on the graph's own ids
    built = build_program(case.name, FUSED.words, FUSED.shape, FUSED.widths)
    names = [name for name in names_for(case, FUSED, 0) if 0 < graphs()[name].num_vertices < 200]
    for seed, name in enumerate(names):
        graph, device = graphs()[name], device_for(seed)
        bindings, expected = reference(case, name, built.widths.vertex)
        found = built.run(graph, bindings, device, placement=SHARES[seed % len(SHARES)], renumbers=True)
        assert differences(built.program, expected, found) == [], (name, seed)
        case.check(graph, {**bindings.params, **bindings.inputs}, {**found.arrays, **found.scalars})


@pytest.mark.parametrize("name", ["bfs", "sssp", "pagerank"])
@settings(max_examples=15, deadline=None)
@given(graphs_with_source(max_vertices=30, max_edges=200), st.integers(0, 9), st.integers(0, 5))
@pytest.mark.sampled(3)
def test_any_graph_divided_anywhere(name: str, given_graph: tuple[gdsl.Graph, int], share: int, seed: int) -> None:
    graph, source = given_graph
    program = program_of(name)
    built = build_program(name, on=heuristics.in_host(program, GENERAL))
    values = {"source": source} if name != "pagerank" else {}
    bindings = bind(program, graph, values, id_bits=32)
    expected, device = expect(program, graph, bindings), device_for(seed)
    for renumbers in (False, True) if name == "bfs" else (False,):
        found = built.run(graph, bindings, device, placement=Placement(share, 10, PAGE), renumbers=renumbers)
        assert differences(program, expected, found) == []


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("directed", [False, True])
def test_renumbered_lists_are_those_of_the_device(wide: bool, directed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(renumbered_host_graph, "LEAST_PIECE", 50)
    widths = Widths.both(64 if wide else 32)
    for graph in (
        random_graph(90, 700, seed=4, directed=directed),
        make_graph([(5, 5), (5, 5), (3, 5)], 9, directed=directed),
    ):
        device = device_for(1)
        kernels = Kernels(device, renumbering(widths).get_function)
        whole = RenumberedGraph(kernels, GraphOnDevice(device, graph, widths), graph)
        parts = RenumberedHostGraph(kernels, graph, widths, Placement(1, 3, PAGE), 0)
        for name in ("offsets", "columns", "in_offsets", "in_sources", "edge_sources", "edge_ids"):
            kind = Type.EDGE if name.endswith("offsets") or name == "edge_ids" else Type.VERTEX
            dtype, count = f"u{8 if wide else 4}", graph.num_edges
            count = graph.num_vertices + 1 if name.endswith("offsets") else count
            expected, found = (device.fetch(each.part(name, kind), dtype, count) for each in (whole, parts))
            assert np.array_equal(expected, found), name


@given(st.lists(st.integers(0, 9), max_size=30), st.integers(1, 12))
def test_pieces_cover_all_lists(degrees: list[int], most: int) -> None:
    offsets = np.concatenate([[0], np.cumsum(degrees, dtype=np.int64)]).astype(np.uint32)
    found = list(pieces(offsets, most))
    edges = [(int(offsets[first]), int(offsets[last])) for first, last in found]
    assert [begin for begin, _ in edges] == [0, *(end for _, end in edges)][: len(edges)]
    assert (edges[-1][1] if edges else 0) == offsets[-1]
    for (first, last), (begin, end) in zip(found, edges, strict=True):
        assert end - begin <= most or last == first + 1


def test_a_run_renumbers_in_little_memory(cupy: FakeCupy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan_renumbering, "LEAST_EDGES", 100)
    monkeypatch.setattr(plan_renumbering, "LEAST_VERTICES", 0)
    monkeypatch.setattr(plan_renumbering, "READS", 0)
    program, graph = gdsl.compile("bfs", tune=TUNE), weighted()
    expected = program(graph, source=3, backend="reference")
    with pytest.raises(GdslError) as caught:
        program(graph, source=3, backend="cuda", memory=0)
    limit = least_of(caught.value) + 8000
    gc.collect()
    before = cupy.most_held = cupy.held
    for source in (3, 3, 4):
        found = program(graph, source=source, backend="cuda", memory=limit)
        assert found.layout_ms is not None and "in the host's memory" in found.memory_line
        assert cupy.most_held - before <= limit
        found = None  # the memory of results is the caller's
    told = {need.name for need in program.dry_run(graph, {"source": 3}, backend="cuda", memory=limit).needs}
    assert {"layout.order", "layout.rank", "graph.columns"} <= told
    found = program(graph, source=3, backend="cuda", memory="host")
    assert list(differences_of(program.ir, expected, found)) == []
    drawing = gdsl.compile(DRAWS, tune=TUNE)  # it needs the graph's own ids, which BFS then uses too
    assert drawing(graph, backend="cuda", memory="host").layout_ms is None
    assert program(graph, source=3, backend="cuda", memory="host").layout_ms is None


@pytest.mark.parametrize("name", ["pagerank", "bfs", "triangle_count"])
def test_reductions_share_whole_lines(name: str) -> None:
    """In tiles. Where lists are left early, or nothing is reduced, nothing changes."""
    program = program_of(name)
    graph_class = heuristics.in_host(program, GENERAL)
    plan = plan_of(program, graph=graph_class)
    balances = {sweep.balance for sweep in sweeps(plan)}
    assert (Balance.MERGE in balances) == any(sweep.hint(ListTiles) for sweep in sweeps(plan))
    assert (graph_class == GraphClass(host_lists=True)) == (name == "pagerank") == (Balance.MERGE in balances)


def weighted(directed: bool = True) -> gdsl.Graph:
    graph = random_graph(200, 4000, seed=7, directed=directed)
    weight = np.random.default_rng(3).random(graph.num_edges, np.float32)
    return gdsl.Graph(graph.offsets, graph.columns, directed=directed, attributes={"weight": weight})


PROGRAMS: dict[str, dict[str, Any]] = {
    "bfs": {"source": 0},
    "sssp": {"source": 0},
    "pagerank": {},
    "hits": {},
    "strongly_connected_components": {},
}


def least_of(error: GdslError) -> int:
    """The limit that a message names."""
    return int(str(error).partition("memory=")[2].split(")")[0])


@pytest.mark.parametrize(
    "name", [*list(PROGRAMS)[:3], *(pytest.param(n, marks=pytest.mark.slow) for n in list(PROGRAMS)[3:])]
)
@pytest.mark.sampled(3)
def test_a_run_uses_no_more_than_it_may(cupy: FakeCupy, name: str) -> None:
    program, values = gdsl.compile(name, tune=TUNE), PROGRAMS[name]
    expected = program(weighted(), backend="reference", **values)
    with pytest.raises(GdslError) as caught:
        program(weighted(), backend="cuda", memory=1, **values)
    assert caught.value.code == "E0914"
    least = least_of(caught.value)
    with pytest.raises(GdslError) as caught:
        program(weighted(), backend="cuda", memory=least - 1, **values)
    assert least_of(caught.value) == least
    for limit in (least, least + 3000, least + 9000, 1 << 30):
        graph, before, found = weighted(), cupy.held, None
        cupy.most_held = before
        for _ in range(2):
            found = None  # the memory of results is the caller's
            found = program(graph, backend="cuda", memory=limit, **values)
            assert list(differences_of(program.ir, expected, found)) == []
        assert cupy.most_held - before <= limit
        assert bool(found.memory_line) == (limit < 1 << 30)
        if found.memory_line:
            assert "edge lists" in found.memory_line and "since the run may use" in found.memory_line
        del found, graph


def test_another_limit_divides_the_lists_again(cupy: FakeCupy) -> None:
    """Larger or smaller: a run says and does what `dry_run` tells."""
    program, graph, values = gdsl.compile("sssp", tune=TUNE), weighted(), {"source": 0}
    expected = program(graph, backend="reference", **values)
    with pytest.raises(GdslError) as caught:
        program(graph, backend="cuda", memory=1, **values)
    least, shares = least_of(caught.value), []
    for more in (9000, 12_000, 0, 20_000, 12_000, 1 << 30, 9000):
        told = program.dry_run(graph, values, backend="cuda", memory=least + more)
        found = program(graph, backend="cuda", memory=least + more, **values)
        assert found.memory_line == told.memory_line and bool(told.memory_line) == (more < 1 << 30)
        assert list(differences_of(program.ir, expected, found)) == []
        if told.memory_line:
            record = next(iter(program._executables["cuda", Widths.both(32)]._records.values()))
            on_device = record.within.enactor.on_device
            resident = sum(on_device._resident.values())
            assert resident == sum(need.nbytes for need in told.needs if need.is_list)
            shares.append(resident)
    assert len(set(shares)) == 4, shares


def test_nothing_is_resident_on_request(cupy: FakeCupy) -> None:
    program, graph = gdsl.compile("sssp", tune=TUNE), weighted()
    found = program(graph, source=0, backend="cuda", memory="host")
    assert found.memory_line.endswith("(columns, weight) are in the host's memory, as requested")
    on_device = next(iter(program._executables["cuda", Widths.both(32)]._records.values())).within.enactor.on_device
    assert on_device.device_bytes() == on_device.scratch.held_bytes()
    assert "memory" in dict(program.last_run(graph, "cuda")[1].build(graph).facts)
    profiled = gdsl.profile(program, graph, source=0, backend="cuda", memory="host")
    assert profiled.text().splitlines()[1] == found.memory_line
    assert found.memory_line in (found._repr_html_() or "").replace("&#x27;", "'")
    again = program(graph, source=0, backend="cuda")
    assert again.memory_line == "" and again.distance.get().tolist() == found.distance.get().tolist()


def test_lists_that_do_not_fit_go_to_the_host(cupy: FakeCupy) -> None:
    program, graph = gdsl.compile("bfs", tune=TUNE), weighted(directed=False)
    expected = program(graph, source=0, backend="reference")
    needs = program.dry_run(graph, {"source": 0}, backend="cuda", memory=1 << 30).needs
    cupy.free = sum(need.nbytes for need in needs if need.name != "run.gaps") - 8000
    kept = []
    for _ in range(3):  # results that the caller keeps leave less for lists
        found = program(graph, source=0, backend="cuda")
        assert "since they do not fit in the GPU's memory" in found.memory_line
        assert list(differences_of(program.ir, expected, found)) == []
        kept.append(found)
    cupy.free += 3 << 20  # for the trace of another program
    other = gdsl.compile("connected_components", tune=TUNE)
    assert list(differences_of(other.ir, other(graph, backend="reference"), other(graph, backend="cuda"))) == []
    with pytest.raises(GdslError) as caught:
        gdsl.compile("bfs", tune=TUNE)(graph, source=0, backend="cuda", memory="device")
    assert caught.value.code == "E0912" and "--memory host" in str(caught.value)
    assert cupy.most_held <= cupy.free


def test_nothing_is_uploaded_in_vain(cupy: FakeCupy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_placement, "LARGE", 1)
    program, graph = gdsl.compile("pagerank", tune=TUNE), weighted()
    needs_of = program.dry_run(graph, {}, backend="cuda", memory=1 << 30).needs
    lists = sum(need.nbytes for need in needs_of if need.is_list)
    cupy.free = sum(need.nbytes for need in needs_of if need.name != "run.gaps") - lists // 4
    before = cupy.log["upload"]
    found = program(graph, backend="cuda")
    assert "since they do not fit" in found.memory_line
    offsets = sum(need.name.endswith("offsets") for need in needs_of)
    assert cupy.log["upload"] - before == offsets


def test_without_edge_lists_nothing_can_go_to_the_host(cupy: FakeCupy) -> None:
    program, graph = gdsl.compile("bfs", tune=TUNE), make_graph([], 50)
    needs_of = program.dry_run(graph, {"source": 0}, backend="cuda", memory=1 << 30).needs
    cupy.free = sum(need.nbytes for need in needs_of if need.name != "run.gaps") // 2
    for memory in (None, "host"):
        with pytest.raises(GdslError) as caught:
            program(graph, source=0, backend="cuda", memory=memory)
        assert caught.value.code == "E0912"
    cupy.free = 1 << 40
    assert program(graph, source=0, backend="cuda", memory="host").memory_line == ""
    assert program(graph, source=0, backend="cuda").distance.get().tolist() == [0] + [-1] * 49


def test_submitted_and_many_runs(cupy: FakeCupy) -> None:
    program, graph = gdsl.compile("bfs", tune=TUNE), weighted()
    expected = [program(graph, source=v, backend="reference").distance.tolist() for v in range(3)]
    pending = program.submit(graph, source=1, backend="cuda", memory="host")
    assert pending.result().distance.get().tolist() == expected[1] and pending.result().memory_line
    runs = program.imap(graph, source=range(3), backend="cuda", memory="host")
    assert [np.asarray(run.distance).reshape(-1).tolist() for run in runs] == expected


def test_wide_ids_and_the_callers_own_arrays_of_edges(cupy: FakeCupy) -> None:
    program, graph = gdsl.compile("sssp", tune=[*TUNE, "schedule.ids=64"]), weighted()
    weight = np.arange(graph.num_edges, dtype=np.float32)
    expected = program(graph, source=0, weight=weight, backend="reference")
    found = program(graph, source=0, weight=weight, backend="cuda", memory="host")
    assert "(columns)" in found.memory_line
    assert list(differences_of(program.ir, expected, found)) == []


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow), pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.slow
def test_programs_take_turns_on_a_graph_and_everything_is_freed(
    cupy: FakeCupy, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(plan_renumbering, "LEAST_EDGES", 100)
    monkeypatch.setattr(plan_renumbering, "LEAST_VERTICES", 0)
    monkeypatch.setattr(plan_renumbering, "READS", 0)
    random, graph = np.random.default_rng(seed), weighted()
    programs = {name: gdsl.compile(name, tune=TUNE) for name in ("bfs", "sssp", "pagerank")}
    expected = {name: program(graph, backend="reference", **PROGRAMS[name]) for name, program in programs.items()}
    least = {}
    for name, program in programs.items():
        with pytest.raises(GdslError) as caught:
            program(graph, backend="cuda", memory=0, **PROGRAMS[name])
        least[name] = least_of(caught.value)
    before, kept = cupy.held, []
    for _ in range(25):
        name = random.choice(list(programs))
        program = programs[name]
        memory = [None, "host", least[name], least[name] + 2000, least[name] + 9000, "device"][random.integers(6)]
        cupy.free = 1 << 40 if memory == "device" or random.random() < 0.7 else cupy.held + least[name] + 40_000
        found = program(graph, backend="cuda", memory=memory, **PROGRAMS[name])
        assert list(differences_of(program.ir, expected[name], found)) == [], (name, memory)
        if memory in ("host", least[name]):
            assert found.memory_line
        kept = [found] if random.random() < 0.5 else []
    assert cupy.held > before
    del found, kept, graph, program, programs, caught
    gc.collect()
    assert cupy.held <= before, "something of the graph is left on the device"
