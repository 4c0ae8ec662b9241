"""Which loops go from near to far, on which graphs, and what that asks of memory."""

from __future__ import annotations

import dataclasses

import pytest

from gdsl import pipeline
from gdsl.backends.cuda import plan_of as cuda_plan
from gdsl.diagnostics import GdslError
from gdsl.ir import nodes as ir
from gdsl.ir.traversal import walk
from gdsl.operations import Order, ReduceOperation
from gdsl.passes import ir_passes
from gdsl.plan import target
from gdsl.plan.build import build
from gdsl.plan.graph_class import GENERAL, measure
from gdsl.plan.nodes import Dedup, Loop
from gdsl.plan.printer import print_plan
from gdsl.plan.walking import steps_in
from gdsl.plan.work_order import has_choice, is_ordered, key_type, orders
from gdsl.types import Type

from .planning import ROOT, only_sweep, plan_of
from .test_occupancy import ROADS, SOCIAL, STAR

NEAR_FAR = "schedule.order=near_far"
LABELS = """program p;
problem { vertex label : vertex = id; }
edge functor join(src, dst, e) { apply { accept changed(label[dst] min= label[src]); } }
schedule { frontier f = vertices; while (f) { f = advance(f, join); } }
"""
TWO = """program p;
problem { param s : vertex; vertex a : float32 = inf; vertex b : float64 = inf; scalar rounds : int32; }
edge functor relax(src, dst, e) { apply { accept changed(a[dst] min= a[src] + 1); } }
edge functor again(src, dst, e) { apply { accept changed(b[dst] min= b[src] + 1); } }
edge functor counted(src, dst, e) { cond a[dst] > 0; apply { accept changed(b[dst] min= b[src] + 1); rounds += 1; } }
schedule {
    a[s] = 0; b[s] = 0;
    frontier f = { s };
    while (f) { f = advance(f, relax); }
    f = { s };
    while (f) { f = advance(f, again); }
    f = { s };
    while (f) { f = advance(f, counted); }
}
"""


def test_auto_waits_for_the_graph() -> None:
    plan = plan_of("sssp")
    assert orders(plan) == () and only_sweep(plan).order is None
    program = pipeline.load(ROOT / "samples" / "sssp.gdsl")
    assert has_choice(program)
    assert is_ordered(program, measure(*ROADS)) and orders(cuda_plan(program, graph=measure(*ROADS)))
    assert not is_ordered(program, measure(*SOCIAL)) and not is_ordered(program, measure(*STAR))


@pytest.mark.parametrize("tune", ["schedule.order=as_given", NEAR_FAR])
def test_what_is_asked_for_holds_on_every_graph(tune: str) -> None:
    program = pipeline.load(ROOT / "samples" / "sssp.gdsl", (tune,))
    assert not has_choice(program)
    assert is_ordered(program, measure(*ROADS)) == is_ordered(program, GENERAL) == (tune == NEAR_FAR)


@pytest.mark.parametrize("sample", ["bfs", "pagerank", "connected_components"])
def test_other_programs_have_no_choice(sample: str) -> None:
    assert not has_choice(pipeline.load(ROOT / "samples" / f"{sample}.gdsl"))


def test_a_launch_a_step_keeps_what_is_given() -> None:
    program = pipeline.load(ROOT / "samples" / "sssp.gdsl", ("schedule.fuse=off",))
    assert not has_choice(program)
    near_far = dataclasses.replace(program, tuning=dataclasses.replace(program.tuning, order=Order.NEAR_FAR))
    assert orders(build(ir_passes.apply(near_far), target.CUDA_UNFUSED)) == ()


def test_cores_always_gain() -> None:
    assert orders(plan_of("sssp", on=target.CPU))
    assert orders(plan_of("sssp", "schedule.order=as_given", on=target.CPU)) == ()
    sweep = only_sweep(plan_of("sssp", on=target.CPU))
    assert sweep.collect is not None and sweep.collect.dedup is Dedup.MARK


