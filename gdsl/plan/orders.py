"""Decides which loops are worked off from near to far, and what that asks of memory.

A monotone loop ends in the same values whatever the order of its visits (`gdsl.uniqueness.order` proves it), so a
vertex need not be visited as soon as it is reached. Those with the smallest values (of `max=` the largest) come first:
what they reach is then often final, where a visit in the order of rounds is made again for each better value.

- A vertex is *near* where its value is not behind a bound. Each change that leaves it near puts an entry into the next
  round's queue, with the value that it was given; an entry is passed over if the vertex has another value by then, since
  the change that gave it that one has left an entry of its own, or found the vertex far. So no marks are needed, and
  nothing is visited twice with one value.
- What is *far*, or finds no room in the queue, is a bit in a bitmap. When nothing is near, the bound moves on and all
  bits are looked at. A vertex that came to be near since then has been an entry already and is dropped; if one was put
  off for want of room, those are taken once more. So each change is followed by a visit with the value of that change
  or a later one, which is all that the proof asks for, and the loop ends when no bit is left.

By how much the bound moves finds itself (`adapt_width` of the runtime): a wide bound is less rounds, a narrow one less
visits in vain.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection

from gdsl.ir import nodes as ir
from gdsl.ir.traversal import walk
from gdsl.operations import Balance, Direction, Duplicates, FrontierForm, Order, Over, ReduceOperation
from gdsl.plan.nodes import Loop, NearFar, Plan
from gdsl.plan.target import Sizes, Target
from gdsl.plan.walking import steps_in
from gdsl.types import Type

_RANKED = (Type.INT32, Type.UINT32, Type.INT64, Type.UINT64, Type.FLOAT32, Type.FLOAT64)
"""Values whose distances mean something; of labels (ids) they do not."""
_MOST_THREADS = 512
"""Of a block that gathers as many elements as without ranks."""


def orders_of(program: ir.Program, target: Target, counted: Collection[str]) -> dict[int, NearFar]:
    """By number the loops that are worked off in another order than their bodies leave. `counted`: the frontiers whose
    edges are counted whenever they are made."""
    if not target.orders or program.graphs or program.tuning.order is Order.AS_GIVEN:
        return {}
    loops = [node for node in walk(program.schedule) if isinstance(node, ir.While)]
    found = {loop.loop: near_far_of(loop, program) for loop in loops if not counted_in(loop, counted)}
    return {number: order for number, order in found.items() if order is not None}


def counted_in(loop: ir.While, counted: Collection[str]) -> bool:
    """Whether the edges of the worklist are counted."""
    return isinstance(loop.condition, ir.FrontierNotEmpty) and loop.condition.frontier in counted


def sizes_of(sizes: Sizes, orders: Collection[NearFar]) -> Sizes:
    """`sizes` where there are `orders`: ranks are gathered beside the vertices, for which the largest blocks have no
    more room than for a few at a time."""
    large = bool(orders) and sizes.block_threads > _MOST_THREADS
    return dataclasses.replace(sizes, staged=min(sizes.staged, 32)) if large else sizes


def near_far_of(loop: ir.While, program: ir.Program) -> NearFar | None:
    """The order from near to far, where `loop` may have it; None where it may not."""
    if not loop.monotone:
        return None
    (step,) = loop.body
    assert isinstance(step, ir.Advance)
    if step.over is Over.ALL_EDGES or not _is_plain(program.tuning.sites[step.site]):
        return None
    functor = next(each for each in program.edge_functors if each.name == step.functor)
    (update,) = (node for node in walk(functor.body) if isinstance(node, ir.Update))
    target = update.target
    assert isinstance(target, ir.ElementTarget)
    kind = next(array for array in program.arrays if array.name == target.array).type
    known = kind in _RANKED and update.operation in (ReduceOperation.MIN, ReduceOperation.MAX)
    return NearFar(target.array, kind, update.operation) if known else None


def _is_plain(knobs: ir.OperatorKnobs) -> bool:
    """Whether nobody has said otherwise how a worklist is walked and stored."""
    pushes = knobs.direction in (None, Direction.PUSH)
    stored = knobs.frontier is not FrontierForm.BITMAP and knobs.dedup is not Duplicates.NONE
    return pushes and stored and knobs.balance is Balance.AUTO


def orders(plan: Plan) -> tuple[NearFar, ...]:
    """The orders of the loops of a plan."""
    return tuple(step.order for step in steps_in(plan.schedule) if isinstance(step, Loop) and step.order is not None)


def key_type(plan: Plan) -> Type | None:
    """What holds the rank of a value in every order of the plan; None without any."""
    kinds = {order.type for order in orders(plan)}
    wide = (Type.INT64, Type.UINT64, Type.FLOAT64)
    return (Type.UINT64 if kinds.intersection(wide) else Type.UINT32) if kinds else None
