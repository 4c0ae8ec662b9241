"""The plan as text: every barrier of the plan is a line of it."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from gdsl import pipeline
from gdsl.ir.nodes import Node
from gdsl.passes import ir_passes
from gdsl.plan import target
from gdsl.plan.build import build
from gdsl.plan.graph_class import GENERAL
from gdsl.plan.nodes import Barrier, Plan
from gdsl.plan.printer import print_plan
from gdsl.plan.teams import refusal

from .planning import DEEP, HUBS, ROOT, SHORT_LISTS, plan_of

SAMPLES = sorted((ROOT / "samples").glob("*.gdsl")) + sorted((ROOT / "tests" / "programs").glob("*.gdsl"))
TWO_WALKS = """program two_walks;
problem { param s : vertex; vertex height : int32; }
edge functor see(src, dst, e) { cond height[dst] == 0; }
schedule { frontier f = { s }; repeat (3) { f = advance(f, see, over=all_edges); } }
"""
"""A push of two walks with a result: there is a barrier between them, and one at the end in a function."""


def barriers_in(part: object) -> int:
    """How many nodes of the plan are barriers."""
    if isinstance(part, tuple):
        return sum(map(barriers_in, part))
    if not dataclasses.is_dataclass(part) or isinstance(part, (Node, type)):
        return 0
    own = (getattr(part, field.name) for field in dataclasses.fields(part))
    return isinstance(part, Barrier) + sum(map(barriers_in, own))


def barrier_lines(plan: Plan) -> list[str]:
    """The lines that say where all threads wait."""
    return [line.strip() for line in print_plan(plan).splitlines() if line.strip().startswith("barrier")]


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
@pytest.mark.sampled(15)
def test_every_barrier_is_printed(path: Path) -> None:
    program = ir_passes.apply(pipeline.load(path))
    forms = [(target.CUDA_FUSED, graph) for graph in (GENERAL, DEEP, HUBS, SHORT_LISTS)]
    forms += [(on, GENERAL) for on in (target.CUDA_UNFUSED, target.CUDA_ORDERED, target.CPU)]
    plans = [build(program, on, graph=graph, verify=False) for on, graph in forms]
    if refusal(plans[0]) is None:
        plans.append(build(program, target.in_teams(target.CUDA_FUSED), verify=False))
    for plan in plans:
        assert len(barrier_lines(plan)) == barriers_in(plan)


@pytest.mark.parametrize("direction", ["push", "pull"])
def test_between_two_walks(direction: str) -> None:
    found = barrier_lines(plan_of(TWO_WALKS, f"see.direction={direction}"))
    cut = "barrier where there are long lists: until all chunks of long lists are known"
    between, end = "until all threads know what this walk has counted", "until the result is complete"
    assert [cut, f"barrier: {between}", cut, f"barrier: {end}"] == found[-4:]


def test_within_a_switch() -> None:
    found = barrier_lines(plan_of("bfs"))
    assert sum("all chunks of long lists" in line for line in found) == 2, "of a pull and of a push"
    assert sum("the result is complete" in line for line in found) == 2
