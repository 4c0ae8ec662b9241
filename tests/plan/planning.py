"""Plans of samples and of small texts."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from gdsl import pipeline
from gdsl.ir.nodes import Program
from gdsl.passes import ir_passes
from gdsl.plan import target
from gdsl.plan.build import build
from gdsl.plan.graph_class import GENERAL, GraphClass, class_of
from gdsl.plan.nodes import Choice, Launch, Operation, Plan, Step, Sweep
from gdsl.plan.target import Target
from gdsl.plan.walking import operations, sweeps_of

ROOT = Path(__file__).parents[2]


DEEP, SHORT_LISTS, HUBS, HOST = (class_of([fact]) for fact in ("deep", "short-lists", "hubs", "host-lists"))
"""Classes of graphs that programs have other plans for."""


def plan_of(text: str, *tune: str, on: Target = target.CUDA_FUSED, graph: GraphClass = GENERAL) -> Plan:
    """The plan of a sample (by its name) or of a text."""
    return build(ir_passes.apply(loaded(text, *tune)), on, graph=graph)


def loaded(text: str, *tune: str) -> Program:
    """The IR of a sample (by its name) or of a text, before `gdsl.passes`."""
    source = str(ROOT / "samples" / f"{text}.gdsl") if text.isidentifier() else text
    return pipeline.load(source, tune=tune)


def program_of(name: str) -> Program:
    """The IR of a sample or of a program of tests/programs, after `gdsl.passes`."""
    folders = (ROOT / "samples", ROOT / "tests" / "programs")
    path = next(path for folder in folders if (path := Path(folder, f"{name}.gdsl")).exists())
    return ir_passes.apply(pipeline.load(path))


def without(program: Program, *names: str) -> Program:
    """A program for whose plan these passes are left out."""
    return dataclasses.replace(program, tuning=dataclasses.replace(program.tuning, without=tuple(sorted(names))))


def operation(plan: Plan, label: str) -> Operation:
    """The operation of that label."""
    (found,) = (each for each in operations(plan) if each.step.label == label)
    return found


def only_sweep(plan: Plan) -> Sweep:
    """The sweep of the one operation, which has no choice."""
    (found,) = operations(plan)
    (sweep,) = sweeps_of(found)
    return sweep


def choice(plan: Plan) -> Choice:
    """The choice of the one operation."""
    (found,) = operations(plan)
    assert isinstance(found.does, Choice)
    return found.does


def fused(plan: Plan) -> tuple[Step, ...]:
    """The steps of the one launch."""
    (launch,) = plan.schedule
    assert isinstance(launch, Launch)
    return launch.steps


def kinds(steps: tuple[Step, ...]) -> list[str]:
    """What the steps are."""
    return [type(step).__name__ for step in steps]
