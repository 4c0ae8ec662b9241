"""Makes plain worklists of loops over buckets that order what waits by what they change.

Whom the next pass takes is open where the width of buckets finds itself, and where the loop is monotone any order of
the visits ends in the same values. Then an order from near to far (`gdsl.plan.work_order`) does what the buckets are
there for, by one operator a pass instead of five and the barriers between them; and where that order is not worth it,
neither are the buckets. What hinders it, or `schedule.order = as_given`, leaves the buckets as they are.
"""

from __future__ import annotations

import dataclasses

from gdsl.ir.free_worklists import names_in, plain
from gdsl.ir.near_far import hindrance
from gdsl.ir.nodes import Node, Program, Step, While
from gdsl.ir.traversal import rewrite, walk
from gdsl.operations import Order


def run(program: Program) -> Program:
    """`program` with those loops as plain worklists, from near to far."""
    loops = free_loops(program)
    if not loops:
        return program
    found = {loop.loop for loop in loops}

    def change(node: Node) -> Node:
        return plain(node) if isinstance(node, While) and node.loop in found else node

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


def free_loops(program: Program) -> list[While]:
    """The loops of `program` that become plain worklists."""
    if program.tuning.order is Order.AS_GIVEN:
        return []
    return [node for node in walk(program.schedule) if isinstance(node, While) and _is_free(node, program)]


def _is_free(loop: While, program: Program) -> bool:
    return loop.monotone and plain(loop) is not loop and hindrance(loop, program) is None
