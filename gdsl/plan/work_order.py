"""Pass `work_order`: worklists worked off from near to far, and members that need no further visit.

**From near to far.**
A monotone loop ends in the same values whatever the order of its visits (`gdsl.uniqueness.order` proves it), so a
vertex need not be visited as soon as it is reached. Those with the smallest values (of `max=` the largest) come first:
what they reach is then often final, where a visit in the order of rounds is made again for each better value.

- A vertex is *near* where its value is not behind a bound. Each change that leaves it near puts an entry into the next
  round's queue, with the value that it was given; an entry is passed over if the vertex has another value by then,
  since the change that gave it that one, which is nearer still, has left an entry of its own. So no marks are needed,
  and nothing is visited twice with one value.
- What is *far*, or finds no room in the queue, is a bit in a bitmap. When nothing is near, the bound moves on and all
  bits are looked at. A vertex that came to be near since then has been an entry already and is dropped; if one was put
  off for want of room, those are taken once more. So each change is followed by a visit with the value of that change
  or a later one, which is all that the proof asks for, and the loop ends when no bit is left.

On roads and meshes the order saves 98 of 100 visits, on graphs of hubs, where a round costs what it visits and there
are few, nothing. So on a GPU `auto` depends on the graph (`is_ordered`). Narrow ones have the order from the beginning.
Of others a run finds out: it begins in the order as given, counts its visits, and stops where they exceed MOST_VISITS
of each edge and the loop would go on. Then it begins again from near to far, which costs these visits, once for a
program and a graph (`backends.cuda.observed_order` decides). Only the first loop of a schedule stops a run
(`observed_loop`), so that no other loop runs twice. A few cores gain from every visit that they need not make.

By how much the bound moves finds itself (`adapt_width` of the runtime): a wide bound is less rounds, a narrow one less
visits in vain.

**Members that need no further visit.**
A pass of a monotone loop takes the members of a worklist one after the other, and each change is seen by whoever comes
later. So a member's value may fall after it was put into the worklist and before it is visited, and again a vertex is
put into the next worklist whose visit in this pass saw its last value already. On graphs of hubs every fourth visit is
such a one. Therefore each visit leaves the value that the vertex had when it began, or, of long lists, the worst that
one of its chunks began with; who still has that value in the next pass is passed over.

That is sound in a monotone loop (`gdsl.uniqueness.order`): the visits of the edges read values that are as good as what
was left or better, and none is better than what the vertex has now, which is the same; so they all read this value, and
a further visit would change nothing. A value that is left was left in this loop: its first pass visits everybody, and
of all others notes the value that they begin with, which a vertex that comes later no longer has.

It needs a word a vertex; loops that go from near to far do without, whose entries carry their values.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection

from gdsl.ir import nodes as ir
from gdsl.ir.nodes import Advance, While
from gdsl.ir.traversal import walk
from gdsl.ir.worklists import advance_in, changed_in, fixed_order, hindrance, update_in, without_buckets, worklist_loops
from gdsl.operations import Balance, Order
from gdsl.plan.facts import Facts
from gdsl.plan.graph_class import GraphClass
from gdsl.plan.nodes import Dedup, Loop, NearFar, Operation, Plan, Step, Sweep
from gdsl.plan.sweep_nodes import Skips
from gdsl.plan.target import Sizes, Target
from gdsl.plan.walking import map_blocks, map_sweeps, steps_in, sweeps
from gdsl.types import Type


def run(plan: Plan, facts: Facts) -> Plan:
    """`plan` with the order of each loop, of the sweep that works off its worklist, and what that passes over."""
    counted = [frontier.name for frontier in plan.frontiers if frontier.counts is not None]
    orders = orders_of(plan.program, plan.target, counted)
    skips = skips_of(plan.program, plan.target, counted)
    if not orders and not skips:
        return plan
    loops = (node for node in walk(plan.program.schedule) if isinstance(node, While))
    by_site = {each.site: orders.get(loop.loop) for loop in loops for each in loop.body if isinstance(each, Advance)}

    def ordered(block: tuple[Step, ...]) -> tuple[Step, ...]:
        return tuple(
            dataclasses.replace(step, order=orders.get(step.number)) if isinstance(step, Loop) else step
            for step in block
        )

    def changed(operation: Operation, sweep: Sweep) -> Sweep:
        if not isinstance(operation.step, Advance) or sweep.selection is not None:
            return sweep
        order, skip, collect = by_site.get(operation.step.site), skips.get(operation.step.site), sweep.collect
        if order is not None and collect is not None and plan.target.grid:
            collect = dataclasses.replace(collect, dedup=Dedup.RANK)
        if order is not None or skip is not None:
            sweep = _by_warps(sweep)
        return dataclasses.replace(sweep, order=order, skips=skip, collect=collect)

    return map_sweeps(dataclasses.replace(plan, schedule=map_blocks(plan.schedule, ordered)), changed)


def _by_warps(sweep: Sweep) -> Sweep:
    """`sweep` with whole warps for its members and chunks of long lists, as these worklists need it."""
    walks = tuple(dataclasses.replace(each, shared=each.variant) for each in sweep.walks)
    return dataclasses.replace(sweep, balance=Balance.AUTO, walks=walks)


MOST_VISITS = 2
"""Visits of each edge up to which the order as given stays: with one visit no order has less to do, and entries with
their values cost about as much as another one."""
_MOST_THREADS = 512
"""Of a block that gathers as many elements as without ranks."""


def orders_of(program: ir.Program, target: Target, counted: Collection[str]) -> dict[int, NearFar]:
    """By number the loops that are worked off in another order than their bodies leave. `counted`: the frontiers whose
    edges are counted whenever they are made."""
    order = program.tuning.order
    if not target.orders or not (order is Order.NEAR_FAR or (order is Order.AUTO and target.orders_always)):
        return {}
    loops = [node for node in walk(program.schedule) if isinstance(node, ir.While)]
    by_loop = {loop.loop: near_far_of(loop, program) for loop in loops if not counted_in(loop, counted)}
    return {number: order for number, order in by_loop.items() if order is not None}


def is_ordered(program: ir.Program, graph: GraphClass) -> bool:
    """Whether worklists are worked off from near to far on a GPU: of `auto` on narrow graphs, on those that are visited
    too often otherwise, and with buckets on all that are bounded. `program`: before `gdsl.passes` replaces buckets."""
    if program.tuning.order is not Order.AUTO:
        return program.tuning.order is Order.NEAR_FAR
    suits = graph.revisited or (graph.bounded and (graph.narrow or bool(worklist_loops(program))))
    return suits and has_choice(program)


def has_choice(program: ir.Program) -> bool:
    """Whether `auto` depends on the graph on a GPU."""
    if program.tuning.order is not Order.AUTO or not program.tuning.fuse:
        return False
    loops = (node for node in walk(program.schedule) if isinstance(node, ir.While))
    return any(near_far_of(loop, program) is not None for loop in loops)


def observed_loop(program: ir.Program) -> ir.While | None:
    """The loop whose visits decide the order of `auto` on a GPU: the first of the schedule, as nothing but it is done
    again then. None where another loop comes first, or it may not have another order."""
    loops = (node for node in walk(program.schedule) if isinstance(node, (ir.While, ir.Repeat)))
    first = next(loops, None)
    if not has_choice(program) or not isinstance(first, ir.While):
        return None
    return first if near_far_of(first, program) is not None else None


def most_visits(plan: Plan) -> int | None:
    """Visits of each edge beyond which a run may be stopped, to begin again from near to far; None: there is no such
    bound."""
    limits = (sweep.skips.most_visits for sweep in sweeps(plan) if sweep.skips is not None)
    return next((bound for bound in limits if bound is not None), None)


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
    if not loop.monotone or len(without_buckets(loop).body) != 1 or hindrance(loop, program) is not None:
        return None
    update = update_in(loop, program)
    assert isinstance(update.target, ir.ElementTarget)
    kind = next(array.type for array in program.arrays if array.name == changed_in(loop, program).array)
    return NearFar(update.target.array, kind, update.operation)


def orders(plan: Plan) -> tuple[NearFar, ...]:
    """The orders of the loops of a plan."""
    return tuple(step.order for step in steps_in(plan.schedule) if isinstance(step, Loop) and step.order is not None)


def key_type(plan: Plan) -> Type | None:
    """What holds the rank of a value that worklists of the plan go by; None without any."""
    kinds = {order.type for order in orders(plan)}
    kinds |= {sweep.skips.type for sweep in sweeps(plan) if sweep.skips is not None}
    if kinds == {Type.VERTEX}:
        return Type.VERTEX
    wide = (Type.INT64, Type.UINT64, Type.FLOAT64, Type.VERTEX)
    return (Type.UINT64 if kinds.intersection(wide) else Type.UINT32) if kinds else None


_COMPARED = (
    Type.INT32,
    Type.UINT32,
    Type.INT64,
    Type.UINT64,
    Type.FLOAT32,
    Type.FLOAT64,
    Type.VERTEX,
)


def skips_of(program: ir.Program, target: Target, counted: Collection[str]) -> dict[int, Skips]:
    """By site the advances that pass over such members. `counted`: the frontiers whose edges are counted whenever they
    are made."""
    if not (target.orders and target.grid):
        return {}
    ordered = orders_of(program, target, counted)
    loops = (node for node in walk(program.schedule) if isinstance(node, ir.While) and node.loop not in ordered)
    skips_by_loop = ((loop, _skips(loop, program, target)) for loop in loops if not counted_in(loop, counted))
    return {advance_in(loop).site: skips for loop, skips in skips_by_loop if skips is not None}


def _skips(loop: ir.While, program: ir.Program, target: Target) -> Skips | None:
    if not loop.monotone or len(loop.body) != 1 or fixed_order(loop, program) is not None:
        return None
    array = changed_in(loop, program).array
    kind = next(each.type for each in program.arrays if each.name == array)
    if kind not in _COMPARED:
        return None
    begins_again = target.fused and not target.teams and not target.several_gpus and loop is observed_loop(program)
    return Skips(array, kind, update_in(loop, program).operation, MOST_VISITS if begins_again else None)
