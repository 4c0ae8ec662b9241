"""Results that go on after insertions are those of full runs; what may not go on is refused with its line."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gdsl
from gdsl.api.resuming import continuations
from gdsl.binding import bind
from gdsl.diagnostics import GdslError
from gdsl.graph import Graph, updates
from tests.interleaving.interleave import explore
from tests.support.graphs import graphs, make_graph, path, random_graph
from tests.support.thread_workers import thread_workers

PROGRAMS = Path(__file__).parents[1] / "programs"
COMPONENTS = """program components;
problem { vertex component : vertex = id; scalar count : int64; }
edge functor pass_on(src, dst, e) { apply { accept changed(component[dst] min= component[src]); } }
schedule {
    frontier f = vertices;
    while (f) { f = advance(f, pass_on); }
    compute(vertices, v => { if (component[v] == v) { count += 1; } });
}"""
DEEPEST = """program deepest;
problem { param limit : int32 = 1000; input vertex rank : int32; vertex high : int32 = 5; scalar total : int64; }
edge functor lift(src, dst, e) { apply { accept changed(high[far] max= min(high[near], limit)); } }
schedule {
    compute(vertices, v => { if (rank[v] > 3) { high[v] = rank[v] * 10; } });
    frontier f = where(v => rank[v] > 5);
    while (f) { f = advance(f, lift, over=all_edges); }
    advance(vertices, (src, dst, e) => { total += int64(high[dst]) * out_degree(src); }, to=none);
}"""
WITHOUT_EDGES_AFTER = DEEPEST[: DEEPEST.index("    advance(vertices")] + "    total = sum(high);\n}"
BLOCKED = """program blocked;
problem { param limit : float32; input vertex rank : int32; input edge weight : float32; vertex state : int32; }
edge functor visit(src, dst, e) {
    cond state[far] == 0 && weight[e] < limit && rank[near] != 7;
    apply { state[far] = 2; }
}
schedule {
    compute(vertices, v => { state[v] = rank[v] % 3; });
    frontier f = where(v => rank[v] > 4);
    while (f) { f = advance(f, visit, over=in_edges); }
}"""
SMALL = BLOCKED.replace(
    "vertex state : int32;", "vertex state : int32; local vertex small : int32; vertex told : int32;"
)
SMALL = (
    SMALL[:-1]
    + """    compute(vertices, v => { small[v] = state[v] * 3; });
    compute(vertices, v => { told[v] = small[v] + 1; });
}"""
)
"""How large the values of `small` are follows from those of a result."""
ALL: dict[str, tuple[str, dict[str, Any]]] = {
    "sssp": ("sssp", {"source": 0}),
    "reachability": ("reachability", {"sources": [0]}),
    "components": (COMPONENTS, {}),
    "deepest": (DEEPEST, {"limit": 60}),
    "without_edges_after": (WITHOUT_EDGES_AFTER, {}),
    "without_edges_after, in_edges": (WITHOUT_EDGES_AFTER.replace("all_edges", "in_edges"), {"limit": 60}),
    "blocked": (BLOCKED, {"limit": 12}),
    "blocked, all_edges": (BLOCKED.replace("in_edges", "all_edges"), {"limit": 20}),
    "small": (SMALL, {"limit": 12}),
    "nearest_waiting": (str(PROGRAMS / "nearest_waiting.gdsl"), {"source": 0}),
    "widest_path": (str(PROGRAMS / "widest_path.gdsl"), {"source": 0}),
}


def with_attributes(graph: Graph) -> Graph:
    capacity = (graph.attributes["weight"] * 4).astype(np.uint32)
    rank = (np.arange(graph.num_vertices) * 5 % 9).astype(np.int32)
    return Graph(
        graph.offsets,
        graph.columns,
        directed=graph.directed,
        attributes={**graph.attributes, "capacity": capacity},
        vertex_attributes={"rank": rank},
    )


def insertion(edges: list[tuple[int, int, int]]) -> tuple[Any, ...]:
    weights = np.array([edge[2] for edge in edges], np.int64)
    values = {"weight": (weights / 4).astype(np.float32), "capacity": weights.astype(np.uint32)}
    return [edge[0] for edge in edges], [edge[1] for edge in edges], values


@st.composite
def growing(draw: st.DrawFn) -> tuple[Graph, list[tuple[list[tuple[int, int, int]], bool, bool]]]:
    """A graph, and insertions, each with whether the graph is merged then, and whether the result goes on."""
    graph = draw(graphs(max_vertices=10, max_edges=14))
    vertex = st.integers(0, graph.num_vertices - 1)
    edges = st.lists(st.tuples(vertex, vertex, st.integers(0, 99)), max_size=4)
    return graph, draw(st.lists(st.tuples(edges, st.booleans(), st.booleans()), min_size=1, max_size=4))


def graph_of(graph: Graph) -> Graph:
    """The merged graph, while `graph` keeps its delta."""
    return graph if graph._delta is None else Graph._of_csr(graph._delta)


def assert_equal(one: gdsl.Result, other: gdsl.Result) -> None:
    assert {name: np.asarray(one[name]).tolist() for name in one} == {
        name: np.asarray(other[name]).tolist() for name in other
    }


@pytest.mark.parametrize("backend", ["reference", pytest.param("cpu", marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ALL)
@pytest.mark.rare(5)
def test_a_resumed_result_is_that_of_a_full_run(name: str, backend: str) -> None:
    text, values = ALL[name]
    program = gdsl.compile(text)

    @given(growing())
    @settings(max_examples=4 if backend == "reference" else 8)
    def check(case: Any) -> None:
        graph, steps = with_attributes(case[0]), case[1]
        result = program(graph, backend=backend, **values)
        for edges, is_merged, goes_on in steps:
            graph = graph.updated(insert=insertion(edges))
            if is_merged:
                assert graph.offsets[-1] == graph.num_edges
            if not goes_on or graph._changes_since(result._origin.graph) is None:  # small graphs soon forget
                continue
            result = program.resume(result, graph, backend=backend)
            full = program(graph_of(graph), backend=backend, **values)
            assert_equal(result, full)
            assert result.grade == full.grade

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(updates, "_MERGED_FROM", 0)  # otherwise deltas of small graphs are merged immediately
        check()


BESIDE = [name for name in ALL if name not in ("deepest", "nearest_waiting")]


@pytest.mark.parametrize("name", ALL)
def test_graphs_are_merged_only_for_programs_that_need_it(name: str) -> None:
    text, values = ALL[name]
    program = gdsl.compile(text)
    graph = with_attributes(make_graph([*path(9), *[(a + 10, b + 10) for a, b in path(9)]], 30))
    result = program(graph, backend="reference", **values)
    for edges in ([(3, 12, 4)], [(15, 25, 8), (0, 6, 1)]):
        graph = graph.updated(insert=insertion(edges))
        result = program.resume(result, graph, backend="reference")
        assert (graph._delta is not None) is (name in BESIDE)
    array = next(iter(result.arrays))
    assert result.to_networkx().number_of_edges() == graph.num_edges == 19
    assert_equal(result, program(graph, backend="reference", **values))
    assert array in result.grade


@pytest.mark.parametrize("name", BESIDE)
@pytest.mark.sampled(3)
def test_inserted_edges_may_be_visited_in_any_order(name: str) -> None:
    """On a graph of a few vertices, where the calls of an operator interleave in all possible ways."""
    text, values = ALL[name]
    program = gdsl.compile(text)
    graph = with_attributes(make_graph([(0, 1), (1, 2), (3, 4), (4, 1)], 5))
    result = program(graph, backend="reference", **values)
    updated = graph.updated(insert=insertion([(2, 3, 4), (4, 0, 2), (0, 2, 9), (2, 4, 40)]))
    (run, *_) = continuations(program, result, updated, None, "reference")
    assert run.delta is not None
    found = explore(run.program.ir, run.graph, bind(run.program.ir, run.graph, run.arguments), range(40))
    assert len(found) == 1
    full = program(updated, backend="reference", **values)
    assert_equal(program.resume(result, updated, backend="reference"), full)


def test_what_is_computed_from_old_values_is_stored_in_full() -> None:
    """Ranges of values are those of a run from the beginning."""
    program, graph = gdsl.compile(SMALL), with_attributes(random_graph(20, 40, seed=3))
    result = program(graph, limit=12, backend="cpu")
    graph = graph.updated(insert=insertion([(5, 1, 1), (8, 6, 2)]))
    assert_equal(program.resume(result, graph, backend="cpu"), program(graph, limit=12, backend="reference"))


def test_only_what_insertions_change_is_visited() -> None:
    graph = make_graph(path(40), 40, [1.0] * 39)
    result = gdsl.samples.sssp(graph, source=0, backend="reference")
    resumed = gdsl.samples.sssp.resume(result, graph.updated(insert=([30], [39], [2.0])), backend="reference")
    assert resumed.distance[-1] == 32
    assert sum(record.edges for record in resumed.trace) < 12
    assert resumed.backend == "reference"


def test_vertices_that_the_first_run_did_not_reach_stay_unvisited() -> None:
    """A vertex with a value that was never in the worklist must not pass it on."""
    graph = Graph.from_edges([0], [1], 4, vertex_attributes={"rank": np.array([6, 0, 4, 0], np.int32)})
    program = gdsl.compile(DEEPEST)
    result = program(graph, backend="reference")
    assert result.high.tolist() == [60, 60, 40, 5]
    updated = graph.updated(insert=([2], [3]))
    assert program.resume(result, updated, backend="reference").high.tolist() == [60, 60, 40, 5]


def test_edges_that_were_merged_after_the_run_are_visited() -> None:
    """A later update is then beside a base that has more edges than the graph of the result."""
    graph = make_graph(path(20), 40, [1.0] * 19)
    result = gdsl.samples.sssp(graph, source=0, backend="reference")
    updated = graph.updated(insert=([19], [20], [1.0]))
    assert updated.columns.size == 20
    updated = updated.updated(insert=([20], [30], [1.0]))
    assert updated._delta is not None
    resumed = gdsl.samples.sssp.resume(result, updated, backend="reference")
    assert resumed.distance[[19, 20, 30]].tolist() == [19, 20, 21]
    again = updated.updated(insert=([30], [31], [1.0]))
    assert gdsl.samples.sssp.resume(resumed, again, backend="reference").distance[31] == 22
    assert again._delta is not None, "the graph of the result is not older than the base"


@pytest.mark.parametrize("is_merged", [False, True])
def test_nan_is_a_value_that_has_not_changed(is_merged: bool) -> None:
    text = """program blocked; problem { input vertex rank : float32; vertex state : float32 = rank[id]; }
        edge functor visit(src, dst, e) { cond state[dst] == 0.0; apply { state[dst] = 2.0; } }
        schedule { frontier f = { 0 }; while (f) { f = advance(f, visit); } }"""
    rank = np.array([0, np.nan, 0, 0], np.float32)
    graph = Graph.from_edges([0], [3], 4, vertex_attributes={"rank": rank})
    program = gdsl.compile(text)
    result = program(graph, backend="reference")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(updates, "_MERGED_FROM", 0)
        updated = graph.updated(insert=([1], [2]))
        assert not is_merged or updated.columns.size
        resumed = program.resume(result, updated, backend="reference")
    assert resumed.state[2:].tolist() == [0, 2]


def test_names_of_vertices() -> None:
    graph = Graph.from_table({"source": [30, 10, 20], "target": [10, 20, 40], "weight": [1.0, 2.0, 3.0]}, compact=True)
    result = gdsl.samples.sssp(graph, source=30, backend="reference")
    updated = graph.updated(insert=([30], [40], [0.5]))
    resumed = gdsl.samples.sssp.resume(result, updated, backend="reference")
    assert_equal(resumed, gdsl.samples.sssp(updated, source=30, backend="reference"))
    reached = gdsl.samples.reachability(graph, sources=[20], backend="reference")
    more = gdsl.samples.reachability.resume(reached, graph.updated(insert=([40], [10], [1])), backend="reference")
    assert more.total == 3


def test_edges_that_were_deleted_before_the_first_run() -> None:
    graph = make_graph(path(6), 6, [1.0] * 5).updated(insert=([0], [3], [9.0]), delete=([1], [2]))
    result = gdsl.samples.sssp(graph, source=0, backend="reference")
    updated = graph.updated(insert=([4], [1], [0.5]))
    resumed = gdsl.samples.sssp.resume(result, updated, backend="reference")
    assert resumed.distance.tolist() == [0, 1, float("inf"), 9, 10, 11]
    assert_equal(resumed, gdsl.samples.sssp(updated, source=0, backend="reference"))


def test_types_that_follow_the_weights() -> None:
    sssp = gdsl.samples.sssp
    for weights, more in (([True, False], [True]), ([2**40, 1], [5]), ([1.5, 2**-1000], [0.25])):
        graph = Graph.from_edges([0, 1], [1, 2], 4, weights)
        result = sssp.submit(graph, source=0, backend="reference").result()
        updated = graph.updated(insert=([2], [3], more))
        resumed = sssp.resume(result, updated, backend="reference")
        assert repr(updated).startswith("<Graph: 4 vertices, 3 stored edges") and updated._delta is not None
        full = sssp(updated, source=0, backend="reference")
        assert_equal(resumed, full)
        assert resumed.distance.dtype == full.distance.dtype


def test_rounded_weights_stay_rounded() -> None:
    graph = Graph.from_edges([0, 1], [1, 2], 4, [0.1, 0.2])
    options = {"types": {"weight_type": "float32"}, "backend": "reference"}
    result = gdsl.samples.sssp.run(graph, {"source": 0}, round="weight", **options)
    updated = graph.updated(insert=([2], [3], [0.3]))
    resumed = gdsl.samples.sssp.resume(result, updated, **options)
    assert_equal(resumed, gdsl.samples.sssp.run(updated, {"source": 0}, round="weight", **options))


def test_conditions_hold_of_inserted_edges() -> None:
    graph = make_graph(path(5), 5)
    result = gdsl.samples.sssp(graph, source=0, backend="reference")
    for used in (False, True):
        updated = graph.updated(insert=([1, 3], [3, 2], [1.0, -2.0]))
        assert not used or updated.columns.size
        with pytest.raises(GdslError, match=r"E0608.*edge 4 \(3 -> 2\) has -2.0"):
            gdsl.samples.sssp.resume(result, updated, backend="reference")
        with pytest.raises(GdslError, match=r"E0608.*edge 4 \(3 -> 2\) has -2.0"):
            gdsl.samples.sssp(updated, source=0, backend="reference")


def test_conditions_that_count_edges_are_tested_again() -> None:
    text = """program few; problem { input edge weight : int64 where weight < num_edges; vertex d : int64 = inf; }
        edge functor relax(src, dst, e) { apply { accept changed(d[dst] min= weight[e]); } }
        schedule { frontier f = vertices; while (f) { f = advance(f, relax); } }"""
    program = gdsl.compile(text)
    graph = Graph.from_edges([0, 1], [1, 2], 3, [1, 1])
    program(graph, backend="reference")
    with pytest.raises(GdslError, match="E0608"):
        program(graph.updated(delete=([0], [1])), backend="reference")


HINDERED = {
    "depends on the pass": ("bfs", 13, "what is stored in `distance` depends on the pass"),
    "a note": (
        COMPONENTS.replace("accept", "count += 1; accept"),
        3,
        "`component` is written in addition to `count`",
    ),
    "a degree before": (
        COMPONENTS.replace("= vertices;", "= where(v => out_degree(v) > 1);"),
        5,
        "depends on a degree",
    ),
    "a degree in the functor": (
        DEEPEST.replace("near], limit", "near], out_degree(near)").replace("input vertex rank", "vertex rank"),
        3,
        "`lift` depends on a degree",
    ),
    "an initial value": (
        COMPONENTS.replace("= id", "= vertex(out_degree(id))"),
        2,
        "the initial value depends on a degree",
    ),
    "an operator before": (
        COMPONENTS.replace(
            "frontier f", "advance(vertices, (src, dst, e) => { component[dst] min= src; }, to=none); frontier f"
        ),
        5,
        "computed from edges",
    ),
    "changed after": (
        COMPONENTS.replace(
            "    compute(vertices, v =>", "    compute(vertices, v => { component[v] = v; });\n compute(vertices, v =>"
        ),
        7,
        "changed again after the loop",
    ),
    "local": (COMPONENTS.replace("vertex component", "local vertex component"), 2, "`component` is local"),
    "no loop": ("program none_at_all; problem { vertex a : vertex = id; } schedule { }", 1, "no `while`"),
    "an edge id": (
        COMPONENTS.replace("min= component[src]", "min= max(component[src], vertex(int64(e)))"),
        3,
        "depends on",
    ),
}


@pytest.mark.parametrize("name", HINDERED)
def test_programs_that_may_not_go_on(name: str) -> None:
    text, line, why = HINDERED[name]
    program = gdsl.compile(text)
    graph = Graph.from_edges([0, 1], [1, 2])
    values = {"source": 0} if text == "bfs" else {}
    result = program(graph, backend="reference", **values)
    with pytest.raises(GdslError) as error:
        program.resume(result, graph)
    (diagnostic,) = error.value.diagnostics
    assert diagnostic.code == "E0430"
    assert why in diagnostic.message
    assert diagnostic.span is not None
    assert line is None or diagnostic.span.line == line


def test_results_from_elsewhere() -> None:
    graph = make_graph(path(4), 4)
    sssp = gdsl.samples.sssp
    result = sssp(graph, source=0, backend="reference")
    other = gdsl.samples.reachability(graph, sources=[0], backend="reference")
    weight = np.ones(3, np.float32)
    cases = [
        (other, graph, "not one of this text"),
        (result, make_graph(path(4), 4), "not known to be an update"),
        (result, graph.updated(delete=([1], [2])), "the edge 1 -> 2 was deleted since"),
        (sssp(graph, source=0, weight=weight, backend="reference"), graph, "`weight` was passed in the call"),
        (sssp(graph, source=0, types={"weight_type": "float64"}, backend="reference"), graph, "other types"),
    ]
    for from_elsewhere, at, why in cases:
        with pytest.raises(GdslError, match=f"E0622.*{why}"):
            sssp.resume(from_elsewhere, at)
    with pytest.raises(TypeError, match="a result of sssp"):
        sssp.resume(graph, graph)
    wide = sssp(graph, source=0, types={"weight_type": "float64"}, backend="reference")
    assert_equal(sssp.resume(wide, graph, types={"weight_type": "float64"}), wide)


@pytest.mark.parametrize("backend", ["reference", "cpu"])
def test_results_of_map(backend: str) -> None:
    graph = gdsl.Graph.from_edges(
        [0, 1, 2, 4], [1, 2, 3, 0], attributes={"weight": np.array([4.0, 2, 1, 1])}, directed=True
    )
    updated = graph.updated(insert=([0, 3], [3, 4], [2.0, 0.5]))
    sources = [2, 0, 4, 1]
    batch = gdsl.samples.sssp.map(graph, source=sources, backend=backend)
    one_by_one = gdsl.samples.sssp.imap(graph, source=sources, backend=backend, batch=2)
    for source, *results in zip(sources, batch, one_by_one, strict=True):
        full = gdsl.samples.sssp(updated, source=source, backend="reference")
        for result in results:
            assert_equal(gdsl.samples.sssp.resume(result, updated, backend="reference"), full)
    with pytest.raises(TypeError, match="for each in batch"):
        gdsl.samples.sssp.resume(batch, updated)  # type: ignore[arg-type]
    copied = pickle.loads(pickle.dumps(batch))
    with pytest.raises(gdsl.GdslError, match="does not know the run"):
        gdsl.samples.sssp.resume(copied[0], updated)


@pytest.mark.parametrize("name", ["sssp", "components"])
def test_workers_go_on(name: str) -> None:
    """From a result of one process, and from their own, again and again."""
    graph = random_graph(40, 60, seed=3, directed=False)
    program, values = (gdsl.samples.sssp, {"source": 0}) if name == "sssp" else (gdsl.compile(COMPONENTS), {})
    workers = thread_workers(3)
    result = program(graph, backend="reference", **values)
    for inserted in (([0], [9], [1.0]), ([3, 5], [38, 3], [0.25, 2.0])):
        graph = graph.updated(insert=inserted)
        full = program(graph, backend="reference", **values)
        result = program.resume(result, graph, workers=workers)
        assert_equal(result, full)
        assert result.iterations <= full.iterations
        own = program(graph, workers=workers, **values)
        assert_equal(program.resume(own, graph.updated(insert=([1], [2], [3.0])), workers=workers, max_iterations=50),
                     program(graph.updated(insert=([1], [2], [3.0])), backend="reference", **values))  # fmt: skip


def test_what_workers_cannot_go_on_from() -> None:
    graph, workers = gdsl.Graph.read("karate"), thread_workers(2)
    updated = graph.updated(insert=([0], [9], [1]))
    result = gdsl.samples.bfs(graph, source=0, backend="reference")
    with pytest.raises(gdsl.GdslError, match="E0430"):
        gdsl.samples.bfs.resume(result, updated, workers=workers)
    result = gdsl.samples.sssp(graph, source=0, backend="reference")
    with pytest.raises(TypeError, match="memory is for runs of one process"):
        gdsl.samples.sssp.resume(result, updated, workers=workers, memory="2GB")
    with pytest.raises(TypeError, match='not for runs with workers: with backend="cuda" each of them uses one GPU'):
        gdsl.samples.sssp.resume(result, updated, workers=workers, gpus=2)
    with pytest.raises(ValueError, match="not 'cuda:0,1'; with cuda each worker uses one GPU of its host"):
        gdsl.samples.sssp.resume(result, updated, workers=workers, backend="cuda:0,1")
    with pytest.raises(TypeError, match=r"workers is what gdsl\.cluster returns, not 3"):
        gdsl.samples.sssp.resume(result, updated, workers=3)
    with pytest.raises(ValueError, match="auto, cpu or cuda"):
        gdsl.samples.sssp.resume(result, updated, workers=workers, backend="reference")
    with pytest.raises(gdsl.GdslError, match=r"E0622.*was deleted"):
        gdsl.samples.sssp.resume(result, updated.updated(delete=([0], [1])), workers=workers)
