"""Plans with one barrier fewer."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from gdsl.plan.nodes import Barrier, Directions, Initialize, Operation, Plan
from gdsl.plan.walking import map_blocks

SPARE = {"until the results of this walk are there": "the barrier behind the counter that is read next does as much"}
"""Barriers without which a plan is still correct, by their reasons."""


def without_one(block: tuple[Any, ...]) -> Iterator[tuple[Barrier, tuple[Any, ...]]]:
    """`block` with one of its barriers removed, also inside operators."""
    for place, step in enumerate(block):
        before, behind = block[:place], block[place + 1 :]
        if isinstance(step, Barrier):
            yield step, (*before, *behind)
        elif isinstance(step, Initialize) and step.barrier is not None:
            yield step.barrier, (*before, dataclasses.replace(step, barrier=None), *behind)
        elif isinstance(step, Operation):
            for removed, body in without_one(step.body):
                yield removed, (*before, dataclasses.replace(step, body=body), *behind)
        elif isinstance(step, Directions):
            for removed, body in without_one(step.pull):
                yield removed, (*before, dataclasses.replace(step, pull=body), *behind)
            for removed, body in without_one(step.push):
                yield removed, (*before, dataclasses.replace(step, push=body), *behind)


def plans_without_one(plan: Plan) -> Iterator[tuple[Barrier, Plan]]:
    """`plan` with each of its barriers removed in turn."""
    blocks: list[tuple[Any, ...]] = []

    def note(block: tuple[Any, ...]) -> tuple[Any, ...]:
        blocks.append(block)
        return block

    map_blocks(plan.schedule, note)
    for number, block in enumerate(blocks):
        for removed, fewer in without_one(block):
            places = iter(range(len(blocks)))

            def change(found: tuple[Any, ...], fewer: tuple[Any, ...] = fewer, number: int = number) -> tuple[Any, ...]:
                return fewer if next(places) == number else found  # noqa: B023

            yield removed, dataclasses.replace(plan, schedule=map_blocks(plan.schedule, change))
