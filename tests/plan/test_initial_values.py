"""Which arrays are given their initial values: all but those that are written before anybody looks at them."""

from __future__ import annotations

import pytest

from gdsl.effects.access import Accesses
from gdsl.passes import pipelines
from gdsl.pipeline import load
from gdsl.plan import target
from gdsl.plan.initial_values import begins_with_them
from gdsl.plan.nodes import Initialise
from gdsl.plan.storage import Cleared
from gdsl.plan.walking import steps_in

from .planning import plan_of

TEXT = """program p;
problem {{ vertex a : int32; local vertex x : int32 = 7; local vertex y : int32; scalar s : int32; }}
edge functor one(src, dst, e) -> int32 {{ value a[dst] + 1; }}
edge functor again(src, dst, e) -> int32 {{ value x[dst] + 1; }}
vertex functor use(v) {{ apply {{ a[v] += x[v]; }} }}
vertex functor look(v) {{ apply {{ a[v] = x[vertex(int64(v) + 1)]; }} }}
vertex functor odd(v) {{ cond x[v] % 2 == 1; }}
schedule {{ frontier f = vertices; frontier g = where(v => a[v] == 1); {steps} }}
"""
REDUCE, OVER_ALL = "x = neighbor_reduce(f, one, sum);", "x = neighbor_reduce(vertices, one, sum);"
LOOP = "while (f) {{ {} }}"


def begins(steps: str) -> bool:
    program = pipelines.apply(load(TEXT.format(steps=steps)))
    return "x" in begins_with_them(program, Accesses(program))


@pytest.mark.parametrize(
    "steps",
    [
        REDUCE + "compute(f, use);",
        REDUCE + "f = filter(f, odd);",
        LOOP.format(REDUCE + "f = filter(f, odd);"),
        REDUCE + "s = 3; compute(f, use); compute(f, use);",
        OVER_ALL + "compute(vertices, use);",
        REDUCE + "g = filter(f, odd);" + REDUCE + "compute(f, use);",
        "repeat (3) { " + REDUCE + "compute(f, use); }",
        "if (s == 0) { " + REDUCE + "compute(f, use); }",
        "",
    ],
)
def test_what_is_written_wherever_it_is_read_does_without(steps: str) -> None:
    assert not begins(steps)


@pytest.mark.parametrize(
    "steps",
    [
        "compute(f, use);" + REDUCE,
        REDUCE + "compute(g, use);",  # another set
        REDUCE + "compute(vertices, use);",
        REDUCE + "f = g; compute(f, use);",  # the same name, other members
        REDUCE + "f = filter(f, odd); compute(f, use);",
        REDUCE + "f = f | g; compute(f, use);",
        REDUCE + "compute(f, look);",  # of another vertex
        REDUCE + "x = neighbor_reduce(f, again, sum);",  # of neighbours
        REDUCE + "while (s == 0) { compute(f, use); s = 1; }",  # left for a later step
        "repeat (2) { compute(f, use); " + REDUCE + "}",
        "if (s == 0) { " + REDUCE + "} compute(f, use);",
        "swap(x, y);" + REDUCE + "compute(f, use);",
        "y = neighbor_reduce(f, again, sum);",
    ],
)
def test_what_may_be_read_before_begins_with_its_values(steps: str) -> None:
    assert begins(steps)


def test_results_begin_with_their_values() -> None:
    text = TEXT.format(steps=REDUCE + "compute(f, use);").replace("local vertex x", "vertex x")
    program = pipelines.apply(load(text))
    assert {"a", "x"} <= begins_with_them(program, Accesses(program))


DRAWS = """program draws;
    problem { param seed : int64; vertex color : int32 = out_degree(id) * int32(seed); local vertex taken : uint64; }
    edge functor beside(src, dst, e) -> uint64 { value uint64(1) << color[dst]; }
    vertex functor settle(v) { apply { color[v] = ctz(~taken[v]); } }
    schedule { repeat (3) { taken = neighbor_reduce(vertices, beside, or); compute(vertices, settle); } }"""


@pytest.mark.parametrize("on", [target.CUDA_FUSED, target.CUDA_UNFUSED, target.CPU])
def test_the_plan_of_a_coloring(on: target.Target) -> None:
    plan = plan_of(DRAWS, on=on)
    (first,) = (step for step in steps_in(plan.schedule) if isinstance(step, Initialise))
    assert [each.name for each in first.vertex_arrays] == ["color"]
    cleared = {buffer.name: buffer.cleared for buffer in plan.buffers}
    assert (cleared["color"], cleared["taken"]) == (Cleared.INITIAL, Cleared.WRITTEN)
