"""Reductions that may end with a barrier of their own, and launches with or without these barriers.

A reduction need not end with a barrier (`phases`). `scalar_copies` gives it one if there are no more barriers then: if
all threads wait for its results anyway, they may as well wait in the reduction, which waits for the chunks of long
lists to be read, so that threads would wait twice. If it is the end of one block of a branch, the other block may get a
barrier at its end, too: otherwise what follows might have to wait again after both.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection

from gdsl.plan.fusion import flattened
from gdsl.plan.nodes import Barrier, Branch, Launch, Loop, Operation, Step, Sweep
from gdsl.plan.phases import counts_late, with_phases
from gdsl.plan.walking import blocks_of, with_blocks


def optional_end_barriers(steps: tuple[Step, ...]) -> list[list[int]]:
    """The sites of the operators that may end with a barrier, those of one loop together."""
    own: list[int] = []
    sites = [own]
    for step in steps:
        if isinstance(step, Operation) and has_optional_end_barrier(step):
            own.append(step.step.site)
        for block in blocks_of(step):
            inner, *others = optional_end_barriers(block)
            if isinstance(step, Loop):
                sites.append(inner)
            else:
                own += inner
            sites += others
    return [own, *(group for group in sites[1:] if group)]


def has_optional_end_barrier(operation: Operation) -> bool:
    """Whether a reduction that need not wait is in the operator's sweep."""
    collects = isinstance(operation.does, Sweep) and operation.does.collect is not None
    return not collects and any(
        isinstance(each.does, Sweep) and counts_late(each.does) for each in flattened(operation)
    )


def with_end_barriers(launch: Launch, sites: Collection[int], even: bool = False) -> Launch:
    """`launch` with a barrier at the end of the operators of these sites; `even`: and at the end of the other block of
    each branch of which one block ends so."""

    def changed(step: Operation) -> Operation:
        return with_phases(step) if step.step.site in sites and not step.waits else step

    return dataclasses.replace(launch, steps=_mapped(launch.steps, changed, even))


def without_end_barriers(launch: Launch) -> Launch:
    """`launch` with none of these barriers."""

    def changed(step: Operation) -> Operation:
        return with_phases(step, waits=False) if step.waits and has_optional_end_barrier(step) else step

    return dataclasses.replace(launch, steps=_mapped(launch.steps, changed))


_BOTH = Barrier("until all are done, as after the other block")


def _with_even_ends(branch: Branch, changed: Branch) -> Branch:
    """`changed`, which was `branch`, and of which one block may have got a barrier at its end."""

    def ended(block: tuple[Step, ...], former: tuple[Step, ...], other: tuple[Step, ...]) -> tuple[Step, ...]:
        waits = _ends_waiting(other) > _ends_waiting(former) and bool(block) and not _ends_waiting(block)
        return (*block, _BOTH) if waits else block

    then = ended(changed.then, branch.otherwise, changed.otherwise)
    otherwise = ended(changed.otherwise, branch.then, changed.then)
    return dataclasses.replace(changed, then=then, otherwise=otherwise)


def _ends_waiting(block: tuple[Step, ...]) -> bool:
    last = block[-1] if block else None
    return isinstance(last, Barrier) or (isinstance(last, Operation) and last.waits)


def _mapped(steps: tuple[Step, ...], changed: Callable[[Operation], Operation], even: bool = False) -> tuple[Step, ...]:
    mapped: list[Step] = []
    for step in steps:
        new = changed(step) if isinstance(step, Operation) else step
        new = with_blocks(new, lambda block: _mapped(block, changed, even))
        if even and isinstance(step, Branch) and isinstance(new, Branch):
            new = _with_even_ends(step, new)
        mapped.append(new)
    return tuple(mapped)
