"""Pass `in_place`: a reduction over neighbors, and the filter that takes its results, in one sweep.

    while (rest) { seen = neighbor_reduce(rest, look, or); rest = filter(rest, take); }

`take` stores what `look` reads of neighbors, so in two sweeps all of the reduction ends before any of the filter
begins. But where numbers come out the same however old the values are that are read (`gdsl.uniqueness.first_free`
proves this), each member gets its number as soon as its own list has been walked: a barrier less in each pass, results
that need not be fetched again, and fewer visits, as some of what is read is newer.

Then neighbors' values are read by one load each, which may find those of this sweep, and stores are whole. What can be
seen is how many passes there are, and the sizes of sets in a trace.
"""

from __future__ import annotations

from dataclasses import replace

from gdsl.ir import nodes as ir
from gdsl.ir.traversal import rewrite, walk
from gdsl.operations import Balance, Domain
from gdsl.passes.writers import far_roles
from gdsl.plan.deduplication import repeated_of
from gdsl.plan.facts import Facts
from gdsl.plan.nodes import Dedup, Form, Loop, Mode, Operation, Plan, Step, Sweep, Write
from gdsl.plan.walking import map_blocks
from gdsl.types import WHOLE_WORDS
from gdsl.uniqueness.first_free import first_free


def run(plan: Plan, facts: Facts) -> Plan:
    """`plan` with one sweep for such a reduction and filter."""
    target, repeated = plan.target, repeated_of(plan)
    alone = not (target.teams or target.several_gpus or target.workers or target.instances)
    if not (target.fused and target.grid and alone):
        return plan
    found = first_free(facts.program)
    pairs: dict[tuple[int, ...], ir.NeighborReduce] = {
        (reduction.site, taking.site): reduction for reduction, taking in found.pairs
    }
    late: list[ir.NeighborReduce] = []

    def changed(block: tuple[Step, ...]) -> tuple[Step, ...]:
        return tuple(with_one_sweep(step) if isinstance(step, Loop) else step for step in block)

    def giving_up(block: tuple[Step, ...]) -> tuple[Step, ...]:
        return tuple(
            replace(step, gives_up=found.unfinished.get(step.number)) if isinstance(step, Loop) else step
            for step in block
        )

    def with_one_sweep(loop: Loop) -> Loop:
        operations = [step for step in loop.body if isinstance(step, Operation)]
        reduction = pairs.get(tuple(each.step.site for each in operations))
        shared = _in_one_sweep(facts, *operations) if reduction is not None else None
        if reduction is None or shared is None or reduction.frontier.frontier in repeated:
            return loop
        late.append(reduction)
        return replace(loop, body=(shared,))

    schedule = map_blocks(plan.schedule, changed) if pairs else plan.schedule
    functors = tuple(_reading_late(each, late) for each in plan.program.edge_functors)
    if not late:
        return plan
    program = replace(plan.program, edge_functors=functors)
    return replace(plan, schedule=map_blocks(schedule, giving_up), program=program)


def _in_one_sweep(facts: Facts, reduction: Operation, taking: Operation) -> Operation | None:
    """Both as one, if they share out members alike and collect a queue."""
    first, second = reduction.does, taking.does
    if not isinstance(first, Sweep) or not isinstance(second, Sweep) or first.segment is None or second.own is None:
        return None
    collect, segment, vertices = second.collect, first.segment, first.members.domain is Domain.VERTEX
    whole = segment.staging is None and segment.stops_at is None and first.balance is Balance.AUTO
    queue = collect is not None and (collect.form, collect.dedup) == (Form.QUEUE, Dedup.NONE)
    if not (whole and queue and vertices) or first.members != second.members or len(first.walks) != 1:
        return None
    tests = facts.functor(taking.step).condition
    writes = tuple(each if each.mode is Mode.TOTAL else Write(each.name, Mode.OWN) for each in second.own.writes)
    read = any(isinstance(each, ir.Element) and each.array == segment.array for each in walk(tests))
    reduction = replace(reduction, does=replace(first, segment=replace(segment, handed=not read)))
    return replace(taking, does=replace(second, own=replace(second.own, writes=writes)), fused=(reduction,))


def _reading_late(functor: ir.EdgeFunctor, late: list[ir.NeighborReduce]) -> ir.EdgeFunctor:
    """`functor` with reads at the far end that may find what is being written, if one of these reductions runs it."""
    far = next((far_roles(each.over) for each in late if each.functor == functor.name), None)

    def change(node: ir.Node) -> ir.Node:
        if far is not None and isinstance(node, ir.Element) and ir.is_parameter(node.index, *far):
            return replace(node, now=True, cached=node.type in WHOLE_WORDS)
        return node

    return rewrite(functor, change) if far is not None else functor
