"""Runs on vertices numbered by degree: what goes in and comes out is the caller's, whatever happens inside."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest
from oracles import CASES
from support.graphs import make_graph, random_graph, star

import gdsl
from gdsl.api.schedules import differences
from gdsl.backends.cuda import compiled_form, numbering, renumbered_graph
from gdsl.backends.cuda.memory import GraphOnDevice
from gdsl.backends.cuda.numbering import text_for
from gdsl.binding import bind
from gdsl.diagnostics import GdslError
from gdsl.plan import renumbering
from gdsl.types import Widths

from . import running
from .build import compiler
from .driver import EmulatedModule, EmulatorError
from .fake_cupy import FakeCupy
from .running import SMALL, TINY, Built, build, device_for, expect, program_of

pytestmark = pytest.mark.skipif(compiler() is None, reason="no g++ on this machine")

WORD = "schedule.layout=by_degree"
BORDER = """program border;
problem {
    param s : vertex;
    param members : vertex set;
    input vertex weight : float64;
    input vertex given : vertex;
    input vertex pair[2] : float32;
    input scalar start : vertex;
    vertex own : vertex = id;
    vertex other : vertex;
    vertex odd[3] : bool;
    vertex both : (int32, float64);
    vertex first : int32 = 1;
    vertex second : int32 = 2;
    scalar last : vertex;
    scalar nobody : vertex = none;
    scalar picked : int64;
}
edge functor hear(src, dst, e) -> int32 { value first[dst]; }
vertex functor look(v) {
    apply {
        other[v] = given[v] == none ? none : given[given[v]];
        odd[v][1] = pair[v][1] > pair[v][0]; odd[v][2] = v == s;
        both[v] = (out_degree(v), weight[v]);
    }
}
schedule {
    compute(vertices, look);
    compute(members, v => { picked += 1; first[v] = 5; });
    second = neighbor_reduce(vertices, hear, sum);
    swap(first, second);
    last = start;
}
"""


DRAWS = """program draws;
problem { vertex x : float32 = random(id, 1); vertex most : float32; }
edge functor hear(src, dst, e) -> float32 { value x[dst]; }
schedule { most = neighbor_reduce(vertices, hear, max); }
"""


def graphs() -> list[gdsl.Graph]:
    directed = random_graph(40, 120, seed=6, directed=True)
    parallel = make_graph([(0, 5), (0, 5), (5, 5), (3, 5), (5, 2), (2, 5)], 9, directed=False)
    return [random_graph(50, 140, seed=5, directed=False), directed, parallel, make_graph([], 3)]


def border_values(graph: gdsl.Graph) -> dict[str, Any]:
    count = graph.num_vertices
    given = np.array([-1 if v % 4 == 0 else (v * 7 + 1) % count for v in range(count)], np.int32)
    pair = np.arange(2 * count, dtype=np.float32).reshape(count, 2)
    pair[1::3] *= -1
    weight = np.arange(count) / 3
    return {"s": 2, "members": [0, 1], "weight": weight, "given": given, "pair": pair, "start": count - 1}


DRAWN = BORDER.replace(
    "scalar last", "vertex drawn : float64 = random(id, 3) + float64(int64(id));\n    scalar last"
).replace("value first[dst]", "value first[dst] + (src < dst ? 1 : 0)")
"""The same, by a program that looks up the given ids."""
NAMED = DRAWN.replace("vertex own", "vertex ids_as_given").replace("weight", "rank")
"""And has names that are ours elsewhere."""


@pytest.mark.parametrize(
    ("text", "tune"),
    [(BORDER, ()), (BORDER, ("schedule.fuse=off",)), (BORDER, ("schedule.ids=64",)), (DRAWN, ()), (NAMED, ())],
)
@pytest.mark.sampled(3)
def test_everything_that_crosses_the_border(cupy: FakeCupy, text: str, tune: tuple[str, ...]) -> None:
    program = gdsl.compile(text, tune=[*tune, WORD, "schedule.block=64"])
    for graph in graphs():
        values = border_values(graph)
        if text is NAMED:
            values["rank"] = values.pop("weight")
        expected = program(graph, backend="reference", **values)
        for _ in range(2):  # the second time with all that was kept
            found = program(graph, backend="cuda", **values)
            assert list(differences(program.ir, expected, found)) == []
            assert np.array_equal(found.both.first, graph.out_degrees)
        assert (expected.layout_ms, found.layout_ms) == (None, 0.0)
        assert found.nobody == -1 and found.last == graph.num_vertices - 1
        with pytest.raises(GdslError) as caught:
            program(graph, backend="cuda", **{**values, "s": graph.num_vertices})
        assert caught.value.code == "E0604"


def test_arrays_of_the_graph_are_put_in_order_once(cupy: FakeCupy) -> None:
    text = """program own;
