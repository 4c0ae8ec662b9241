"""Pass `in_place`: a reduction over neighbors, and the filter that takes its results, in one sweep.

    while (rest) { seen = neighbor_reduce(rest, look, or); rest = filter(rest, take); }

`take` stores what `look` reads of neighbors, so in two sweeps all of the reduction ends before any of the filter begins.
But where numbers come out the same however old the values are that are read (`gdsl.uniqueness.first_free` proves this),
each member gets its number as soon as its own list has been walked: a barrier less in each pass, results that need
not be fetched again, and fewer passes, as some of what is read is newer.

Then neighbors' values are read by one load each that may find those of this sweep, and stores are whole. What can be
seen is how many passes there are, and the sizes of sets in a trace.
"""

from __future__ import annotations

import dataclasses
from dataclasses import replace

from gdsl.ir import nodes as ir
from gdsl.ir.traversal import rewrite
from gdsl.operations import Balance, Domain
from gdsl.plan.deduplication import repeated_of
from gdsl.plan.facts import Facts
from gdsl.plan.nodes import Dedup, Form, Loop, Mode, Operation, Plan, Step, Sweep
from gdsl.plan.walking import map_blocks
from gdsl.types import WHOLE_WORDS
from gdsl.uniqueness.first_free import first_free


def run(plan: Plan, facts: Facts) -> Plan:
    """`plan` with one sweep for such a reduction and filter."""
    target, repeated = plan.target, repeated_of(plan)
    alone = not (target.teams or target.several_gpus or target.workers or target.instances)
    if not (target.fused and target.grid and alone):
        return plan
    sites = {(reduction.site, taking.site) for reduction, taking in first_free(facts.program)}
    late: dict[str, str] = {}

    def changed(block: tuple[Step, ...]) -> tuple[Step, ...]:
        return tuple(_with_one_sweep(step, sites, repeated, late) for step in block)

    schedule = map_blocks(plan.schedule, changed)
    functors = tuple(
        _reading_late(each, late[each.name]) if each.name in late else each for each in plan.program.edge_functors
    )
    return replace(plan, schedule=schedule, program=replace(plan.program, edge_functors=functors)) if late else plan


def _with_one_sweep(step: Step, sites: set[tuple[int, int]], repeated: frozenset[str], late: dict[str, str]) -> Step:
    if not isinstance(step, Loop) or step.counted or step.order is not None:
        return step
    operations = tuple(each for each in step.body if isinstance(each, Operation))
    if tuple(each.step.site for each in operations) not in sites or not _fits(*operations, repeated):
        return step
    reduction, taking = operations
    (array,) = (each.name for each in taking.does.own.writes if each.mode is not Mode.TOTAL)
    late[reduction.step.functor] = array
    writes = tuple(replace(each, mode=Mode.SHARED) if each.name == array else each for each in taking.does.own.writes)
    does = replace(taking.does, own=replace(taking.does.own, writes=writes))
    return replace(step, body=(replace(taking, does=does, fused=(reduction,)),))


def _fits(reduction: Operation, taking: Operation, repeated: frozenset[str]) -> bool:
    """Whether both are sweeps that share out members alike, each member once, and collect a queue."""
    first, second = reduction.does, taking.does
    if not isinstance(first, Sweep) or not isinstance(second, Sweep) or first.segment is None or second.own is None:
        return False
    collect, segment = second.collect, first.segment
    whole = segment.staging is None and segment.stops_at is None and first.balance is Balance.AUTO
    queue = collect is not None and (collect.form, collect.dedup) == (Form.QUEUE, Dedup.NONE)
    vertices = first.members == second.members and first.members.domain is Domain.VERTEX
    return whole and queue and vertices and len(first.walks) == 1 and first.members.frontier not in repeated


def _reading_late(functor: ir.EdgeFunctor, array: str) -> ir.EdgeFunctor:
    def change(node: ir.Node) -> ir.Node:
        if isinstance(node, ir.Element) and node.array == array and not ir.is_parameter(node.index, ir.Role.SOURCE):
            return dataclasses.replace(node, now=True, cached=node.type in WHOLE_WORDS)
        return node

    return rewrite(functor, change)
