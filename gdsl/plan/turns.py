"""Decides which scalars have three places, of which a store of what they begin again with takes the next.

A loop such as `while (moved) { moved = false; compute(vertices, jump); }` would wait twice around the store: until all
have read what the last pass left, and until the store stands. Instead `moved` goes to its next place, which holds
`false` already, and the leader stores `false` in the one behind that, for the turn after this one. Each thread knows
the place by itself, since all of them walk the same schedule.

What that meets needs no rule of its own: `barriers` takes a turn for a change of names, as a swap is one, and a write
of the leader to the place that is made ready. It finds that this place was last touched before the turn before this
one, and is touched again after the next one, and puts a barrier wherever none lies in between.

A value must be the same each time, which literals and params are. Of several such values that one scalar is given in
loops, one turns, in the innermost loop; all others are stored where it lies then. Where it lies takes registers in the
whole kernel, so that only those turn without which there would be more barriers.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from gdsl.effects.access import Accesses
from gdsl.ir.nodes import (
    Binary,
    Convert,
    Expression,
    Literal,
    NoneId,
    Operator,
    ParamValue,
    Program,
    SetStep,
    StoreScalar,
    Swap,
    Unary,
)
from gdsl.ir.printer_expressions import print_expression
from gdsl.ir.traversal import walk
from gdsl.plan import barriers
from gdsl.plan.nodes import Barrier, Branch, HandBack, Launch, Leader, Loop, On, Step, Turn
from gdsl.types import Type

PLACES = 3
"""Of a scalar that turns: the one it has, the next, which is ready, and the last, which is made ready by a turn."""
_SAME_EACH_TIME = (Literal, NoneId, ParamValue, Unary, Binary, Convert)
_OFTEN = 8
"""Passes of a loop, as far as it matters where barriers are counted."""
Turning = dict[str, Expression]
"""By name of each scalar that turns what it turns to."""


def place(launch: Launch, program: Program, accesses: Accesses) -> tuple[Launch, Turning]:
    """`launch`, which has no barriers, with those that it needs, and with the turns that spare some."""
    found = _candidates(launch, program, accesses)
    best = barriers.place(_turned(launch, found, program), accesses)
    for name in tuple(found):
        fewer = {other: value for other, value in found.items() if other != name}
        placed = barriers.place(_turned(launch, fewer, program), accesses)
        if _waiting(placed.steps, 1) <= _waiting(best.steps, 1):
            found, best = fewer, placed
    return best, found


def without(launch: Launch) -> Launch:
    """`launch` with neither turns nor barriers."""
    kept = tuple(step for step in barriers.without(launch).steps if not isinstance(step, HandBack))
    return dataclasses.replace(launch, steps=tuple(_mapped(kept, {})))


def apart(kind: Type) -> int:
    """How many values one place lies behind another: what changes a bool changes all of its word."""
    return 4 if kind is Type.BOOL else 1


def _candidates(launch: Launch, program: Program, accesses: Accesses) -> Turning:
    """The scalars that might turn: others than the leader write them, and nothing knows where they lie."""
    nodes = [node for node in walk(program.schedule) if isinstance(node, (Operator, SetStep, Swap))]
    operators = (node for node in nodes if isinstance(node, Operator))
    written = {access.name for node in operators for access in accesses.of_step(node) if access.writes}
    own = {name for node in nodes if isinstance(node, SetStep) for name in (*node.writes, *node.reads)}
    own |= {name for node in nodes if isinstance(node, Swap) for name in (node.first, node.second)}
    may = written.intersection(each.name for each in program.scalars if not each.is_input) - own
    found: dict[str, tuple[int, Expression]] = {}
    for depth, step in _stores(launch.steps, 0):
        if step.scalar in may and _is_same_each_time(step.value) and found.get(step.scalar, (0,))[0] < depth:
            found[step.scalar] = depth, step.value
    return {name: value for name, (_, value) in found.items()}


def _stores(steps: tuple[Step, ...], depth: int) -> Iterator[tuple[int, StoreScalar]]:
    """Every store of the leader in a scalar, with how many loops stand around."""
    for step in steps:
        if isinstance(step, Leader) and isinstance(step.step, StoreScalar):
            yield depth, step.step
        elif isinstance(step, (Loop, On)):
            yield from _stores(step.body, depth + isinstance(step, Loop))
        elif isinstance(step, Branch):
            yield from _stores((*step.then, *step.otherwise), depth)


def _is_same_each_time(value: Expression) -> bool:
    return all(isinstance(node, _SAME_EACH_TIME) for node in walk(value))


def _turned(launch: Launch, found: Turning, program: Program) -> Launch:
    """`launch` with turns for those stores, whose results are handed back at its end."""
    results = tuple(each.name for each in program.scalars if each.name in found and not each.is_local)
    values = {name: _plain(value) for name, value in found.items()}
    back = (HandBack(results),) if results else ()
    return dataclasses.replace(launch, steps=(*_mapped(launch.steps, values), *back)) if found else launch


def _mapped(steps: tuple[Step, ...], values: dict[str, str]) -> Iterator[Step]:
    """`steps` with turns for the stores of `values`, and plain stores for all others."""
    for step in steps:
        if isinstance(step, (Leader, Turn)) and isinstance(step.step, StoreScalar):
            turns = step.step.scalar in values and values[step.step.scalar] == _plain(step.step.value)
            yield Turn(step.step) if turns else Leader(step.step)
        elif isinstance(step, (Loop, On)):
            yield dataclasses.replace(step, body=tuple(_mapped(step.body, values)))
        elif isinstance(step, Branch):
            then, otherwise = (tuple(_mapped(block, values)) for block in (step.then, step.otherwise))
            yield dataclasses.replace(step, then=then, otherwise=otherwise)
        else:
            yield step


def _plain(value: Expression) -> str:
    """`value` without where it stands in the text."""
    return f"{value.type.name} {print_expression(value)}"


def _waiting(steps: tuple[Step, ...], times: int) -> int:
    """How many barriers between steps are met, if all loops had the same number of passes."""
    found = 0
    for step in steps:
        if isinstance(step, Barrier):
            found += times
        elif isinstance(step, (Loop, On)):
            found += _waiting(step.body, times * (_OFTEN if isinstance(step, Loop) else 1))
        elif isinstance(step, Branch):
            found += _waiting((*step.then, *step.otherwise), times)
    return found
