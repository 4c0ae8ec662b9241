"""The passes between the rules and the plan: `choose_worklists`, then `mark_shared_reads`, for a GPU `cache_reads`, and
for the cpu backend `know_vertices`; these two have files of their own.

**Worklists.** Which vertices a pop of automatic buckets takes is open, and in a monotone loop any order of the visits
ends in the same values. There an order from near to far (`gdsl.plan.work_order`) does the same with one operator per
pass instead of five and the barriers between them; and where that order does not pay off, neither do the buckets. A
loop keeps its buckets where something hinders that order, or with `schedule.order = as_given`. The steps of each
remaining push and pop take its place.

**Shared reads.** Code generation reads with a load that is never torn what another call of the same operator may write.
The rules have let such a read through as the operand of the one reduction of its array, as the test of a closing
condition, or because it says `now`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import TypeVar

from gdsl.ir import nodes as ir
from gdsl.ir import verifier
from gdsl.ir.traversal import all_steps, expand_buckets, rewrite
from gdsl.ir.worklists import names_in, without_buckets, worklist_loops
from gdsl.passes.known_vertices import know_vertices
from gdsl.passes.writers import falling_or_rising, plain_arrays, targets, written_arrays
from gdsl.types import WHOLE_WORDS


def cache_reads(program: ir.Program) -> ir.Program:
    """Set `cached` on the reads of vertex functors at other vertices, and on those of labels that edges hook."""
    operators = [step for step in all_steps(program.schedule) if isinstance(step, ir.Operator)]
    searching = {step.functor for step in operators if step.result is not None}
    return dataclasses.replace(
        program,
        vertex_functors=tuple(map(_with_cached_reads, program.vertex_functors)),
        edge_functors=tuple(
            each if each.name in searching else _with_cached_labels(each) for each in program.edge_functors
        ),
    )


def _with_cached_reads(functor: ir.VertexFunctor) -> ir.VertexFunctor:
    def change(node: ir.Node) -> ir.Node:
        if isinstance(node, ir.Element) and may_be_cached(node):
            return dataclasses.replace(node, cached=True)
        return node

    return rewrite(functor, change)


def _with_cached_labels(functor: ir.EdgeFunctor) -> ir.EdgeFunctor:
    labels = falling_or_rising(functor)

    def change(node: ir.Node) -> ir.Node:
        if isinstance(node, ir.Element) and node.array in labels and may_be_cached(node):
            return dataclasses.replace(node, cached=True)
        return node

    return rewrite(functor, change)


def may_be_cached(read: ir.Element) -> bool:
    """Whether a read of a vertex functor is one at another vertex, for which any value since the last barrier will do,
    of a type that the cache is read by."""
    index = ir.element_index(read.index)
    is_own = ir.is_parameter(index, ir.Role.VERTEX)
    return read.now and not is_own and read.type in WHOLE_WORDS


AnyFunctor = TypeVar("AnyFunctor", ir.VertexFunctor, ir.EdgeFunctor)


def choose_worklists(program: ir.Program) -> ir.Program:
    """`program` without `PushBuckets` and `PopBuckets`."""
    if not any(isinstance(step, ir.PushBuckets | ir.PopBuckets) for step in all_steps(program.schedule)):
        return program
    loops = worklist_loops(program)
    numbers = {loop.loop for loop in loops}

    def change(node: ir.Node) -> ir.Node:
        return without_buckets(node) if isinstance(node, ir.While) and node.loop in numbers else node

    schedule = rewrite(program.schedule, change) if loops else program.schedule
    unused = {name for loop in loops for name in names_in(loop)} - names_in(schedule)
    return dataclasses.replace(
        program,
        scalars=tuple(scalar for scalar in program.scalars if scalar.name not in unused),
        vertex_functors=tuple(functor for functor in program.vertex_functors if functor.name not in unused),
        frontiers=tuple(frontier for frontier in program.frontiers if frontier.name not in unused),
        schedule=expand_buckets(schedule),
    )


def mark_shared_reads(program: ir.Program) -> ir.Program:
    """Set `now` on every read that may meet a write by another call."""
    return dataclasses.replace(
        program,
        vertex_functors=tuple(_mark(functor, ir.Role.VERTEX) for functor in program.vertex_functors),
        edge_functors=tuple(
            _mark(functor, ir.Role.EDGE if functor.common is None else None) for functor in program.edge_functors
        ),
    )


def _mark(functor: AnyFunctor, own: ir.Role | None) -> AnyFunctor:
    """`own` is the role of what only one call has."""
    written = written_arrays(functor)
    alone = plain_arrays(functor, frozenset({own} if own is not None else ()))
    scalars = {target.scalar for target in targets(functor) if isinstance(target, ir.ScalarTarget)}

    def change(node: ir.Node) -> ir.Node:
        if isinstance(node, ir.Element) and node.array in written:
            index = ir.element_index(node.index)
            is_own = ir.is_parameter(index, own)
            return dataclasses.replace(node, now=not (is_own and node.array in alone))
        if isinstance(node, ir.ScalarValue) and node.name in scalars:
            return dataclasses.replace(node, now=True)
        return node

    return rewrite(functor, change)


Pass = Callable[[ir.Program], ir.Program]
ALL: tuple[Pass, ...] = (choose_worklists, mark_shared_reads)
CPU: tuple[Pass, ...] = (*ALL, know_vertices)
GPU: tuple[Pass, ...] = (*ALL, cache_reads)


def apply(program: ir.Program, passes: Sequence[Pass] = ALL, *, verify: bool = True) -> ir.Program:
    """`program` after `passes`; with `verify` the IR is verified after each."""
    for each in passes:
        before, program = program, each(program)
        if verify:
            verifier.verify(program, after=each.__name__, before=before)
    return program
