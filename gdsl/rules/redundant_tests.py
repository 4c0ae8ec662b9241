"""Tests that a `min=` or `max=` performs as well: where such a test is false, the reduction changes nothing."""

from __future__ import annotations

from gdsl.arithmetic.constants import integer_range
from gdsl.effects.summary import Write
from gdsl.effects.terms import Constant, ElementTerm, Operation, ScalarTerm, Term, parts
from gdsl.operations import (
    CONJUNCTIONS,
    DISJUNCTIONS,
    EXTREMES,
    LARGER,
    SATURATING,
    SMALLER,
    BinaryOperation,
    ReduceOperation,
)
from gdsl.types import Type


def is_redundant(test: Term, write: Write) -> bool:
    """Whether `write`, a `min=` or `max=`, changes nothing where `test` is false."""
    if not isinstance(test, Operation) or len(test.arguments) != 2:
        return False
    if write.operation not in EXTREMES:
        return False
    left, right = test.arguments
    if test.operation in DISJUNCTIONS:
        return is_redundant(left, write) or is_redundant(right, write)
    if test.operation in CONJUNCTIONS:
        return is_redundant(left, write) and is_redundant(right, write)
    return _compares_the_same(test.operation, left, right, write) or _leaves_out_what_never_wins(test, write)


def _compares_the_same(operation: object, left: Term, right: Term, write: Write) -> bool:
    """`value < x[i]` of `x[i] min= value`, and its like."""
    wins, loses = (SMALLER, LARGER) if write.operation is ReduceOperation.MIN else (LARGER, SMALLER)
    value, element = (left, right) if operation in wins else (right, left)
    if operation not in (*wins, *loses):
        return False
    of_target = getattr(element, "array", getattr(element, "name", None)) == write.name
    return of_target and getattr(element, "index", write.index) is write.index and same_text(value, write.value)


def _leaves_out_what_never_wins(test: Operation, write: Write) -> bool:
    """`x[j] != inf`, or `x[j] < inf`, for `x[i] min= x[j] + y`, whose sum saturates at `inf`."""
    element, limit = test.arguments
    if not isinstance(element, ElementTerm) or not isinstance(limit, Constant):
        return False
    ends = _ends_of(element.type)
    if ends is None or limit.value != ends[write.operation is ReduceOperation.MIN]:
        return False
    apart = SMALLER[0] if write.operation is ReduceOperation.MIN else LARGER[0]
    if test.operation not in (BinaryOperation.NOT_EQUAL, apart):
        return False
    stops = element.type.is_integer and write.operation is ReduceOperation.MIN
    return _is_unchanged(write.value, element) if stops else same_text(write.value, element)


def _is_unchanged(value: Term, element: ElementTerm) -> bool:
    """Whether an integer is `inf` where `element` is: the element itself, or a sum that stops there."""
    if same_text(value, element):
        return True
    if not isinstance(value, Operation) or value.operation not in SATURATING or value.type is not element.type:
        return False
    left, right = value.arguments
    return _is_unchanged(left, element) or (
        value.operation is BinaryOperation.ADD_SATURATING and _is_unchanged(right, element)
    )


def _ends_of(kind: Type) -> tuple[object, object] | None:
    """The least and the largest value of a type; None where it has no such."""
    if kind.is_float:
        return float("-inf"), float("inf")
    return integer_range(kind) if kind.is_integer else (0, None) if kind.is_id else None


def same_text(one: Term, other: Term) -> bool:
    """Whether two terms are the same but for the numbers of their reads."""
    if one is other:
        return True
    if type(one) is not type(other) or one.depth != other.depth:
        return False
    if isinstance(one, ElementTerm) and isinstance(other, ElementTerm):
        return one.array == other.array and same_text(one.index, other.index)
    if isinstance(one, ScalarTerm) and isinstance(other, ScalarTerm):
        return one.name == other.name
    if isinstance(one, Operation) and isinstance(other, Operation) and one.operation is other.operation:
        pairs = zip(parts(one), parts(other), strict=False)
        return all(same_text(first, second) for first, second in pairs)
    return False
