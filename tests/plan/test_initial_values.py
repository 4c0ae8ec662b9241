"""Arrays over edges that get no initial values: only where nothing reads one, which the verifier asks of any plan."""

from __future__ import annotations

import dataclasses

import pytest

from gdsl.backends.cuda import plan_of
from gdsl.ir.nodes import Program
from gdsl.ir.verifier import VerificationError
from gdsl.pipeline import load
from gdsl.plan.buffer_nodes import Cleared
from gdsl.plan.initial_values import unread_values
from gdsl.plan.nodes import Initialize, Plan, Step
from gdsl.plan.verifier import verify
from gdsl.plan.walking import map_blocks, steps_in
from gdsl.source import Source

TEXT = """program kept;
problem {
    local edge ends : (vertex, vertex); vertex least : vertex = id; local vertex other : vertex = id;
    local scalar wanted : bool = true; local scalar many : int64;
}
edge functor begin(s, t, e) { cond s < t; apply { ends[e] = (s, t); accept wanted; } }
edge functor spread(s, t, e) { apply { least[ends[e].1] min= ends[e].0; } }
edge functor remain(s, t, e) { apply {
    let i = ends[e].0; let j = ends[e].1; ends[e] = (j, i); accept i != j && t != 3;
} }
schedule {
    edge frontier f = advance(where(v => v != 2), begin, to=edges);
    edge frontier g = f;
    while (f) { compute(f, spread); f = filter(f, remain); many += size(f); }
    compute(g, spread);
}
"""
OTHERS = {
    "stored under a condition": (
        "apply { ends[e] = (s, t); accept wanted",
        "apply { if (wanted) { ends[e] = (s, t); } accept wanted",
    ),
    "stored of what is read": ("apply { ends[e] = (s, t);", "apply { ends[e] = (ends[e].0, t);"),
    "read by a condition": ("cond s < t; apply", "cond s < t && ends[e].0 != s; apply"),
    "of any edges": ("compute(g, spread);", "compute(edges, spread);"),
    "of all edges of vertices": ("compute(g, spread);", "advance({ 0 }, spread, to=none);"),
    "of a set that has others, too": (
        "compute(g, spread);",
        "g = g | filter(edges, (s, t, e) => t < s); compute(g, spread);",
    ),
    "of other edges at the end of a loop": (
        "many += size(f);",
        "f = f | filter(edges, (s, t, e) => t < s && many > 9);",
    ),
    "of another edge": ("min= ends[e].0", "min= ends[edge(0)].0"),
    "in the schedule": ("compute(g, spread);", "fill(ends, (none, none));"),
    "a result": ("local edge ends", "edge ends"),
}
SAME = {
    "as it is": ("", ""),
    "of a part": ("compute(g, spread);", "g = g - filter(edges, (s, t, e) => t < s); compute(g, spread);"),
    "of some of both": ("compute(g, spread);", "g = filter(edges, (s, t, e) => t < s) & g; compute(g, spread);"),
    "of a set that is empty at first": ("edge frontier g = f;", "edge frontier g; if (wanted) { g = f; }"),
    "of what is stored of all": ("compute(g, spread);", "g = filter(edges, begin); compute(g, spread);"),
}


def program(former: str, now: str) -> Program:
    assert former in TEXT
    return load(Source("kept.gdsl", TEXT.replace(former, now, 1)))


def started(plan: Plan) -> set[str]:
    """The arrays over edges that have initial values."""
    return {each.name for step in steps_in(plan.schedule) if isinstance(step, Initialize) for each in step.edge_arrays}


@pytest.mark.parametrize("name", SAME)
def test_nobody_reads_them(name: str) -> None:
    found = program(*SAME[name])
    assert list(unread_values(found)) == ["ends"]
    plan = plan_of(found)
    assert not started(plan)
    assert [each.cleared for each in plan.buffers if each.name == "ends"] == [Cleared.WRITTEN]


@pytest.mark.parametrize("name", OTHERS)
def test_somebody_may_read_them(name: str) -> None:
    found = program(*OTHERS[name])
    assert not list(unread_values(found))
    plan = plan_of(found)
    assert started(plan) == {"ends"}
    with pytest.raises(VerificationError, match="data without an initial value"):
        verify(unset(plan))


def unset(plan: Plan) -> Plan:
    """The plan without initial values of edges."""

    def change(steps: tuple[Step, ...]) -> tuple[Step, ...]:
        return tuple(
            dataclasses.replace(each, edge_arrays=()) if isinstance(each, Initialize) else each for each in steps
        )

    return dataclasses.replace(plan, schedule=map_blocks(plan.schedule, change))
