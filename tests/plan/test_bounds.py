"""Which worklists ask bounds before they look at values, and what blocks are lent for that."""

from __future__ import annotations

import dataclasses

import pytest

from gdsl.plan import bounds, target
from gdsl.plan.nodes import Plan
from gdsl.plan.printer import print_plan
from gdsl.plan.walking import sweeps

from .planning import plan_of

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


def plan(change: dict[str, str], *tune: str, on: target.Target = target.CUDA_FUSED) -> Plan:
    return plan_of(TEXT.format(**{**USUAL, **change}), *tune, on=on)


def asks(plan: Plan) -> bool:
    """The same in all of the plan."""
    found = bounds.asked_in(plan.schedule)
    assert [buffer.name for buffer in plan.buffers if buffer.name == "bounded"] == ["bounded"] * found
    assert ("unless the block has a bound of it" in print_plan(plan)) == found
    assert (plan.sizes.block_threads == bounds.BLOCK) == found
    return found


@pytest.mark.parametrize("change", [{}, WIDEST, {"schedule": f"repeat (2) {{ f = {{ s }}; {USUAL['schedule']} }}"}])
def test_bounds_are_asked(change: dict[str, str]) -> None:
    assert asks(plan(change))


@pytest.mark.parametrize("change", [BACK, DOUBLE, WHOLE, BESIDE])
def test_values_are_looked_at(change: dict[str, str]) -> None:
    """Though members are passed over: where bounds would be of other ends, take too many digits, or change the blocks
    of other operators."""
    made = plan(change)
    assert any(sweep.skips is not None for sweep in sweeps(made)) and not asks(made)


def test_not_everywhere() -> None:
    assert not asks(plan({}, "schedule.block=512"))
    assert not asks(plan({}, on=target.in_teams(target.CUDA_FUSED)))
    assert not bounds.asked_in(plan({}, on=target.CPU).schedule)


def test_what_is_lent() -> None:
    made, worth = plan({}), (1 << 22, 1 << 27, 1 << 17)
    assert bounds.lent(made, 180_000, *worth) == bounds.lent(made, 1 << 17, *worth) == 1 << 17
    assert bounds.lent(made, (1 << 17) - 1, *worth) == bounds.lent(made, 0, *worth) == 0
    assert bounds.lent(made, 180_000, 1 << 16, 1 << 20, 1 << 12) == 0
    assert bounds.lent(made, 180_000, 1 << 24, 1 << 26, 8) == 0
    few = dataclasses.replace(made, sizes=dataclasses.replace(made.sizes, bound_bits=6))
    assert bounds.lent(few, 180_000, *worth) == 256
