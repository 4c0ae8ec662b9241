"""Decides which reductions look at the next level of a history while blocks wait for each other (cuda).

A loop over the levels of a history knows each of them beforehand. On a road it has thousands of passes of few members,
and each is a row of loads that wait for each other: a member, where its list lies, neighbours, their values. All but
the last hang on nothing that the loop writes, so that they are on their way while all wait for the pass before. That
keeps registers, which there are where blocks are small; see `suiting`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping

from gdsl.ir.nodes import History, Program, TakeLevel
from gdsl.operations import Balance
from gdsl.plan.grids import SMALL_BLOCK
from gdsl.plan.hints import NextLevel
from gdsl.plan.nodes import Branch, Launch, Loop, On, OnSets, Operation, Segment, Step, Sweep
from gdsl.plan.target import Target

Levels = Mapping[str, History]
"""By frontier the history that the loop around goes through with it."""


def upcoming(schedule: tuple[Step, ...], program: Program, target: Target) -> tuple[Step, ...]:
    """`schedule` with what its launches look at ahead, whatever it had before."""
    block = program.tuning.block
    small = block is not None and block <= SMALL_BLOCK and not program.graphs
    looks = small and target.grid and target.fused and not target.teams
    return tuple(_mapped(schedule, {}, looks))


def _mapped(steps: tuple[Step, ...], levels: Levels, looks: bool) -> Iterator[Step]:
    for step in steps:
        if isinstance(step, Launch):
            yield dataclasses.replace(step, steps=tuple(_mapped(step.steps, levels, looks)))
        elif isinstance(step, Loop):
            taken = dict(_taken(step.body)) if looks else {}
            yield dataclasses.replace(step, body=tuple(_mapped(step.body, taken, looks)))
        elif isinstance(step, On):
            yield dataclasses.replace(step, body=tuple(_mapped(step.body, levels, looks)))
        elif isinstance(step, Branch):
            then, otherwise = (tuple(_mapped(block, levels, looks)) for block in (step.then, step.otherwise))
            yield dataclasses.replace(step, then=then, otherwise=otherwise)
        elif isinstance(step, Operation):
            yield _looking(step, levels if step.waits else {})
        else:
            yield step


def _taken(body: tuple[Step, ...]) -> Iterator[tuple[str, History]]:
    for step in body:
        if isinstance(step, OnSets) and isinstance(step.step, TakeLevel) and not step.waits:
            yield step.step.name, step.step.history


def _looking(operation: Operation, levels: Levels) -> Operation:
    """A reduction lends its sweep, and so its wait, to what comes behind it."""
    if operation.ahead:
        first, *others = operation.ahead
        return dataclasses.replace(operation, ahead=(_looking(first, levels), *others))
    sweep = operation.does
    if not isinstance(sweep, Sweep) or sweep.segment is None:
        return operation
    found = levels.get(sweep.members.frontier or "") if _goes_by_lists(sweep, sweep.segment) else None
    return operation if found is None else dataclasses.replace(operation, does=sweep.with_hints(NextLevel(found)))


def _goes_by_lists(sweep: Sweep, segment: Segment) -> bool:
    """Whether a sweep goes through all of one list of each member, once, for results that are stored at once."""
    whole = len(sweep.walks) == 1 and sweep.walks[0].first_places is None and sweep.balance is Balance.AUTO
    return whole and segment.stops_at is None and segment.aside is None
