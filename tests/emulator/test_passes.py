"""Without any of its passes, and without all of them, a plan gives what the reference gives; so does each changed plan
that the verifier accepts."""

from __future__ import annotations

import dataclasses

import pytest
from oracles import CASES, Case
from support.changed_plans import CHOICES, changed, seen
from support.hints import kinds_of, without_hints

from gdsl.backends.cpu.backend import CpuBackend
from gdsl.backends.cuda import plan_of
from gdsl.backends.interface import Limits
from gdsl.codegen.cuda.generate import generate
from gdsl.ir.nodes import Program
from gdsl.knobs import OPTIONAL_PASSES
from gdsl.plan.hints import Hint
from gdsl.plan.nodes import Plan

from .driver import EmulatedModule
from .running import NARROW, SMALL, Built, differences, emulated, program_of
from .test_programs import check, graphs, reference

SMALLEST = 3


def without(name: str, *passes: str) -> Program:
    program = program_of(name)
    return dataclasses.replace(program, tuning=dataclasses.replace(program.tuning, without=tuple(sorted(passes))))


def chosen(case: Case) -> list[str]:
    """A graph of many vertices, and a few small ones."""
    suited = [name for name, graph in graphs().items() if case.suits(graph)]
    large = [name for name in ("small_rmat", "small_grid") if name in suited]
    return [*large[:1], *suited[:SMALLEST]]


def check_on_cpu(case: Case, program: Program) -> None:
    executable = CpuBackend().build(program, 32)
    for graph in chosen(case):
        bindings, expected = reference(case, graph, 32)
        found = executable.run(graphs()[graph], bindings, Limits())
        assert differences(program, expected, found) == [], graph


@pytest.mark.parametrize("place", range(len(CASES)), ids=[case.name for case in CASES])
@pytest.mark.sampled(252)
def test_without_one_pass(place: int) -> None:
    """Another one for each program."""
    case, name = CASES[place], OPTIONAL_PASSES[place % len(OPTIONAL_PASSES)]
    program = without(case.name, name)
    built = emulated(program)
    for seed, graph in enumerate(chosen(case)):
        check(built, case, graph, seed)
    check_on_cpu(case, program)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.sampled(252)
def test_without_all_passes(case: Case) -> None:
    program = without(case.name, *OPTIONAL_PASSES)
    built = emulated(program)
    for seed, graph in enumerate(chosen(case)):
        check(built, case, graph, seed)
    check_on_cpu(case, program)


HINTED = ("bfs", "sssp", "search_levels")
ACCEPTED = ("bfs", "connected_components", "sssp", "search_levels", "k_core")


@pytest.mark.slow
@pytest.mark.parametrize("name", ACCEPTED)
@pytest.mark.rare(5)
def test_changed_plans_that_are_accepted_are_correct(name: str) -> None:
    """One of each kind of change."""
    program = program_of(name)
    case = next(case for case in CASES if case.name == name)
    tried: set[tuple[str, str]] = set()
    for kind, field, other in changed(plan_of(program, SMALL), lambda new: new):
        if (kind, field) in CHOICES and (kind, field) not in tried and not seen(other):
            tried.add((kind, field))
            for seed, graph in enumerate(chosen(case)):
                check(_compiled(other), case, graph, seed)
    assert tried


@pytest.mark.parametrize("name", HINTED)
def test_without_hints_results_are_the_same(name: str) -> None:
    """Without all of them, and without each kind."""
    case = next(case for case in CASES if case.name == name)
    plan = plan_of(program_of(name), SMALL)
    kinds = kinds_of(plan)
    assert kinds
    for seed, without in enumerate(((Hint,), *((kind,) for kind in kinds))):
        built = _compiled(without_hints(plan, *without))
        for graph in chosen(case):
            check(built, case, graph, seed)


def _compiled(plan: Plan) -> Built:
    generated = generate(plan, NARROW)
    return Built(plan.program, plan, generated, EmulatedModule(generated.text, "changed.cu", False), NARROW)
