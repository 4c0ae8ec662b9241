"""Ranges: the certain bounds of a value, and whether it may be NaN, for each operation. Integers that may leave their
type's limits may wrap to anything in them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from gdsl.arithmetic.constants import integer_range, nearest_float32
from gdsl.effects.terms import (
    DEEPEST_PROOF,
    Choice,
    Constant,
    Conversion,
    CountTerm,
    DegreeTerm,
    ElementTerm,
    End,
    FunctionTerm,
    Operation,
    Origin,
    ParamTerm,
    PassTerm,
    PlaceTerm,
    ScalarTerm,
    Term,
    Unknown,
)
from gdsl.ir.nodes import Role
from gdsl.operations import BinaryOperation, Builtin, Degree, GraphQuery, UnaryOperation
from gdsl.types import Type

Number = int | float


@dataclass(frozen=True, slots=True)
class Range:
    """From `low` to `high`, both included; `nan`: or NaN."""

    low: Number
    high: Number
    nan: bool = False


def limits(kind: Type) -> Range:
    """Every value of a type; of pairs nothing is known, not even that they equal themselves."""
    if kind.is_pair:
        return Range(-math.inf, math.inf, True)
    if kind is Type.BOOL:
        return Range(0, 1)
    if kind.is_float:
        return Range(-math.inf, math.inf, True)
    if kind.is_id:
        return Range(0, 2**64 - 1)
    return Range(*integer_range(kind))


def union(one: Range, other: Range) -> Range:
    """Everything in either."""
    return Range(min(one.low, other.low), max(one.high, other.high), one.nan or other.nan)


def _within(kind: Type, low: Number, high: Number, nan: bool = False) -> Range:
    full = limits(kind)
    if kind.is_float:
        if kind is Type.FLOAT32:
            low, high = nearest_float32(float(low)), nearest_float32(float(high))
        return Range(low, high, nan)
    return Range(low, high) if full.low <= low and high <= full.high else full


def of_unary(operation: UnaryOperation, kind: Type, inner: Range) -> Range:
    """The range of `operation` on a value in `inner`."""
    if operation is UnaryOperation.NEGATE:
        return _within(kind, -inner.high, -inner.low, inner.nan)
    if operation is UnaryOperation.INVERT and kind.is_integer and kind.is_signed:
        return Range(-1 - inner.high, -1 - inner.low)
    return limits(kind)


def of_builtin(operation: Builtin, kind: Type, inner: Sequence[Range]) -> Range:
    """The range of a function of the language."""
    first = inner[0]
    if operation in (Builtin.MIN, Builtin.MAX):
        return _of_order(operation is Builtin.MIN, first, inner[1])
    if operation is Builtin.ABS:
        low = first.low if first.low >= 0 else max(0, -first.high)
        return _within(kind, low, max(abs(first.low), abs(first.high)), first.nan)
    if operation in (Builtin.FLOOR, Builtin.CEIL, Builtin.TRUNC):
        return Range(_step(math.floor, first.low), _step(math.ceil, first.high), first.nan)
    if operation is Builtin.SQRT:
        high = math.sqrt(first.high) if first.high >= 0 else 0.0
        low = math.sqrt(first.low) if first.low >= 0 else 0.0
        return _within(kind, low, high, first.nan or first.low < 0)
    if operation is Builtin.EXP:
        return Range(0.0, math.inf, first.nan)
    if operation in (Builtin.POPCOUNT, Builtin.CTZ):
        return Range(0, 64)
    if operation is Builtin.RANDOM:
        return Range(0.0, 1.0 - 2.0**-24)
    if operation is Builtin.RANDOM_BELOW:
        return Range(0, max(0, first.high - 1))
    return limits(kind)


def _step(function: Callable[[Number], int], value: Number) -> Number:
    return value if math.isinf(value) else float(function(value))


def _of_order(smaller: bool, one: Range, other: Range) -> Range:
    """`min` or `max`, in which NaN loses."""
    pick = min if smaller else max
    low, high = pick(one.low, other.low), pick(one.high, other.high)
    if one.nan or other.nan:
        alone = [range_ for range_, against in ((one, other), (other, one)) if against.nan]
        low, high = min([low, *(range_.low for range_ in alone)]), max([high, *(range_.high for range_ in alone)])
    return Range(low, high, one.nan and other.nan)


def of_binary(operation: BinaryOperation, kind: Type, left: Range, right: Range) -> Range:
    """The range of an operation on two values."""
    if operation is BinaryOperation.ADD:
        return _sum(kind, left, right)
    if operation is BinaryOperation.SUBTRACT:
        return _sum(kind, left, Range(-right.high, -right.low, right.nan))
    if operation is BinaryOperation.ADD_SATURATING:
        full = limits(kind)
        low, high = (max(full.low, min(full.high, at)) for at in (left.low + right.low, left.high + right.high))
        return Range(low, full.high if full.high in (left.high, right.high) else high)
    if operation is BinaryOperation.MULTIPLY:
        return _product(kind, left, right)
    if operation is BinaryOperation.DIVIDE:
        return _quotient(kind, left, right)
    if kind.is_integer:
        return _of_integers(operation, kind, left, right)
    return limits(kind)


def _sum(kind: Type, left: Range, right: Range) -> Range:
    nan = left.nan or right.nan
    nan = (
        nan or (left.high == math.inf and right.low == -math.inf) or (left.low == -math.inf and right.high == math.inf)
    )
    low, high = left.low + right.low, left.high + right.high
    low = -math.inf if low != low else low
    return _within(kind, low, math.inf if high != high else high, nan)


def _product(kind: Type, left: Range, right: Range) -> Range:
    corners = [one * other for one in (left.low, left.high) for other in (right.low, right.high)]
    corners = [0.0 if corner != corner else corner for corner in corners]
    infinite = [math.isinf(side.low) or math.isinf(side.high) for side in (left, right)]
    zero = [side.low <= 0 <= side.high for side in (left, right)]
    nan = left.nan or right.nan or (infinite[0] and zero[1]) or (infinite[1] and zero[0])
    return _within(kind, min(corners), max(corners), nan)


def _quotient(kind: Type, left: Range, right: Range) -> Range:
    if right.low <= 0 <= right.high or math.isinf(right.high) or math.isinf(right.low):
        sign = left.low >= 0 and right.low >= 0
        return Range(0.0, math.inf, True) if sign else limits(kind)
    corners = [one / other for one in (left.low, left.high) for other in (right.low, right.high)]
    return _within(kind, min(corners), max(corners), left.nan or right.nan)


def _of_integers(operation: BinaryOperation, kind: Type, left: Range, right: Range) -> Range:
    low, high, most = int(left.low), int(left.high), max(abs(int(right.low)), abs(int(right.high)))
    if operation is BinaryOperation.MODULO:
        return Range(max(low, 1 - most) if low < 0 and most else 0, min(high, most - 1) if high > 0 and most else 0)
    if operation is BinaryOperation.INTEGER_DIVIDE and right.low > 0:
        corners = [_truncated(one, int(other)) for one in (low, high) for other in (right.low, right.high)]
        return Range(min(corners), max(corners))
    if operation in (BinaryOperation.SHIFT_LEFT, BinaryOperation.SHIFT_RIGHT) and _is_shift(kind, right):
        by = (int(right.low), int(right.high))
        left_shift = operation is BinaryOperation.SHIFT_LEFT
        corners = [one << other if left_shift else one >> other for one in (low, high) for other in by]
        return _within(kind, min(corners), max(corners))
    if operation is BinaryOperation.SHIFT_RIGHT:
        return Range(min(low, 0), max(high, 0))
    nonnegative = [side for side in (left, right) if side.low >= 0]
    if operation is BinaryOperation.BIT_AND and nonnegative:
        return Range(0, min(side.high for side in nonnegative))
    if operation in (BinaryOperation.BIT_OR, BinaryOperation.BIT_XOR) and len(nonnegative) == 2:
        return Range(0, (1 << max(high, int(right.high)).bit_length()) - 1)
    return limits(kind)


def _is_shift(kind: Type, by: Range) -> bool:
    """Whether a value may be shifted so far: by less than its bits."""
    return kind.bits is not None and by.low >= 0 and by.high < kind.bits


def _truncated(value: int, by: int) -> int:
    return value // by if value >= 0 else -(-value // by)


MOST_PASSES = 2**31 - 2**16
"""No run gets so far (`iteration` is an int32 and each pass takes longer than a microsecond)."""
_MOST_IDS = 2**62
_IDS_OF_THE_GRAPH = frozenset(query.value for query in (GraphQuery.SOURCE, GraphQuery.DESTINATION, GraphQuery.NEIGHBOR))
"""Functions that give a vertex or stop the run; no program has a function of such a name."""
_INT32 = Range(0, 2**31 - 1)


@dataclass
class Ranges:
    """Finds ranges of terms. `data` has the ranges of params, arrays and scalars; without one, a value may be
    anything of its type. `pairs`: functors may be called for two vertices that no edge joins, which have out-edges
    (to a common neighbor), but may have no in-edges."""

    data: Mapping[str, Range]
    pairs: bool = True

    def __post_init__(self) -> None:
        self._known: dict[Term, Range] = {}

    def of(self, term: Term) -> Range:
        """The range of a number or a bool (0 and 1); of an id, that of its number."""
        if term.depth > DEEPEST_PROOF or term.type.is_pair:
            return limits(term.type)
        interval = self._known.get(term)
        if interval is None:
            interval = self._known[term] = self._of(term)
        return interval

    def _of(self, term: Term) -> Range:
        match term:
            case Constant():
                return _of_constant(term)
            case PassTerm():
                return Range(0, MOST_PASSES)
            case CountTerm():
                return Range(0, _MOST_IDS)
            case DegreeTerm():
                return Range(1, _INT32.high) if self._counts_own_edge(term) else _INT32
            case PlaceTerm():
                return _INT32
            case ElementTerm():
                return self.data.get(term.array, limits(term.type))
            case ScalarTerm() | ParamTerm():
                return self.data.get(term.name, limits(term.type))
            case Choice():
                return union(self.of(term.yes), self.of(term.no))
            case Conversion():
                return converted(term, self.of(term.operand))
            case Operation():
                return self._of_operation(term)
        return limits(term.type)

    def _of_operation(self, term: Operation) -> Range:
        ranges = [self.of(part) for part in term.arguments]
        if isinstance(term.operation, UnaryOperation):
            return of_unary(term.operation, term.type, ranges[0])
        if isinstance(term.operation, Builtin):
            return of_builtin(term.operation, term.type, ranges)
        return of_binary(term.operation, term.type, ranges[0], ranges[1])

    def _counts_own_edge(self, term: DegreeTerm) -> bool:
        """Whether it is the degree of an end of the call's edge that counts this edge, too."""
        if term.degree is Degree.IN and self.pairs:
            return False
        end = Role.SOURCE if term.degree is Degree.OUT else Role.DESTINATION
        return isinstance(term.vertex, End) and term.vertex.role is end

    def known_sign(self, term: Term) -> bool:
        """Whether a number is never negative and never NaN."""
        interval = self.of(term)
        return interval.low >= 0 and not interval.nan


