"""Decides where one thread that runs all calls of a push runs the body of each, whether its test holds or not (cpu).

Whether the test of an edge holds is often as good as drawn: in `cond core[dst] == -1` half of all edges come too late,
in no order. A branch that is guessed wrong costs as much as several edges. Where all that the body changes is a number
to which something is added, nothing is added where the test does not hold, and no branch asks for it. Only the one
thread may do so: what it writes back unchanged nobody else has changed in between.

It is as good as free where test and body are a few comparisons and sums of what can be read in any case.

The same goes for tests. Where there are several, one behind the other, each is a branch of its own, and whether a far
end is new is one more; where they are a few comparisons of what lies at hand, and there is nothing else to do, all are
made, and what is collected is written behind the result before it is known whether it stays there. Nothing else is
written, so several threads do the same, each with a list of its own, of which they look for the new ones afterwards.
"""

from __future__ import annotations

from gdsl.ir.nodes import (
    Accept,
    Binary,
    Convert,
    EdgeFunctor,
    Element,
    ElementTarget,
    Expression,
    Iteration,
    Let,
    Literal,
    Local,
    Parameter,
    ParamValue,
    ScalarValue,
    Statement,
    Update,
    UpdateValue,
    VertexFunctor,
)
from gdsl.ir.traversal import walk
from gdsl.operations import BinaryOperation, Outcome, ReduceOperation

_ADDS = (ReduceOperation.ADD, ReduceOperation.SUBTRACT)
_VALUES = (Literal, Parameter, Local, ParamValue, ScalarValue, Element, Iteration)
_QUICK = (BinaryOperation.ADD, BinaryOperation.SUBTRACT)
_PRODUCTS = (*_QUICK, BinaryOperation.MULTIPLY)


def runs_in_any_case(functor: VertexFunctor | EdgeFunctor) -> bool:
    """Whether one thread runs the body of `functor` for each edge, with updates by nothing where its test fails."""
    body = functor.body
    if not isinstance(functor, EdgeFunctor) or len(functor.condition) != 1 or not _is_quick(functor.condition[0]):
        return False
    if any(isinstance(each, Accept) for each in body[:-1]) or not all(map(_may_be_masked, body)):
        return False
    return any(isinstance(node, Update) for node in walk(body))


def _may_be_masked(statement: Statement) -> bool:
    if isinstance(statement, Update):
        return _adds(statement)
    if isinstance(statement, Let) and isinstance(statement.value, UpdateValue):
        return statement.value.outcome is Outcome.FETCH and _adds(statement.value.update)
    if isinstance(statement, Let):
        return not statement.mutable and _is_quick(statement.value)
    return isinstance(statement, Accept) and _is_quick(statement.value)


def _adds(update: Update) -> bool:
    """Whether `update` adds to an element of an end, so that nothing is the same as adding zero."""
    target = update.target
    own = isinstance(target, ElementTarget) and isinstance(target.index, Parameter)
    return own and target.type.is_integer and update.operation in _ADDS and _is_quick(update.value)


def tests_at_once(functor: VertexFunctor | EdgeFunctor) -> bool:
    """Whether all tests of an edge are made in any case, as they are all that `functor` does."""
    several = isinstance(functor, EdgeFunctor) and not functor.body and len(functor.condition) > 1
    return several and all(map(_compares, functor.condition))


def _compares(test: Expression) -> bool:
    """Whether `test` is a comparison of what lies at hand."""
    if not isinstance(test, Binary) or not test.operation.is_comparison or test.left.type.is_pair:
        return False
    return _is_at_hand(test.left) and _is_at_hand(test.right)


def _is_at_hand(value: Expression) -> bool:
    if isinstance(value, Binary):
        return value.operation in _PRODUCTS and _is_at_hand(value.left) and _is_at_hand(value.right)
    if isinstance(value, Convert):
        return _is_at_hand(value.operand)
    return _is_quick(value)


def _is_quick(value: Expression) -> bool:
    """Whether `value` may be computed in any case, and in next to no time."""
    if isinstance(value, Binary):
        quick = value.operation in _QUICK or value.operation.is_comparison
        return quick and not value.left.type.is_pair and _is_quick(value.left) and _is_quick(value.right)
    if isinstance(value, Element):
        return isinstance(value.index, Parameter) and not value.type.is_pair
    return isinstance(value, _VALUES)
