"""The verifier refuses a changed plan unless that is another correct one, which the emulator says of a sample of those
that it accepts."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from support.changed_plans import CHOICES, accepted, seen

from gdsl.plan import target, verifier_phases
from gdsl.plan.nodes import Plan
from gdsl.plan.verifier import verify
from gdsl.plan.work_order import orders

from .planning import ROOT, plan_of

SETS = """program p;
problem { param source : vertex; vertex level : int32 = -1; }
edge functor visit(src, dst, e) { cond level[dst] == -1; apply { level[dst] = iteration + 1; } }
schedule {
    level[source] = 0;
    frontier f = { source };
    frontier seen = f;
    frontier rest = vertices - f;
    while (f) { f = advance(f, visit); seen = seen | f; rest = f - rest; f = rest & f; }
}"""
PROGRAMS = ("back_edges", "edge_sets", "search_levels")
TEXTS = {"sets": SETS, **{name: (ROOT / "tests" / "programs" / f"{name}.gdsl").read_text() for name in PROGRAMS}}


@pytest.mark.parametrize("on", [target.CUDA_FUSED, target.CUDA_UNFUSED, target.CPU], ids=["fused", "unfused", "cpu"])
@pytest.mark.parametrize(
    "name", ["bfs", "connected_components", "pagerank", "back_edges", "sets", "edge_sets", "search_levels"]
)
@pytest.mark.sampled(21)
def test_every_field_is_looked_at(name: str, on: target.Target) -> None:
    plan = plan_of(TEXTS.get(name, name), on=on)
    verify(plan)
    assert accepted(plan) <= set(CHOICES)


def test_every_field_of_an_order_is_looked_at() -> None:
    plan = plan_of("sssp", "schedule.order=near_far")
    verify(plan)
    assert orders(plan)
    assert accepted(plan) <= set(CHOICES)


@pytest.mark.parametrize("name", ["bfs", "back_edges"])
def test_a_buffer_too_few_is_seen(name: str) -> None:
    plan = plan_of(TEXTS.get(name, name))
    for place, buffer in enumerate(plan.buffers):
        fewer = dataclasses.replace(plan, buffers=(*plan.buffers[:place], *plan.buffers[place + 1 :]))
        assert seen(fewer), buffer.name
        renamed = dataclasses.replace(buffer, name=f"{buffer.name}_other")
        if buffer.group == "problem":
            other = dataclasses.replace(plan, buffers=(*plan.buffers[:place], renamed, *plan.buffers[place + 1 :]))
            assert seen(other), buffer.name


@pytest.mark.parametrize("path", sorted((ROOT / "tests" / "programs").glob("*.gdsl")), ids=lambda path: path.stem)
@pytest.mark.sampled(15)
def test_plans_of_all_programs_hold_together(path: Any) -> None:
    for on in (target.CUDA_FUSED, target.CUDA_UNFUSED, target.CPU):
        verify(plan_of(path.read_text(), on=on))


def test_marks_are_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes a walk over the whole plan: one for each operator made programs of 300 operators take a minute."""
    walks: list[Plan] = []
    marked = verifier_phases.marked_domains
    plan = plan_of("betweenness", on=target.CUDA_FUSED)
    monkeypatch.setattr(verifier_phases, "marked_domains", lambda plan: (walks.append(plan), marked(plan))[1])
    verifier_phases.verify_phases(plan)
    assert len(walks) == 1