def _of_constant(term: Constant) -> Range:
    value = term.value
    if value is None:
        return limits(term.type)
    if isinstance(value, float) and math.isnan(value):
        return Range(math.inf, -math.inf, True)
    return Range(int(value) if isinstance(value, bool) else value, int(value) if isinstance(value, bool) else value)


def never_none(term: Term, known: dict[Term, bool] | None = None) -> bool:
    """Whether an id is certainly not `none`; `known` caches the answers about its parts."""
    known = {} if known is None else known
    if term not in known:
        known[term] = term.depth <= DEEPEST_PROOF and _never_none(term, known)
    return known[term]


def _never_none(term: Term, known: dict[Term, bool]) -> bool:
    if isinstance(term, Constant):
        return term.value is not None
    if isinstance(term, Choice):
        return never_none(term.yes, known) and never_none(term.no, known)
    if isinstance(term, Operation) and term.operation is Builtin.MIN:
        return any(never_none(part, known) for part in term.arguments)
    if isinstance(term, Operation) and term.operation is Builtin.MAX:
        return all(never_none(part, known) for part in term.arguments)
    if isinstance(term, FunctionTerm):
        return term.function in _IDS_OF_THE_GRAPH
    if isinstance(term, Unknown):
        return term.origin is Origin.LOOP_VARIABLE  # of a loop over a list: ranges go over integers
    return isinstance(term, End | ParamTerm)


