"""Pass `work_order`: worklists processed from near to far, and members that need no further visit.

**From near to far.**
A monotone loop ends with the same values in any order of visits (`gdsl.uniqueness.order` proves this), so a vertex need
not be visited as soon as it is reached. Vertices with the smallest values (for `max=` the largest) come first: what
they reach is then often final, whereas rounds visit a vertex again for each better value.

- A vertex is *near* if its value is within a bound. Each change to a near value adds an entry with that value to the
  next round's queue. An entry is skipped if its vertex has another value by then: the change to that value, which is
  nearer, added its own entry. So no marks are needed, and no vertex is visited twice with one value.
- A vertex that is *far*, or for which the queue has no room, is a bit in a bitmap. When no vertex is near, the bound
  moves and all bits are examined. A vertex that has become near in the meantime has had an entry and is dropped; if
  some were put off for lack of room, these are taken again. So each change is followed by a visit with the value of
  that change or a later one, which is all that the proof requires, and the loop ends when no bit is left.

On roads and meshes this order saves 98 of 100 visits. On graphs of hubs it saves nothing, since rounds are few and cost
only what they visit. So on a GPU `auto` depends on the graph (`is_ordered`). Narrow graphs begin with this order,
unless they have no more edges than a forest. On others, a run begins in the order as given and counts its visits; if
these exceed MOST_VISITS for each edge and the loop would continue, it stops and begins again from near to far. This
costs the visits so far, once for a program and a graph (`backends.cuda.observed_order` decides). Only the first loop of
a schedule stops a run (`observed_loop`), so that no other loop runs twice. A CPU with a few cores gains from every
visit that it saves.

The distance by which the bound moves adapts itself (`adapt_width` of the runtime): a wide bound means fewer rounds, a
narrow one fewer visits in vain.

**Members that need no further visit.**
A pass of a monotone loop visits the members of a worklist one after the other, and later visits see the changes of
earlier ones. So a member's value may improve after it was put into the worklist and before it is visited; it is then
put into the next worklist as well, although the visit in this pass has already used its last value. On graphs of hubs
this is every fourth visit. Therefore each visit stores the value that the vertex had when the visit began (for long
lists, the worst value with which one of its chunks began), and the next pass skips members that still have that value.

This is sound in a monotone loop (`gdsl.uniqueness.order`): the visits of the vertex's edges used values at least as
good as the stored one, and none better than the current value, which is the same. So all used this value, and another
visit would change nothing. Stored values are from this loop: its first pass visits every member, and stores for all
other vertices the value with which they begin, which a vertex that joins later no longer has.

This takes a word for each vertex. Loops from near to far do not need it, since their entries have their values.
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
from gdsl.types import WHOLE_WORDS, Type


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
    kind = program.array(changed_in(loop, program).array).type
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
    kind = program.array(array).type
    if kind not in WHOLE_WORDS:
        return None
    begins_again = target.fused and not target.teams and loop is observed_loop(program)
    return Skips(array, kind, update_in(loop, program).operation, MOST_VISITS if begins_again else None)
