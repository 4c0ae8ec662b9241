"""Which operators several GPUs run on copies that they merge, and that the verifier sees where they may not."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest
from oracles import CASES
from support.merges import MERGED, NOT_MERGED

from gdsl.backends.cuda import plan_of
from gdsl.ir.verifier import VerificationError
from gdsl.operations import ReduceOperation
from gdsl.pipeline import load_source
from gdsl.plan import merges, target
from gdsl.plan.build import build
from gdsl.plan.merges import CHANGED, COPIED, merged
from gdsl.plan.nodes import Dedup, Form, Operation, Part, Plan, Reduction, Sweep, Work
from gdsl.plan.verifier import verify
from gdsl.plan.walking import map_operations, own_sweeps
from gdsl.source import Source
from gdsl.types import Type

from .test_passes import program_of, without


def plan(text: str, several_gpus: bool = True) -> Plan:
    return plan_of(load_source(Source("program.gdsl", text)), several_gpus=several_gpus)


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
    (operation,) = [each for each in own_sweeps(plan(MERGED["bits"])) if _merges(each)]
    body = operation.body
    at = body.index(Work(Part.COPIED))
    assert body[at + 1] == COPIED and body.index(Work(Part.MEMBERS)) > at
    at = body.index(Work(Part.MERGED))
    assert body[at - 1] == CHANGED and body[at + 1] == Work(Part.HELD)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.sampled(36)
def test_every_plan_is_correct(case) -> None:
    """The verifier says so, with copies that are merged and without them."""
    several, program = target.on_several_gpus(target.CUDA_FUSED), program_of(case.name)
    build(program, several)
    assert merged(build(without(program, "merges"), several)) == []


def _merges(operation: Operation) -> bool:
    return isinstance(operation.does, Sweep) and operation.does.merge is not None


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


def _sweep(**fields: object) -> Callable[[Operation], Operation]:
    def changed(operation: Operation) -> Operation:
        assert isinstance(operation.does, Sweep)
        return dataclasses.replace(operation, does=dataclasses.replace(operation.does, **fields))

    return changed


def _merge(**fields: object) -> Callable[[Operation], Operation]:
    def changed(operation: Operation) -> Operation:
        assert isinstance(operation.does, Sweep) and operation.does.merge is not None
        return _sweep(merge=dataclasses.replace(operation.does.merge, **fields))(operation)

    return changed


def _collect(**fields: object) -> Callable[[Operation], Operation]:
    def changed(operation: Operation) -> Operation:
        assert isinstance(operation.does, Sweep) and operation.does.collect is not None
        return _sweep(collect=dataclasses.replace(operation.does.collect, **fields))(operation)

    return changed


def _body(*left_out: object) -> Callable[[Operation], Operation]:
    return lambda operation: dataclasses.replace(
        operation, body=tuple(each for each in operation.body if each not in left_out)
    )


def _swapped(one: object, other: object) -> Callable[[Operation], Operation]:
    places = {one: other, other: one}
    return lambda operation: dataclasses.replace(
        operation, body=tuple(places.get(each, each) for each in operation.body)
    )


MISTAKES = {
    "another operation": _merge(reduction=Reduction(ReduceOperation.MAX, Type.UINT32)),
    "an operation that may be done once only": _merge(reduction=Reduction(ReduceOperation.ADD, Type.UINT32)),
    "another type": _merge(reduction=Reduction(ReduceOperation.BIT_OR, Type.UINT64)),
    "another array": _merge(array="seen"),
    "marks in the copy": _merge(marks=0),
    "no marks": _collect(dedup=Dedup.NONE),
    "a bitmap": _collect(form=Form.BITMAP),
    "no merging": _body(Work(Part.MERGED)),
    "no copy": _body(Work(Part.COPIED)),
    "no barrier before merging": _body(CHANGED),
    "no barrier after filling": _body(COPIED),
    "marks that stay": _body(Work(Part.MARKS)),
    "merged after what threads hold": _swapped(Work(Part.MERGED), Work(Part.HELD)),
    "phases of copies without any": _sweep(merge=None),
}


@pytest.mark.parametrize("what", MISTAKES)
def test_mistakes_are_seen(what: str) -> None:
    found = plan(MERGED["bits"])
    verify(found)
    change = MISTAKES[what]
    schedule = map_operations(found.schedule, lambda each: change(each) if _merges(each) else each)
    with pytest.raises(VerificationError):
        verify(dataclasses.replace(found, schedule=schedule))


def test_copies_in_a_loop_that_is_in_another_are_seen() -> None:
    found = plan(NOT_MERGED["in a loop in a loop"])
    (merge,) = merged(plan(MERGED["small labels"]))

    def changed(operation: Operation) -> Operation:
        does = operation.does
        return _sweep(merge=merge)(operation) if isinstance(does, Sweep) and does.walks else operation

    with pytest.raises(VerificationError):
        verify(dataclasses.replace(found, schedule=map_operations(found.schedule, changed)))
