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
from dataclasses import dataclass

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
    ScalarValue,
    SetStep,
    StoreScalar,
    Swap,
    Unary,
)
from gdsl.ir.printer import print_expression
from gdsl.ir.traversal import walk
from gdsl.plan import barriers
from gdsl.plan.ends import ending, not_ending, open_ended
from gdsl.plan.nodes import (
    Barrier,
    Branch,
    Everyone,
    HandBack,
    Keep,
    Launch,
    Leader,
    Loop,
    MakeGraph,
    On,
    Operation,
    Step,
    Turn,
)
from gdsl.plan.walking import steps_in
from gdsl.types import Type

PLACES = 3
"""Of a scalar that turns: the one it has, the next, which is ready, and the last, which is made ready by a turn."""
_SAME_EACH_TIME = (Literal, NoneId, ParamValue, Unary, Binary, Convert)
MOST_TRIED = 32
"""Scalars that one launch tries to turn or to keep; each is a placement of all barriers. Those that steer loops come
first, then those that are stored first."""
_OFTEN = 8
"""Passes of a loop, as far as it matters where barriers are counted."""
Turning = dict[str, Expression]
"""By name of each scalar that turns what it turns to."""


@dataclass(frozen=True)
class Placed:
    """A launch with its barriers; the scalars in it that turn, and those that each thread keeps."""

    launch: Launch
    turning: Turning
    kept: tuple[str, ...]


def place(launch: Launch, program: Program, accesses: Accesses) -> Placed:
    """`launch`, which has no barriers, with those that it needs, and with what spares some."""

    def placed(turning: Turning, keeps: tuple[str, ...]) -> Placed:
        return Placed(barriers.place(_changed(launch, turning, keeps, program), accesses), turning, keeps)

    groups = open_ended(launch.steps)
    if any(isinstance(step, MakeGraph) for step in steps_in(launch.steps)):
        launch = ending(launch, [site for group in groups for site in group])
        return placed({}, ())  # where data lie all threads of a block know together
    steers = steering(launch, program, accesses)
    turn, keep = _candidates(launch, program, accesses), candidates(launch, program, accesses)
    tried = {*sorted([*turn, *keep], key=lambda name: name not in steers)[:MOST_TRIED]}
    turn = {name: value for name, value in turn.items() if name in tried}
    best = placed(turn, tuple(name for name in keep if name in tried))
    for name in (*best.turning, *best.kept):
        turning = {other: value for other, value in best.turning.items() if other != name}
        fewer = placed(turning, tuple(other for other in best.kept if other != name))
        if name not in steers and _waiting(fewer.launch.steps, 1) <= _waiting(best.launch.steps, 1):
            best = fewer
    for group in groups:
        former, launch = launch, ending(launch, group)
        others = placed(best.turning, best.kept)
        if _waiting(others.launch.steps, 1) <= _waiting(best.launch.steps, 1):
            best = others
        else:
            launch = former
    return best


def without(launch: Launch) -> Launch:
    """`launch` with no barriers but those that operators must end with, and all stores in scalars by the leader."""
    plain = barriers.without(not_ending(launch))
    steps = tuple(step for step in plain.steps if not isinstance(step, (Keep, HandBack)))
    return dataclasses.replace(launch, steps=tuple(mapped(tuple(_mapped(steps, {})), frozenset())))


def apart(kind: Type) -> int:
    """How many values one place lies behind another: what changes a bool changes all of its word."""
    return 4 if kind is Type.BOOL else 1


def _candidates(launch: Launch, program: Program, accesses: Accesses) -> Turning:
    """The scalars that might turn: others than the leader write them, and nothing knows where they lie."""
    written, known = others_know(program, accesses)
    found: dict[str, tuple[int, Expression]] = {}
    for depth, step in stores(launch.steps, 0):
        may = step.scalar in written - known and _is_same_each_time(step.value)
        if may and found.get(step.scalar, (0,))[0] < depth:
            found[step.scalar] = depth, step.value
    return {name: value for name, (_, value) in found.items()}


def _is_same_each_time(value: Expression) -> bool:
    return all(isinstance(node, _SAME_EACH_TIME) for node in walk(value))


def _changed(launch: Launch, turning: Turning, keeps: tuple[str, ...], program: Program) -> Launch:
    """`launch` with turns and stores by everyone, whose results are handed back at its end."""
    if not turning and not keeps:
        return launch
    first, *others = launch.steps
    results = [each.name for each in program.scalars if not each.is_local]
    back = HandBack(*(tuple(name for name in results if name in names) for names in (turning, keeps)))
    values = {name: _plain(value) for name, value in turning.items()}
    steps = mapped(tuple(_mapped(tuple(others), values)), frozenset(keeps))
    own = (first, *((Keep(keeps),) if keeps else ()), *steps, *((back,) if back.turned or back.kept else ()))
    return dataclasses.replace(launch, steps=own)


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
    """How many barriers are met, if all loops had the same number of passes; a branch is taken every second time."""
    found = 0
    for step in steps:
        if isinstance(step, Barrier) or (isinstance(step, Operation) and step.waits):
            found += times
        elif isinstance(step, (Loop, On)):
            found += _waiting(step.body, times * (_OFTEN if isinstance(step, Loop) else 1))
        elif isinstance(step, Branch):
            then, otherwise = (_waiting(block, times) for block in (step.then, step.otherwise))
            found += max(then, otherwise) if step.otherwise else then // 2
    return found


# Decides which scalars every thread keeps a value of its own of.
#
# The schedule is walked by all threads alike. A scalar that only its stores change, and no call of a functor, has the
# same value in all of them if each does the store itself, since each of them reads the same: what operators made
# before is there behind a barrier. So nobody waits for the leader's store, as behind `largest = max(largest, low);`.
# What the store reads all threads read now, which `barriers` knows; the scalar itself they do not share, until the
# leader hands it back.


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
