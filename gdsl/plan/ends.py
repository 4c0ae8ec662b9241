"""Decides which reductions end with a barrier of their own, where the barrier behind them would come in any case.

A reduction need not wait (`phases`). It does where no barrier less would be met without: if all wait behind it for its
results, it may as well be its own barrier, since where long lists are cut into chunks all wait until these have been
read, and would then wait twice.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection

from gdsl.plan.fusion import flattened
from gdsl.plan.nodes import Branch, Launch, Loop, On, Operation, Step, Sweep
from gdsl.plan.phases import counts_late, with_phases


def open_ended(steps: tuple[Step, ...]) -> list[list[int]]:
    """The sites of the operators for which that is left open, those of one loop together."""
    own: list[int] = []
    found = [own]
    for step in steps:
        if isinstance(step, Operation) and is_open(step):
            own.append(step.step.site)
        elif isinstance(step, Loop):
            found += open_ended(step.body)
        elif isinstance(step, (On, Branch)):
            inner, *others = open_ended(step.body if isinstance(step, On) else (*step.then, *step.otherwise))
            own += inner
            found += others
    return [own, *(group for group in found[1:] if group)]


def is_open(operation: Operation) -> bool:
    """Whether a reduction that need not wait is in the operator's sweep."""
    return any(isinstance(each.does, Sweep) and counts_late(each.does) for each in flattened(operation))


def ending(launch: Launch, sites: Collection[int]) -> Launch:
    """`launch` with a barrier at the end of the operators of these sites."""

    def changed(step: Operation) -> Operation:
        return with_phases(step) if step.step.site in sites and not step.waits else step

    return dataclasses.replace(launch, steps=_mapped(launch.steps, changed))


def not_ending(launch: Launch) -> Launch:
    """`launch` with none of these barriers."""

    def changed(step: Operation) -> Operation:
        return with_phases(step, waits=False) if step.waits and is_open(step) else step

    return dataclasses.replace(launch, steps=_mapped(launch.steps, changed))


def _mapped(steps: tuple[Step, ...], changed: Callable[[Operation], Operation]) -> tuple[Step, ...]:
    found: list[Step] = []
    for step in steps:
        if isinstance(step, Operation):
            found.append(changed(step))
        elif isinstance(step, (Loop, On)):
            found.append(dataclasses.replace(step, body=_mapped(step.body, changed)))
        elif isinstance(step, Branch):
            then, otherwise = _mapped(step.then, changed), _mapped(step.otherwise, changed)
            found.append(dataclasses.replace(step, then=then, otherwise=otherwise))
        else:
            found.append(step)
    return tuple(found)
