"""Decides which scalars have copies, so that fewer barriers are needed: rotating places, or a copy in each thread.

**Rotating scalars.** A loop such as `while (moved) { moved = false; compute(vertices, jump); }` would wait twice around
the store: until all threads have read what the last pass left, and until the store is done. Instead `moved` has three
places, of which each pass uses the next. That place holds `false` already, and the leader stores `false` in the place
after it, for the next pass. Each thread knows the current place, since all of them follow the same schedule.

No further rule is needed: `barriers` treats a rotation as a change of names, as a swap is one, and as a write of the
leader to the last place. It finds that this place was last used before the previous rotation, and is used again after
the next one, and puts a barrier wherever there is none in between.

The stored value must be the same each time, as literals and params are. If loops store several such values in one
scalar, it rotates for one of them, in the innermost loop; the others are stored in its current place.

**Private scalars.** All threads follow the same schedule. A scalar that only the schedule stores, and no call of a
functor, has the same value in all of them if each stores it in a copy of its own, since each reads the same: a barrier
comes after what operators wrote. So no thread waits for the leader's store, as after `largest = max(largest, low);`.
`barriers` knows that all threads read what the store reads; the scalar itself is not shared until the leader writes it
back.

The current place of a rotating scalar and the copy of a private one take registers in the whole kernel. So a scalar has
copies only if there would be more barriers without them, or if it steers a loop.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from gdsl.effects.access import Accesses
from gdsl.ir import nodes as ir
from gdsl.ir.printer import print_expression
from gdsl.ir.traversal import walk
from gdsl.plan import barriers
from gdsl.plan.end_barriers import optional_end_barriers, with_end_barriers, without_end_barriers
from gdsl.plan.hoisted_scalars import noted_scalars
from gdsl.plan.nodes import (
    Barrier,
    Branch,
    Launch,
    Leader,
    Loop,
    MakeGraph,
    Operation,
    Privatize,
    Rotate,
    Step,
    StorePrivate,
    WriteBack,
)
from gdsl.plan.walking import blocks_of, map_blocks, steps_in
from gdsl.types import Type

PLACES = 3
"""Of a rotating scalar: the current one, the next, which holds its value, and the last, in which it is stored."""
_SAME_EACH_TIME = (ir.Literal, ir.NoneId, ir.ParamValue, ir.Unary, ir.Binary, ir.Convert)
MOST_CANDIDATES = 32
"""Scalars of one launch that may have copies; for each of them all barriers are placed once. Those that steer loops
come first, then the others in the order of their first stores."""
_PASSES = 8
"""Assumed passes of a loop, where barriers are counted."""
Rotations = dict[str, ir.Expression]
"""By name of each rotating scalar the value that its next place holds."""


@dataclass(frozen=True)
class Placed:
    """A launch with its barriers; the rotating scalars in it, and the private ones."""

    launch: Launch
    rotations: Rotations
    private: tuple[str, ...]

    @property
    def cost(self) -> float:
        """How many barriers are met, as far as that is known."""
        return _count_barriers(self.launch.steps, 1)

    def without_copies(self, names: Collection[str]) -> tuple[Rotations, tuple[str, ...]]:
        """The rotating and the private scalars but for `names`."""
        rotations = {name: value for name, value in self.rotations.items() if name not in names}
        return rotations, tuple(name for name in self.private if name not in names)


def place(launch: Launch, program: ir.Program, accesses: Accesses) -> Placed:
    """`launch`, which has no barriers, with those that it needs, and with the copies of scalars that save some."""

    def placed(rotations: Rotations, private: tuple[str, ...]) -> Placed:
        copied = _with_copies(launch, rotations, private, program)
        return Placed(barriers.place(copied, accesses), rotations, private)

    groups = optional_end_barriers(launch.steps)
    if any(isinstance(step, MakeGraph) for step in steps_in(launch.steps)):
        launch = with_end_barriers(launch, [site for group in groups for site in group])
        return placed({}, ())  # the threads of a block share the addresses of all data
    steering = steering_scalars(launch, program, accesses)
    rotations, private = _rotation_candidates(launch, program, accesses), private_candidates(launch, program, accesses)
    candidates = sorted([*rotations, *private], key=lambda name: name not in steering)[:MOST_CANDIDATES]
    best = placed(
        {name: value for name, value in rotations.items() if name in candidates},
        tuple(name for name in private if name in candidates),
    )
    for name in candidates:
        other = best if name in steering else placed(*best.without_copies([name]))
        if other.cost <= best.cost:
            best = other
    for group in groups:
        former, tried = launch, []
        for even in (False, True):
            launch = with_end_barriers(former, group, even)
            tried.append((placed(best.rotations, best.private), launch))
        other, changed = min(tried, key=lambda each: each[0].cost)  # of equal ones the first
        launch = changed if other.cost <= best.cost else former
        best = other if other.cost <= best.cost else best
    return best


def without(launch: Launch) -> Launch:
    """`launch` with no barriers but those that operators must end with, and all stores in scalars by the leader."""
    plain = barriers.without(without_end_barriers(launch))
    steps = tuple(step for step in plain.steps if not isinstance(step, (Privatize, WriteBack)))
    return dataclasses.replace(launch, steps=_privatized(_rotated(steps, {}), frozenset()))


def stride(kind: Type) -> int:
    """Values from one place of a rotating scalar to the next: what changes a bool changes all of its word."""
    return 4 if kind is Type.BOOL else 1


def _rotation_candidates(launch: Launch, program: ir.Program, accesses: Accesses) -> Rotations:
    """The scalars that might rotate: operators write them, too, and nothing depends on their address."""
    written, known = _shared_scalars(program, accesses)
    candidates: dict[str, tuple[int, ir.Expression]] = {}
    for depth, step in stores(launch.steps, 0):
        may = step.scalar in written - known and _is_same_each_time(step.value)
        if may and candidates.get(step.scalar, (0,))[0] < depth:
            candidates[step.scalar] = depth, step.value
    return {name: value for name, (_, value) in candidates.items()}


def _is_same_each_time(value: ir.Expression) -> bool:
    return all(isinstance(node, _SAME_EACH_TIME) for node in walk(value))


def _with_copies(launch: Launch, rotations: Rotations, private: tuple[str, ...], program: ir.Program) -> Launch:
    """`launch` with rotations and private stores, and with those that the host reads written back at its end."""
    if not rotations and not private:
        return launch
    first, *others = launch.steps
    kept = noted_scalars(program)
    results = [each.name for each in program.scalars if not each.is_local or each.name in kept]
    back = WriteBack(*(tuple(name for name in results if name in names) for names in (rotations, private)))
    values = {name: _plain(value) for name, value in rotations.items()}
    steps = _privatized(_rotated(tuple(others), values), frozenset(private))
    own = (first, *((Privatize(private),) if private else ()), *steps)
    return dataclasses.replace(launch, steps=(*own, *((back,) if back.rotating or back.private else ())))


def _rotated(steps: tuple[Step, ...], values: dict[str, str]) -> tuple[Step, ...]:
    """`steps` with rotations for the stores of `values`, and plain stores for all others."""

    def change(step: Step) -> Step:
        if not isinstance(step, (Leader, Rotate)) or not isinstance(step.step, ir.StoreScalar):
            return step
        rotates = step.step.scalar in values and values[step.step.scalar] == _plain(step.step.value)
        return Rotate(step.step) if rotates else Leader(step.step)

    return map_blocks(steps, lambda block: tuple(map(change, block)))


def _plain(value: ir.Expression) -> str:
    """`value` without its place in the text."""
    return f"{value.type.name} {print_expression(value)}"


def _count_barriers(steps: tuple[Step, ...], times: float) -> float:
    """How many barriers are met if every loop has `_PASSES` passes and every second test of a branch holds."""
    count = 0.0
    for step in steps:
        if isinstance(step, Barrier) or (isinstance(step, Operation) and step.waits):
            count += times
        each = times * (_PASSES if isinstance(step, Loop) else 0.5 if isinstance(step, Branch) else 1)
        count += sum(_count_barriers(block, each) for block in blocks_of(step))
    return count


def _shared_scalars(program: ir.Program, accesses: Accesses) -> tuple[frozenset[str], frozenset[str]]:
    """The scalars that operators write, and those on whose address something else depends."""
    nodes = [node for node in walk(program.schedule) if isinstance(node, (ir.Operator, ir.SetStep, ir.Swap))]
    operators = (node for node in nodes if isinstance(node, ir.Operator))
    written = {access.name for node in operators for access in accesses.of_step(node) if access.writes}
    known = {name for node in nodes if isinstance(node, ir.SetStep) for name in (*node.use.writes, *node.use.reads)}
    known |= {name for node in nodes if isinstance(node, ir.Swap) for name in (node.first, node.second)}
    scalars = {each.name for each in program.scalars}
    inputs = {each.name for each in program.scalars if each.is_input}
    return frozenset(written & scalars), frozenset(known | inputs)


def private_candidates(launch: Launch, program: ir.Program, accesses: Accesses) -> tuple[str, ...]:
    """The scalars that loops store or their conditions read, or that are an element, and that only the schedule
    stores."""
    written, known = _shared_scalars(program, accesses)
    stored = {
        step.scalar
        for depth, step in stores(launch.steps, 0)
        if depth > 0 or any(isinstance(node, ir.Element) for node in walk(step.value))
    }
    own = (stored - written - known) | steering_scalars(launch, program, accesses)
    return tuple(each.name for each in program.scalars if each.name in own)


def steering_scalars(launch: Launch, program: ir.Program, accesses: Accesses) -> frozenset[str]:
    """The scalars that only the schedule stores, and that conditions within loops read: in each pass all threads would
    wait for the memory, after a barrier, before they know where to continue."""
    written, known = _shared_scalars(program, accesses)
    stored = {step.scalar for _, step in stores(launch.steps, 0)}
    read = {
        node.name for each in _conditions(launch.steps, 0) for node in walk(each) if isinstance(node, ir.ScalarValue)
    }
    return frozenset(stored & read) - written - known


def _conditions(steps: tuple[Step, ...], depth: int) -> Iterator[ir.Expression]:
    """The conditions that each pass of a loop evaluates."""
    for step in steps:
        if (isinstance(step, Loop) and not step.counted) or (isinstance(step, Branch) and depth > 0):
            yield step.condition
        for block in blocks_of(step):
            yield from _conditions(block, depth + isinstance(step, Loop))


def stores(steps: tuple[Step, ...], depth: int) -> Iterator[tuple[int, ir.StoreScalar]]:
    """Every store of the leader in a scalar, with the number of loops around it."""
    for step in steps:
        if isinstance(step, Leader) and isinstance(step.step, ir.StoreScalar):
            yield depth, step.step
        for block in blocks_of(step):
            yield from stores(block, depth + isinstance(step, Loop))


def _privatized(steps: tuple[Step, ...], names: frozenset[str]) -> tuple[Step, ...]:
    """`steps` with the stores of `names` done by every thread, and all others by the leader."""

    def change(step: Step) -> Step:
        if not isinstance(step, (Leader, StorePrivate)) or not isinstance(step.step, ir.StoreScalar):
            return step
        return StorePrivate(step.step) if step.step.scalar in names else Leader(step.step)

    return map_blocks(steps, lambda block: tuple(map(change, block)))
