"""Every pass over a plan can be left out, and its plan can be printed."""

from __future__ import annotations

import pytest
from oracles import CASES, Case

from gdsl.knobs import ALL_PASSES
from gdsl.knobs import OPTIONAL_PASSES as OPTIONAL
from gdsl.plan import target
from gdsl.plan.build import build
from gdsl.plan.passes import LOWER, PLAN_PASSES
from gdsl.plan.printer import print_plan

from .planning import program_of, without

SEVERAL = target.on_several_gpus(target.CUDA_FUSED)
TARGETS = {"fused": target.CUDA_FUSED, "several GPUs": SEVERAL, "unfused": target.CUDA_UNFUSED, "cpu": target.CPU}


def test_the_names_are_those_of_the_passes() -> None:
    assert (LOWER, *(name for name, _ in PLAN_PASSES)) == ALL_PASSES


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.sampled(144)
@pytest.mark.rare(20)
def test_a_plan_holds_together_without_any_of_its_passes(case: Case) -> None:
    """The verifier calls no pass, so it says of each of these plans whether it is correct."""
    program = program_of(case.name)
    for on in TARGETS.values():
        for names in ((), OPTIONAL, *((name,) for name in OPTIONAL)):
            build(without(program, *names), on)


@pytest.mark.parametrize("name", ALL_PASSES)
def test_the_plan_behind_each_pass_is_printed(name: str) -> None:
    for on in TARGETS.values():
        plan = build(program_of("bfs"), on, after=name)
        text = print_plan(plan)
        assert "advance_visit" in text
        behind = ALL_PASSES.index(name) >= ALL_PASSES.index("direction")
        assert ("pull from f" in text) == behind
