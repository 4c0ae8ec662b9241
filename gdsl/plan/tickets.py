"""Acceptance by a ticket: a value that `fetch` gives to a single call, so that no vertex is collected twice.

Peelings count down: `let before = fetch(waits[dst] -= 1); accept before == 1;`. All calls with one far end subtract the
same number from the same element, and nothing else writes the array in this operator. So each call gets a different
former value, and at most one gets the required one: its far end needs no mark against duplicates, which would be
another atomic operation after this one. (An element would have to go through all values of its type to repeat one: a
vertex has fewer than 2^32 edges, and an operator visits each once.)
"""

from __future__ import annotations

from gdsl.ir import nodes as ir
from gdsl.ir.traversal import conjuncts, walk
from gdsl.operations import ADDITIVE, BinaryOperation, Outcome, Over
from gdsl.passes.writers import far_roles

_SAME_FOR_ALL = (ir.Literal, ir.ParamValue, ir.Iteration, ir.Count, ir.Unary, ir.Binary, ir.Convert, ir.DegreeOf)


def accepts_by_ticket(functor: ir.EdgeFunctor, over: Over) -> bool:
    """Whether of all calls of `functor` in one push along `over` at most one accepts each far end."""
    accepts = [node for node in walk(functor.body) if isinstance(node, ir.Accept)]
    if over is Over.ALL_EDGES or len(accepts) != 1 or accepts[0] not in functor.body:
        return False
    far = far_roles(over)
    tickets = {each.name for each in functor.body if isinstance(each, ir.Let) and _is_ticket(each, functor, far)}
    return any(_tests_ticket(each, tickets, functor, far) for each in conjuncts(accepts[0].value))


def _is_ticket(let: ir.Let, functor: ir.EdgeFunctor, far: frozenset[ir.Role]) -> bool:
    """Whether a local is the former value of the far end's own counter, which nothing else in the functor writes."""
    value = let.value
    if let.mutable or not isinstance(value, ir.UpdateValue) or value.outcome is not Outcome.FETCH:
        return False
    update = value.update
    if not isinstance(update, ir.Update) or not isinstance(update.target, ir.ElementTarget):
        return False
    target = update.target
    own = ir.is_parameter(target.index, *far)
    writes = [node for node in walk(functor) if isinstance(node, ir.ElementTarget) and node.array == target.array]
    counts = update.operation in ADDITIVE and isinstance(update.value, ir.Literal) and update.value.value in (1, -1)
    wide = value.type.is_integer and (value.type.bits or 0) >= 32
    return own and len(writes) == 1 and counts and wide


def _tests_ticket(conjunct: ir.Expression, tickets: set[str], functor: ir.EdgeFunctor, far: frozenset[ir.Role]) -> bool:
    """Whether a conjunct is `ticket == x`, where x is the same for all calls with one far end."""
    if not isinstance(conjunct, ir.Binary) or conjunct.operation is not BinaryOperation.EQUAL:
        return False
    written = {node.scalar for node in walk(functor) if isinstance(node, ir.ScalarTarget)}

    def is_same(node: ir.Node) -> bool:
        if isinstance(node, ir.ScalarValue):
            return not node.now and node.name not in written
        return isinstance(node, _SAME_FOR_ALL) or ir.is_parameter(node, *far)

    sides = ((conjunct.left, conjunct.right), (conjunct.right, conjunct.left))
    return any(
        isinstance(one, ir.Local) and one.name in tickets and all(map(is_same, walk(other))) for one, other in sides
    )
