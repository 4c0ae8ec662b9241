"""Ranges: between which numbers a value lies, for certain, and whether it may be NaN."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from gdsl.effects.making import rounded
from gdsl.effects.operation_ranges import Range, limits, of_binary, of_builtin, of_unary, union
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
from gdsl.operations import Builtin, Degree, GraphQuery, UnaryOperation
from gdsl.types import Type

MOST_PASSES = 2**31 - 2**16
"""No run gets so far (`iteration` is an int32 and each pass takes longer than a microsecond)."""
_MOST_IDS = 2**62
_IDS_OF_THE_GRAPH = frozenset(query.value for query in (GraphQuery.SOURCE, GraphQuery.DESTINATION, GraphQuery.NEIGHBOR))
"""Functions that give a vertex or stop the run; no program has a function of such a name."""
_INT32 = Range(0, 2**31 - 1)


@dataclass
class Ranges:
    """Finds ranges of terms. `data` are those of params, arrays and scalars; without one a value is
    anything of its type."""

    data: Mapping[str, Range]

    def __post_init__(self) -> None:
        self._known: dict[Term, Range] = {}

    def of(self, term: Term) -> Range:
        """The range of a number or a bool (0 and 1); of an id, that of its number."""
        if term.depth > DEEPEST_PROOF or term.type.is_pair:
            return limits(term.type)
        found = self._known.get(term)
        if found is None:
            found = self._known[term] = self._of(term)
        return found

    def _of(self, term: Term) -> Range:
        match term:
            case Constant():
                return _of_constant(term)
            case PassTerm():
                return Range(0, MOST_PASSES)
            case CountTerm():
                return Range(0, _MOST_IDS)
            case DegreeTerm():
                return Range(1, _INT32.high) if _counts_own_edge(term) else _INT32
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

    def known_sign(self, term: Term) -> bool:
        """Whether a number is never negative and never NaN."""
        found = self.of(term)
        return found.low >= 0 and not found.nan


def _counts_own_edge(term: DegreeTerm) -> bool:
    """Whether it is the degree of an end of the call's edge that counts this edge, too."""
    end = Role.SOURCE if term.degree is Degree.OUT else Role.DESTINATION
    return isinstance(term.vertex, End) and term.vertex.role is end


def _of_constant(term: Constant) -> Range:
    value = term.value
    if value is None:
        return limits(term.type)
    if isinstance(value, float) and math.isnan(value):
        return Range(math.inf, -math.inf, True)
    return Range(int(value) if isinstance(value, bool) else value, int(value) if isinstance(value, bool) else value)


def never_none(term: Term, known: dict[Term, bool] | None = None) -> bool:
    """Whether an id is that of a vertex or an edge for certain; `known` keeps the answers about its parts."""
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
    """An id as a number. One that an int32 could not hold is left out: it takes a graph of 2**31 vertices or edges,
    whose author counts in int64."""
    if not target.is_signed:
        return limits(target)
    return Range(0 if never_none(operand) else -1, min(limits(target).high - 1, _MOST_IDS))


def _finite(value: int | float) -> int | float:
    return 0 if math.isinf(value) else value


def _as_float(value: int | float, target: Type) -> float:
    return rounded(float(value)) if target is Type.FLOAT32 else float(value)
