"""Chooses what becomes of buckets: a plain worklist, worked off from near to far, or the steps of each push and pop.

Which vertices a pop of automatic buckets takes is open, and in a monotone loop any order of the visits ends in the
same values. There an order from near to far (`gdsl.plan.work_order`) does the same with one operator per pass instead
of five and the barriers between them; and where that order does not pay off, neither do the buckets. A loop keeps its
buckets where something hinders that order, or with `schedule.order = as_given`.
"""

from __future__ import annotations

import dataclasses

from gdsl.ir.nodes import Node, PopBuckets, Program, PushBuckets, Step, While
from gdsl.ir.traversal import all_steps, expand_buckets, rewrite, walk
from gdsl.ir.worklists import hindrance, names_in, without_buckets
from gdsl.operations import Order


def run(program: Program) -> Program:
    """`program` without `PushBuckets` and `PopBuckets`."""
    if not any(isinstance(step, PushBuckets | PopBuckets) for step in all_steps(program.schedule)):
        return program
    program = _with_worklists(program)
    return dataclasses.replace(program, schedule=expand_buckets(program.schedule))


def _with_worklists(program: Program) -> Program:
    loops = worklist_loops(program)
    if not loops:
        return program
    numbers = {loop.loop for loop in loops}

    def change(node: Node) -> Node:
        return without_buckets(node) if isinstance(node, While) and node.loop in numbers else node

    def changed(step: Step) -> Step:
        return rewrite(step, change)

    schedule = tuple(map(changed, program.schedule))
    unused = {name for loop in loops for name in names_in(loop)} - names_in(schedule)
    return dataclasses.replace(
        program,
        scalars=tuple(scalar for scalar in program.scalars if scalar.name not in unused),
        vertex_functors=tuple(functor for functor in program.vertex_functors if functor.name not in unused),
        frontiers=tuple(frontier for frontier in program.frontiers if frontier.name not in unused),
        schedule=schedule,
    )


def worklist_loops(program: Program) -> list[While]:
    """The loops over buckets that become plain worklists."""
    if program.tuning.order is Order.AS_GIVEN:
        return []
    return [node for node in walk(program.schedule) if isinstance(node, While) and _is_worklist(node, program)]


def _is_worklist(loop: While, program: Program) -> bool:
    return loop.monotone and without_buckets(loop) is not loop and hindrance(loop, program) is None
