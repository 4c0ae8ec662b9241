"""Sums of 64-bit integers that stop at the ends of their type: the sums of the lower and of the upper halves, which no
number of elements overflows, are joined once all elements are in."""

from __future__ import annotations

from typing import NamedTuple

from gdsl.arithmetic.constants import integer_range
from gdsl.ir import nodes
from gdsl.ir.lowering.hidden import Hidden
from gdsl.operations import BinaryOperation, ReduceOperation
from gdsl.source import Span
from gdsl.types import Type

_HALF = 32


class Halves(NamedTuple):
    """The sums of both halves."""

    low: nodes.ScalarTarget
    high: nodes.ScalarTarget


def halves_of(stem: str, type_: Type, span: Span, hidden: Hidden) -> Halves:
    """Scalars for the sums of the halves of values of `type_`, int64 or uint64."""
    return Halves(hidden.scalar(f"low_{stem}", Type.UINT64, span), hidden.scalar(f"high_{stem}", type_, span))


def updates(element: nodes.Element, halves: Halves) -> tuple[nodes.Statement, ...]:
    """What adds an element to both sums."""
    span, type_ = element.span, element.type
    bits = _converted(element, Type.UINT64)
    low = _binary(BinaryOperation.BIT_AND, bits, _literal(span, Type.UINT64, 2**_HALF - 1))
    high = _binary(BinaryOperation.SHIFT_RIGHT, element, _literal(span, type_, _HALF))
    add = ReduceOperation.ADD
    return nodes.Update(span, halves.low, add, low), nodes.Update(span, halves.high, add, high)


def begin(halves: Halves) -> list[nodes.Step]:
    """Both sums of nothing."""
    return [nodes.StoreScalar(each.span, each.scalar, _literal(each.span, each.type, 0)) for each in halves]


def joined(halves: Halves) -> nodes.Expression:
    """The sum, or the end of its type that lies nearest."""
    span, type_ = halves.high.span, halves.high.type
    low = nodes.ScalarValue(span, Type.UINT64, halves.low.scalar)
    carried = _converted(_binary(BinaryOperation.SHIFT_RIGHT, low, _literal(span, Type.UINT64, _HALF)), type_)
    upper = _binary(BinaryOperation.ADD, nodes.ScalarValue(span, type_, halves.high.scalar), carried)
    lower = _converted(_binary(BinaryOperation.BIT_AND, low, _literal(span, Type.UINT64, 2**_HALF - 1)), type_)
    shifted = _binary(BinaryOperation.SHIFT_LEFT, upper, _literal(span, type_, _HALF))
    lowest, largest = integer_range(type_)
    above = _compared(BinaryOperation.GREATER, upper, _literal(span, type_, largest >> _HALF))
    found = _binary(BinaryOperation.BIT_OR, shifted, lower)
    found = nodes.Select(span, type_, above, _literal(span, type_, largest), found)
    if not type_.is_signed:
        return found
    below = _compared(BinaryOperation.LESS, upper, _literal(span, type_, lowest >> _HALF))
    return nodes.Select(span, type_, below, _literal(span, type_, lowest), found)


def _literal(span: Span, type_: Type, value: int) -> nodes.Expression:
    return nodes.Literal(span, type_, value)


def _binary(operation: BinaryOperation, left: nodes.Expression, right: nodes.Expression) -> nodes.Expression:
    return nodes.Binary(left.span, left.type, operation, left, right)


def _compared(operation: BinaryOperation, left: nodes.Expression, right: nodes.Expression) -> nodes.Expression:
    return nodes.Binary(left.span, Type.BOOL, operation, left, right)


def _converted(value: nodes.Expression, type_: Type) -> nodes.Expression:
    return value if value.type is type_ else nodes.Convert(value.span, type_, value)
