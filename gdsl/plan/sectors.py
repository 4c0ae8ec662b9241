"""Decides which pushes fetch what lies beside the memory that they touch (cuda).

A round of a search on a road has few members, and most ask for an element that nobody has touched: some of them find
that it is not in the cache, and all wait for those. Memory is read by sectors of 32 bytes, eight elements or so. Where
neighbours have numbers close together, as on roads and meshes, a search goes through a sector and on into the next one.
So who puts a vertex into the result that is the first or the last element of its sector has those fetched that come
when it goes on from there, while it waits for its place in the queue: of the arrays that a visit asks for at its far
end, and of where lists begin. Lists themselves are fetched then where edges are counted; from near to far, where they
are not, visits fetch what lies beside the lists, and beside what is asked for at their edges.

On graphs without such numbers these are reads for nothing, two of them for every fourth member. So it is done in the
forms that narrow graphs have: those with small blocks, and those from near to far; see `suiting`.
"""

from __future__ import annotations

import dataclasses

from gdsl.ir.nodes import Program, Role
from gdsl.operations import Domain, Over
from gdsl.passes.writers import far_roles
from gdsl.plan.asked_arrays import arrays_at
from gdsl.plan.grids import SMALL_BLOCK
from gdsl.plan.hints import PrefetchSectors
from gdsl.plan.nodes import Choice, Operation, Step
from gdsl.plan.sweep_nodes import Dedup, Form, Sweep, Walk
from gdsl.plan.target import Target
from gdsl.plan.walking import map_operations

_EDGE = frozenset({Role.EDGE})


def fetch_beside(schedule: tuple[Step, ...], program: Program, target: Target) -> tuple[Step, ...]:
    """`schedule` with what its pushes fetch, whatever they did before."""
    may = target.fused and target.grid and not target.teams and not program.graphs
    return map_operations(schedule, lambda operation: _fetching(operation, program) if may else operation)


def is_for_narrow_graphs(sweep: Sweep, program: Program) -> bool:
    """Whether a sweep is in a form that narrow graphs have."""
    block = program.tuning.block
    return sweep.order is not None or (block is not None and block <= SMALL_BLOCK)


def _fetching(operation: Operation, program: Program) -> Operation:
    does = operation.does
    if isinstance(does, Choice):
        yes, no = (_sweep(sweep, program) for sweep in (does.yes, does.no))
        return dataclasses.replace(operation, does=dataclasses.replace(does, yes=yes, no=no))
    return dataclasses.replace(operation, does=_sweep(does, program))


def _sweep(sweep: Sweep, program: Program) -> Sweep:
    collect, ordered = sweep.collect, sweep.order is not None
    if collect is None or not _finds_vertices(sweep) or not is_for_narrow_graphs(sweep, program):
        return sweep
    functors = {functor.name: functor for functor in program.edge_functors}

    def asked(each: Walk, roles: frozenset[Role]) -> tuple[str, ...]:
        return arrays_at(functors[each.variant.functor], roles, program)

    ends = dict.fromkeys(name for each in sweep.walks for name in asked(each, far_roles(each.over)))
    of_edges = (each for each in sweep.walks if ordered and each.lists is Over.OUT_EDGES)
    return sweep.with_hints(
        PrefetchSectors(tuple(each.lists for each in sweep.walks), tuple(ends)),
        *(PrefetchSectors((each.lists,), asked(each, _EDGE), over=each.over) for each in of_edges),
    )


def _finds_vertices(sweep: Sweep) -> bool:
    """Whether a sweep appends far ends of edges to a queue, the last of which a warp puts there at once."""
    pushes = bool(sweep.walks) and sweep.selection is None and sweep.intersection is None and sweep.skips is None
    collect = sweep.collect
    if collect is None or collect.domain is not Domain.VERTEX or not pushes:
        return False
    return collect.form is Form.QUEUE and collect.dedup is not Dedup.LATE
