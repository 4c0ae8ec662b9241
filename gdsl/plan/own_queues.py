"""Pass `own_queues`: sets that each of several GPUs keeps in a queue of its own.

A set that a filter over all vertices finds is one queue, whose pages are on all GPUs in turns, with one counter, which
the first GPU has. So half of what two GPUs append and read again goes over the link. But no result depends on which GPU
takes which member, and GPUs take equal numbers of vertices when they filter. So each GPU appends what it finds to a
queue in its own memory, with a counter there, and takes the members that it has found itself wherever the set is
walked. How many members all of them have found is added up, once for each block, for conditions and traces.

**Where.** The set is written by one filter over all vertices that runs once, so that its counter, 0 at first, is never
counted back. It is read by nothing but pushes that walk the lists of their own members, and by its size. Other uses ask
for members of all GPUs: whether a vertex is one, sets that are combined, edges that are shared out evenly among all
threads.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator

from gdsl.effects.access import frontiers_of
from gdsl.ir import nodes as ir
from gdsl.ir.traversal import all_steps
from gdsl.operations import Balance, Domain
from gdsl.plan.facts import Facts
from gdsl.plan.gpu_copies import copies_of
from gdsl.plan.hints import FewAsList, WarpShare, WholeSet
from gdsl.plan.nodes import Dedup, Form, Frontier, Initialize, Operation, OwnQueue, Plan, Sweep
from gdsl.plan.walking import operations, steps_in


def run(plan: Plan, facts: Facts) -> Plan:
    """`plan` with sets in queues of each GPU, where several GPUs run it."""
    target = plan.target
    if not target.several_gpus or not target.fused or plan.graphs or target.teams or target.instances:
        return plan
    first = next(step for step in steps_in(plan.schedule) if isinstance(step, Initialize))
    if first.barrier is None:  # behind which counters are 0
        return plan
    numbers = itertools.count(copies_of(plan))
    found = [each.name for each in plan.frontiers if is_filled_once_and_walked(each, plan)]
    return dataclasses.replace(plan, own_queues=tuple(OwnQueue(name, next(numbers)) for name in found))


_ASK_SIZES = (ir.If, ir.Repeat, ir.StoreScalar)
"""Steps that may read the size of a set. `while` loops are left out, since a single GPU may run their passes."""


def is_filled_once_and_walked(frontier: Frontier, plan: Plan) -> bool:
    """Whether a single filter over all vertices fills a set, once, and only pushes that walk their own lists read its
    members."""
    if frontier.domain is not Domain.VERTEX or frontier.counts is not None:
        return False
    by_site = {each.step.site: each for each in operations(plan)}
    uses = [(step, frontiers_of(step)) for step in all_steps(plan.program.schedule)]
    writers = [step for step, use in uses if frontier.name in use.written]
    if len(writers) != 1 or all(step is not writers[0] for step in _once(plan.program.schedule)):
        return False
    (writer,) = writers
    if not isinstance(writer, ir.Filter) or writer.site not in by_site or not _fills(by_site[writer.site]):
        return False
    readers = [step for step, use in uses if frontier.name in use.read and not isinstance(step, _ASK_SIZES)]
    return bool(readers) and all(
        isinstance(step, ir.Advance) and step.site in by_site and _walks_lists(by_site[step.site]) for step in readers
    )


def _once(steps: tuple[ir.Step, ...]) -> Iterator[ir.Step]:
    """The steps that run once at most."""
    for step in steps:
        yield step
        if isinstance(step, ir.If):
            yield from _once((*step.then, *step.otherwise))


def _fills(operation: Operation) -> bool:
    sweep = operation.does
    if not isinstance(sweep, Sweep) or sweep.collect is None or sweep.members.frontier is not None:
        return False
    queued = sweep.collect.form is Form.QUEUE and sweep.collect.dedup is Dedup.NONE
    return queued and sweep.members.domain is Domain.VERTEX and not sweep.walks


def _walks_lists(operation: Operation) -> bool:
    """Whether each GPU may push from its own members: no thread needs members of another GPU."""
    sweep = operation.does
    if not isinstance(sweep, Sweep) or sweep.balance not in (Balance.AUTO, Balance.THREAD):
        return False
    asked = any(isinstance(each, (WholeSet, FewAsList, WarpShare)) for each in sweep.hints)
    mapped = sweep.mirrors is not None and sweep.mirrors.members
    others = sweep.skips or sweep.proposals or sweep.labels or asked or mapped
    return sweep.is_plain and bool(sweep.walks) and sweep.members.form is Form.QUEUE and not others
