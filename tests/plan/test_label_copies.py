"""Which operators several GPUs run on labels in copies, and that the verifier sees where they may not."""

from __future__ import annotations

import dataclasses

import pytest
from oracles import CASES
from support.labels import LABELED, NOT_LABELED

from gdsl.backends.cuda import plan_of
from gdsl.ir.nodes import Advance
from gdsl.ir.traversal import walk
from gdsl.ir.verifier import VerificationError
from gdsl.pipeline import load_source
from gdsl.plan.label_copies import FILLED, LOWERED
from gdsl.plan.nodes import Operation, Part, Plan, Work
from gdsl.plan.sweep_nodes import Labels
from gdsl.plan.verifier_labels import verify_labels
from gdsl.plan.walking import sweeps
from gdsl.source import Source

from .planning import loaded, program_of, without
from .several_gpus import (
    assert_phases,
    assert_refused,
    part_with,
    sweep_with,
    with_change,
    without_phases,
)


def plan(text: str, several_gpus: bool = True) -> Plan:
    """A plan in which no copy of labels is there before (`replicas`)."""
    return plan_of(without(loaded(text), "replicas"), several_gpus=several_gpus)


def labels_of(found: Plan) -> list[Labels]:
    return [sweep.labels for sweep in sweeps(found) if sweep.labels is not None]


@pytest.mark.parametrize("what", LABELED)
def test_which_have_copies(what: str) -> None:
    assert {each.array for each in labels_of(plan(LABELED[what]))} == {"x"}
    assert not labels_of(plan(LABELED[what], several_gpus=False))


@pytest.mark.parametrize("what", NOT_LABELED)
def test_which_have_none(what: str) -> None:
    assert labels_of(plan(NOT_LABELED[what])) == []


@pytest.mark.parametrize("what", ["a result in between", "another write", "in a loop", "no loop over all edges"])
def test_results_depend_on_labels(what: str) -> None:
    program = load_source(Source("program.gdsl", NOT_LABELED[what]))
    assert not any(step.loose for step in walk(program.schedule) if isinstance(step, Advance))


def test_of_the_samples_components_alone() -> None:
    loose = {
        (case.name, step.functor)
        for case in CASES
        for step in walk(program_of(case.name).schedule)
        if isinstance(step, Advance) and step.loose
    }
    assert loose == {("connected_components", "sample")}


def test_phases() -> None:
    assert_phases(plan(LABELED["all edges"]), "labels", Part.LABELED, FILLED, Part.JOINED, LOWERED)


# Mistakes


def _not_loose(operation: Operation) -> Operation:
    assert isinstance(operation.step, Advance)
    return dataclasses.replace(operation, step=dataclasses.replace(operation.step, loose=False))


MISTAKES = {
    "another array": part_with("labels", array="again"),
    "results depend on them": _not_loose,
    "copies are not filled": without_phases(Work(Part.LABELED)),
    "copies are not joined": without_phases(Work(Part.JOINED)),
    "no barrier after filling": without_phases(FILLED),
    "no barrier before joining": without_phases(LOWERED),
    "phases of labels without any": sweep_with(labels=None),
}


@pytest.mark.parametrize("what", MISTAKES)
def test_mistakes_are_seen(what: str) -> None:
    assert_refused(plan(LABELED["all edges"]), "labels", MISTAKES[what])


def test_a_copy_in_the_place_of_others_is_seen() -> None:
    """As that of a bitmap that a pull copies."""
    text = LABELED["all edges"].replace("local scalar again", "vertex level : int32 = -1; local scalar again")
    text = text.replace(
        "edge functor link",
        "edge functor visit(src, dst, e) { cond level[dst] == -1; apply { level[dst] = 1; } }\nedge functor link",
    ).replace("schedule {", "schedule { frontier f = { 0 }; f = advance(f, visit);")
    found = plan(text)
    (labels,) = labels_of(found)
    assert labels.copy == 3
    with pytest.raises(VerificationError, match="others fill the copy, too"):
        verify_labels(with_change(found, "labels", part_with("labels", copy=0)))
