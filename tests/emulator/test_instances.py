"""Programs in the form that teams of blocks run for many values together, a bit for each: each value as by itself."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gdsl
from gdsl.backends.batch import Bounds, Part
from gdsl.backends.cuda import plan_of
from gdsl.backends.cuda.batch_runs import InstanceRuns
from gdsl.backends.cuda.memory import GraphOnDevice
from gdsl.backends.interface import Limits
from gdsl.backends.reference.interpreter import interpret
from gdsl.binding import bind
from gdsl.codegen.cuda.generate import generate
from gdsl.codegen.generated import CudaText
from gdsl.diagnostics import GdslError
from gdsl.graph import Graph
from gdsl.ir.nodes import Program
from gdsl.pipeline import load
from gdsl.plan import occupancy
from gdsl.plan.nodes import Plan
from tests.cpu.test_cpu_instances import PROGRAMS as ALL
from tests.support.graphs import graphs, named_graphs, random_graph

from .build import compiler
from .driver import EmulatedModule, EmulatorError
from .fake_cupy import FakeCupy
from .running import NARROW, SMALL, TINY, device_for

pytestmark = [pytest.mark.slow, pytest.mark.skipif(compiler() is None, reason="no g++ on this machine")]
DISTANCES = """program distances;
problem { param source : vertex; vertex distance : int32 = -1; }
edge functor visit(src, dst, e) { cond distance[dst] == -1; apply { distance[dst] = iteration + 1; } }
schedule { distance[source] = 0; frontier f = {source}; while (f) { f = advance(f, visit); } }
"""
BOTH_ENDS = """program both_ends;
problem {
    param source : vertex; param most : int32; param least : int32 = 1;
    input edge weight : int32; input vertex closed : bool;
    vertex level : int32 = -1; vertex passed : int32 = 0; vertex first : bool = true; scalar calls : int64 = 0;
}
edge functor reach(src, dst, e) {
    cond passed[src] < most && weight[e] >= least && level[dst] == -1 && !closed[dst] && first[dst];
    apply { level[dst] = iteration + 1; if (int32(dst) % 5 == 0) { first[dst] = false; } accept int32(dst) % 7 != 1; }
}
edge functor spread(src, dst, e) { cond level[near] > 0 && src != dst && iteration < 3; }
vertex functor mark(v) { cond level[v] >= 0; apply { passed[v] += level[v]; accept passed[v] != 2; } }
schedule {
    level[source] = 0;
    frontier f = {source};
    while (size(f) > 0) { f = advance(f, reach); compute(f, v => { passed[v] = iteration; }); }
    f = where(mark);
    repeat (4) { f = advance(f, spread, over=all_edges); compute(f, v => { passed[v] += 1; }); }
    frontier g = advance(vertices, spread);
    if (most > 2) { fill(first, most == 4); g = g - f; } else { g = vertices & g; }
    compute(g, v => { calls += 10; });
}
"""
REFUSED = ("bfs", "tree", "several searches", "limits")
PROGRAMS = {name: text for name, text in ALL.items() if name not in REFUSED} | {
    "distances": DISTANCES,
    "both ends": BOTH_ENDS,
}
SHAPES = ("one_vertex_directed", "self_loops_directed", "duplicates_undirected", "two_hubs_undirected")


@cache
def built(name: str, words: int = 1, tiny: bool = False) -> tuple[Program, Plan, CudaText, EmulatedModule]:
    program = load(PROGRAMS[name])
    sizes = replace(TINY if tiny else SMALL, instance_words=words, members_at_once=2, shared_visits=0)
    sizes = replace(sizes, pulled_at_once=8 if words == 4 else 2)
    plan = plan_of(program, sizes, instances=words)
    assert plan.bits is not None
    generated = generate(plan, NARROW)
    return program, plan, generated, EmulatedModule(generated.text, f"{program.name}.cu")


def values(name: str, program: Program, graph: Graph, number: int) -> dict[str, Any]:
    vertices = max(graph.num_vertices, 1)
    every = {
        "source": number * 7 % vertices, "start": number * 5 % vertices, "other": number // 2 % vertices,
        "left": number % vertices, "right": number // vertices % vertices,
        "rounds": number % 4, "both": number % 3 > 0, "most": number % 5,
        "weight": np.arange(graph.num_edges, dtype=np.int32) % 3, "closed": np.arange(graph.num_vertices) % 4 == 3,
    }  # fmt: skip
    declared = {each.name for each in (*program.params, *program.arrays)}
    return {key: value for key, value in every.items() if key in declared}


def check(name: str, graph: Graph, count: int, blocks: int, seed: int, words: int = 1, **options: Any) -> list[Part]:
    program, plan, generated, module = built(name, words, options.pop("tiny", False))
    bound = [bind(program, graph, values(name, program, graph, number), id_bits=32) for number in range(count)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(occupancy, "blocks_a_team", lambda *_: blocks)
        device = device_for(seed, 4)
        runs = InstanceRuns(device, module.get_function, plan, generated, GraphOnDevice(device, graph, NARROW))
        parts = list(runs.run(bound, Limits(), Bounds(**options)))
    known: dict[str, Any] = {}
    number = 0
    for part in parts:
        for row in range(len(part.iterations)):
            bindings = bound[number]
            key = repr(sorted(bindings.params.items()))
            if key not in known:
                known[key] = interpret(program, graph, bindings, Limits())
            alone = known[key]
            assert part.iterations[row] == alone.iterations
            for array in program.arrays:
                if not array.is_local and not array.is_input and array.unique:
                    assert np.array_equal(part.arrays[array.name][row], alone.arrays[array.name]), (array.name, number)
            for scalar in program.scalars:
                if not scalar.is_local and scalar.unique:
                    assert part.scalars[scalar.name][row] == alone.scalars[scalar.name], (scalar.name, number)
            number += 1
    assert number == count
    return parts


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("blocks", [1, 2])
@pytest.mark.rare(6)
def test_any_order(name: str, blocks: int) -> None:
    check(name, random_graph(30, 110, seed=3, directed=False), 70, blocks, seed=blocks)


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.rare(3)
def test_several_words(name: str) -> None:
    check(name, random_graph(20, 70, seed=5, directed=True), 100, 2, seed=4, words=2, at_once=90)


@pytest.mark.rare(3)
def test_lanes_read_neighbors_for_each_other() -> None:
    """Several each, and lists of many chunks, in which members are found late or not at all."""
    check("reachability", named_graphs(with_empty=False)["two_hubs_undirected"], 300, 2, seed=7, words=4)
    check("distances", random_graph(60, 900, seed=8, directed=True), 70, 3, seed=7, words=4)


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.rare(8)
def test_graphs(name: str, shape: str) -> None:
    check(name, named_graphs(with_empty=False)[shape], 9, 2, seed=2, tiny=True)


def test_calls_find_their_way(cupy: FakeCupy, monkeypatch: pytest.MonkeyPatch) -> None:
    """From `Program.map` to one launch of groups, and to the other form where values share too few visits."""
    program = gdsl.compile(DISTANCES, tune=["schedule.block=64"])
    graph = random_graph(40, 160, seed=3, directed=False)
    monkeypatch.setattr(occupancy, "words_of_instances", lambda *_: 1)
    cupy.log.clear()
    batch = program.map(graph, source=[number % 40 for number in range(70)], backend="cuda")
    assert cupy.log["launch"] == 1
    assert batch.how == "one launch, 64 values at a time in each of 2 teams, 1 block each"
    reference = program.map(graph, source=range(40), backend="reference")
    assert np.array_equal(np.asarray(batch.host_arrays()["distance"])[:40], reference.distance)
    with pytest.raises(gdsl.GdslError, match="E0803"):
        program.map(graph, source=range(40), backend="cuda", max_iterations=1)
    first = np.arange(299)
    chain = gdsl.Graph.from_edges(first, first + 1, num_vertices=300, directed=False)
    sources = list(range(0, 300, 9))
    batch = program.map(chain, source=sources, backend="cuda")
    assert "one block each" in batch.how
    assert np.array_equal(batch.host_arrays()["distance"], [[abs(a - b) for b in range(300)] for a in sources])


@pytest.mark.parametrize("name", ["distances", "both ends"])
@pytest.mark.rare(2)
@settings(max_examples=6, deadline=None)
@given(graph=graphs(), count=st.integers(1, 70), seed=st.integers(0, 99))
def test_any_graph(name: str, graph: Graph, count: int, seed: int) -> None:
    if graph.num_vertices:
        check(name, graph, count, 2, seed, tiny=True)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        pytest.param("return instances & atomic", "return instances; atomic", id="two calls are the first"),
        pytest.param("        next[i] = instances;\n", "", id="a pull finds nothing"),
        pytest.param("place(k) < last ? open & from[k] : 0", "open & from[k]", id="edges that there are not"),
        pytest.param("ids[k] = next[k];", "", id="the same neighbors again"),
        pytest.param("following = after, open = open_next", "following = after", id="instances of another chunk"),
        pytest.param("first_instances(batch.count - first)", "first_instances(64)", id="instances that there are not"),
        pytest.param("value * batch.record", "0 * batch.record", id="one record for all"),
    ],
)  # fmt: skip
@pytest.mark.rare(4)
def test_mistakes_are_found(monkeypatch: pytest.MonkeyPatch, right: str, wrong: str) -> None:
    """With these in the text there is a race, or something else comes out."""
    program, plan, generated, _ = built("reachability")
    assert right in generated.text
    module = EmulatedModule(generated.text.replace(right, wrong), "mistaken.cu")
    monkeypatch.setitem(globals(), "built", lambda *_: (program, plan, generated, module))
    with pytest.raises((EmulatorError, AssertionError, GdslError)):
        for seed in range(4):
            check("reachability", random_graph(40, 160, seed=3, directed=False), 40, 2, seed)
