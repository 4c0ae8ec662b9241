"""Lets a closing push take each far end by one compare-and-swap.

Where the condition says `a[far] == x` and the body stores y there, the test and the store become one
compare-and-swap: a single edge of each far end then runs `apply`, which is one of the numbers that the language
allows, and the result needs no other guard against duplicates.
"""

from __future__ import annotations

import dataclasses

from gdsl.ir.nodes import (
    Advance,
    Binary,
    EdgeFunctor,
    Element,
    Expression,
    Local,
    Node,
    Parameter,
    Program,
    Role,
    Store,
    UpdateValue,
)
from gdsl.ir.traversal import rewrite, walk
from gdsl.operations import BinaryOperation
from gdsl.passes.writers import far_roles, targets
from gdsl.types import ScalarType


def run(program: Program) -> Program:
    """Fill `Advance.claims`."""
    functors = {functor.name: functor for functor in program.edge_functors}

    found: dict[tuple[object, ...], bool] = {}

    def change(node: Node) -> Node:
        if not isinstance(node, Advance) or node.closing is None:
            return node
        closing = node.closing
        key = (node.functor, node.over, closing.end, closing.array, closing.conjunct, closing.statement)
        if key not in found:
            found[key] = _can_claim(functors[node.functor], node)
        return dataclasses.replace(node, claims=found[key])

    return dataclasses.replace(program, schedule=tuple(rewrite(step, change) for step in program.schedule))


def _can_claim(functor: EdgeFunctor, advance: Advance) -> bool:
    closing = advance.closing
    if closing is None or closing.statement is None or closing.end is not Role.FAR:
        return False
    store = functor.body[closing.statement]
    sides = claimed_element(functor.condition[closing.conjunct], far_roles(advance.over))
    if sides is None or not isinstance(store, Store) or sides[0].array != closing.array:
        return False
    writes = [target for target in targets(functor) if getattr(target, "array", None) == closing.array]
    reads = [node for node in walk((functor.condition, functor.body)) if _reads(node, closing.array)]
    return (
        len(writes) == 1
        and len(reads) == 1
        and sides[0].type not in (ScalarType.BOOL, ScalarType.FLOAT32, ScalarType.FLOAT64)
        and not any(isinstance(node, (Local, UpdateValue)) for node in walk(store.value))
    )


def claimed_element(conjunct: Expression, far: frozenset[Role]) -> tuple[Element, Expression] | None:
    """(a[far], x) of a conjunct `a[far] == x` or `x == a[far]`; None for any other."""
    if not isinstance(conjunct, Binary) or conjunct.operation is not BinaryOperation.EQUAL:
        return None
    for element, other in ((conjunct.left, conjunct.right), (conjunct.right, conjunct.left)):
        is_far = isinstance(element, Element) and isinstance(element.index, Parameter) and element.index.role in far
        if is_far and not any(isinstance(node, Element) for node in walk(other)):
            assert isinstance(element, Element)
            return element, other
    return None


def _reads(node: Node, array: str | None) -> bool:
    return isinstance(node, Element) and node.array == array
