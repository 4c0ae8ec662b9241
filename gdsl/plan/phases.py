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
from gdsl.plan import nodes
from gdsl.plan.target import Target
from gdsl.plan.walking import map_operations

_END = nodes.Barrier("until everything of this operator is done")
_CUT = nodes.Barrier(
    "until all chunks of long lists are known", (nodes.Counter.CHUNKS,), nodes.When.LONG_LISTS, nodes.Within.CHUNKS
)
_REUSED = nodes.Barrier("until all threads have read the chunks", when=nodes.When.LONG_LISTS)
_REDUCED = nodes.Barrier("until the chunks are reduced", when=nodes.When.LONG_LISTS, within=nodes.Within.CHUNK_OWNERS)
_FORGOTTEN = nodes.Barrier("until nobody counts as visited", when=nodes.When.FIRST_PASS, within=nodes.Within.VISITS)
_EMPTY = nodes.Barrier("until the bitmap is empty", within=nodes.Within.EMPTIED)
_FOUND = nodes.Barrier("until the result is complete", (nodes.Counter.ACCEPTED,), within=nodes.Within.RESULT)
_NEXT_WALK = nodes.Barrier("until the results of this walk are there")
_NEXT_COUNT = nodes.Barrier("until all threads know what this walk has counted")
_STAGED = nodes.Barrier("until all results are computed")


def operator_waits(does: nodes.Sweep | nodes.Choice, program: Program, target: Target) -> bool:
    """Whether an operator ends with a barrier. Graphs that are built may replace one that is still read."""
    if not target.grid or not target.fused or program.graphs or isinstance(does, nodes.Choice):
        return True
    on_members = does.own is not None and does.collect is None
    staged = does.segment is not None and does.segment.staging is not None
    return not (on_members or staged or counts_late(does))


def counts_late(sweep: nodes.Sweep) -> bool:
    """Whether a reduction ends as soon as its results are stored: only the trace needs the number of edges it walked,
    which is read at the next barrier, whichever that is."""
    return sweep.segment is not None and sweep.segment.staging is None and sweep.balance is Balance.AUTO


def with_phases(operation: nodes.Operation, waits: bool = True) -> nodes.Operation:
    """`operation` with its phases; `waits`: it ends with a barrier."""
    does, first = operation.does, operation.fused[0] if operation.fused else operation
    if isinstance(does, nodes.Choice):
        body: tuple[nodes.Phase, ...] = (nodes.Directions(tuple(_phases(does.yes)), tuple(_phases(does.no))),)
        return dataclasses.replace(operation, body=body)
    if isinstance(first.does, nodes.Sweep) and first.does.segment is not None:
        body = tuple(_reduction(first.does, waits, bool(operation.fused), does.collect))
    elif isinstance(operation.step, Compute):
        body = (
            *_members(does),
            nodes.Work(nodes.Part.MEMBERS),
            nodes.Work(nodes.Part.HELD),
            *((_END,) if waits else ()),
            nodes.Trace(),
        )
    else:
        body = tuple(_phases(does))
    return dataclasses.replace(operation, body=body)


def with_all_phases(plan: nodes.Plan) -> nodes.Plan:
    """`plan` with the phases of every operator, each of which ends with a barrier; unchanged without a grid."""
    if not plan.target.grid:
        return plan
    return dataclasses.replace(plan, schedule=map_operations(plan.schedule, with_phases))


def with_marks_held(plan: nodes.Plan, marked: bool) -> nodes.Plan:
    """`plan` where operators that meet no barrier leave the bitmaps of marks as they are, if any are `marked`."""

    def held(operation: nodes.Operation) -> nodes.Operation:
        counted = any(
            isinstance(each, nodes.Trace) and each.counted is not nodes.When.ALWAYS for each in operation.body
        )
        if not counted:
            return operation
        return dataclasses.replace(operation, body=(*operation.body, nodes.HoldMarks()))

    return dataclasses.replace(plan, schedule=map_operations(plan.schedule, held)) if marked else plan


