"""Operations of integers as C++ and CUDA text: C++'s own operators where these are defined. What values an expression
can have is known as far as its form says."""

from __future__ import annotations

from gdsl.arithmetic.constants import integer_range
from gdsl.codegen.precedence import Text, binary_text, call
from gdsl.ir.nodes import Binary, Convert, Count, DegreeOf, Expression, Iteration, Literal, Place
from gdsl.operations import SATURATING, BinaryOperation
from gdsl.types import Type

Range = tuple[int, int]

_LARGEST_ITERATION = 1 << 30
_LARGEST_COUNT = 1 << 40


def value_range(expression: Expression) -> Range:
    """Bounds of an integer expression's value. Runs never come near 2^30 iterations or 2^40 edges."""
    whole = integer_range(expression.type)
    if isinstance(expression, Literal):
        return int(expression.value), int(expression.value)
    if isinstance(expression, Iteration):
        return 0, _LARGEST_ITERATION
    if isinstance(expression, (DegreeOf, Place)):
        return 0, whole[1]
    if isinstance(expression, Count):
        return 0, _LARGEST_COUNT
    if isinstance(expression, Convert) and expression.operand.type.is_integer:
        return _within(value_range(expression.operand), whole)
    if isinstance(expression, Binary) and expression.type.is_integer:
        left, right = value_range(expression.left), value_range(expression.right)
        exact = _exact(expression.operation, left, right)
        saturates = expression.operation in SATURATING and max(left[1], right[1]) >= whole[1]
        return whole if exact is None or saturates else _within(exact, whole)
    return whole


def cannot_overflow(expression: Binary) -> bool:
    """Whether a sum, difference or product always fits its type."""
    if not expression.type.is_integer:
        return False
    return _fits(expression, value_range(expression.left), value_range(expression.right))


def stays_below_inf(expression: Binary) -> bool:
    """Whether a saturating sum or difference is an ordinary one: no side can be `inf`, and the result always fits."""
    left, right = value_range(expression.left), value_range(expression.right)
    inf = integer_range(expression.type)[1]
    return left[1] < inf and right[1] < inf and _fits(expression, left, right)


def _fits(expression: Binary, left: Range, right: Range) -> bool:
    exact = _exact(expression.operation, left, right)
    return exact is not None and _within(exact, integer_range(expression.type)) == exact


def _exact(operation: BinaryOperation, left: Range, right: Range) -> Range | None:
    """Bounds of a sum, difference or product as if numbers had no end; None for other operations."""
    (a, b), (c, d) = left, right
    if operation in (BinaryOperation.ADD, BinaryOperation.ADD_SATURATING):
        return a + c, b + d
    if operation in (BinaryOperation.SUBTRACT, BinaryOperation.SUBTRACT_SATURATING):
        return a - d, b - c
    if operation is BinaryOperation.MULTIPLY:
        products = (a * c, a * d, b * c, b * d)
        return min(products), max(products)
    return None


def _within(inner: Range, outer: Range) -> Range:
    return inner if outer[0] <= inner[0] and inner[1] <= outer[1] else outer


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
