"""What can be shown about a condition without running the program: true, false, or nothing.

Ranges, equal terms, equal bases with different constants added, and that the ids of a call are never `none`. What is
not shown stays unknown, so a proof here may be relied upon.
"""

from __future__ import annotations

from gdsl.effects.ranges import Range, Ranges, limits, never_none
from gdsl.effects.terms import DEEPEST_PROOF, Choice, Constant, Operation, PairTerm, Term
from gdsl.operations import CONJUNCTIONS, DISJUNCTIONS, BinaryOperation, UnaryOperation
from gdsl.types import Type

_STRICT = (BinaryOperation.LESS, BinaryOperation.GREATER)


class Proof:
    """Decides conditions. `ranges` may know more of data than its type."""

    def __init__(self, ranges: Ranges | None = None) -> None:
        self.ranges = ranges if ranges is not None else Ranges({})
        self._known: dict[Term, bool | None] = {}

    def decide(self, term: Term) -> bool | None:
        """The value of a bool where it is the same whatever the program does; else None."""
        if term.depth > DEEPEST_PROOF:
            return None
        if term not in self._known:
            self._known[term] = self._decide(term)
        return self._known[term]

    def _decide(self, term: Term) -> bool | None:
        if isinstance(term, Constant):
            return term.value if isinstance(term.value, bool) else None
        if isinstance(term, Choice):
            return self._choice(term)
        if not isinstance(term, Operation) or term.type is not Type.BOOL:
            return None
        operation, arguments = term.operation, term.arguments
        if operation is UnaryOperation.NOT:
            operand = self.decide(arguments[0])
            return None if operand is None else not operand
        if operation in CONJUNCTIONS or operation in DISJUNCTIONS:
            return _logical(operation in CONJUNCTIONS, *(self.decide(part) for part in arguments))
        if isinstance(operation, BinaryOperation) and operation.is_comparison:
            return self.compare(operation, *arguments)
        return None

    def _choice(self, term: Choice) -> bool | None:
        condition, yes, no = (self.decide(part) for part in (term.condition, term.yes, term.no))
        if condition is not None:
            return yes if condition else no
        return yes if yes == no else None

    def differ(self, left: Term, right: Term) -> bool:
        """Whether two values can be shown to be different."""
        return self.compare(BinaryOperation.EQUAL, left, right) is False

    def compare(self, operation: BinaryOperation, left: Term, right: Term) -> bool | None:
        """The value of a comparison."""
        if left.type is Type.BOOL:
            one, other = self.decide(left), self.decide(right)
            return None if one is None or other is None else by_order(operation, int(one), int(other))
        if left.type.is_pair:
            return self._compare_pairs(operation, left, right)
        if left is right:
            if operation in _STRICT:
                return False
            return None if self.ranges.of(left).nan else operation is not BinaryOperation.NOT_EQUAL
        if left.type.is_id:
            return _compare_ids(operation, left, right)
        ordered = _by_ranges(operation, self.ranges.of(left), self.ranges.of(right))
        return ordered if ordered is not None else self._by_offset(operation, left, right)

    def _compare_pairs(self, operation: BinaryOperation, left: Term, right: Term) -> bool | None:
        """Whether two pairs are equal; of their order nothing is shown."""
        if operation not in (BinaryOperation.EQUAL, BinaryOperation.NOT_EQUAL):
            return None
        if not (isinstance(left, PairTerm) and isinstance(right, PairTerm)):
            return None
        first = self.compare(BinaryOperation.EQUAL, left.first, right.first)
        same = _logical(True, first, self.compare(BinaryOperation.EQUAL, left.second, right.second))
        return None if same is None else same is (operation is BinaryOperation.EQUAL)

    def _by_offset(self, operation: BinaryOperation, left: Term, right: Term) -> bool | None:
        if not left.type.is_integer:
            return None
        (base, added), (other_base, other_added) = _split(left), _split(right)
        if base is not other_base:
            return None
        if operation in (BinaryOperation.EQUAL, BinaryOperation.NOT_EQUAL):
            same = (added - other_added) % (1 << (left.type.bits or 64)) == 0
            return same == (operation is BinaryOperation.EQUAL)
        interval, full = self.ranges.of(base), limits(left.type)
        for offset in (added, other_added):
            if interval.low + offset < full.low or interval.high + offset > full.high:
                return None
        return by_order(operation, added, other_added)


def _logical(is_and: bool, left: bool | None, right: bool | None) -> bool | None:
    decisive = not is_and
    if left is decisive or right is decisive:
        return decisive
    return None if left is None or right is None else is_and


def _compare_ids(operation: BinaryOperation, left: Term, right: Term) -> bool | None:
    none_left, none_right = (isinstance(term, Constant) and term.value is None for term in (left, right))
    if none_right and never_none(left):
        return operation in (BinaryOperation.NOT_EQUAL, BinaryOperation.LESS, BinaryOperation.LESS_EQUAL)
    if none_left and never_none(right):
        return operation in (BinaryOperation.NOT_EQUAL, BinaryOperation.GREATER, BinaryOperation.GREATER_EQUAL)
    if (
        isinstance(left, Constant)
        and isinstance(right, Constant)
        and left.value is not None
        and right.value is not None
    ):
        return by_order(operation, left.value, right.value)
    return None


def by_order(operation: BinaryOperation, left: int | float, right: int | float) -> bool:
    """A comparison of two numbers."""
    results: dict[BinaryOperation, bool] = {
        BinaryOperation.EQUAL: left == right,
        BinaryOperation.NOT_EQUAL: left != right,
        BinaryOperation.LESS: left < right,
        BinaryOperation.LESS_EQUAL: left <= right,
        BinaryOperation.GREATER: left > right,
        BinaryOperation.GREATER_EQUAL: left >= right,
    }
    return results[operation]


def _by_ranges(operation: BinaryOperation, left: Range, right: Range) -> bool | None:
    if left.nan or right.nan:
        return None
    if left.high < right.low or right.high < left.low or left.low == left.high == right.low == right.high:
        return by_order(operation, left.low, right.low)
    if left.high == right.low and operation in (BinaryOperation.LESS_EQUAL, BinaryOperation.GREATER):
        return operation is BinaryOperation.LESS_EQUAL
    if right.high == left.low and operation in (BinaryOperation.GREATER_EQUAL, BinaryOperation.LESS):
        return operation is BinaryOperation.GREATER_EQUAL
    return None


_MOST_ADDED = 50


def _split(term: Term) -> tuple[Term, int]:
    """`term` as a base and a constant added to it, which may come in `_MOST_ADDED` parts."""
    added = 0
    for _ in range(_MOST_ADDED):
        if not (isinstance(term, Operation) and term.operation in (BinaryOperation.ADD, BinaryOperation.SUBTRACT)):
            break
        if not (term.type.is_integer and len(term.arguments) == 2):
            break
        left, right = term.arguments
        if isinstance(right, Constant) and isinstance(right.value, int):
            added += right.value if term.operation is BinaryOperation.ADD else -right.value
            term = left
        elif isinstance(left, Constant) and isinstance(left.value, int) and term.operation is BinaryOperation.ADD:
            added += left.value
            term = right
        else:
            break
    return term, added