def _members(sweep: nodes.Sweep) -> tuple[nodes.Convert, ...]:
    """The forms in which a sweep reads its members. A worklist with an order is a queue always."""
    members = sweep.members
    if members.form is None or members.domain is Domain.EDGE or sweep.order is not None:
        return ()
    return (nodes.Convert(members.form),)


def _phases(sweep: nodes.Sweep) -> Iterator[nodes.Phase]:
    """Of all operators but reductions and those that only run on their members."""
    cut = sweep.intersection is not None or any(each.shared is not None for each in sweep.walks)
    walks = 1 if sweep.vote is not None else max(len(sweep.walks), 1)
    collect = sweep.collect
    yield from _members(sweep)
    if collect is not None and sweep.selection is None and collect.form is nodes.Form.BITMAP:
        yield from (nodes.Work(nodes.Part.EMPTIED), _EMPTY)
    for walk in range(walks):
        if sweep.skips is not None:
            yield from (nodes.Work(nodes.Part.VISITS, walk), _FORGOTTEN)
        yield nodes.Work(nodes.Part.MEMBERS, walk)
        if walk + 1 < walks and sweep.balance is Balance.BINS:
            yield nodes.ReadCounter(nodes.Counter.BINS)
        if cut:
            yield from (_CUT, nodes.Work(nodes.Part.CHUNKS, walk))
        if walk + 1 < walks and (cut or sweep.balance is Balance.BINS or sweep.sums_degrees):
            yield _NEXT_COUNT
    yield nodes.Work(nodes.Part.HELD)
    staged = sweep.vote is not None and sweep.vote.staging is not None
    yield _FOUND if collect is not None else _STAGED if staged else _END
    if collect is not None and collect.dedup is nodes.Dedup.MARK:
        yield nodes.Work(nodes.Part.MARKS)
    if staged:
        yield from (nodes.Work(nodes.Part.STAGED), _END)
    yield nodes.Trace()
    if sweep.selection is not None and collect is not None and collect.form is nodes.Form.QUEUE:
        yield nodes.Convert(nodes.Form.QUEUE, result=True)


def _reduction(sweep: nodes.Sweep, waits: bool, fused: bool, collect: nodes.Collect | None) -> Iterator[nodes.Phase]:
    """Of a reduction; `fused`: other operators are in its sweep, of which the last one may `collect`."""
    assert sweep.segment is not None
    cut, staged = any(each.shared is not None for each in sweep.walks), sweep.segment.staging is not None
    counter = {Balance.AUTO: nodes.Counter.CHUNKS, Balance.BINS: nodes.Counter.BINS}.get(sweep.balance)
    if sweep.members.form is not None:
        yield nodes.Convert(nodes.Form.QUEUE)
    if sweep.members.form is nodes.Form.BITMAP:
        yield nodes.Convert(nodes.Form.BITMAP)
    for walk in range(len(sweep.walks)):
        yield nodes.Work(nodes.Part.MEMBERS, walk)
        if cut:
            yield from (_CUT, nodes.Work(nodes.Part.CHUNKS, walk))
        if walk + 1 < len(sweep.walks):
            yield _NEXT_WALK
            yield from (nodes.ReadCounter(counter), _NEXT_COUNT) if counter is not None else ()
        elif cut and fused:
            yield from (_REDUCED, nodes.Work(nodes.Part.CHUNK_OWNERS, walk))
    yield nodes.Work(nodes.Part.HELD)
    if staged:
        yield from (_STAGED, nodes.Work(nodes.Part.STAGED))
    waits = waits or collect is not None
    if waits:
        yield _FOUND if collect is not None else _END
    elif cut and not staged:
        yield _REUSED
    yield nodes.Trace(nodes.When.ALWAYS if waits or staged else nodes.When.LONG_LISTS if cut else None)
