"""Which pushes walk the lists of a graph of short ones a thread a member."""

from __future__ import annotations

import pytest

from gdsl.codegen.cuda.generate import generate
from gdsl.plan import target
from gdsl.plan.hints import ShortLists
from gdsl.plan.printer import print_plan
from gdsl.plan.walking import sweeps
from gdsl.types import Widths

from .planning import plan_of

_PROGRAM = """program p;
problem {{ vertex a : int32; vertex low : vertex = id; }}
edge functor hook(src, dst, e) {{ apply {{ low[max(low[src], low[dst])] min= min(low[src], low[dst]); }} }}
edge functor reach(src, dst, e) {{ cond a[dst] == 0; apply {{ a[dst] = 1; }} }}
edge functor other(src, dst, e) {{ cond low[src] != low[dst]; apply {{ a[dst] += 1; }} }}
edge functor lower(src, dst, e) {{ apply {{ low[dst] min= low[src]; }} }}
edge functor above(src, dst, e) -> int32 {{ cond low[src] < low[dst]; value 1; }}
schedule {{ {steps} }}
"""
_HOOKS = "advance(vertices, hook, to=none);"


@pytest.mark.parametrize(
    ("steps", "tune", "alone"),
    [
        (_HOOKS, (), True),
        ("advance(vertices, hook, over=all_edges, to=none);", (), True),
        (_HOOKS, ("hook.balance=warp",), False),
        (_HOOKS, ("hook.balance=thread",), False),
        ("frontier f = { 0 }; f = advance(f, reach);", ("reach.direction=push",), False),  # it collects
        ("advance(vertices, reach, to=none);", ("reach.direction=pull",), False),
        ("advance(vertices, other, to=none);", (), False),  # it reads ahead
        ("advance(vertices, lower, to=none);", (), False),  # it changes the element of the edge's end
        ("a = neighbor_reduce(vertices, above, sum);", (), False),
    ],
)
def test_which_pushes(steps: str, tune: tuple[str, ...], alone: bool) -> None:
    plan = plan_of(_PROGRAM.format(steps=steps), *tune)
    assert any(sweep.hint(ShortLists) for sweep in sweeps(plan)) is alone
    assert ("where the graph has short lists alone" in print_plan(plan)) is alone
    assert ("push_short_lists(run," in generate(plan, Widths.both(32)).text) is alone


def test_only_a_grid_asks() -> None:
    plan = plan_of(_PROGRAM.format(steps=_HOOKS), on=target.CPU)
    assert not any(sweep.hint(ShortLists) for sweep in sweeps(plan))