problem { input vertex x : float32; vertex y : float32; }
edge functor hear(src, dst, e) -> float32 { value x[dst]; }
schedule { y = neighbor_reduce(vertices, hear, max); }
"""
    made = make_graph(star(20), 21, directed=False)
    attribute = {"x": np.arange(21, dtype=np.float32)}
    graph = gdsl.Graph(made.offsets, made.columns, directed=False, vertex_attributes=attribute)
    program = gdsl.compile(text, tune=[WORD, "schedule.block=64"])
    for turn in range(3):
        cupy.log.clear()
        assert program(graph, backend="cuda").y.get()[:2].tolist() == [20, 0]
        assert turn == 0 or cupy.log["upload"] == 0


def test_values_of_edges_are_put_in_order_once_where_they_are_the_graphs(
    cupy: FakeCupy, monkeypatch: pytest.MonkeyPatch
) -> None:
    for directed in (True, False):
        made = random_graph(30, 90, seed=8, directed=directed)
        weight = np.arange(made.num_edges) / 8
        graph = gdsl.Graph(made.offsets, made.columns, directed=directed, attributes={"weight": weight[::-1]})
        x = np.arange(30) / 4
        monkeypatch.setattr(renumbering, "LEAST_EDGES", 1)
        monkeypatch.setattr(renumbering, "LEAST_VERTICES", 0)
        monkeypatch.setattr(renumbering, "READS", 0)
        words = (), (WORD,), (WORD, "schedule.ids=64")
        auto, always, wide = (gdsl.compile("spmv", tune=["schedule.block=64", *word]) for word in words)
        for program, given, other_ids in (
            (auto, {}, True),
            (auto, {"weight": weight}, False),
            (auto, {}, True),
            (wide, {}, True),
            (always, {"weight": weight}, True),
            (always, {}, True),
        ):
            expected = program(graph, x=x, backend="reference", **given)
            cupy.log.clear()
            found = program(graph, x=x, backend="cuda", **given)
            assert np.array_equal(found.y.get(), expected.y)
            assert (found.layout_ms is not None) == other_ids
        assert cupy.log["upload"] == 1, "that of x"


def test_auto_looks_at_the_graph_and_at_the_memory(cupy: FakeCupy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(renumbering, "LEAST_EDGES", 100)
    monkeypatch.setattr(renumbering, "LEAST_VERTICES", 0)
    monkeypatch.setattr(compiled_form, "reads_saved", lambda graph: 9.0 if graph.out_degrees.max() > 50 else 0.1)
    hub, even = make_graph(star(60), 61, directed=False), random_graph(60, 90, seed=1, directed=False)
    program = gdsl.compile("bfs", tune=["schedule.block=64"])
    assert program(even, source=3, backend="cuda").layout_ms is None
    found = program(hub, source=3, backend="cuda")
    assert found.layout_ms is not None and found.layout_ms > 0
    assert found.distance.get().tolist() == [1, *(0 if v == 3 else 2 for v in range(1, 61))]
    assert found.parent.get().tolist() == [3, *(-1 if v == 3 else 0 for v in range(1, 61))]
    assert program(hub, source=3, backend="cuda").layout_ms == 0
    assert gdsl.compile("pagerank", tune=["schedule.block=64"])(hub, backend="cuda").layout_ms == 0, "one for all"
    kept = gdsl.compile("bfs", tune=["schedule.block=64", "schedule.layout=as_given"])
    assert kept(hub, source=3, backend="cuda").layout_ms is None
    drawing = gdsl.compile(DRAWS, tune=["schedule.block=64"])
    expected = drawing(hub, backend="reference")
    assert list(differences(drawing.ir, expected, drawing(hub, backend="cuda"))) == []
    assert drawing(hub, backend="cuda").layout_ms == 0 and drawing(even, backend="cuda").layout_ms is None
    other = make_graph(star(80), 81, directed=False)
    monkeypatch.setattr(renumbered_graph, "_bytes", lambda graph, given: 1 << 50)
    for each, values in ((program, {"source": 3}), (drawing, {}), (drawing, {})):
        assert each(other, backend="cuda", **values).layout_ms is None
    ordered = gdsl.compile("bfs", tune=["schedule.block=64", WORD])
    with pytest.raises(GdslError) as caught:
        ordered(other, source=3, backend="cuda", memory="device")
    assert caught.value.code == "E0912"
    assert ordered(other, source=3, backend="cuda").layout_ms is not None, "in the memory of the host"


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in CASES])
@pytest.mark.sampled(28)
def test_programs_answer_as_on_the_ids_that_were_given(case: Any) -> None:
    """All that may run so, and others are refused; one in three a kernel a step, one in three with wide ids."""
    if not program_of(case.name).any_ids:
        with pytest.raises(GdslError, match="by_degree` does not fit here"):
            program_of(case.name, (WORD,))
        return
    turn = len(case.name) % 3
    words = (WORD, *(("schedule.fuse=off",) if turn == 1 else ()))
    widths = Widths.both(64 if turn == 2 else 32)
    built = build(case.name, words, (SMALL, TINY)[turn % 2], widths)
    assert built.plan.layout is not None
    chosen = [graph for graph in graphs() if case.suits(graph) and graph.num_edges]
    for seed, graph in enumerate(chosen[: 2 if built.plan.layout.looks_up else 3]):
        compare(built, graph, case, seed)


def compare(built: Built, graph: gdsl.Graph, case: Any, seed: int) -> None:
    values = case.values(graph, seed)
    bindings = bind(built.program, graph, values, id_bits=built.widths.vertex)
    expected = expect(built.program, graph, bindings, built.widths.vertex)
    found = built.run(graph, bindings, device_for(seed, 1 + seed % 3))
    assert found.layout_ms is not None
    answers = [{**each.arrays, **each.scalars} for each in (expected, found)]
    assert list(differences(built.program, *answers)) == []
    case.check(graph, values, answers[1])


MISTAKES = [
    ("rank[given] = (vertex)i;", "rank[i] = given;"),
    ("backward ? other << 32 | own : own << 32 | other", "own << 32 | other"),
    ("(word)offsets[v] + lane;", "(word)offsets[v] + lane + 1;"),
    ("keys[middle] >> 32 < (word)v", "keys[middle] >> 32 <= (word)v"),
    ("sources[e] = (vertex)v;", "sources[e] = (vertex)0;"),
    ("names[id] : ~vertex(0)", "id : ~vertex(0)"),
    ("names[id] : ~vertex(0)", "names[id] : vertex(0)"),
    ("v < count ? places[v] : Place(0)", "v < count ? (Place)v : Place(0)"),
    ("each + i % each]", "each]"),
    ("if (v < count) __stcs", "__stcs"),
    ("(columns, offsets[v], e, columns[e])", "(columns, offsets[v], e, 0)"),
    ("+ before", "+ 0 * before"),
    ("behind, order[columns[e]]) +", "behind, columns[e]) +"),
    ("= given_offsets[order[v]]", "= given_offsets[v]"),
]
SEEN = """program seen;
problem {
    param s : vertex;
    input vertex weight : int32;
    vertex level : int32 = -1;
    vertex parent : vertex;
    vertex first[2] : int64;
    vertex into : int32;
    vertex lower : int32;
    input edge cost : int32;
    input edge ways[3] : bool;
    vertex paid : int32;
    vertex some[2] : int32;
}
edge functor visit(src, dst, e) { cond level[dst] == -1; apply { level[dst] = iteration + 1; } }
edge functor one(src, dst, e) -> int32 { value weight[src]; }
edge functor pay(src, dst, e) -> int32 { value cost[e] * (int32(src == s) + 2); }
edge functor count(src, dst, e) {
    apply { paid[dst] += cost[e]; if (ways[e][2]) { some[src][0] += 1; } if (ways[e][1]) { some[dst][1] += 1; } }
}
edge functor along(src, dst, e) { apply { first[dst][1] += 1 + weight[src]; } }
vertex functor stand(v) { apply { parent[v] = level[v] == 2 ? v : level[v] == 1 ? s : none; } }
schedule {
    level[s] = 0;
    frontier f = { s };
    while (f) { f = advance(f, visit); }
    compute(vertices, stand);
    into = neighbor_reduce(vertices, one, sum, over=in_edges);
    compute(edges, along);
    paid = neighbor_reduce(vertices, pay, sum);
    advance(vertices, count, to=none);
}
"""
TIES = """program ties;
requires symmetric;
problem { param s : vertex; input vertex weight : int32; vertex lower : int32; }
edge functor up(src, dst, e) { cond (out_degree(src), src) < (out_degree(dst), dst); apply { lower[dst] += 1; } }
schedule { advance(vertices, up, to=none); }
"""


BACKWARD = ("| (word)v;", "| (word)(vertices - 1 - v);")
"""Vertices of equal degree in the reverse of their order."""
TRIALS = [(SEEN, None), (TIES, None), (TIES, BACKWARD), *((SEEN, mistake) for mistake in MISTAKES)]


@pytest.mark.parametrize(("text", "mistake"), TRIALS, ids=range(len(TRIALS)))
@pytest.mark.sampled(5)
def test_a_mistake_in_the_numbering_is_seen(
    monkeypatch: pytest.MonkeyPatch, text: str, mistake: tuple[str, str] | None
) -> None:
    source = text_for(Widths.both(32))
    if mistake is not None:
        assert source.count(mistake[0]), "its text is no longer there; find its place anew"
        module = EmulatedModule(source.replace(*mistake), "renumbering.cu")
        monkeypatch.setattr(running, "renumbering", lambda *of: module)
    built, found = build(text, (WORD,)), []
    for seed, graph in enumerate(graphs()[: 1 if text is TIES else 3]):
        weight = np.arange(graph.num_vertices, dtype=np.int32)
        values: dict[str, Any] = {"s": 2, "weight": weight}
        if text is SEEN:
            places = np.arange(graph.num_edges)
            ways = (places[:, None] >> np.arange(3)) % 2 == 1
            values |= {"cost": (places * 7 % 101).astype(np.int32), "ways": ways}
        bindings = bind(built.program, graph, values)
        try:
            outcome = built.run(graph, bindings, device_for(seed, 1))
        except EmulatorError as error:
            found.append(str(error))
            continue
        answers = [{**each.arrays, **each.scalars} for each in (expect(built.program, graph, bindings), outcome)]
        found += differences(built.program, *answers)
    assert bool(found) == (mistake is not None)


@pytest.mark.parametrize("blocks", [1, 2, 7])
def test_rows_of_more_than_a_block_goes_through_together(blocks: int) -> None:
    """Also where blocks are left over, and where there are fewer than parts of a row."""
    count, rows, widths = 8200, 3, Widths.both(32)
    degrees = np.random.default_rng(1).integers(0, 3, count)
    edges = [(vertex, other) for vertex, degree in enumerate(degrees.tolist()) for other in range(degree)]
    graph, device = make_graph(edges, count), device_for(3, blocks)
    kernels = numbering.Kernels(device, running.renumbering(widths).get_function)
    made = renumbered_graph.RenumberedGraph(kernels, GraphOnDevice(device, graph, widths), graph).numbering
    order, rank = (device.fetch(buffer, np.int32, count) for buffer in (made.order, made.rank))
    assert (order[rank] == np.arange(count)).all() and (order != np.arange(count)).any()
    step = count + 3
    given = np.random.default_rng(2).integers(-1, count, (rows, step)).astype(np.int32)
    buffer = device.upload(given)
    for of_ids in (False, True):
        found = made.put_rows_outside(buffer.pointer, 4 * count, of_ids, (rows, 4 * step))
        values = device.fetch(found, np.int32, rows * step).reshape(rows, step)[:, :count]
        expected = given[:, rank]
        assert np.array_equal(values, np.where(expected < 0, -1, order[expected]) if of_ids else expected)


def test_it_goes_with_the_graph(cupy: FakeCupy) -> None:
    graph = make_graph(star(20), 21, directed=False)
    program = gdsl.compile("bfs", tune=["schedule.block=64", WORD])
    program(graph, source=3, backend="cuda")
    (made_ready,) = program._executables.values()
    (enactor,) = (record.enactor for record in made_ready._records.values())
    made, numbering = weakref.ref(enactor.on_device), weakref.ref(enactor.on_device.numbering)
    gc.disable()
    try:
        del enactor, graph
        assert made() is None and numbering() is None, "nobody waits for a search for garbage"
    finally:
        gc.enable()
