"""Which pushes let each of several GPUs propose edges first, and that the verifier sees where they may not."""

from __future__ import annotations

import dataclasses

import pytest
from oracles import CASES
from support.proposals import NOT_PROPOSED, PROPOSED

from gdsl.ir.verifier import VerificationError
from gdsl.operations import Over
from gdsl.plan import proposals
from gdsl.plan.hints import ReadAhead
from gdsl.plan.nodes import (
    Barrier,
    Compare,
    Counter,
    Dedup,
    Directions,
    Measure,
    Operation,
    Part,
    Plan,
    Sweep,
    Within,
    Work,
)
from gdsl.plan.proposals import EMPTY
from gdsl.plan.proposals import PROPOSED as NOTED
from gdsl.plan.sweep_nodes import Choice, Proposals
from gdsl.plan.verifier import verify
from gdsl.plan.walking import map_operations, sweeps

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
    ("what", "measures"),
    [
        ("a tree of parents", {Measure.EDGES, Measure.UNVISITED}),
        ("no result", {Measure.EDGES}),
        ("pushed only", {Measure.SIZE}),
    ],
)
def test_many_are_counted(what: str, measures: set[Measure]) -> None:
    """By edges where these are known before the push, and by those that are left where a pull may come instead."""
    (found,) = proposals_of(plan(PROPOSED[what]))
    assert {each.left for each in found.many} == measures


def test_places_and_buffers() -> None:
    """Beside those of a pull, which has a copy of the bitmap."""
    found = plan(PROPOSED["a tree of parents"])
    (proposed,) = proposals_of(found)
    assert (proposed.copy, proposed.marks, proposed.maps) == (1, 2, True)
    assert [each.copies for each in found.buffers if each.name in ("mirrors", "addresses")] == [3, 3]


def test_phases() -> None:
    assert_phases(plan(PROPOSED["no result"]), "proposals", Part.PROPOSED, EMPTY, Part.SETTLED, NOTED)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.sampled(36)
def test_every_plan_is_correct(case) -> None:
    """The verifier says so, with proposals and without them."""
    assert proposals_of(plan_without(case.name, "proposals")) == []


# Mistakes


@pytest.mark.parametrize(
    "what", ["the edge is asked for", "a test of what is written", "what is free depends on the near end"]
)
def test_the_verifier_looks_itself(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proposals, "_suits", lambda push, *_: push.selection is None and len(push.walks) == 1)
    with pytest.raises(VerificationError, match="proposals: "):
        plan(NOT_PROPOSED[what])


def _unclaimed(operation: Operation) -> Operation:
    assert isinstance(operation.does, Sweep)
    (walk,) = operation.does.walks
    variant = dataclasses.replace(walk.variant, claim=None, tests=(0,), body=(0, 1))
    return sweep_with(walks=(dataclasses.replace(walk, variant=variant, shared=variant),))(operation)


MISTAKES = {
    "a bitmap in the place of what is noted": part_with("proposals", marks=0),
    "what is not known": part_with("proposals", many=(Compare(Measure.LOOKS, 1, Measure.THREADS, False),)),
    "edges that are not counted": part_with("proposals", many=(Compare(Measure.EDGES, 1, Measure.THREADS, False),)),
    "edges that are left where none are counted": part_with(
        "proposals", many=(Compare(Measure.UNVISITED, 1, Measure.SIZE, False),)
    ),
    "no test": part_with("proposals", many=()),
    "a bitmap where nobody pulls": part_with("proposals", maps=True),
    "marks": part_with("collect", dedup=Dedup.MARK),
    "nothing is claimed": _unclaimed,
    "values that are read ahead for an edge": sweep_with(hints=(ReadAhead((), (), 4, over=Over.OUT_EDGES),)),
    "nothing is settled": without_phases(Work(Part.SETTLED)),
    "bitmaps that stay": without_phases(Work(Part.PROPOSED)),
    "no barrier before settling": without_phases(NOTED),
    "no barrier after emptying": without_phases(EMPTY),
    "no barrier behind settling": without_phases(
        Barrier("until the result is complete", (Counter.ACCEPTED,), within=Within.RESULT)
    ),
    "settled after what threads hold": phases_swapped(Work(Part.SETTLED), Work(Part.HELD)),
    "emptied after members": phases_swapped(Work(Part.PROPOSED), Work(Part.MEMBERS)),
    "phases of proposals without any": sweep_with(proposals=None),
}


@pytest.mark.parametrize("what", MISTAKES)
def test_mistakes_are_seen(what: str) -> None:
    assert_refused(plan(PROPOSED["pushed only"]), "proposals", MISTAKES[what])


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
