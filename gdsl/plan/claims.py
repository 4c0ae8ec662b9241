"""Decides where a closing push takes each far end by one compare-and-swap.

Where the condition says `a[far] == x` and the body stores y there, the test and the store become one
compare-and-swap: a single edge of each far end then runs the rest of the body, which is one of the numbers that the
language allows, and the result needs no other guard against duplicates. All other tests come before it then, and y is
computed for far ends that are taken as well: none that stands behind it in the text, nor y, may stop the run (`stops`).
"""

from __future__ import annotations

from gdsl.ir.nodes import (
    Binary,
    Closing,
    EdgeFunctor,
    Element,
    Expression,
    Local,
    Node,
    Parameter,
    Role,
    Store,
    UpdateValue,
)
from gdsl.ir.traversal import walk
from gdsl.operations import BinaryOperation, Over
from gdsl.passes.writers import far_roles, targets
from gdsl.plan.nodes import Claim
from gdsl.plan.stops import may_stop
from gdsl.types import Type


def claim_of(functor: EdgeFunctor, over: Over, closing: Closing | None, blind: bool) -> Claim | None:
    """The compare-and-swap that a push can do; None where it cannot.

    `blind`: where members are few, all threads of a grid wait for the slowest of them, and a look that comes first is a
    way to the memory more; where they are many, looks are cheaper than exchanges in vain.
    """
    if closing is None or closing.statement is None or closing.end is not Role.FAR:
        return None
    store = functor.body[closing.statement]
    sides = claimed_element(functor.condition[closing.conjunct], far_roles(over))
    if sides is None or not isinstance(store, Store) or sides[0].array != closing.array:
        return None
    writes = [target for target in targets(functor) if getattr(target, "array", None) == closing.array]
    reads = [node for node in walk((functor.condition, functor.body)) if _reads(node, closing.array)]
    can = (
        len(writes) == 1
        and len(reads) == 1
        and sides[0].type is not Type.BOOL
        and not sides[0].type.holds_float
        and not any(isinstance(node, (Local, UpdateValue)) for node in walk(store.value))
        and not may_stop((functor.condition[closing.conjunct + 1 :], store.value))
    )
    blind = blind and not sides[0].type.is_pair
    return Claim(closing.array, closing.conjunct, closing.statement, sides[1], blind) if can else None


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
