"""Which worklists look at bounds of hubs before they look at values, and the shared memory for that."""

from __future__ import annotations

import dataclasses

import pytest

from gdsl import pipeline
from gdsl.passes import ir_passes
from gdsl.plan import block_cache, target
from gdsl.plan.build import build
from gdsl.plan.nodes import Plan
from gdsl.plan.printer import print_plan
from gdsl.plan.walking import sweeps

from .planning import HUBS, plan_of

TEXT = """program p;
problem {{ param s : vertex; input edge w : float32 where w >= 0; vertex a : {kind} = {first}; {more} }}
{functors}
edge functor relax(src, dst, e) {{ apply {{ {statement} }} }}
schedule {{ a[s] = {start}; frontier f = {{ s }}; {schedule} }}
"""
USUAL = {
    "kind": "float32",
    "first": "inf",
    "start": "0",
    "more": "",
    "functors": "",
    "statement": "accept changed(a[dst] min= a[src] + w[e]);",
    "schedule": "while (f) { f = advance(f, relax); }",
}
WIDEST = {"statement": "accept changed(a[dst] max= min(a[src], w[e]));", "first": "0", "start": "inf"}
AGAIN = {"schedule": f"repeat (2) {{ f = {{ s }}; {USUAL['schedule']} }}"}
TWO = {"more": "vertex toll : float32 = 1;", "statement": "accept changed(a[dst] min= a[src] + w[e] + toll[dst]);"}
BACK = {
    "statement": "accept changed(a[src] min= a[dst] + w[e]);",
    "schedule": "while (f) { f = advance(f, relax, over=in_edges); }",
}
DOUBLE = {"kind": "float64", "statement": "accept changed(a[dst] min= a[src] + float64(w[e]));"}
WHOLE = {"kind": "int32", "statement": "accept changed(a[dst] min= a[src] + 1);"}
BESIDE = {
    "more": "vertex b : int32;",
    "functors": "vertex functor note(v) { apply { b[v] += 1; } }",
    "schedule": f"{USUAL['schedule']} compute(vertices, note);",
}
DIFFERENT = {"statement": "accept changed(a[dst] min= w[e] - a[src]);"}
"""What is offered falls where the value rises."""


def plan(change: dict[str, str], *tune: str, on: target.Target = target.CUDA_FUSED) -> Plan:
    """For graphs of hubs."""
    return plan_of(TEXT.format(**{**USUAL, **change}), *tune, on=on, graph=HUBS)


def asks(plan: Plan) -> bool:
    """The same in all of the plan, and in the shared memory of a launch."""
    found = block_cache.has_bounds(plan.schedule)
    assert [buffer.name for buffer in plan.buffers if buffer.name == "bounded"] == ["bounded"] * found
    assert ("at a bound in the block's own memory first" in print_plan(plan)) == found
    assert (plan.sizes.block_threads == block_cache.BOUNDS_BLOCK) == found
    assert block_cache.bounds_bytes(plan) == (4 << plan.sizes.bound_bits) * found
    return found


@pytest.mark.parametrize("change", [{}, WIDEST, AGAIN, TWO])
def test_bounds_are_asked(change: dict[str, str]) -> None:
    assert asks(plan(change))


@pytest.mark.parametrize("change", [BACK, DOUBLE, WHOLE, BESIDE])
def test_values_are_looked_at(change: dict[str, str]) -> None:
    """Though members are passed over: where bounds would be of other ends, take too many digits, or change the blocks
    of other operators."""
    made = plan(change)
    assert any(sweep.skips is not None for sweep in sweeps(made)) and not asks(made)
    assert not block_cache.could_bound(made.program)


def test_loops_that_are_not_proved_have_none() -> None:
    made = plan(DIFFERENT)
    assert not asks(made) and not block_cache.could_bound(made.program)


def test_not_everywhere() -> None:
    assert not asks(plan({}, "schedule.block=512"))
    assert not asks(plan({}, "relax.balance=block"))
    assert not asks(plan({}, on=target.in_teams(target.CUDA_FUSED)))
    assert not asks(plan({}, "schedule.fuse=off", on=target.CUDA_UNFUSED))
    assert not block_cache.has_bounds(plan({}, on=target.CPU).schedule)


def test_for_other_graphs_there_are_none() -> None:
    program = ir_passes.apply(pipeline.load(TEXT.format(**USUAL)))
    assert block_cache.could_bound(program) and not asks(build(program, target.CUDA_FUSED))


def test_where_there_is_room() -> None:
    sizes = target.CUDA_FUSED.sizes
    assert block_cache.has_room(sizes, 186_000, 1 << 22)
    assert not block_cache.has_room(sizes, (1 << 17) + block_cache.DECLARED - 1, 1 << 22)
    assert not block_cache.has_room(sizes, 186_000, (1 << 27) + 1), "an id has too many bits"
    assert block_cache.has_room(dataclasses.replace(sizes, bound_bits=6), 50_000, 1 << 18)
