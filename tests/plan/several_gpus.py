"""What tests share of the passes by which several GPUs run an operator's sweep in another way: plans of texts, the
phases that a pass adds, and plans with a mistake, of which the verifier must see each."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest

from gdsl.backends.cuda import plan_of
from gdsl.ir.verifier import VerificationError
from gdsl.plan import target
from gdsl.plan.build import build
from gdsl.plan.nodes import Barrier, Operation, Part, Phase, Plan, Sweep, Work
from gdsl.plan.verifier import verify
from gdsl.plan.walking import map_operations, own_sweeps

from .planning import loaded, program_of, without

Change = Callable[[Operation], Operation]
"""A mistake in an operator of one sweep."""


def plan(text: str, several_gpus: bool = True, left_out: str | None = None) -> Plan:
    """The plan of a sample (by its name) or of a text, perhaps without one pass."""
    program = loaded(text)
    return plan_of(program if left_out is None else without(program, left_out), several_gpus=several_gpus)


def plan_without(name: str, left_out: str) -> Plan:
    """The plan of a sample or test program without one pass; the verifier says of the plans with it and without it
    whether they are correct."""
    several, program = target.on_several_gpus(target.CUDA_FUSED), program_of(name)
    build(program, several)
    return build(without(program, left_out), several)


def part(operation: Operation, field: str) -> object:
    """What the pass has put in that field of the sweep; None if the operator has no sweep of its own."""
    return getattr(operation.does, field) if isinstance(operation.does, Sweep) else None


def assert_phases(found: Plan, field: str, first: Part, filled: Barrier, last: Part, changed: Barrier) -> None:
    """Members are visited between the two phases, with a barrier behind the first and one before the last; what
    threads hold is written after both."""
    (operation,) = [each for each in own_sweeps(found) if part(each, field) is not None]
    body = operation.body
    at = body.index(Work(first))
    assert body[at + 1] == filled and body[at + 2] == Work(Part.MEMBERS)
    at = body.index(Work(last))
    assert body[at - 1] == changed and body[at + 1] == Work(Part.HELD)


# Mistakes


def sweep_with(**fields: object) -> Change:
    """A sweep with other fields."""

    def changed(operation: Operation) -> Operation:
        assert isinstance(operation.does, Sweep)
        return dataclasses.replace(operation, does=dataclasses.replace(operation.does, **fields))  # type: ignore[arg-type]

    return changed


def part_with(field: str, **fields: object) -> Change:
    """A sweep that has other values in a field of fields."""

    def changed(operation: Operation) -> Operation:
        former = part(operation, field)
        assert former is not None
        return sweep_with(**{field: dataclasses.replace(former, **fields)})(operation)  # type: ignore[type-var]

    return changed


def without_phases(*left_out: Phase) -> Change:
    """An operator without some of its phases."""
    return lambda operation: dataclasses.replace(
        operation, body=tuple(each for each in operation.body if each not in left_out)
    )


def phases_swapped(one: Phase, other: Phase) -> Change:
    """An operator that does two of its phases in the other order."""
    places = {one: other, other: one}
    return lambda operation: dataclasses.replace(
        operation, body=tuple(places.get(each, each) for each in operation.body)
    )


def with_change(found: Plan, field: str, change: Change) -> Plan:
    """A plan with a mistake wherever a sweep has something in that field."""
    schedule = map_operations(found.schedule, lambda each: change(each) if part(each, field) is not None else each)
    return dataclasses.replace(found, schedule=schedule)


def assert_refused(found: Plan, field: str, change: Change) -> None:
    """The verifier accepts a plan, and not with the mistake."""
    verify(found)
    with pytest.raises(VerificationError):
        verify(with_change(found, field, change))
