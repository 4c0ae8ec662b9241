"""Which worklists pass over members that were visited with the value that they have."""

from __future__ import annotations

import pytest

from gdsl.diagnostics import GdslError
from gdsl.operations import ReduceOperation
from gdsl.plan import target
from gdsl.plan.printer import print_plan
from gdsl.plan.sweep_nodes import Dedup
from gdsl.plan.walking import sweeps
from gdsl.plan.work_order import key_type
from gdsl.types import Type

from .planning import plan_of

TEXT = """program p;
problem { param s : vertex; input edge w : float32 where w >= 0; vertex a : TYPE = FIRST; scalar n : int32; }
edge functor relax(src, dst, e) { apply { STATEMENT } }
schedule { a[s] = START; frontier f = { s }; SCHEDULE }
"""
LOOP = "while (f) { f = advance(f, relax); }"
LEAST = "accept changed(a[dst] min= a[src] + w[e]);"


def skipping(
    statement: str = LEAST,
    *tune: str,
    schedule: str = LOOP,
    kind: tuple[str, str, str] = ("float32", "inf", "0"),
    on: target.Target = target.CUDA_FUSED,
) -> list[tuple[str, Type, ReduceOperation]]:
    """What members are passed over by, for each sweep that passes over any."""
    text = TEXT.replace("STATEMENT", statement).replace("SCHEDULE", schedule)
    for word, value in zip(("TYPE", "FIRST", "START"), kind, strict=True):
        text = text.replace(word, value)
    plan = plan_of(text, *tune, on=on)
    found = [sweep for sweep in sweeps(plan) if sweep.skips is not None]
    assert [buffer.name for buffer in plan.buffers if buffer.name == "visited"] == ["visited"] * bool(found)
    assert not found or (key_type(plan) is not None and "pass over those that were visited" in print_plan(plan))
    assert all(sweep.collect is not None and sweep.collect.dedup is Dedup.MARK for sweep in found)
    return [(each.skips.array, each.skips.type, each.skips.operation) for each in found if each.skips is not None]


def test_monotone_loops_pass_over() -> None:
    assert skipping() == [("a", Type.FLOAT32, ReduceOperation.MIN)]
    widest = "accept changed(a[dst] max= min(a[src], w[e]));"
    assert skipping(widest, kind=("float32", "0", "inf")) == [("a", Type.FLOAT32, ReduceOperation.MAX)]
    labels = "accept changed(a[dst] min= a[src]);"
    assert skipping(labels, kind=("vertex", "id", "s")) == [("a", Type.VERTEX, ReduceOperation.MIN)]
    assert len(skipping(schedule=f"repeat (2) {{ f = {{ s }}; {LOOP} }}")) == 1


@pytest.mark.parametrize(
    ("statement", "schedule", "tune"),
    [
        ("accept changed(a[dst] min= w[e] - a[src]);", LOOP, ""),
        ("accept changed(a[dst] min= a[src] + w[e]); n += 1;", LOOP, ""),
        (LEAST, "while (f) { f = advance(f, relax); n += 1; }", ""),
        (LEAST, "repeat (3) { f = advance(f, relax); }", ""),
        (LEAST, LOOP, "schedule.fuse=off"),
        (LEAST, LOOP, "relax.balance=merge"),
        (LEAST, LOOP, "relax.dedup=none"),
        (LEAST, LOOP, "relax.frontier=bitmap"),
    ],
)
def test_all_members_are_visited(statement: str, schedule: str, tune: str) -> None:
    """Where a visit more could be seen, or somebody has said how the worklist is worked off."""
    on = target.cuda("fuse=off" not in tune)
    assert skipping(statement, *filter(None, [tune]), schedule=schedule, on=on) == []


TWICE = """program p;
problem { param s : vertex; input edge w : float32 where w >= 0; vertex a : float32 = inf; }
edge functor touch(src, dst, e) { }
edge functor relax(src, dst, e) { apply { accept changed(a[dst] min= a[src] + w[e]); } }
schedule { a[s] = 0; frontier g = advance({ s }, touch) @first; frontier f = g; while (f) { f = advance(f, relax); } }
"""


@pytest.mark.parametrize("order", ["schedule.order=auto", "schedule.order=as_given"])
def test_members_that_may_come_twice_are_all_visited(order: str) -> None:
    for on in (target.CUDA_FUSED, target.CUDA_ORDERED):
        plan = plan_of(TWICE, "first.dedup=none", order, on=on)
        assert all(sweep.skips is None and sweep.order is None for sweep in sweeps(plan))
    assert any(sweep.skips is not None for sweep in sweeps(plan_of(TWICE, order)))


def test_members_that_may_come_twice_are_in_no_order() -> None:
    with pytest.raises(GdslError, match=r"`first.dedup` may leave members of `f` twice"):
        plan_of(TWICE, "first.dedup=none", "schedule.order=near_far")


def test_entries_know_their_values() -> None:
    assert skipping(LEAST, "schedule.order=near_far", on=target.CUDA_ORDERED) == []
    assert skipping(on=target.CPU) == []
