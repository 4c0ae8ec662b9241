"""Where `neighbor_reduce` need not look at all neighbors, and that a wrong index behind the answer is still found."""

from __future__ import annotations

import numpy as np
import pytest

import gdsl
from gdsl.diagnostics import GdslError
from gdsl.passes import ir_passes
from gdsl.plan import target
from gdsl.plan.build import build
from tests.support.graphs import make_graph

from .planning import loaded, only_sweep, plan_of, without

TARGETS = pytest.mark.parametrize(
    "on", [target.CUDA_FUSED, target.CUDA_UNFUSED, target.CPU], ids=["fused", "unfused", "cpu"]
)
BACKENDS = ["reference", "cpu", pytest.param("cuda", marks=pytest.mark.gpu)]


def program(step: str) -> str:
    return f"""program p;
        problem {{ input vertex next : vertex; vertex flag : bool; vertex seen : bool; vertex least : int32; }}
        schedule {{ {step} }}"""


@TARGETS
@pytest.mark.parametrize(
    "step, stops",
    [
        ("seen = neighbor_reduce(vertices, (src, dst, e) => flag[dst], some);", True),
        ("seen = neighbor_reduce(vertices, (src, dst, e) => flag[dst], every, over=in_edges);", False),
        ("flag = neighbor_reduce(vertices, (src, dst, e) => flag[dst], every);", False),
        ("seen = neighbor_reduce(vertices, (src, dst, e) => flag[dst], every, over=all_edges);", None),
        ("seen = neighbor_reduce(vertices, (src, dst, e) => flag[next[dst]], some);", None),
        ("least = neighbor_reduce(vertices, (src, dst, e) => least[dst], min);", None),
        ("least = neighbor_reduce(vertices, (src, dst, e) => flag[dst], count);", None),
        ("seen = neighbor_reduce(vertices, (src, dst, e) => flag[dst], every) @ask;", None),
    ],
)
def test_where_a_reduction_stops(step: str, stops: bool | None, on: target.Target) -> None:
    segment = only_sweep(plan_of(program(step), *(["ask.balance=thread"] if "@ask" in step else []), on=on)).segment
    assert segment is not None and segment.stops_at is stops


@TARGETS
def test_where_long_lists_are_not_cut(on: target.Target) -> None:
    """Without `load_balance` a grid has no chunks for what is left of a long list, so it walks all of it."""
    text = program("seen = neighbor_reduce(vertices, (src, dst, e) => flag[dst], some);")
    plan = build(ir_passes.apply(without(loaded(text), "load_balance")), on)
    segment = only_sweep(plan).segment
    assert segment is not None and segment.stops_at is (None if on.grid else True)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_wrong_index_behind_the_answer_is_found(backend: str) -> None:
    compiled = gdsl.compile(program("flag = neighbor_reduce(vertices, (src, dst, e) => next[next[dst]] != 0, some);"))
    graph = make_graph([(0, 1), (0, 2)], 3)
    assert not compiled.run(graph, {"next": np.array([0, 0, 0])}, backend=backend)["flag"].any()
    with pytest.raises(GdslError, match="E0801"):
        compiled.run(graph, {"next": np.array([1, 0, -1])}, backend=backend)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("place", [0, 40, 599, 2999])
def test_the_one_that_decides_may_stand_anywhere(place: int, backend: str) -> None:
    """The only neighbor that says otherwise stands at `place` of a long list."""
    compiled = gdsl.compile(
        """program p;
        problem { input vertex odd : bool; vertex all : bool; vertex one : bool; }
        schedule {
            all = neighbor_reduce(vertices, (src, dst, e) => !odd[dst], every);
            one = neighbor_reduce(vertices, (src, dst, e) => odd[dst], some);
        }"""
    )
    graph = make_graph([(0, v) for v in range(1, 3001)] + [(1, v) for v in range(1, 101)], 3001)
    odd = np.zeros(3001, bool)
    odd[place + 1] = True
    result = compiled.run(graph, {"odd": odd}, backend=backend).host_arrays()
    one = np.zeros(3001, bool)
    one[0], one[1] = True, place < 100
    assert np.array_equal(result["one"], one) and np.array_equal(result["all"], ~one)
