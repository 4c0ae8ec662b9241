"""Where several GPUs pack labels before they are joined, and that the verifier sees mistakes."""

from __future__ import annotations

import pytest
from support.labels import LABELED, NOT_LABELED
from support.replicas import NOT_REPLICATED, REPLICATED

from gdsl.plan.hints import LabelsTogether
from gdsl.plan.label_copies import LOWERED
from gdsl.plan.nodes import Operation, Part, Plan, Work
from gdsl.plan.replicas import LABELS_TOGETHER, PACKED
from gdsl.plan.sweep_nodes import Labels
from gdsl.plan.walking import own_sweeps, sweeps

from .several_gpus import assert_refused, part, part_with, phases_swapped, plan, sweep_with, without_phases

_LINKED = REPLICATED["linked first"]


def labels_of(found: Plan) -> list[Labels]:
    return [sweep.labels for sweep in sweeps(found) if sweep.labels is not None]


def linking(found: Plan) -> Operation:
    (operation,) = [each for each in own_sweeps(found) if part(each, "labels") is not None]
    return operation


@pytest.mark.parametrize("what", LABELED)
def test_labels_of_which_each_gpu_has_all_are_packed(what: str) -> None:
    found = labels_of(plan(LABELED[what]))
    assert found and all(each.packed not in (None, each.copy) for each in found)


@pytest.mark.parametrize("text", [*NOT_LABELED.values(), *NOT_REPLICATED.values()])
def test_no_others_are(text: str) -> None:
    assert all(each.packed is None for each in labels_of(plan(text)))


def test_others_are_joined() -> None:
    found = plan(_LINKED, left_out="replicas")
    assert [each.packed for each in labels_of(found)] == [None]
    assert Work(Part.JOINED) in linking(found).body


def test_phases() -> None:
    body = linking(plan(_LINKED)).body
    at = body.index(Work(Part.PACKED))
    assert body[at - 1 : at + 4] == (LOWERED, Work(Part.PACKED), PACKED, Work(Part.UNPACKED), Work(Part.HELD))
    assert Work(Part.JOINED) not in body


@pytest.mark.parametrize("what", LABELED)
def test_labels_of_several_members_are_read_together(what: str) -> None:
    found = plan(LABELED[what])
    hints = [sweep.hint(LabelsTogether) for sweep in sweeps(found) if sweep.published == ("x",)]
    assert hints and hints == [LabelsTogether("x", LABELS_TOGETHER)] * len(hints)
    assert not any(sweep.hint(LabelsTogether) for sweep in sweeps(plan(LABELED[what], left_out="label_copies")))


MISTAKES = {
    "labels together that are not followed": sweep_with(hints=(LabelsTogether("x", 4),)),
    "packed where the labels are": part_with("labels", packed=0),
    "not all labels": part_with("labels", packed=None),
    "packed before all are lowered": without_phases(LOWERED),
    "read before all are packed": without_phases(PACKED),
    "not packed": without_phases(Work(Part.PACKED)),
    "not read": without_phases(Work(Part.UNPACKED)),
    "read before they are packed": phases_swapped(Work(Part.PACKED), Work(Part.UNPACKED)),
}


@pytest.mark.parametrize("what", MISTAKES)
def test_mistakes_are_seen(what: str) -> None:
    assert_refused(plan(_LINKED), "labels", MISTAKES[what])
