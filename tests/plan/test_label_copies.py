"""Which operators several GPUs run on labels in copies, and that the verifier sees where they may not."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest
from oracles import CASES
from support.labels import LABELED, NOT_LABELED

from gdsl.backends.cuda import plan_of
from gdsl.ir.nodes import Advance
from gdsl.ir.traversal import walk
from gdsl.ir.verifier import VerificationError
from gdsl.pipeline import load_source
from gdsl.plan.label_copies import FILLED, LOWERED
from gdsl.plan.nodes import Operation, Part, Phase, Plan, Sweep, Work
from gdsl.plan.sweep_nodes import Labels
from gdsl.plan.verifier import verify
from gdsl.plan.verifier_labels import verify_labels
from gdsl.plan.walking import map_operations, own_sweeps, sweeps
from gdsl.source import Source

from .test_passes import program_of, without


def plan(text: str, several_gpus: bool = True) -> Plan:
    return plan_of(without(load_source(Source("program.gdsl", text)), "replicas"), several_gpus=several_gpus)


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
    assert loose == {("connected_components", "link")}


def test_phases() -> None:
    (operation,) = [each for each in own_sweeps(plan(LABELED["all edges"])) if _has_labels(each)]
    body = operation.body
    at = body.index(Work(Part.LABELED))
    assert body[at + 1] == FILLED and body[at + 2] == Work(Part.MEMBERS)
    at = body.index(Work(Part.JOINED))
    assert body[at - 1] == LOWERED and body[at + 1] == Work(Part.HELD)


def _has_labels(operation: Operation) -> bool:
    return isinstance(operation.does, Sweep) and operation.does.labels is not None


# Mistakes


def _labels(**fields: object) -> Callable[[Operation], Operation]:
    def changed(operation: Operation) -> Operation:
        assert isinstance(operation.does, Sweep) and operation.does.labels is not None
        labels = dataclasses.replace(operation.does.labels, **fields)
        return dataclasses.replace(operation, does=dataclasses.replace(operation.does, labels=labels))

    return changed


def _without_labels(operation: Operation) -> Operation:
    assert isinstance(operation.does, Sweep)
    return dataclasses.replace(operation, does=dataclasses.replace(operation.does, labels=None))


def _not_loose(operation: Operation) -> Operation:
    assert isinstance(operation.step, Advance)
    return dataclasses.replace(operation, step=dataclasses.replace(operation.step, loose=False))


def _body(*left_out: Phase) -> Callable[[Operation], Operation]:
    return lambda operation: dataclasses.replace(
        operation, body=tuple(each for each in operation.body if each not in left_out)
    )


MISTAKES = {
    "another array": _labels(array="again"),
    "results depend on them": _not_loose,
    "copies are not filled": _body(Work(Part.LABELED)),
    "copies are not joined": _body(Work(Part.JOINED)),
    "no barrier after filling": _body(FILLED),
    "no barrier before joining": _body(LOWERED),
    "phases of labels without any": _without_labels,
}


@pytest.mark.parametrize("what", MISTAKES)
def test_mistakes_are_seen(what: str) -> None:
    found = plan(LABELED["all edges"])
    verify(found)
    change = MISTAKES[what]
    schedule = map_operations(found.schedule, lambda each: change(each) if _has_labels(each) else each)
    with pytest.raises(VerificationError):
        verify(dataclasses.replace(found, schedule=schedule))


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
    schedule = map_operations(found.schedule, lambda each: _labels(copy=0)(each) if _has_labels(each) else each)
    with pytest.raises(VerificationError, match="others fill the copy, too"):
        verify_labels(dataclasses.replace(found, schedule=schedule))
