"""Decides which scalars have three places, of which a store of what they begin again with takes the next.

A loop such as `while (moved) { moved = false; compute(vertices, jump); }` would wait twice around the store: until all
have read what the last pass left, and until the store stands. Instead `moved` goes to its next place, which holds
`false` already, and the leader stores `false` in the one behind that, for the turn after this one. Each thread knows
the place by itself, since all of them walk the same schedule.

What that meets needs no rule of its own: `barriers` takes a turn for a change of names, as a swap is one, and a write
of the leader to the place that is made ready. It finds that this place was last touched before the turn before this
one, and is touched again after the next one, and would put a barrier wherever none lies in between.

A value must be the same each time, which literals and params are. Of several such values that one scalar is given, one
turns, in the innermost loop; all others are stored where it lies then.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdsl.effects.access import Accesses
from gdsl.ir.nodes import (
    Binary,
    Convert,
    Expression,
    If,
    Literal,
    NoneId,
    On,
    Operator,
    ParamValue,
    Program,
    Repeat,
    SetStep,
    Step,
    StoreScalar,
    Swap,
    Unary,
    While,
)
from gdsl.ir.traversal import walk
from gdsl.plan.target import Target
from gdsl.types import Type

PLACES = 3
"""Of a scalar that turns: the one it has, the next, which is ready, and the last, which is made ready by a turn."""

_SAME_EACH_TIME = (Literal, NoneId, ParamValue, Unary, Binary, Convert)


def turning(program: Program, target: Target, accesses: Accesses) -> dict[str, Expression]:
    """By name of each scalar that turns what it turns to."""
    if not (target.fused and target.grid):  # each launch is told where a scalar lies
        return {}
    written = {
        access.name
        for node in walk(program.schedule)
        if isinstance(node, Operator)
        for access in accesses.of_step(node)
        if access.writes
    }
    own = {name for node in walk(program.schedule) if isinstance(node, SetStep) for name in (*node.writes, *node.reads)}
    own |= {name for node in walk(program.schedule) if isinstance(node, Swap) for name in (node.first, node.second)}
    may = written.intersection(each.name for each in program.scalars if not each.is_input) - own
    found: dict[str, tuple[int, Expression]] = {}
    for depth, step in _stores(program.schedule, 0):
        if step.scalar in may and _is_same_each_time(step.value) and found.get(step.scalar, (-1,))[0] < depth:
            found[step.scalar] = depth, step.value
    return {name: value for name, (_, value) in found.items()}


def turns(step: StoreScalar, found: dict[str, Expression]) -> bool:
    """Whether a store is such a turn."""
    value = found.get(step.scalar)
    return value is not None and _plain(value) == _plain(step.value)


def apart(kind: Type) -> int:
    """How many values one place lies behind another: what changes a bool changes all of its word."""
    return 4 if kind is Type.BOOL else 1


def _stores(steps: tuple[Step, ...], depth: int) -> Iterator[tuple[int, StoreScalar]]:
    """Every store in a scalar, with how many loops stand around."""
    for step in steps:
        if isinstance(step, StoreScalar):
            yield depth, step
        elif isinstance(step, (While, Repeat)):
            yield from _stores(step.body, depth + 1)
        elif isinstance(step, On):
            yield from _stores(step.body, depth)
        elif isinstance(step, If):
            yield from _stores((*step.then, *step.otherwise), depth)


def _is_same_each_time(value: Expression) -> bool:
    return all(isinstance(node, _SAME_EACH_TIME) for node in walk(value))


def _plain(value: Expression) -> str:
    """`value` without where it stands in the text."""
    from gdsl.ir.printer_expressions import print_expression

    return f"{value.type.name} {print_expression(value)}"
