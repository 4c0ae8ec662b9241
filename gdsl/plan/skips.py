"""Decides which worklists pass over members that were visited with the value that they have.

A pass of a monotone loop takes the members of a worklist one after the other, and each change is seen by whoever comes
later. So a member's value may fall after it was put into the worklist and before it is visited, and again a vertex is
put into the next worklist whose visit in this pass saw its last value already. On graphs of hubs every fourth visit is
such a one. Therefore each visit leaves the value that the vertex had when it began, or, of long lists, the worst that
one of its chunks began with; who still has that value in the next pass is passed over.

That is sound in a monotone loop (`gdsl.uniqueness.order`): the visits of the edges read values that are as good as what
was left or better, and none is better than what the vertex has now, which is the same; so they all read this value, and
a further visit would change nothing. A value that is left was left in this loop: its first pass visits everybody, and
of all others notes the value that they begin with, which a vertex that comes later no longer has.

It needs a word a vertex; loops that go from near to far do without, whose entries carry their values.
"""

from __future__ import annotations

from collections.abc import Collection

from gdsl.ir import nodes as ir
from gdsl.ir.near_far import advance_in, changed_in, fixed_order, update_in
from gdsl.ir.traversal import walk
from gdsl.plan.orders import counted_in, orders_of
from gdsl.plan.sweep_nodes import Skips
from gdsl.plan.target import Target
from gdsl.types import Type

_COMPARED = (
    Type.INT32,
    Type.UINT32,
    Type.INT64,
    Type.UINT64,
    Type.FLOAT32,
    Type.FLOAT64,
    Type.VERTEX,
)


def skips_of(program: ir.Program, target: Target, counted: Collection[str]) -> dict[int, Skips]:
    """By site the advances that pass over such members. `counted`: the frontiers whose edges are counted whenever they
    are made."""
    if not (target.orders and target.grid):
        return {}
    ordered = orders_of(program, target, counted)
    loops = (node for node in walk(program.schedule) if isinstance(node, ir.While) and node.loop not in ordered)
    found = ((loop, _skips(loop, program)) for loop in loops if not counted_in(loop, counted))
    return {advance_in(loop).site: skips for loop, skips in found if skips is not None}


def _skips(loop: ir.While, program: ir.Program) -> Skips | None:
    if not loop.monotone or len(loop.body) != 1 or fixed_order(loop, program) is not None:
        return None
    array = changed_in(loop, program).array
    kind = next(each.type for each in program.arrays if each.name == array)
    return Skips(array, kind, update_in(loop, program).operation) if kind in _COMPARED else None
