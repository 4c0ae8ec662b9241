"""What holds of data throughout a program, wherever it is read: ranges, and which sums never cancel.

Both look at every place that writes, in no order. A range is widened where it does not settle. A float never cancels if
it is computed from non-negative numbers by addition, multiplication and the like, without subtraction: then a rounding
error is small next to it, and whether it is zero (and so what a division by it gives) is the same in every run.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from gdsl.effects import ProgramEffects, WriteKind
from gdsl.effects.functions import PureValues
from gdsl.effects.proof import Proof
from gdsl.effects.ranges import Range, Ranges, limits, of_binary, of_builtin, union
from gdsl.effects.terms import (
    DEEPEST_PROOF,
    Choice,
    Conversion,
    CountTerm,
    DegreeTerm,
    ElementTerm,
    Operation,
    Origin,
    ScalarTerm,
    Term,
)
from gdsl.ir import nodes
from gdsl.ir.traversal import all_steps
from gdsl.operations import BinaryOperation, Builtin, NeighborOperation, ReduceOperation
from gdsl.types import Type

_ROUNDS = 4
"""After so many rounds a range that still grows is widened."""
_MOST_ROUNDS = 60
"""A program whose ranges have not settled by then has none."""
_GROWING = (ReduceOperation.ADD, ReduceOperation.MULTIPLY, ReduceOperation.MIN, ReduceOperation.MAX)
_GROWING_OPERATIONS = (
    BinaryOperation.ADD,
    BinaryOperation.MULTIPLY,
    BinaryOperation.DIVIDE,
    Builtin.MIN,
    Builtin.MAX,
    Builtin.SQRT,
)


@dataclass(frozen=True)
class Put:
    """One place that writes: into `name` a value, or, by `reduce`, a combination with the former one; by `neighbors`
    a reduction of many such values."""

    name: str
    value: Term
    reduce: ReduceOperation | None = None
    neighbors: NeighborOperation | None = None


@dataclass(frozen=True)
class Swapped:
    """Two names that change places."""

    first: str
    second: str


class Data:
    """The facts about all data of a program."""

    def __init__(self, effects: ProgramEffects) -> None:
        self.effects = effects
        self.types = {data.name: data.type for data in effects.data}
        self.puts, self.swaps = _places(effects)
        steps = all_steps(effects.program.schedule)
        self._pairs = any(isinstance(step, nodes.Intersect) and step.partners is not None for step in steps)
        self._params = {param.name: _said(ScheduleTerms(effects), param) for param in effects.program.params}
        self._inputs = self._of_inputs()
        self.first = {data.name: self._first(data) for data in effects.data}
        self.ranges = self._known(self._fixed_point())
        self.proof = Proof(self.ranges)
        self._positive: dict[Term, bool] = {}
        self._positive_of: frozenset[str] | None = None
        self.never_cancels = self._never_canceling()

    # ------------------------------------------------------------ ranges

    def _first(self, data: nodes.Array | nodes.Scalar) -> Range:
        if data.initial is not None:
            initial = ScheduleTerms(self.effects).value(data.initial)
            return self._known(self._inputs).of(initial)
        return self._inputs[data.name]

    def _known(self, data: Mapping[str, Range]) -> Ranges:
        """What follows where arrays and scalars are in `data`, and params as they say themselves."""
        return Ranges({**data, **self._params}, self._pairs)

    def _of_inputs(self) -> dict[str, Range]:
        inputs = (data for data in self.effects.data if data.is_input)
        return {data.name: _said(ScheduleTerms(self.effects), data) for data in inputs}

    def _fixed_point(self) -> Mapping[str, Range]:
        joined = dict(self.first)
        for number in range(_MOST_ROUNDS):
            before = dict(joined)
            ranges = self._known(before)
            for put in self.puts:
                joined[put.name] = union(joined[put.name], _after(put, joined[put.name], ranges, self.types[put.name]))
            for swap in self.swaps:
                joined[swap.first] = joined[swap.second] = union(joined[swap.first], joined[swap.second])
            if joined == before:
                return joined
            if number >= _ROUNDS:
                joined = {name: _widened(before[name], joined[name], self.types[name]) for name in joined}
        return {name: limits(kind) for name, kind in self.types.items()}

    # ------------------------------------------------------------ cancellation

    def _never_canceling(self) -> frozenset[str]:
        names = {name for name in self.types if self.first[name].low >= 0}
        while True:
            frozen = frozenset(names)
            left = {put.name for put in self.puts if put.name in names and not self._keeps(put, frozen)}
            for swap in self.swaps:
                left |= {swap.first, swap.second} if not {swap.first, swap.second} <= names else set()
            if not left & names:
                return frozen
            names -= left

    def _keeps(self, put: Put, names: frozenset[str]) -> bool:
        of_sums = (NeighborOperation.SUM, NeighborOperation.PRODUCT, NeighborOperation.MIN, NeighborOperation.MAX)
        if put.neighbors is not None and put.neighbors not in (*of_sums, NeighborOperation.COUNT):
            return self.types[put.name] is Type.BOOL
        return (put.reduce is None or put.reduce in _GROWING) and self.stays_positive(put.value, names)

    def stays_positive(self, term: Term, names: frozenset[str] | None = None) -> bool:
        """Whether a non-negative value is computed without cancellation, so that no rounding error decides whether it
        is zero."""
        names = self.never_cancels if names is None else names
        if names is not self._positive_of:
            self._positive, self._positive_of = {}, names
        if term not in self._positive:
            self._positive[term] = term.depth <= DEEPEST_PROOF and self._stays_positive(term, names)
        return self._positive[term]

    def _stays_positive(self, term: Term, names: frozenset[str]) -> bool:
        if isinstance(term, ElementTerm):
            return term.array in names and self.ranges.of(term).low >= 0
        if isinstance(term, ScalarTerm):
            return term.name in names and self.ranges.of(term).low >= 0
        if isinstance(term, DegreeTerm | CountTerm):
            return True
        if isinstance(term, Conversion):
            return term.type.is_float and self.stays_positive(term.operand, names)
        if isinstance(term, Choice):
            return self.stays_positive(term.yes, names) and self.stays_positive(term.no, names)
        if not term.depends and self.ranges.known_sign(term):  # it depends on nothing that a run computes
            return True
        if isinstance(term, Operation):
            growing = term.operation in _GROWING_OPERATIONS
            return growing and all(self.stays_positive(part, names) for part in term.arguments)
        return False


def _places(effects: ProgramEffects) -> tuple[list[Put], list[Swapped]]:
    """Every place of a program that writes data."""
    puts, swaps = [], []
    for site in effects.sites.values():
        puts += [
            Put(write.name, write.value, write.operation if write.kind is WriteKind.REDUCE else None)
            for write in site.writes
        ]
    terms, types = ScheduleTerms(effects), {data.name: data.type for data in effects.data}
    for step in all_steps(effects.program.schedule):
        match step:
            case nodes.StoreScalar():
                puts.append(Put(step.scalar, terms.value(step.value)))
            case nodes.StoreElement():
                puts.append(Put(step.target.array, terms.value(step.value)))
            case nodes.Fill():
                puts.append(Put(step.array, terms.value(step.value)))
            case nodes.Swap():
                swaps.append(Swapped(step.first, step.second))
            case nodes.Intersect(count=str(count)):
                total = effects.terms.unknown(Type.INT64, Origin.RESULT, count, 0)
                puts.append(Put(count, total, ReduceOperation.ADD))
            case nodes.Contract():
                labels = {step.label: step.label_type}
                labels |= {step.weights.array: step.weights.type} if step.weights is not None else {}
                unknown = effects.terms.unknown
                puts += [Put(name, unknown(kind, Origin.RESULT, name, 0)) for name, kind in labels.items()]
            case nodes.NeighborVote():
                key = effects.sites[step.site].key
                assert key is not None
                puts.append(Put(step.array, key))
            case nodes.SetStep():
                puts += [
                    Put(name, effects.terms.unknown(types[name], Origin.RESULT, name, 0)) for name in step.use.writes
                ]
            case nodes.NeighborReduce():
                value = effects.sites[step.site].value
                assert value is not None
                if step.operation is None:
                    value = effects.terms.unknown(step.array_type, Origin.RESULT, step.array, 0)
                puts.append(Put(step.array, value, neighbors=step.operation))
    return puts, swaps


def _said(terms: ScheduleTerms, data: nodes.Param | nodes.Array | nodes.Scalar) -> Range:
    """What `where` says about a param, or the elements of an input."""
    interval = limits(data.type)
    waiting = [data.where] if data.where is not None else []
    while waiting:
        node = waiting.pop()
        if not isinstance(node, nodes.Binary):
            continue
        if node.operation is BinaryOperation.AND:
            waiting.extend((node.left, node.right))
            continue
        mirrored = _MIRRORED.get(node.operation)
        for own, other, operation in ((node.left, node.right, node.operation), (node.right, node.left, mirrored)):
            named = isinstance(own, nodes.Element) and isinstance(own.index, nodes.OwnId) and own.array == data.name
            named = named or (isinstance(own, nodes.ScalarValue | nodes.ParamValue) and own.name == data.name)
            if named and operation is not None:
                interval = _narrowed(interval, operation, Ranges({}).of(terms.value(other)))
    return interval


_MIRRORED = {
    BinaryOperation.LESS: BinaryOperation.GREATER,
    BinaryOperation.LESS_EQUAL: BinaryOperation.GREATER_EQUAL,
    BinaryOperation.GREATER: BinaryOperation.LESS,
    BinaryOperation.GREATER_EQUAL: BinaryOperation.LESS_EQUAL,
    BinaryOperation.EQUAL: BinaryOperation.EQUAL,
}


def _narrowed(range_: Range, operation: BinaryOperation, limit: Range) -> Range:
    low, high = range_.low, range_.high
    if operation in (BinaryOperation.GREATER, BinaryOperation.GREATER_EQUAL, BinaryOperation.EQUAL):
        low = max(low, limit.low)
    if operation in (BinaryOperation.LESS, BinaryOperation.LESS_EQUAL, BinaryOperation.EQUAL):
        high = min(high, limit.high)
    if operation is BinaryOperation.LESS and isinstance(high, int) and high == limit.high:
        high -= 1
    if operation is BinaryOperation.GREATER and isinstance(low, int) and low == limit.low:
        low += 1
    return Range(low, high, range_.nan and operation not in _MIRRORED)


def _after(put: Put, former: Range, ranges: Ranges, kind: Type) -> Range:
    """The range of a name once `put` has happened."""
    if kind.is_pair:
        return limits(kind)
    value = ranges.of(put.value)
    if put.neighbors is not None:
        return _of_neighbors(put.neighbors, value, kind)
    if put.reduce is None:
        return value
    if put.reduce in (ReduceOperation.MIN, ReduceOperation.MAX):
        order = Builtin.MIN if put.reduce is ReduceOperation.MIN else Builtin.MAX
        return of_builtin(order, kind, (former, value))
    if kind is Type.BOOL:
        return limits(kind)
    return of_binary(put.reduce.as_binary, kind, former, value)


def _of_neighbors(operation: NeighborOperation, value: Range, kind: Type) -> Range:
    full = limits(kind)
    if operation in (NeighborOperation.MIN, NeighborOperation.MAX):
        end = full.high if operation is NeighborOperation.MIN else full.low
        return Range(min(value.low, end), max(value.high, end), value.nan)
    if operation is NeighborOperation.COUNT:
        return Range(0, min(full.high, 2**31 - 1))
    if kind.is_float and value.low >= 0 and operation in (NeighborOperation.SUM, NeighborOperation.PRODUCT):
        return Range(0.0, math.inf, value.nan or (operation is NeighborOperation.PRODUCT and value.high == math.inf))
    return full


def _widened(before: Range, after: Range, kind: Type) -> Range:
    full = limits(kind)
    low, high = after.low, after.high
    if low < before.low:
        low = 0 if low >= 0 else full.low
    if high > before.high:
        high = 0 if high <= 0 else full.high
    return Range(low, high, after.nan)


class ScheduleTerms(PureValues):
    """Evaluates them: nothing writes while the schedule reads, so that equal reads in one expression are one value."""

    def __init__(self, effects: ProgramEffects) -> None:
        super().__init__(effects.terms, effects.functions)

    def impure(self, node: nodes.Expression) -> Term:
        """Reads, and what the place knows of."""
        terms, kind = self.terms, node.type
        match node:
            case nodes.OwnId():
                return terms.end(nodes.Role.EDGE if kind is Type.EDGE else nodes.Role.VERTEX)
            case nodes.OwnPart():
                return terms.place()
            case nodes.ScalarValue():
                return terms.scalar(kind, node.name)
            case nodes.Element():
                return terms.element(kind, node.array, self.value(node.index))
            case nodes.FrontierSize() | nodes.FrontierNotEmpty():
                return terms.of_frontier(kind, node.frontier)
        return super().impure(node)
