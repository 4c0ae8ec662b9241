"""Marks the reads that may meet a write by another call of the same operator.

The checker has let such a read through as the operand of the one reduction of its array, as the test of a closing
condition, or because it says `now`. Code generation reads them with a load that is never torn.
"""

from __future__ import annotations

import dataclasses
from typing import TypeVar

from gdsl.ir.nodes import (
    EdgeFunctor,
    Element,
    Node,
    Parameter,
    Program,
    Role,
    ScalarTarget,
    ScalarValue,
    VertexFunctor,
    element_index,
)
from gdsl.ir.traversal import rewrite
from gdsl.passes.writers import plain_arrays, targets, written_arrays

AnyFunctor = TypeVar("AnyFunctor", VertexFunctor, EdgeFunctor)


def run(program: Program) -> Program:
    """Set `now` on every such read of every functor."""
    return dataclasses.replace(
        program,
        vertex_functors=tuple(_mark(functor, Role.VERTEX) for functor in program.vertex_functors),
        edge_functors=tuple(
            _mark(functor, Role.EDGE if functor.common is None else None) for functor in program.edge_functors
        ),
    )


def _mark(functor: AnyFunctor, own: Role | None) -> AnyFunctor:
    """`own` is what a call has alone."""
    written = written_arrays(functor)
    alone = plain_arrays(functor, frozenset({own} if own is not None else ()))
    scalars = {target.scalar for target in targets(functor) if isinstance(target, ScalarTarget)}

    def change(node: Node) -> Node:
        if isinstance(node, Element) and node.array in written:
            index = element_index(node.index)
            is_own = isinstance(index, Parameter) and index.role is own
            return dataclasses.replace(node, now=not (is_own and node.array in alone))
        if isinstance(node, ScalarValue) and node.name in scalars:
            return dataclasses.replace(node, now=True)
        return node

    return rewrite(functor, change)
