"""What is fetched for the vertices that come next: where that is done, within arrays alone, and nothing comes of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import pytest
from support.graphs import grid, make_graph, random_graph

from gdsl.backends.cuda import plan_of
from gdsl.binding import bind
from gdsl.operations import Over
from gdsl.pipeline import load
from gdsl.plan.graph_class import GENERAL
from gdsl.plan.heuristics import class_for
from gdsl.plan.hints import PrefetchRows
from gdsl.plan.nodes import Plan
from gdsl.plan.walking import sweeps
from gdsl.types import Widths

from . import build
from .driver import EmulatedModule
from .running import NARROW, ROOT, SHORT_LISTS, SMALL, device_for, differences, emulated, expect, program_of

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")
MEANS = """program means;
problem {
    vertex height : int64 = int64(id) * 7 % 101; vertex flag : bool; vertex wide : float64 = 1;
    vertex pair : (int64, int64) = (0, 0); vertex above : int64; vertex kept : int64; scalar most : int64;
}
edge functor other(src, dst, e) -> int64 { cond !flag[src]; value height[dst]; }
vertex functor settle(v) {
    apply {
        kept[v] = above[v] + height[v] + int64(wide[v]) + in_degree(v); most max= kept[v];
        pair[v] = (height[v], pair[v].1 + 1);
    }
}
schedule {
    repeat (3) {
        above = neighbor_reduce(vertices, other, sum);
        compute(vertices, settle);
        swap(height, kept);
    }
    frontier low = where(v => height[v] < 300 && !flag[v]);
    compute(low, v => { wide[v] += 1; flag[v] = height[v] % 3 == 0; });
}
"""
"""A reduction and what runs behind it, and a filter with what follows it, with values of all sizes."""
ROUNDS = """program rounds;
problem { vertex mark : int32; vertex height : int32 = int32(id) * 7 % 101; vertex best : int32; }
edge functor beside(src, dst, e) -> int32 { value height[dst] - mark[src]; }
vertex functor stays(v) { cond best[v] > height[v] && mark[v] < 4; apply { mark[v] += 1; } }
schedule {
    frontier rest = vertices;
    while (rest) { best = neighbor_reduce(rest, beside, max); rest = filter(rest, stays); }
}
"""
"""The same over a set that is whole at first."""
GRAPHS = (
    make_graph(grid(29, 31), 899, directed=False),
    random_graph(900, 1500, seed=3, directed=True),
    make_graph([(0, i) for i in range(1, 500)], 500),  # with a list that is not short
    make_graph([], 700),
    make_graph([(3, 3)], 5),
)


def sweeps_with_rows(plan: Plan) -> Iterator[PrefetchRows]:
    return (hint for sweep in sweeps(plan) if (hint := sweep.hint(PrefetchRows)) is not None)


def rows_of(text: str, *tune: str) -> list[PrefetchRows]:
    return list(sweeps_with_rows(plan_of(load(text, tune), graph=SHORT_LISTS)))


def test_what_is_fetched() -> None:
    """All that is asked for at a vertex but what the reduction gives it, and where degrees are looked up."""
    reduction, low = rows_of(MEANS)
    assert reduction == PrefetchRows((Over.OUT_EDGES,), (Over.IN_EDGES,), ("flag", "wide", "pair"))
    assert low == PrefetchRows((), (), ("height", "flag", "wide"))
    assert rows_of(ROUNDS) == [
        PrefetchRows((Over.OUT_EDGES,), (), ("mark",)),
        PrefetchRows((), (), ("best", "height", "mark")),
    ]


def test_which_graphs_have_this_form() -> None:
    program, counts = load(ROUNDS), (1 << 20, 3 << 20, 32)
    assert class_for(program, *counts).short_lists
    for others in ((1 << 19, 3 << 19, 32), (1 << 20, 3 << 20, 33)):
        assert class_for(program, *others) == GENERAL
    searches = load(str(ROOT / "samples" / "bfs.gdsl"))
    assert not class_for(searches, *counts).short_lists


def test_where_nothing_is() -> None:
    assert not list(sweeps_with_rows(plan_of(load(ROUNDS))))
    assert not rows_of(ROUNDS, "schedule.fuse=off")
    assert len(rows_of(ROUNDS, "beside.balance=warp")) == 1


@pytest.mark.parametrize(
    "text", [pytest.param(MEANS, id="means"), pytest.param(ROUNDS, id="rounds", marks=pytest.mark.slow)]
)
def test_results_are_those_of_the_reference(text: str) -> None:
    for widths in (NARROW, Widths.both(64)):
        built = emulated(program_of(text), SMALL, widths, on=SHORT_LISTS)
        assert any(sweep.hint(PrefetchRows) is not None for sweep in sweeps(built.plan))
        for seed, graph in enumerate(GRAPHS):
            bindings = bind(built.program, graph, {})
            found = built.run(graph, bindings, device_for(seed))
            wanted = expect(built.program, graph, bindings, widths.vertex)
            assert differences(built.program, wanted, found) == [], (seed, str(widths))


def test_fetches_are_made_and_stay_within() -> None:
    """Without the look where the last row is, something beyond an array would be fetched."""
    built = emulated(program_of(ROUNDS), SMALL, on=SHORT_LISTS)
    text = built.generated.text.replace("i + 2 * stride < size()", "true")
    assert text != built.generated.text
    wrong = dataclasses.replace(built, module=EmulatedModule(text, "wrong.cu"))
    with pytest.raises(Exception, match="fetch"):
        wrong.run(GRAPHS[0], bind(built.program, GRAPHS[0], {}), device_for(1))