def converted(term: Conversion, inner: Range) -> Range:
    """The range of a conversion of a value in `inner`."""
    source, target = term.operand.type, term.type
    full = limits(target)
    if source.is_id and target.is_integer:
        return _of_id(term.operand, target)
    if source.is_id or target.is_id or target is Type.BOOL:
        return full
    if target.is_float:
        low, high = _as_float(inner.low, target), _as_float(inner.high, target)
        return Range(low, high, inner.nan)
    if source.is_float:
        low = full.low if inner.low == -math.inf else max(full.low, min(full.high, int(_finite(inner.low))))
        high = full.high if inner.high == math.inf else max(full.low, min(full.high, int(_finite(inner.high))))
        return union(Range(low, high), Range(0, 0)) if inner.nan else Range(low, high)
    return inner if full.low <= inner.low and inner.high <= full.high else full


def _of_id(operand: Term, target: Type) -> Range:
    """An id as a number. Ids beyond int32 are ignored: they need a graph of 2**31 vertices or edges, whose author
    counts in int64."""
    if not target.is_signed:
        return limits(target)
    return Range(0 if never_none(operand) else -1, min(limits(target).high - 1, _MOST_IDS))


def _finite(value: int | float) -> int | float:
    return 0 if math.isinf(value) else value


def _as_float(value: int | float, target: Type) -> float:
    return nearest_float32(float(value)) if target is Type.FLOAT32 else float(value)
