"""Finds advances that look at the first edges of each list only.

Where the condition says `place < x`, with an x that the operator does not write, a push along out-edges walks the
first x edges of each vertex and no others.
"""

from __future__ import annotations

import dataclasses

from gdsl.ir.nodes import (
    Advance,
    Binary,
    EdgeFunctor,
    Expression,
    Literal,
    Node,
    ParamValue,
    Place,
    Program,
    ScalarTarget,
    ScalarValue,
)
from gdsl.ir.traversal import rewrite
from gdsl.operations import BinaryOperation
from gdsl.passes.writers import targets


def run(program: Program) -> Program:
    """Fill `Advance.place_limit`."""
    limits = {functor.name: _limit(functor) for functor in program.edge_functors}

    def change(node: Node) -> Node:
        return dataclasses.replace(node, place_limit=limits[node.functor]) if isinstance(node, Advance) else node

    return dataclasses.replace(program, schedule=tuple(rewrite(step, change) for step in program.schedule))


def _limit(functor: EdgeFunctor) -> Expression | None:
    written = {target.scalar for target in targets(functor) if isinstance(target, ScalarTarget)}
    for conjunct in functor.condition:
        if not isinstance(conjunct, Binary) or conjunct.operation is not BinaryOperation.LESS:
            continue
        limit = conjunct.right
        fixed = isinstance(limit, (Literal, ParamValue)) or (
            isinstance(limit, ScalarValue) and limit.name not in written
        )
        if isinstance(conjunct.left, Place) and fixed:
            return limit
    return None
