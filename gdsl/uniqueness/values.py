"""The level of a value inside one operator, or in the schedule.

A value is EXACT where everything that it may come from is (`exact`). Elsewhere its operations matter: those that change
little when their operands change little keep ROUNDING and CONVERGED, and all others are decisions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from gdsl.effects.terms import (
    DEEPEST_PROOF,
    Choice,
    Constant,
    Conversion,
    CountTerm,
    DegreeTerm,
    ElementTerm,
    FunctionTerm,
    Operation,
    PairTerm,
    PartTerm,
    ScalarTerm,
    Term,
    Unknown,
    inside,
)
from gdsl.operations import BinaryOperation, Builtin, UnaryOperation
from gdsl.source import Span
from gdsl.uniqueness.data import Data
from gdsl.uniqueness.levels import EXACT, Level, decision_level, not_unique, of_passes, worst

_ORDERS = (BinaryOperation.GREATER, BinaryOperation.LESS, BinaryOperation.NOT_EQUAL)
_SMOOTH = (
    BinaryOperation.ADD,
    BinaryOperation.ADD_SATURATING,
    BinaryOperation.SUBTRACT,
    BinaryOperation.MULTIPLY,
    UnaryOperation.NEGATE,
    Builtin.MIN,
    Builtin.MAX,
    Builtin.ABS,
    Builtin.EXP,
    Builtin.SIN,
    Builtin.COS,
    Builtin.ATAN,
    Builtin.SINH,
    Builtin.COSH,
    Builtin.TANH,
)
_JUMPS: dict[BinaryOperation | UnaryOperation | Builtin, str] = {
    BinaryOperation.DIVIDE: "a float sum is in a quotient whose divisor may be 0",
    BinaryOperation.MODULO: "the remainder of a float sum may jump",
    **{
        function: f"`{function.value}` of a float sum may jump, or be no number"
        for function in (Builtin.SQRT, Builtin.LOG, Builtin.POW, Builtin.TAN, Builtin.ASIN, Builtin.ACOS, Builtin.ATAN2)
    },
    **{
        function: f"`{function.value}` of a float sum may jump"
        for function in (Builtin.FLOOR, Builtin.CEIL, Builtin.TRUNC)
    },
}
"""Why a rounding error matters, for operations that do not look like decisions."""


class ValueLevels:
    """Grades terms. `of_leaf` returns the level of a read, a result or another leaf, and `exact` is the set of atoms
    whose level is EXACT; `of_test` returns the level of a comparison with an initial constant, where that is certain
    although the value is not. `closure` resolves the atoms of a term."""

    def __init__(
        self,
        data: Data,
        exact: int,
        closure: Callable[[int], int],
        of_leaf: Callable[[Term], Level],
        of_test: Callable[[Term], Level | None],
    ) -> None:
        self.data = data
        self.exact = exact
        self.closure = closure
        self.of_leaf = of_leaf
        self.of_test = of_test
        self.span = Span(0, 0, 0, 0)
        """The place of the statement that the value belongs to."""
        self.not_zero: frozenset[Term] = frozenset()
        """Numbers that are not zero where the value is computed, because of its conditions."""
        self.passes = False
        """Whether the value only decides the number of passes of a loop."""
        self._known: dict[Term, Level] = {}

    def at(self, span: Span, not_zero: frozenset[Term] = frozenset()) -> ValueLevels:
        """These levels for a value of the statement at `span`, where the numbers in `not_zero` are not zero."""
        self.span, self.not_zero = span, not_zero
        self._known.clear()
        return self

    def is_exact(self, depends: int) -> bool:
        """Whether all runs agree on what these atoms are."""
        return not self.closure(depends) & ~self.exact

    def decision(self, term: Term) -> Level:
        """The level of a condition or an index."""
        return self._decided(self.of(term))

    def _decided(self, level: Level) -> Level:
        return of_passes(level, self.span) if self.passes else decision_level(level, self.span)

    def _jumped(self, level: Level, term: Operation) -> Level:
        """The level of an operation whose value may change a lot with a small change of its operands."""
        reason = _JUMPS.get(term.operation) if term.type.is_float else None
        return self._decided(level) if self.passes or reason is None else decision_level(level, self.span, reason)

    def of(self, term: Term) -> Level:
        """The level of a value."""
        if self.is_exact(term.depends):
            return EXACT
        value = self._known.get(term)
        if value is None:
            self._known[term] = not_unique(self.span, "it depends on itself")  # by the results of a functor's loop
            value = self._known[term] = self._of(term) if term.depth <= DEEPEST_PROOF else self._hidden(term)
        return value

    def _hidden(self, term: Term) -> Level:
        """The level of a value that is not analyzed: any of its parts may decide."""
        leaves = (part for part in inside(term) if isinstance(part, ElementTerm | ScalarTerm | Unknown))
        return worst(self._decided(self.of_leaf(leaf)) for leaf in leaves)

    def _of(self, term: Term) -> Level:
        match term:
            case ElementTerm():
                index = self.decision(term.index)
                return self.of_leaf(term) if index.exact else index
            case DegreeTerm():
                return self.decision(term.vertex)
            case Choice():
                yes = self._of_branch(term.yes, term.condition, expected=True)
                return worst(
                    (self.decision(term.condition), yes, self._of_branch(term.no, term.condition, expected=False))
                )
            case Conversion():
                level = self.of(term.operand)
                narrows = term.operand.type.is_float and not term.type.is_float
                return self._decided(level) if narrows or not term.type.is_numeric else level
            case PairTerm():
                return worst((self.of(term.first), self.of(term.second)))
            case PartTerm():
                return self.of(term.pair)
            case FunctionTerm():
                return worst(self.decision(part) for part in term.arguments)
            case Operation():
                mark = self.of_test(term)
                return self._of_operation(term) if mark is None else mark
        return self.of_leaf(term)

    def _of_branch(self, term: Term, condition: Term, *, expected: bool) -> Level:
        """The level of what is chosen where `condition` is as `expected`, where the divisor of a quotient may not be
        zero. Only the whole is looked at, since terms share their parts."""
        if isinstance(term, Operation) and term.operation is BinaryOperation.DIVIDE:
            number, by = term.arguments
            if self.is_exact(by.depends) and _plain(by) in tested_not_zero(condition, expected=expected):
                return self.of(number)
        return self.of(term)

    def _of_operation(self, term: Operation) -> Level:
        arguments = term.arguments
        level = worst(self.of(part) for part in arguments)
        if term.operation in _SMOOTH and not term.type.is_pair:  # the first parts decide between the second ones
            return level
        positive = self.data.stays_positive
        if term.operation is Builtin.SQRT and (self.data.ranges.known_sign(arguments[0]) or positive(arguments[0])):
            return level
        if term.operation is Builtin.LOG and (self._away_from_zero(arguments[0]) or positive(arguments[0])):
            return level
        if term.operation in (Builtin.ASIN, Builtin.ACOS) and self._is_a_sine(arguments[0]):
            return level
        if term.operation is Builtin.ATAN2 and self._away_from_zero(arguments[1]):  # away from its cut as well
            return level
        if term.operation is BinaryOperation.DIVIDE and self._divides_smoothly(*arguments):
            return level
        if term.operation is Builtin.POW and self._is_smooth_power(*arguments):
            return level
        return self._jumped(level, term)

    def _away_from_zero(self, term: Term) -> bool:
        interval = self.data.ranges.of(term)
        return interval.low > 0 and not interval.nan

    def _is_a_sine(self, term: Term) -> bool:
        interval = self.data.ranges.of(term)
        return interval.low >= -1 and interval.high <= 1 and not interval.nan

    def _divides_smoothly(self, number: Term, by: Term) -> bool:
        """Whether a small change of the operands changes the quotient little: the divisor is not zero, or zero in every
        run together with what it divides."""
        exact = self.is_exact(by.depends)
        if exact and self._not_zero(by):
            return True
        interval = self.data.ranges.of(by)
        if not interval.nan and (interval.low > 0 or interval.high < 0):
            return True
        positive = self.data.stays_positive
        if not (exact or positive(by)):
            return False
        return positive(number) or self.is_exact(number.depends)

    def _not_zero(self, term: Term) -> bool:
        term = _plain(term)
        if isinstance(term, CountTerm):  # without vertices (edges) nothing is summed, so that nothing is rounded
            return True
        if isinstance(term, Constant):
            return bool(term.value)
        return self._away_from_zero(term) or term in self.not_zero

    def _is_smooth_power(self, base: Term, exponent: Term) -> bool:
        if not self.is_exact(exponent.depends):
            return False
        value = exponent.value if isinstance(exponent, Constant) else None
        if isinstance(value, float) and value >= 0 and value.is_integer():
            return True
        return self._away_from_zero(base) or self.data.stays_positive(base)


def _plain(term: Term) -> Term:
    while isinstance(term, Conversion) and term.operand.type.is_integer:
        term = term.operand
    return term


def tested_not_zero(test: Term, expected: bool) -> Iterator[Term]:
    """The numbers that are not zero where `test` is as `expected`, without conversions from integers."""
    if not isinstance(test, Operation) or len(test.arguments) != 2:
        return
    for value, zero in (test.arguments, test.arguments[::-1]):
        if isinstance(zero, Constant) and zero.value == 0:
            equal = test.operation is BinaryOperation.EQUAL
            if (expected and test.operation in _ORDERS) or (equal and not expected):
                yield _plain(value)


def compared_with_initial(term: Term, initials: Mapping[str, Constant]) -> Iterator[ElementTerm | ScalarTerm]:
    """The reads whose data `term` compares with their initial constant, where that is all that it does."""
    if isinstance(term, Operation) and term.operation in (BinaryOperation.EQUAL, BinaryOperation.NOT_EQUAL):
        for read, constant in (term.arguments, term.arguments[::-1]):
            if isinstance(read, ElementTerm | ScalarTerm) and initials.get(read.data) is constant:
                yield read


def compared_with_index(term: Term) -> Iterator[ElementTerm]:
    """The elements that `term` compares with their own index, where that is all that it does."""
    if isinstance(term, Operation) and term.operation in (BinaryOperation.EQUAL, BinaryOperation.NOT_EQUAL):
        for read, index in (term.arguments, term.arguments[::-1]):
            if isinstance(read, ElementTerm) and read.index is index:
                yield read
