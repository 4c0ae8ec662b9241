"""Which operators several GPUs run on copies that they merge, and that the verifier sees where they may not."""

from __future__ import annotations

import dataclasses

import pytest
from oracles import CASES
from support.merges import MERGED, NOT_MERGED, merged

from gdsl.ir.verifier import VerificationError
from gdsl.operations import ReduceOperation
from gdsl.plan import merges
from gdsl.plan.merges import CHANGED, COPIED
from gdsl.plan.nodes import Dedup, Form, Operation, Part, Reduction, Sweep, Work
from gdsl.plan.verifier import verify
from gdsl.plan.walking import map_operations
from gdsl.types import Type

from .several_gpus import (
    assert_phases,
    assert_refused,
    part_with,
    phases_swapped,
    plan,
    plan_without,
    sweep_with,
    without_phases,
)


@pytest.mark.parametrize("what", MERGED)
def test_what_is_merged(what: str) -> None:
    found = plan(MERGED[what])
    names = {"two arrays": ["least", "wide"], "one array in two loops": ["x", "x"]}
    x = "reached" if "bits" in what else "x"
    assert [each.array for each in merged(found)] == names.get(what, [x])
    assert not merged(plan(MERGED[what], several_gpus=False))


@pytest.mark.parametrize("what", NOT_MERGED)
def test_what_is_not(what: str) -> None:
    assert merged(plan(NOT_MERGED[what])) == []


def test_copies_of_one_loop_have_places_of_their_own() -> None:
    least, wide = merged(plan(MERGED["two arrays"]))
    assert len({least.copy, wide.copy, least.marks}) == 3 and least.marks == wide.marks
    found = plan(MERGED["two arrays"])
    assert [each.copies for each in found.buffers if each.name in ("mirrors", "addresses")] == [3, 3]
    first, again = merged(plan(MERGED["one array in two loops"]))
    assert first == again


def test_phases() -> None:
    assert_phases(plan(MERGED["bits"]), "merge", Part.COPIED, COPIED, Part.MERGED, CHANGED)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.sampled(36)
def test_every_plan_is_correct(case) -> None:
    """The verifier says so, with copies that are merged and without them."""
    assert merged(plan_without(case.name, "merges")) == []


# Mistakes


@pytest.mark.parametrize(
    "what", ["another write in the loop", "the leader writes in the loop", "truth values", "swapped"]
)
def test_the_verifier_looks_itself(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for check in ("_only_writer", "_suits"):
        monkeypatch.setattr(merges, check, lambda *_: True)
    with pytest.raises(VerificationError, match="copies that are merged"):
        plan(NOT_MERGED[what])


def test_the_verifier_sees_reads_of_what_others_change(monkeypatch: pytest.MonkeyPatch) -> None:
    text = MERGED["bits"].replace("reached[dst] |= seen[src]", "reached[dst] |= reached[src]")
    assert merged(plan(text)) == []
    monkeypatch.setattr(merges, "_reads_only_when_monotone", lambda *_: True)
    with pytest.raises(VerificationError, match="some others only"):
        plan(text)


MISTAKES = {
    "another operation": part_with("merge", reduction=Reduction(ReduceOperation.MAX, Type.UINT32)),
    "an operation that counts twice": part_with("merge", reduction=Reduction(ReduceOperation.ADD, Type.UINT32)),
    "another type": part_with("merge", reduction=Reduction(ReduceOperation.BIT_OR, Type.UINT64)),
    "another array": part_with("merge", array="seen"),
    "marks in the copy": part_with("merge", marks=0),
    "no marks": part_with("collect", dedup=Dedup.NONE),
    "a bitmap": part_with("collect", form=Form.BITMAP),
    "no merging": without_phases(Work(Part.MERGED)),
    "no copy": without_phases(Work(Part.COPIED)),
    "no barrier before merging": without_phases(CHANGED),
    "no barrier after filling": without_phases(COPIED),
    "marks that stay": without_phases(Work(Part.MARKS)),
    "merged after what threads hold": phases_swapped(Work(Part.MERGED), Work(Part.HELD)),
    "phases of copies without any": sweep_with(merge=None),
}


@pytest.mark.parametrize("what", MISTAKES)
def test_mistakes_are_seen(what: str) -> None:
    assert_refused(plan(MERGED["bits"]), "merge", MISTAKES[what])


def test_copies_in_a_loop_that_is_in_another_are_seen() -> None:
    found = plan(NOT_MERGED["in a loop in a loop"])
    (merge,) = merged(plan(MERGED["small labels"]))

    def changed(operation: Operation) -> Operation:
        does = operation.does
        return sweep_with(merge=merge)(operation) if isinstance(does, Sweep) and does.walks else operation

    with pytest.raises(VerificationError):
        verify(dataclasses.replace(found, schedule=map_operations(found.schedule, changed)))
