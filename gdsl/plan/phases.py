"""The phases of each operator on a grid: the parts of its sweep, and the barriers between them.

First every operator gets a barrier; `synchronization` then keeps only: the barrier of an operator that collects a set,
since the set is complete only then, and of one that reports how many edges it walked, except for a reduction, which
leaves that to the next barrier (`end_barriers`). Other operators end without one, and `barriers` puts one
before the first step that conflicts with them. In the unfused form every operator ends with a barrier, and so it does
where a graph that is built may replace one that is still read.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from gdsl.ir.nodes import Compute, Program
from gdsl.operations import Balance, Domain
from gdsl.plan.nodes import (
    Barrier,
    Choice,
    Collect,
    Convert,
    Counter,
    Dedup,
    Directions,
    Form,
    HoldMarks,
    Operation,
    Part,
    Phase,
    Plan,
    ReadCounter,
    Sweep,
    Trace,
    When,
    Within,
    Work,
)
from gdsl.plan.target import Target
from gdsl.plan.walking import map_operations

_END = Barrier("until everything of this operator is done")
_CUT = Barrier("until all chunks of long lists are known", (Counter.CHUNKS,), When.LONG_LISTS, Within.CHUNKS)
_REUSED = Barrier("until all threads have read the chunks", when=When.LONG_LISTS)
_REDUCED = Barrier("until the chunks are reduced", when=When.LONG_LISTS, within=Within.CHUNK_OWNERS)
_FORGOTTEN = Barrier("until nobody counts as visited", when=When.FIRST_PASS, within=Within.VISITS)
_EMPTY = Barrier("until the bitmap is empty", within=Within.EMPTIED)
_FOUND = Barrier("until the result is complete", (Counter.ACCEPTED,), within=Within.RESULT)
_NEXT_WALK = Barrier("until the results of this walk are there")
_NEXT_COUNT = Barrier("until all threads know what this walk has counted")
_STAGED = Barrier("until all results are computed")


def operator_waits(does: Sweep | Choice, program: Program, target: Target) -> bool:
    """Whether an operator ends with a barrier. Graphs that are built may replace one that is still read."""
    if not target.grid or not target.fused or program.graphs or isinstance(does, Choice):
        return True
    on_members = does.own is not None and does.collect is None
    staged = does.segment is not None and does.segment.staging is not None
    return not (on_members or staged or counts_late(does))


def counts_late(sweep: Sweep) -> bool:
    """Whether a reduction ends as soon as its results are stored: only the trace needs the number of edges it walked,
    which is read at the next barrier, whichever that is."""
    return sweep.segment is not None and sweep.segment.staging is None and sweep.balance is Balance.AUTO


def with_phases(operation: Operation, waits: bool = True) -> Operation:
    """`operation` with its phases; `waits`: it ends with a barrier."""
    does, first = operation.does, operation.fused[0] if operation.fused else operation
    if isinstance(does, Choice):
        body: tuple[Phase, ...] = (Directions(tuple(_phases(does.yes)), tuple(_phases(does.no))),)
        return dataclasses.replace(operation, body=body)
    if isinstance(first.does, Sweep) and first.does.segment is not None:
        body = tuple(_reduction(first.does, waits, bool(operation.fused), does.collect))
    elif isinstance(operation.step, Compute):
        body = (*_members(does), Work(Part.MEMBERS), Work(Part.HELD), *((_END,) if waits else ()), Trace())
    else:
        body = tuple(_phases(does))
    return dataclasses.replace(operation, body=body)


def with_all_phases(plan: Plan) -> Plan:
    """`plan` with the phases of every operator, each of which ends with a barrier; unchanged without a grid."""
    if not plan.target.grid:
        return plan
    return dataclasses.replace(plan, schedule=map_operations(plan.schedule, with_phases))


def with_marks_held(plan: Plan, marked: bool) -> Plan:
    """`plan` where operators that meet no barrier leave the bitmaps of marks as they are, if any are `marked`."""

    def held(operation: Operation) -> Operation:
        counted = any(isinstance(each, Trace) and each.counted is not When.ALWAYS for each in operation.body)
        if not counted:
            return operation
        return dataclasses.replace(operation, body=(*operation.body, HoldMarks()))

    return dataclasses.replace(plan, schedule=map_operations(plan.schedule, held)) if marked else plan


def _members(sweep: Sweep) -> tuple[Convert, ...]:
    """The forms in which a sweep reads its members. A worklist with an order is a queue always."""
    members = sweep.members
    if members.form is None or members.domain is Domain.EDGE or sweep.order is not None:
        return ()
    return (Convert(members.form),)


def _phases(sweep: Sweep) -> Iterator[Phase]:
    """Of all operators but reductions and those that only run on their members."""
    cut = sweep.intersection is not None or any(each.shared is not None for each in sweep.walks)
    walks = 1 if sweep.vote is not None else max(len(sweep.walks), 1)
    collect = sweep.collect
    yield from _members(sweep)
    if collect is not None and sweep.selection is None and collect.form is Form.BITMAP:
        yield from (Work(Part.EMPTIED), _EMPTY)
    for walk in range(walks):
        if sweep.skips is not None:
            yield from (Work(Part.VISITS, walk), _FORGOTTEN)
        yield Work(Part.MEMBERS, walk)
        if walk + 1 < walks and sweep.balance is Balance.BINS:
            yield ReadCounter(Counter.BINS)
        if cut:
            yield from (_CUT, Work(Part.CHUNKS, walk))
        if walk + 1 < walks and (cut or sweep.balance is Balance.BINS or sweep.sums_degrees):
            yield _NEXT_COUNT
    yield Work(Part.HELD)
    staged = sweep.vote is not None and sweep.vote.staging is not None
    yield _FOUND if collect is not None else _STAGED if staged else _END
    if collect is not None and collect.dedup is Dedup.MARK:
        yield Work(Part.MARKS)
    if staged:
        yield from (Work(Part.STAGED), _END)
    yield Trace()
    if sweep.selection is not None and collect is not None and collect.form is Form.QUEUE:
        yield Convert(Form.QUEUE, result=True)


def _reduction(sweep: Sweep, waits: bool, fused: bool, collect: Collect | None) -> Iterator[Phase]:
    """Of a reduction; `fused`: other operators are in its sweep, of which the last one may `collect`."""
    assert sweep.segment is not None
    cut, staged = any(each.shared is not None for each in sweep.walks), sweep.segment.staging is not None
    counter = {Balance.AUTO: Counter.CHUNKS, Balance.BINS: Counter.BINS}.get(sweep.balance)
    if sweep.members.form is not None:
        yield Convert(Form.QUEUE)
    if sweep.members.form is Form.BITMAP:
        yield Convert(Form.BITMAP)
    for walk in range(len(sweep.walks)):
        yield Work(Part.MEMBERS, walk)
        if cut:
            yield from (_CUT, Work(Part.CHUNKS, walk))
        if walk + 1 < len(sweep.walks):
            yield _NEXT_WALK
            yield from (ReadCounter(counter), _NEXT_COUNT) if counter is not None else ()
        elif cut and fused:
            yield from (_REDUCED, Work(Part.CHUNK_OWNERS, walk))
    yield Work(Part.HELD)
    if staged:
        yield from (_STAGED, Work(Part.STAGED))
    waits = waits or collect is not None
    if waits:
        yield _FOUND if collect is not None else _END
    elif cut and not staged:
        yield _REUSED
    yield Trace(When.ALWAYS if waits or staged else When.LONG_LISTS if cut else None)
