"""Decides which scalars every thread keeps a value of its own of.

The schedule is walked by all threads alike. A scalar that only its stores change, and no call of a functor, has the
same value in all of them if each does the store itself, since each of them reads the same: what operators made before
is there behind a barrier. So nobody waits for the leader's store, as behind `largest = max(largest, low);`. What the
store reads all threads read now, which `barriers` knows; the scalar itself they do not share, until the leader hands it
back.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from gdsl.effects.access import Accesses
from gdsl.ir.nodes import Expression, Operator, Program, ScalarValue, SetStep, StoreScalar, Swap
from gdsl.ir.traversal import walk
from gdsl.plan.nodes import Branch, Everyone, Launch, Leader, Loop, On, Step


def others_know(program: Program, accesses: Accesses) -> tuple[frozenset[str], frozenset[str]]:
    """The scalars that operators write, and those of which something else knows where they lie."""
    nodes = [node for node in walk(program.schedule) if isinstance(node, (Operator, SetStep, Swap))]
    operators = (node for node in nodes if isinstance(node, Operator))
    written = {access.name for node in operators for access in accesses.of_step(node) if access.writes}
    known = {name for node in nodes if isinstance(node, SetStep) for name in (*node.use.writes, *node.use.reads)}
    known |= {name for node in nodes if isinstance(node, Swap) for name in (node.first, node.second)}
    scalars = {each.name for each in program.scalars}
    inputs = {each.name for each in program.scalars if each.is_input}
    return frozenset(written & scalars), frozenset(known | inputs)


def candidates(launch: Launch, program: Program, accesses: Accesses) -> tuple[str, ...]:
    """The scalars that loops store or their conditions read, and that nobody but the schedule stores."""
    written, known = others_know(program, accesses)
    stored = {step.scalar for depth, step in stores(launch.steps, 0) if depth > 0}
    own = (stored - written - known) | steering(launch, program, accesses)
    return tuple(each.name for each in program.scalars if each.name in own)


def steering(launch: Launch, program: Program, accesses: Accesses) -> frozenset[str]:
    """The scalars that only the schedule stores, and that conditions within loops read: in each pass all would wait
    for the memory, behind a barrier, before they know where to go."""
    written, known = others_know(program, accesses)
    stored = {step.scalar for _, step in stores(launch.steps, 0)}
    read = {node.name for each in _asked(launch.steps, 0) for node in walk(each) if isinstance(node, ScalarValue)}
    return frozenset(stored & read) - written - known


def _asked(steps: tuple[Step, ...], depth: int) -> Iterator[Expression]:
    """The conditions that each pass of a loop asks."""
    for step in steps:
        if isinstance(step, Loop):
            if not step.counted:
                yield step.condition
            yield from _asked(step.body, depth + 1)
        elif isinstance(step, On):
            yield from _asked(step.body, depth)
        elif isinstance(step, Branch):
            if depth > 0:
                yield step.condition
            yield from _asked((*step.then, *step.otherwise), depth)


def stores(steps: tuple[Step, ...], depth: int) -> Iterator[tuple[int, StoreScalar]]:
    """Every store of the leader in a scalar, with how many loops stand around."""
    for step in steps:
        if isinstance(step, Leader) and isinstance(step.step, StoreScalar):
            yield depth, step.step
        elif isinstance(step, (Loop, On)):
            yield from stores(step.body, depth + isinstance(step, Loop))
        elif isinstance(step, Branch):
            yield from stores((*step.then, *step.otherwise), depth)


def mapped(steps: tuple[Step, ...], names: frozenset[str]) -> Iterator[Step]:
    """`steps` with the stores of `names` done by everyone, and all others by the leader."""
    for step in steps:
        if isinstance(step, (Leader, Everyone)) and isinstance(step.step, StoreScalar):
            yield Everyone(step.step) if step.step.scalar in names else Leader(step.step)
        elif isinstance(step, (Loop, On)):
            yield dataclasses.replace(step, body=tuple(mapped(step.body, names)))
        elif isinstance(step, Branch):
            then, otherwise = (tuple(mapped(block, names)) for block in (step.then, step.otherwise))
            yield dataclasses.replace(step, then=then, otherwise=otherwise)
        else:
            yield step
