"""Which sets may be all vertices, so that their numbers need not be read."""

from __future__ import annotations

import pytest

from gdsl.plan import target
from gdsl.plan.hints import WholeSet
from gdsl.plan.walking import sweeps

from .planning import only_sweep, plan_of

_PROGRAM = """program p;
problem {{ vertex a : int32; }}
vertex functor odd(v) {{ cond a[v] % 2 == 1; }}
edge functor reach(src, dst, e) {{ cond a[dst] == 0; apply {{ a[dst] = 1; }} }}
schedule {{ {steps} }}
"""


@pytest.mark.parametrize(
    ("steps", "whole"),
    [
        ("frontier f = vertices; f = filter(f, odd);", True),
        ("frontier g = vertices; frontier f = g; f = filter(f, odd);", True),
        ("frontier g = vertices; frontier f = { 0 }; f = f | g; f = filter(f, odd);", True),
        ("frontier g = vertices; frontier f = { 0 }; f = f & g; f = filter(f, odd);", False),
        ("frontier f = { 0 }; f = filter(f, odd);", False),
        ("frontier f = { 0 }; while (f) { f = advance(f, reach); }", False),
        ("filter(vertices, odd);", False),
    ],
)
def test_sets_that_may_be_whole(steps: str, whole: bool) -> None:
    steps = steps.replace("filter(vertices, odd);", "frontier g = filter(vertices, odd);")
    plan = plan_of(_PROGRAM.format(steps=steps))
    assert any(sweep.hint(WholeSet) is not None for sweep in sweeps(plan)) is whole


def test_only_a_grid_asks() -> None:
    text = _PROGRAM.format(steps="frontier f = vertices; f = filter(f, odd);")
    assert only_sweep(plan_of(text, on=target.CPU)).hint(WholeSet) is None


def test_a_set_that_has_a_member_twice_is_not_whole() -> None:
    text = _PROGRAM.format(steps="frontier f = vertices; f = advance(f, reach);")
    assert any(sweep.hint(WholeSet) is not None for sweep in sweeps(plan_of(text)))
    twice = plan_of(text.replace("cond a[dst] == 0; apply { a[dst] = 1; }", ""), "reach.dedup=none")
    assert not any(sweep.hint(WholeSet) is not None for sweep in sweeps(twice))
