"""Hints can be deleted from a finished plan: it stays correct."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import pytest
from oracles import CASES, Case
from support.hints import kinds_of, without_hints

from gdsl.ir.nodes import Program
from gdsl.operations import Layout
from gdsl.plan import hints, target
from gdsl.plan.build import build
from gdsl.plan.graph_class import GENERAL
from gdsl.plan.hints import Hint
from gdsl.plan.nodes import Plan
from gdsl.plan.verifier import verify
from gdsl.plan.walking import sweeps

from .planning import DEEP, HOST, HUBS, SHORT_LISTS, plan_of, program_of

FORMS = (
    (target.CUDA_FUSED, GENERAL, Layout.AUTO),
    *((target.CUDA_FUSED, each, Layout.AUTO) for each in (DEEP, HOST, HUBS, SHORT_LISTS)),
    (target.CUDA_FUSED, GENERAL, Layout.BY_DEGREE),
    (target.CUDA_UNFUSED, GENERAL, Layout.AUTO),
    (target.CPU, GENERAL, Layout.AUTO),
)
"""Targets, classes of graphs and layouts."""
NAMES = (
    "bfs",
    "betweenness",
    "coloring",
    "connected_components",
    "coreness",
    "k_core",
    "louvain",
    "pagerank",
    "sssp",
    "strongly_connected_components",
    "triangle_count",
)


LEAST = """program least;
problem { vertex x : int32; vertex y : int32; scalar least : int32 = 9; }
vertex functor elect(v) { cond y[v] == 1; apply { least min= x[v]; } }
schedule { compute(vertices, elect); }
"""


def plans(program: Program) -> Iterator[Plan]:
    for on, graph, layout in FORMS:
        tuned = dataclasses.replace(program, tuning=dataclasses.replace(program.tuning, layout=layout))
        yield build(tuned, on, graph=graph)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.sampled(48)
def test_a_plan_without_hints_of_any_kind_is_correct(case: Case) -> None:
    for plan in plans(program_of(case.name)):
        kinds = kinds_of(plan)
        for without in ((Hint,), *((kind,) for kind in kinds)):
            stripped = without_hints(plan, *without)
            assert not any(isinstance(hint, without) for sweep in sweeps(stripped) for hint in sweep.hints)
            verify(stripped)


@pytest.mark.slow
def test_these_programs_have_all_kinds_of_hints() -> None:
    kinds = {kind for name in NAMES for plan in plans(program_of(name)) for kind in kinds_of(plan)}
    kinds |= set(kinds_of(build(program_of("connected_components"), target.on_several_gpus(target.CUDA_FUSED))))
    kinds |= set(kinds_of(plan_of(LEAST, on=target.CPU)))
    every = {kind for kind in vars(hints).values() if isinstance(kind, type) and issubclass(kind, Hint)}
    assert every - kinds == {Hint}