def test_entries_instead_of_marks() -> None:
    plan = plan_of("sssp", NEAR_FAR, on=target.CUDA_ORDERED)
    sweep = only_sweep(plan)
    (loop,) = (step for step in steps_in(plan.schedule) if isinstance(step, Loop))
    assert sweep.order == loop.order is not None
    assert (sweep.order.array, sweep.order.operation) == ("distance", ReduceOperation.MIN)
    assert sweep.collect is not None and sweep.collect.dedup is Dedup.RANK
    assert key_type(plan) is Type.UINT32
    assert "from near to far, the smallest distance first" in print_plan(plan)


def test_each_loop_for_itself() -> None:
    plan = plan_of(TWO, NEAR_FAR)
    assert [order.array for order in orders(plan)] == ["a", "b"]
    assert key_type(plan) is Type.UINT64


def test_labels_are_not_near_or_far() -> None:
    assert not has_choice(pipeline.load(LABELS))
    with pytest.raises(GdslError, match="are not near or far"):
        pipeline.load(LABELS, (NEAR_FAR,))


def test_large_blocks_gather_less() -> None:
    """Ranks stand beside the vertices."""
    large = "schedule.block=1024"
    assert plan_of("sssp", NEAR_FAR, large).sizes.staged < plan_of("sssp", large).sizes.staged
    assert plan_of("sssp", NEAR_FAR).sizes.staged == plan_of("sssp").sizes.staged


BUCKETS = """program p;
problem { param s : vertex; vertex a : float32 = inf; vertex b : float32 = -inf; local vertex rank : int32; }
edge functor relax(src, dst, e) { apply { accept changed(a[dst] min= a[src] + 1); } }
edge functor widen(src, dst, e) { apply { accept changed(b[dst] max= min(b[src], 7.0)); } }
vertex functor note(v) { apply { rank[v] = 1; } }
schedule { a[s] = 0; b[s] = inf; buckets q(KEY, width=auto) = { s }; LOOP }
"""
PUSH = "while (q) { q.push(advance(q.pop(), relax)); }"


def buckets(loop: str = PUSH, key: str = "a", *tune: str) -> ir.Program:
    return pipeline.load(BUCKETS.replace("LOOP", loop).replace("KEY", key), tune)


def test_buckets_that_choose_go_from_near_to_far() -> None:
    """Where no list is long; a loop of one advance is left, and nothing of what chose."""
    named = "while (q) { frontier f = q.pop(); frontier g = advance(f, relax) @spread; q.push(g); }"
    for loop in (PUSH, named):
        program = buckets(loop)
        for graph in (ROADS, (1_000, 9_000, 40)):
            assert is_ordered(program, measure(*graph))
            assert [order.array for order in orders(cuda_plan(program, graph=measure(*graph)))] == ["a"]
        assert has_choice(program) and not is_ordered(program, measure(*SOCIAL))
        after = ir_passes.apply(program)
        (left,) = (step for step in after.schedule if isinstance(step, ir.While))
        assert [type(step) for step in left.body] == [ir.Advance] and not after.scalars and not after.vertex_functors
        assert [order.array for order in orders(build(after, target.CUDA_ORDERED))] == ["a"]
        assert [order.array for order in orders(build(ir_passes.apply(program), target.CPU))] == ["a"]


@pytest.mark.parametrize(
    ("loop", "key", "tune"),
    [
        (PUSH, "a", "schedule.order=as_given"),
        (PUSH, "a", "schedule.fuse=off"),
        (PUSH, "rank", "schedule.order=auto"),
        (PUSH.replace("relax", "widen"), "b", "schedule.order=auto"),
        ("frontier f = {}; while (q) { f = q.pop(); q.push(advance(f, relax)); }", "a", "schedule.order=auto"),
        (
            "while (q) { frontier f = q.pop(); compute(f, note); q.push(advance(f, relax)); }",
            "a",
            "schedule.order=auto",
        ),
    ],
)
def test_buckets_that_stay(loop: str, key: str, tune: str) -> None:
    """By another array or to the largest, with a set that is seen elsewhere, or where somebody wants them."""
    program = buckets(loop, key, tune)
    kept = [step for step in walk(ir_passes.apply(program).schedule) if isinstance(step, ir.ChooseBound)]
    assert len(kept) == 1
