"""Hints can be deleted from a finished plan: it stays correct."""

from __future__ import annotations

import dataclasses

import pytest
from oracles import CASES, Case
from support.hints import kinds_of, without_hints

from gdsl.ir.nodes import Program
from gdsl.operations import Layout
from gdsl.plan import hints, target
from gdsl.plan.build import build
from gdsl.plan.hints import Hint, ValueFirst
from gdsl.plan.verifier import verify
from gdsl.plan.walking import sweeps

from .test_passes import program_of

FORMS = (
    (target.CUDA_FUSED, {}),
    (target.CUDA_FUSED, {"block": 256}),
    (target.CUDA_FUSED, {"hub_bounds": True}),
    (target.CUDA_FUSED, {"rows_ahead": True}),
    (target.CUDA_FUSED, {"layout": Layout.BY_DEGREE}),
    (target.CUDA_UNFUSED, {}),
    (target.CPU, {}),
)
"""Targets, and the forms for classes of graphs."""
NAMES = (
    "bfs",
    "betweenness",
    "k_core",
    "louvain",
    "pagerank",
    "sssp",
    "strongly_connected_components",
    "triangle_count",
)


def tuned(program: Program, knobs: dict[str, object]) -> Program:
    return dataclasses.replace(program, tuning=dataclasses.replace(program.tuning, **knobs))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.sampled(48)
def test_a_plan_without_hints_of_any_kind_is_correct(case: Case) -> None:
    program = program_of(case.name)
    for on, knobs in FORMS:
        plan = build(tuned(program, knobs), on)
        kinds = kinds_of(plan)
        for without in ((Hint,), *((kind,) for kind in kinds)):
            stripped = without_hints(plan, *without)
            assert not any(isinstance(hint, without) for sweep in sweeps(stripped) for hint in sweep.hints)
            verify(stripped)


def test_these_programs_have_all_kinds_of_hints_but_one() -> None:
    programs = [program_of(name) for name in NAMES]
    plans = (build(tuned(program, knobs), on) for program in programs for on, knobs in FORMS)
    kinds = {kind for plan in plans for kind in kinds_of(plan)}
    every = {kind for kind in vars(hints).values() if isinstance(kind, type) and issubclass(kind, Hint)}
    assert every - kinds == {Hint, ValueFirst}
