"""Of which arrays blocks keep the first values, and which programs have a kernel of their own for it."""

from __future__ import annotations

import pytest

from gdsl.plan import renumbering, target
from gdsl.plan.block_cache import BLOCK, could_keep, keeps_first
from gdsl.plan.occupancy import keeps_values, resident_threads
from gdsl.plan.printer import print_plan

from .planning import DEEP, plan_of

BY_DEGREE = "schedule.layout=by_degree"
TEXT = """program p;
problem {{ vertex a : float32 = 1; vertex b : {kind}; vertex c : {kind}; {more} }}
edge functor f(src, dst, e) -> {kind} {{ {cond} value {value}; }}
schedule {{ repeat (5) {{ {before} c = neighbor_reduce({members}, f, {by}{over}); swap(b, c); }} }}
"""
USUAL = {
    "kind": "float32",
    "cond": "",
    "value": "b[dst]",
    "more": "",
    "before": "",
    "members": "vertices",
    "by": "sum",
    "over": "",
}
CASES = {
    "plain": ({}, "b"),
    "wide": ({"kind": "float64"}, "b"),
    "with others of the near end": ({"value": "b[dst] * a[src] + float32(out_degree(dst))"}, "b"),
    "the largest": ({"by": "max"}, "b"),
    "of where edges come from": ({"value": "b[src]", "over": ", over=in_edges"}, "b"),
    "of the near end": ({"value": "b[src]"}, None),
    "two arrays": ({"value": "b[dst] * a[src] + a[dst]"}, None),
    "two arrays, computed beforehand": ({"value": "b[dst] + a[dst]"}, "f_far"),
    "a condition": ({"cond": "cond b[dst] > 0;"}, None),
    "both ways": ({"over": ", over=all_edges"}, None),
    "a set is made": ({"before": "frontier g = where(v => a[v] > 0);"}, None),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_kept(name: str) -> None:
    changed, array = CASES[name]
    text = TEXT.format(**{**USUAL, **changed})
    plan = plan_of(text, BY_DEGREE)
    assert list(keeps_first(plan.program, plan.target).values()) == ([] if array is None else [array])
    assert keeps_values(plan) == (array is not None)
    assert (plan.sizes.block_threads == BLOCK) == (array is not None)
    assert ("in each block's own memory" in print_plan(plan)) == (array is not None)


def test_it_is_a_kernel_of_its_own() -> None:
    plan = plan_of("pagerank")
    assert plan.layout is not None and plan.layout.apart and not plan.layout.looks_up
    assert not keeps_values(plan) and plan.sizes.block_threads < BLOCK
    assert "in a kernel of its own, whose blocks keep the first values" in print_plan(plan)
    other = plan_of("pagerank", BY_DEGREE)
    assert renumbering.looking_up(plan.program).tuning == other.program.tuning
    assert keeps_values(other) and other.layout is not None and not other.layout.apart


def test_where_it_is_not() -> None:
    for more in ("schedule.block=512", "received.balance=edges"):
        assert not keeps_values(plan_of("pagerank", BY_DEGREE, more))
    assert not keeps_values(plan_of("pagerank", "schedule.layout=as_given"))
    program = plan_of("pagerank").program
    assert could_keep(program, target.CUDA_FUSED) and not could_keep(program, target.in_teams(target.CUDA_FUSED))
    assert not could_keep(program, target.CUDA_UNFUSED) and not could_keep(program, target.CPU)


def test_searches_in_small_blocks_leave_registers_for_two_blocks() -> None:
    assert [resident_threads(plan_of(name, graph=DEEP)) for name in ("betweenness", "bfs")] == [512, 512]
    assert resident_threads(plan_of("betweenness", "schedule.block=512")) is None
