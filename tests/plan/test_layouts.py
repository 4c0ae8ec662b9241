"""Which programs a GPU runs on vertices by degree, on which graphs, and what that asks of memory."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from gdsl.backends.cuda import degree_order
from gdsl.backends.cuda.degree_order import saved_by_degrees
from gdsl.extents import of_graph
from gdsl.ir.ids import NAME as GIVEN_IDS
from gdsl.operations import Layout
from gdsl.plan import renumbering, target
from gdsl.plan.buffer_nodes import Role
from gdsl.plan.graph_class import LARGE
from gdsl.plan.printer import print_plan
from gdsl.plan.renumbering import can_be_put, is_worth

from .planning import ROOT, plan_of

LOOKS = (ROOT / "tests" / "programs" / "independent_set.gdsl").read_text()
BY_DEGREE, AS_GIVEN = "schedule.layout=by_degree", "schedule.layout=as_given"
LEAVES = """program p;
problem { vertex a : bool; vertex b : bool; }
edge functor f(src, dst, e) -> bool { value a[dst]; }
schedule { b = neighbor_reduce(vertices, f, some); }
"""
NO_LISTS = "program p; problem { vertex a : int32; } schedule { compute(vertices, v => { a[v] = out_degree(v); }); }"
WALKS = """program p;
problem { vertex a : int32; scalar n : int64; }
edge functor f(src, dst, e) { cond (src < dst) == true; apply { n += 1; } }
schedule { advance(vertices, f, to=none); }
"""
SUMS = """program p;
problem { vertex a : int32; vertex b : int32 = 1; }
edge functor f(src, dst, e) { apply { a[dst] += 1; } }
schedule { advance(vertices, f, to=none); }
"""
SENDS = """program p;
problem { vertex a : int32 = 1; vertex n : int32; }
edge functor f(src, dst, e) -> int32 { cond a[src] > 1; value a[src]; }
schedule { n = neighbor_reduce(vertices, f, sum, over=in_edges); }
"""
HOST = """program p;
problem { scalar n : int64; }
edge functor f(src, dst, e) { cond reverse(e) == none; }
schedule { edge frontier g = filter(edges, f); n = size(g); }
"""


@pytest.mark.parametrize(
    ("program", "auto", "asked"),
    [
        ("bfs", True, True),
        ("pagerank", True, True),
        ("triangle_count", True, True),
        ("sssp", False, True),
        ("spmv", True, True),
        (LEAVES, False, True),
        (LEAVES.replace("some", "count").replace("b : bool", "b : int32"), True, True),
        (NO_LISTS, False, True),
        (HOST, False, True),
        ("coloring", False, True),
        (LOOKS, True, True),
        ("maximal_independent_set", False, True),
        ("k_core", False, True),
        ("clustering_coefficient", False, True),
        (SENDS, True, True),
        (SUMS, False, True),
        (SUMS.replace("f(src, dst, e) {", "f(src, dst, e) { cond b[src] > 1;"), False, True),
        (SUMS.replace("f(src, dst, e) {", "f(src, dst, e) { cond b[dst] < 9;"), True, True),
        (SUMS.replace("a[dst] += 1", "a[src] += 1"), True, True),
        (SUMS.replace("a[dst] += 1", "a[dst] max= 1"), True, True),
        (WALKS, False, True),
        (WALKS.replace("src < dst", "a[src] == a[dst] && src < dst"), True, True),
    ],
)
@pytest.mark.sampled(3)
def test_which_programs(program: str, auto: bool, asked: bool | None) -> None:
    assert (plan_of(program).layout is not None) == auto
    assert plan_of(program, AS_GIVEN).layout is None
    if asked:
        made = plan_of(program, BY_DEGREE).layout
        assert made is not None and made.always
        assert plan_of(program, BY_DEGREE, on=target.CPU).layout is None


def test_what_crosses_the_border_and_what_is_held() -> None:
    plan = plan_of("bfs")
    layout = plan.layout
    assert layout is not None
    assert (layout.ids, layout.arrays) == (("source", "parent"), ("distance", "parent"))
    sizes = of_graph(1000, 5000, {})
    by_role = {role: sum(each.extent.value(sizes) for each in layout.buffers if each.role is role) for role in Role}
    assert by_role[Role.NAMES] == 2000 and by_role[Role.RESULT] == 2000 and by_role[Role.SORTED] == 10_000
    assert f"layout: vertices by decreasing degree where {renumbering.WORTH}" in print_plan(plan)
    assert "layout: vertices by decreasing degree\n" in print_plan(plan_of("bfs", BY_DEGREE))


def test_values_of_edges() -> None:
    auto, always, plain = plan_of("spmv"), plan_of("spmv", BY_DEGREE), plan_of("bfs").layout
    assert auto.layout is not None and always.layout is not None and plain is not None
    assert (auto.layout.arrays, auto.layout.of_edges, plain.of_edges) == (("x", "y"), ("weight",), ())
    assert "    in the order of its edges, where they are the graph's own: weight\n" in print_plan(auto)
    assert "    in the order of its edges: weight\n" in print_plan(always)
    assert [can_be_put(each, own) for each in (auto.layout, always.layout, plain) for own in ({"weight"}, {"x"})] == [
        *(True, False),
        *(True, True),
        *(True, True),
    ]
    [edges] = (each for each in auto.layout.buffers if each.role is Role.NAMES_OF_EDGES)
    assert edges.extent.value(of_graph(1000, 5000, {})) == 5000


def test_a_program_that_looks_ids_up() -> None:
    plan = plan_of(LOOKS)
    assert plan.layout is not None and plan.layout.looks_up
    assert "in a kernel of its own, which looks up the ids as given" in print_plan(plan)
    other = renumbering.looking_up(plan.program)
    assert [array.name for array in other.arrays if array.is_input] == [GIVEN_IDS]
    assert renumbering.looking_up(other) is not None and other.tuning.layout is Layout.BY_DEGREE
    assert not plan_of("triangle_count").layout.looks_up  # type: ignore[union-attr]


def test_on_which_graphs() -> None:
    auto, always = plan_of("bfs").layout, plan_of("bfs", BY_DEGREE).layout
    assert auto is not None and always is not None
    social, even, small = (1 << 22, 1 << 27, lambda: 9.0), (1 << 22, 1 << 27, lambda: 0.7), (1000, 30_000, lambda: 9.0)
    assert [is_worth(auto, *graph) for graph in (social, even, small)] == [True, False, False]
    assert [is_worth(always, *graph) for graph in (social, even, small, (0, 0, float))] == [True, True, True, False]
    assert not is_worth(always, 1 << 31, 1 << 33, float), "both ends of an edge are sorted as one word"


def test_what_is_saved_by_degree() -> None:
    """By hand: a cache of 4,096 sectors of eight values."""
    hubs = np.ones(1 << 20, np.int64)
    hubs[:: 1 << 6] = 1000  # 16,384 of them, each in a sector of its own: a quarter is in the cache as given
    held, by_degree = 4096 * 1007, 16384 * 1000 + 16384
    assert saved_by_degrees(hubs) * (1 << 20) == by_degree - held
    assert saved_by_degrees(np.sort(hubs)) == 0 == saved_by_degrees(np.full(100_000, 7))
    few = np.ones(1 << 20, np.int64)
    few[::100_000] = 1 << 20
    assert saved_by_degrees(few) < 0.1, "a few are in the cache in any case"
    assert saved_by_degrees(np.zeros(0, np.int64)) == 0 == saved_by_degrees(np.array([5]))


def test_every_fourth_sector_stands_for_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    degrees = np.random.default_rng(1).zipf(2.2, 1 << 22).clip(max=1 << 16)
    sampled = saved_by_degrees(degrees)
    monkeypatch.setattr(degree_order, "SAMPLED", 1 << 20)
    assert sampled == pytest.approx(saved_by_degrees(degrees), rel=0.2)


def test_searches_need_as_many_vertices_as_make_long_passes() -> None:
    bfs, triangles, pagerank = (plan_of(name).layout for name in ("bfs", "triangle_count", "pagerank"))
    assert bfs is not None and triangles is not None and pagerank is not None
    assert bfs.searches and not triangles.searches and not pagerank.searches
    few, many = ((LARGE + more, 1 << 25, lambda: 9.0) for more in (0, 1))
    assert [is_worth(each, *few) for each in (bfs, triangles, pagerank)] == [False, True, True]
    assert [is_worth(each, *many) for each in (bfs, triangles, pagerank)] == [True, True, True]


def test_programs_whose_results_move_need_more() -> None:
    bfs, triangles = plan_of("bfs").layout, plan_of("triangle_count").layout
    assert bfs is not None and triangles is not None
    graph = 1 << 22, 1 << 27
    assert [is_worth(bfs, *graph, partial(float, saved)) for saved in (0.7, 0.75)] == [False, True], "ids count twice"
    assert [is_worth(triangles, *graph, partial(float, saved)) for saved in (0.2, 0.25)] == [False, True]
    pagerank = plan_of("pagerank").layout
    assert pagerank is not None and pagerank.keeps
    assert [is_worth(pagerank, *graph, partial(float, saved)) for saved in (2.4, 2.5)] == [False, True]


def test_arrays_may_have_names_that_other_buffers_have() -> None:
    text = """program p; problem { param s : vertex; vertex NAMED : int32 = -1; }
edge functor visit(src, dst, e) { cond NAMED[dst] == -1; apply { NAMED[dst] = iteration; } }
schedule { NAMED[s] = 0; frontier f = { s }; while (f) { f = advance(f, visit); } }
"""
    plan = plan_of(text)
    assert plan.layout is not None
    names = {buffer.name for buffer in (*plan.buffers, *plan.layout.buffers)}
    assert {"hubs", "trace", "offsets", "rank"} <= names
    for name in names:
        layout = plan_of(text.replace("NAMED", name)).layout
        assert layout is not None and layout.arrays == (name,)
        assert len(layout.buffers) == len(plan.layout.buffers)
