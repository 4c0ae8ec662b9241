"""Which pushes let each of several GPUs propose edges first, and that the verifier sees where they may not."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest
from oracles import CASES
from support.proposals import NOT_PROPOSED, PROPOSED

from gdsl.backends.cuda import plan_of
from gdsl.ir.verifier import VerificationError
from gdsl.operations import Over
from gdsl.pipeline import load_source
from gdsl.plan import proposals, target
from gdsl.plan.build import build
from gdsl.plan.hints import PrefetchSectors
from gdsl.plan.nodes import (
    Barrier,
    Compare,
    Counter,
    Dedup,
    Directions,
    Measure,
    Operation,
    Part,
    Phase,
    Plan,
    Sweep,
    Within,
    Work,
)
from gdsl.plan.proposals import EMPTY
from gdsl.plan.proposals import PROPOSED as NOTED
from gdsl.plan.sweep_nodes import Choice, Proposals
from gdsl.plan.verifier import verify
from gdsl.plan.walking import map_operations, own_sweeps, sweeps
from gdsl.source import Source

from .test_passes import program_of, without


def plan(text: str, several_gpus: bool = True) -> Plan:
    return plan_of(load_source(Source("program.gdsl", text)), several_gpus=several_gpus)


def proposals_of(found: Plan) -> list[Proposals]:
    return [sweep.proposals for sweep in sweeps(found) if sweep.proposals is not None]


@pytest.mark.parametrize("what", PROPOSED)
def test_what_is_proposed(what: str) -> None:
    assert len(proposals_of(plan(PROPOSED[what]))) == 1
    assert not proposals_of(plan(PROPOSED[what], several_gpus=False))


@pytest.mark.parametrize("what", NOT_PROPOSED)
def test_what_is_not(what: str) -> None:
    assert proposals_of(plan(NOT_PROPOSED[what])) == []


@pytest.mark.parametrize(
    ("what", "measure"),
    [("a tree of parents", Measure.EDGES), ("no result", Measure.EDGES), ("pushed only", Measure.SIZE)],
)
def test_many_are_counted(what: str, measure: Measure) -> None:
    """By edges where these are known before the push."""
    (found,) = proposals_of(plan(PROPOSED[what]))
    assert {each.left for each in found.many} == {measure}


def test_places_and_buffers() -> None:
    """Beside those of a pull, which has a copy of the bitmap."""
    found = plan(PROPOSED["a tree of parents"])
    (proposed,) = proposals_of(found)
    assert (proposed.copy, proposed.marks, proposed.maps) == (1, 2, True)
    assert [each.copies for each in found.buffers if each.name in ("mirrors", "addresses")] == [3, 3]


def test_phases() -> None:
    (operation,) = [each for each in own_sweeps(plan(PROPOSED["no result"])) if _proposes(each)]
    body = operation.body
    at = body.index(Work(Part.PROPOSED))
    assert body[at + 1] == EMPTY and body[at + 2] == Work(Part.MEMBERS)
    at = body.index(Work(Part.SETTLED))
    assert body[at - 1] == NOTED and body[at + 1] == Work(Part.HELD)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.sampled(36)
def test_every_plan_is_correct(case) -> None:
    """The verifier says so, with proposals and without them."""
    several, program = target.on_several_gpus(target.CUDA_FUSED), program_of(case.name)
    build(program, several)
    assert proposals_of(build(without(program, "proposals"), several)) == []


def _proposes(operation: Operation) -> bool:
    return isinstance(operation.does, Sweep) and operation.does.proposals is not None


# Mistakes


@pytest.mark.parametrize(
    "what", ["the edge is asked for", "a test of what is written", "what is free depends on the near end"]
)
def test_the_verifier_looks_itself(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proposals, "_suits", lambda push, *_: push.selection is None and len(push.walks) == 1)
    with pytest.raises(VerificationError, match="proposals: "):
        plan(NOT_PROPOSED[what])


def _sweep(**fields: object) -> Callable[[Operation], Operation]:
    def changed(operation: Operation) -> Operation:
        return dataclasses.replace(operation, does=dataclasses.replace(operation.does, **fields))  # type: ignore[type-var]

    return changed


def _proposals(**fields: object) -> Callable[[Operation], Operation]:
    def changed(operation: Operation) -> Operation:
        assert isinstance(operation.does, Sweep) and operation.does.proposals is not None
        return _sweep(proposals=dataclasses.replace(operation.does.proposals, **fields))(operation)

    return changed


def _collect(**fields: object) -> Callable[[Operation], Operation]:
    def changed(operation: Operation) -> Operation:
        assert isinstance(operation.does, Sweep) and operation.does.collect is not None
        return _sweep(collect=dataclasses.replace(operation.does.collect, **fields))(operation)

    return changed


def _hinted(operation: Operation) -> Operation:
    assert isinstance(operation.does, Sweep)
    return _sweep(hints=(PrefetchSectors((), (), over=Over.OUT_EDGES),))(operation)


def _unclaimed(operation: Operation) -> Operation:
    assert isinstance(operation.does, Sweep)
    (walk,) = operation.does.walks
    variant = dataclasses.replace(walk.variant, claim=None, tests=(0,), body=(0, 1))
    return _sweep(walks=(dataclasses.replace(walk, variant=variant, shared=variant),))(operation)


def _body(*left_out: Phase) -> Callable[[Operation], Operation]:
    return lambda operation: dataclasses.replace(
        operation, body=tuple(each for each in operation.body if each not in left_out)
    )


def _swapped(one: Phase, other: Phase) -> Callable[[Operation], Operation]:
    places = {one: other, other: one}
    return lambda operation: dataclasses.replace(
        operation, body=tuple(places.get(each, each) for each in operation.body)
    )


MISTAKES = {
    "a bitmap in the place of what is noted": _proposals(marks=0),
    "what is not known": _proposals(many=(Compare(Measure.LOOKS, 1, Measure.THREADS, False),)),
    "edges that are not counted": _proposals(many=(Compare(Measure.EDGES, 1, Measure.THREADS, False),)),
    "no test": _proposals(many=()),
    "a bitmap where nobody pulls": _proposals(maps=True),
    "marks": _collect(dedup=Dedup.MARK),
    "nothing is claimed": _unclaimed,
    "sectors beside an edge": _hinted,
    "nothing is settled": _body(Work(Part.SETTLED)),
    "bitmaps that stay": _body(Work(Part.PROPOSED)),
    "no barrier before settling": _body(NOTED),
    "no barrier after emptying": _body(EMPTY),
    "no barrier behind settling": _body(
        Barrier("until the result is complete", (Counter.ACCEPTED,), within=Within.RESULT)
    ),
    "settled after what threads hold": _swapped(Work(Part.SETTLED), Work(Part.HELD)),
    "emptied after members": _swapped(Work(Part.PROPOSED), Work(Part.MEMBERS)),
    "phases of proposals without any": _sweep(proposals=None),
}


@pytest.mark.parametrize("what", MISTAKES)
def test_mistakes_are_seen(what: str) -> None:
    found = plan(PROPOSED["pushed only"])
    verify(found)
    change = MISTAKES[what]
    schedule = map_operations(found.schedule, lambda each: change(each) if _proposes(each) else each)
    with pytest.raises(VerificationError):
        verify(dataclasses.replace(found, schedule=schedule))


def test_proposals_in_the_place_of_copies_are_seen() -> None:
    found = plan(PROPOSED["a tree of parents"])

    def changed(operation: Operation) -> Operation:
        does = operation.does
        if not isinstance(does, Choice) or does.no.proposals is None:
            return operation
        assert isinstance(operation.body[0], Directions)
        no = dataclasses.replace(does.no, proposals=dataclasses.replace(does.no.proposals, copy=0))
        return dataclasses.replace(operation, does=dataclasses.replace(does, no=no))

    with pytest.raises(VerificationError, match="others fill them, too"):
        verify(dataclasses.replace(found, schedule=map_operations(found.schedule, changed)))
