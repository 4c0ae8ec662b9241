"""Quotients, remainders and shifts of integers as C++ and CUDA text: C++'s own operators where these are defined."""

from __future__ import annotations

from gdsl.codegen.precedence import Text, binary_text, call
from gdsl.codegen.ranges import value_range
from gdsl.ir.nodes import Expression, Literal
from gdsl.operations import BinaryOperation
from gdsl.types import Type


def quotient(kind: Type, whole: bool, left: Text, right: Text, divisor: Expression) -> Text:
    """`left // right` where `whole`, else `left % right`; `divisor` is what `right` was printed from."""
    if kind.is_integer and isinstance(divisor, Literal) and divisor.value not in (0, -1):
        return binary_text(BinaryOperation.DIVIDE if whole else BinaryOperation.MODULO, left, right)
    return call("divide" if whole else "modulo", left.text, right.text)


def shift(kind: Type, operation: BinaryOperation, left: Text, right: Text, count: Expression) -> Text:
    """`left << right` or `left >> right`; `count` is what `right` was printed from."""
    is_left = operation is BinaryOperation.SHIFT_LEFT
    bits = kind.bits
    low, high = value_range(count)
    if bits is not None and low >= 0 and high < bits and not (is_left and (kind.is_signed or bits == 64)):
        return binary_text(operation, left, right)
    return call("shift_left" if is_left else "shift_right", left.text, right.text)


def is_wide_product(kind: Type, operation: BinaryOperation) -> bool:
    """Products of 64 bits are never left to the compiler: the runtime of the CUDA backend says why (`multiplied`)."""
    return operation is BinaryOperation.MULTIPLY and kind.is_integer and kind.bits == 64
