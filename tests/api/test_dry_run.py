"""What a run would allocate is what it allocates, and to ask for it runs nothing."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
import pytest

import gdsl
from gdsl.backends import needs
from gdsl.backends.cuda import plan_of
from gdsl.backends.cuda.graph_cache import GraphCache
from gdsl.backends.interface import Need
from gdsl.extents import of_graph
from gdsl.native import compiler as compilers
from gdsl.plan import renumbering
from tests.emulator.build import compiler
from tests.emulator.fake_cupy import FakeArray, FakeCupy, MemoryPointer, install

ALIGNED = 256
"""Buffers that lie in one block begin at multiples of so many bytes."""
SMALL = ["schedule.block=32"]
EDGES = """program edges;
problem { input edge w : float32 where w[id] >= 0; scalar n : int64 = 0; scalar t : float64 = 0; }
edge functor heavy(src, dst, e) { cond w[e] > 1; apply { n += 1; } }
edge functor add(src, dst, e) { apply { t += float64(w[e]); } }
schedule { edge frontier f = filter(edges, heavy); compute(f, add); }"""


WALKS = """program walks; problem { vertex a : int32; scalar n : int64; }
edge functor f(src, dst, e) { cond a[src] == a[dst]; apply { n += 1; } }
schedule { edge frontier g = filter(edges, f); compute(g, f); }"""
RANKS = """program ranks; problem { input vertex x : float64; vertex y : float64; }
edge functor f(src, dst, e) -> float64 { value x[dst]; }
schedule { y = neighbor_reduce(vertices, f, sum); }"""


FIRST = [f"layout.{name}" for name in renumbering.LISTS]


def graph_of(directed: bool) -> gdsl.Graph:
    made = gdsl.Graph.generate("rmat:6").changed(weights="random:1", loops=False, dedup="first")
    return gdsl.Graph(made.offsets, made.columns, directed=True, attributes=made.attributes) if directed else made


def values_for(program: gdsl.Program, graph: gdsl.Graph) -> dict[str, Any]:
    values: dict[str, Any] = {"source": int(graph.out_degrees.argmax())} if "source" in program.params else {}
    return values | ({"w": graph.attributes["weight"]} if "w" in program.inputs else {})


@pytest.mark.skipif(compiler() is None, reason="no g++ on this machine")
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("name", ["bfs", "sssp", "pagerank", "triangle_count", "minimum_spanning_forest", EDGES])
@pytest.mark.sampled(15)
def test_a_run_allocates_what_was_told(monkeypatch: pytest.MonkeyPatch, name: str, directed: bool) -> None:
    cupy, graph, program = install(monkeypatch), graph_of(directed), gdsl.compile(name, tune=SMALL)
    values = values_for(program, graph)
    told = program.dry_run(graph, values, backend="cuda")
    assert cupy.log["alloc"] == cupy.log["upload"] == cupy.log["launch"] == 0
    assert (told.backend, told.device, told.free) == ("cuda", "a GPU that is none", 1 << 40)
    assert told.fits and program.dry_run(graph, values, backend="cuda", memory=told.needed - 1).fits is False
    taken: list[int] = []
    allocate, upload = cupy._alloc, cupy.asarray

    def counted(nbytes: int) -> MemoryPointer:
        taken.append(nbytes)
        return allocate(nbytes)

    def uploaded(array: Any) -> Any:
        taken.append(array.nbytes)
        return upload(array)

    monkeypatch.setattr(cupy.cuda, "alloc", counted)
    monkeypatch.setattr(FakeCupy, "asarray", lambda self, array: uploaded(array))
    program.run(graph, values, backend="cuda")
    ahead = sum(
        need.nbytes for need in told.needs if need.what == "result" and need.elements.rpartition("* ")[2] != "1"
    )
    copies = sum(int(need.elements.split(" of ")[0]) if " of " in need.elements else 1 for need in told.needs)
    assert 0 <= sum(taken) - ahead - told.needed < ALIGNED * (copies + len(program.ir.arrays) + 1)
    shared = {need.name: need.there for need in told.needs if need.there}
    assert all(there.startswith("graph.") for there in shared.values())
    both = {"graph.columns", "graph.in_sources"} <= {need.name for need in told.needs}
    assert ("graph.in_sources" in shared) == (both and not directed)


@pytest.mark.skipif(compiler() is None, reason="no g++ on this machine")
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("name", ["bfs", "pagerank", "coloring", "spmv", WALKS, RANKS])
@pytest.mark.sampled(3)
def test_a_run_on_vertices_by_degree_has_what_was_told(
    monkeypatch: pytest.MonkeyPatch, name: str, directed: bool
) -> None:
    cupy, graph = install(monkeypatch), graph_of(directed)
    monkeypatch.setattr(renumbering, "LEAST_EDGES", 1)
    monkeypatch.setattr(renumbering, "LEAST_VERTICES", 0)
    monkeypatch.setattr(renumbering, "READS", 0)
    program = gdsl.compile(name, tune=[*SMALL, *(["schedule.layout=by_degree"] if name == WALKS else [])])
    values = values_for(program, graph) | ({"x": np.ones(graph.num_vertices)} if name in (RANKS, "spmv") else {})
    told = program.dry_run(graph, values, backend="cuda")
    names = {need.name for need in told.needs}
    assert {"layout.order", "layout.rank", "layout.columns", "layout.keys"} <= names
    less = {need.name for need in program.dry_run(graph, values, backend="cuda", memory=told.needed - 1).needs}
    assert "layout.order" not in less, "a run without room has the ids as given"
    held, most = 0, 0

    def count(nbytes: int) -> None:
        nonlocal held, most
        held += nbytes
        most = max(most, held)

    def counted(made: Any, nbytes: int) -> Any:
        count(nbytes)
        weakref.finalize(made, count, -nbytes)
        return made

    def sort(array: FakeArray) -> None:
        count(array.nbytes)
        array.set(np.sort(array.get()))
        count(-array.nbytes)

    def numbered(graphs: GraphCache, *arguments: Any) -> Any:
        """To number the vertices takes what is told to be there meanwhile."""
        before = held
        made = by_degree(graphs, *arguments)
        kept = sum(each.nbytes for each in told.needs if each.name in FIRST or each.what == "names of vertices")
        layout = plan_of(program.ir).layout
        assert layout is not None
        sizes = of_graph(graph.num_vertices, graph.num_edges, {})
        meanwhile = needs._while_numbering(layout, told.widths, sizes, directed)
        assert before == 0 and 0 <= most - kept - meanwhile < 10 * ALIGNED
        return made

    by_degree, allocate, upload = GraphCache.by_degree, cupy._alloc, cupy.asarray
    monkeypatch.setattr(GraphCache, "by_degree", numbered)
    monkeypatch.setattr(cupy.cuda, "alloc", lambda nbytes: counted(allocate(nbytes), nbytes))
    monkeypatch.setattr(FakeCupy, "asarray", lambda self, array: _whole(upload(array), counted))
    monkeypatch.setattr(FakeArray, "sort", sort)
    assert program.run(graph, values, backend="cuda").layout_ms is not None
    ahead = sum(each.nbytes for each in told.needs if each.what == "result" and each.name.startswith("problem."))
    copies = sum(int(need.elements.split(" of ")[0]) if " of " in need.elements else 1 for need in told.needs)
    results = sum(each.nbytes for each in told.needs if each.name.startswith("layout.") and each.what == "result")
    again = results if "layout.edges" in names else 0  # may lie where the graph's weights were until they were put
    assert (
        -again - ALIGNED * len(program.ir.arrays)
        <= most - told.needed
        <= ahead + ALIGNED * (copies + len(program.ir.arrays) + 1)
    )


def _whole(array: Any, counted: Any) -> Any:
    """An array that was made on the device, with its memory counted."""
    counted(array.data, array.nbytes)
    return array


def test_an_array_that_lies_on_the_gpu_takes_no_more_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    cupy, graph, program = install(monkeypatch), graph_of(False), gdsl.compile(EDGES.replace("where w[id] >= 0", ""))
    there = cupy.asarray(graph.attributes["weight"].astype(np.float32))
    [own] = [need for need in program.dry_run(graph, {"w": there}, backend="cuda").needs if need.name == "problem.w"]
    assert own == Need("problem.w", "input", "float32 * E", 0, "the caller's own", is_constant=own.is_constant)


def test_the_plan_that_suits_the_graph_is_told_of() -> None:
    program, roads = gdsl.compile("sssp"), gdsl.Graph.generate("grid:9").changed(weights="random:1")
    for graph, has_ranks in ((roads, True), (graph_of(False), False)):
        told = program.dry_run(graph, {"source": 0}, backend="cuda", memory=0)
        assert ("run.keys" in {need.name for need in told.needs}) == has_ranks
        assert (told.free, told.fits, told.widths.edge) == (0, False, 32)
    wide = gdsl.compile("sssp", tune=["schedule.ids=64"]).dry_run(roads, {"source": 0}, backend="cuda", memory=0)
    sizes = {need.name: need.nbytes + need.host_bytes for need in wide.needs}
    assert sizes["graph.columns"] == 8 * roads.num_edges and sizes["graph.offsets"] == 8 * (roads.num_vertices + 1)


@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_backends_without_a_gpu_tell_too(backend: str) -> None:
    if backend == "cpu" and compilers.find_compiler() is None:
        pytest.skip("no C++ compiler")
    graph, program = graph_of(False), gdsl.compile("bfs")
    told = program.dry_run(graph, {"source": 0}, backend=backend)
    assert told.fits and told.total and told.free and 0 < told.needed < told.free <= told.total
    names = {need.name: need.nbytes for need in told.needs}
    assert names["problem.distance"] >= 4 * graph.num_vertices
    assert backend == "reference" or names["run.queues"] == 2 * 4 * (graph.num_vertices + 1)


def test_what_is_not_right_is_told_as_by_a_run() -> None:
    graph, program = graph_of(False), gdsl.compile("sssp")
    for values in ({}, {"source": 10**6}, {"source": 0, "weight": np.full(graph.num_edges, -1.0)}, {"soruce": 0}):
        with pytest.raises(gdsl.GdslError) as told:
            program.dry_run(graph, values, backend="reference")
        with pytest.raises(gdsl.GdslError) as run:
            program.run(graph, values, backend="reference")
        assert str(told.value) == str(run.value)
    for memory, kind in ((-1, ValueError), (1.5, TypeError), ("80 apples", ValueError), (True, TypeError)):
        with pytest.raises(kind, match="memory must be"):
            program.dry_run(graph, {"source": 0}, memory=memory)  # type: ignore[arg-type]
