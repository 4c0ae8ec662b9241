"""Whether the operand of a monotone reduction never falls when what it reads of its own array rises.

The proof covers all values that can occur (the ranges of `data`): no integer wraps, and a float becomes NaN only where
that is equivalent to the losing end of the order. Elements of the array itself are never NaN; a NaN operand then has no
effect, like the losing end.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from gdsl.effects import Write
from gdsl.effects.ranges import Range, limits
from gdsl.effects.term_factory import Terms
from gdsl.effects.terms import DEEPEST_PROOF, Choice, Conversion, ElementTerm, OfRead, Operation, Term
from gdsl.operations import BITWISE, BinaryOperation, Builtin, ReduceOperation
from gdsl.types import Type
from gdsl.uniqueness.data import Data

_SETS = (BinaryOperation.AND, BinaryOperation.OR, BinaryOperation.BIT_AND, BinaryOperation.BIT_OR)


class Monotone:
    """Judges the operands of one array's reductions by one operation. `reads` are the numbers of the reads of it."""

    def __init__(self, terms: Terms, data: Data, name: str, operation: ReduceOperation, reads: Iterable[int]) -> None:
        self.terms = terms
        self.ranges = data.ranges
        self.name = name
        self.smaller = operation is ReduceOperation.MIN
        self.of_sets = operation in BITWISE
        self._known: dict[Term, bool] = {}
        self.reads = 0
        for number in reads:
            self.reads |= terms.atoms.bit(OfRead(number))

    def free(self, term: Term) -> bool:
        """Whether a value depends on no read of the array."""
        return not self.terms.atoms.closure(term.depends) & self.reads

    def of(self, write: Write) -> bool:
        """Whether the operand of a write is monotone, and its elements are never NaN."""
        own = self.ranges.data.get(self.name, limits(write.type))
        return not own.nan and self.holds(write.value)

    def holds(self, term: Term) -> bool:
        """Whether the value of a term never falls where elements of the array rise, and nothing else moves it."""
        if term not in self._known:
            self._known[term] = self.free(term) or (term.depth <= DEEPEST_PROOF and self._holds(term))
        return self._known[term]

    def _holds(self, term: Term) -> bool:
        if isinstance(term, ElementTerm):
            return term.array == self.name and self.free(term.index)
        if isinstance(term, Choice):
            return self.free(term.condition) and self.holds(term.yes) and self.holds(term.no)
        if self.of_sets:
            return isinstance(term, Operation) and term.operation in _SETS and all(map(self.holds, term.arguments))
        if isinstance(term, Conversion):
            return self.holds(term.operand) and self._keeps_order(term)
        if isinstance(term, Operation):
            return self._operation(term)
        return False

    def _keeps_order(self, term: Conversion) -> bool:
        source, target, inner = term.operand.type, term.type, self.ranges.of(term.operand)
        if source.is_id or target.is_id or target is Type.BOOL:
            return False
        if target.is_float:
            return True
        full = limits(target)
        if source.is_float:
            return not inner.nan
        return full.low <= inner.low and inner.high <= full.high

    def _operation(self, term: Operation) -> bool:
        arguments, operation = term.arguments, term.operation
        if operation in (Builtin.MIN, Builtin.MAX):
            return all(map(self.holds, arguments)) and (self._survives(operation is Builtin.MIN) or self._no_nan(term))
        if operation is BinaryOperation.ADD_SATURATING:
            return all(map(self.holds, arguments))
        if operation is BinaryOperation.ADD:
            return all(map(self.holds, arguments)) and self._fits(term, self._sum(arguments))
        if not all(map(self.holds, arguments[:1])) and operation is not BinaryOperation.MULTIPLY:
            return False
        if operation in (Builtin.FLOOR, Builtin.CEIL, Builtin.TRUNC):
            return self._no_nan(term)
        if operation is Builtin.SQRT:
            return self._no_nan(term) and self.ranges.of(arguments[0]).low >= 0
        return len(arguments) == 2 and self._of_two(term, *arguments)

    def _of_two(self, term: Operation, left: Term, right: Term) -> bool:
        """An operation whose left operand moves, and whose right one does not (for a product, either of them)."""
        if term.operation is BinaryOperation.MULTIPLY and self.free(left):
            left, right = right, left
        if not self.free(right) or not self.holds(left):
            return False
        moving, fixed = self.ranges.of(left), self.ranges.of(right)
        if term.operation is BinaryOperation.SUBTRACT:
            low, high = moving.low - fixed.high, moving.high - fixed.low
            return self._fits(term, (low, high))
        if term.operation is BinaryOperation.MULTIPLY:
            if term.type.is_float:
                is_monotone = fixed.low >= 0 and not fixed.nan and not moving.nan
                return is_monotone and (fixed.low > 0 or self._winning_end_is_finite(moving))
            return fixed.low >= 0 and self._fits(term, (moving.low * fixed.high, moving.high * fixed.high))
        if term.operation is BinaryOperation.DIVIDE:
            is_monotone = fixed.low > 0 and not fixed.nan and not moving.nan
            return is_monotone and (fixed.high < math.inf or self._winning_end_is_finite(moving))
        if term.operation is BinaryOperation.INTEGER_DIVIDE:
            return fixed.low > 0
        return term.operation is BinaryOperation.SHIFT_RIGHT

    def _sum(self, arguments: tuple[Term, ...]) -> tuple[int | float, int | float]:
        one, other = (self.ranges.of(part) for part in arguments)
        return one.low + other.low, one.high + other.high

    def _fits(self, term: Operation, ends: tuple[int | float, int | float]) -> bool:
        """Whether integers stay within their type; floats may leave it, to infinity."""
        if term.type.is_float:
            moving = [part for part in term.arguments if not self.free(part)]
            return len(moving) == 1 or self._no_nan(term)
        full = limits(term.type)
        return full.low <= min(ends) and max(ends) <= full.high

    def _winning_end_is_finite(self, moving: Range) -> bool:
        """Whether a product with 0 (a quotient by infinity) is NaN at the losing end only."""
        return moving.low > -math.inf if self.smaller else moving.high < math.inf

    def _survives(self, is_min: bool) -> bool:
        """Whether a NaN that loses inside `min` or `max` is what the losing end would have been."""
        return is_min is self.smaller

    def _no_nan(self, term: Operation) -> bool:
        return not any(self.ranges.of(part).nan for part in term.arguments if not self.free(part))
