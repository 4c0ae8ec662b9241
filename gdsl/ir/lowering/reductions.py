"""Lowers reductions in expressions of the schedule: steps before the statement put each result into a
scalar, which the expression then reads. (Elements of arrays are lowered in the same way: `single_elements`.)

A reduction is a functor that updates the scalar by an element of the array, or by the value that a functor without a
name has in its place, run on the elements. A position (`argmin`) is the smallest id of the
elements with the least value, which a reduction before it finds. Sums of 64-bit integers saturate: the sums of the
lower and of the upper halves, which no number of elements can overflow, are joined after the last element.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import NamedTuple

from gdsl.arithmetic.constants import integer_range
from gdsl.frontend import syntax
from gdsl.frontend.syntax import SymbolKind
from gdsl.ir import nodes
from gdsl.ir.lowering.expressions import ExpressionLowering, impossible
from gdsl.ir.lowering.hidden import Code, Hidden, own_id
from gdsl.ir.lowering.single_elements import NewFrontier, SingleElements
from gdsl.ir.traversal import walk, with_blocks
from gdsl.operations import ArrayReduction, BinaryOperation, Domain, ReduceOperation
from gdsl.source import Span
from gdsl.types import Type

_UPDATES = {
    ArrayReduction.SUM: ReduceOperation.ADD,
    ArrayReduction.COUNT: ReduceOperation.ADD,
    ArrayReduction.MIN: ReduceOperation.MIN,
    ArrayReduction.MAX: ReduceOperation.MAX,
    ArrayReduction.ANY: ReduceOperation.BIT_OR,
    ArrayReduction.ALL: ReduceOperation.BIT_AND,
    ArrayReduction.ARGMIN: ReduceOperation.MIN,
    ArrayReduction.ARGMAX: ReduceOperation.MIN,
}
_EXTREMES = {ArrayReduction.ARGMIN: ArrayReduction.MIN, ArrayReduction.ARGMAX: ArrayReduction.MAX}


def identity(operation: ReduceOperation, type_: Type, span: Span) -> nodes.Expression:
    """The value that changes nothing under an update; of a pair, that of both parts."""
    if type_.is_pair:
        first, second = (identity(operation, part, span) for part in type_.parts)
        return nodes.MakePair(span, type_, first, second)
    if operation is ReduceOperation.BIT_AND:
        whole = True if type_ is Type.BOOL else -1 if type_.is_signed else integer_range(type_)[1]
        return nodes.Literal(span, type_, whole)
    if operation is ReduceOperation.MIN and type_.is_id:
        return nodes.NoneId(span, type_)
    if operation is ReduceOperation.MAX and type_.is_id:  # none where the graph has no such id
        return nodes.Convert(span, type_, nodes.Literal(span, Type.INT64, 0))
    if operation in (ReduceOperation.MIN, ReduceOperation.MAX):
        largest = operation is ReduceOperation.MIN
        if type_.is_float:
            return nodes.Literal(span, type_, float("inf") if largest else float("-inf"))
        if type_ is Type.BOOL:
            return nodes.Literal(span, type_, largest)
        return nodes.Literal(span, type_, integer_range(type_)[1 if largest else 0])
    if type_ is Type.BOOL:
        return nodes.Literal(span, type_, False)
    whole = 1 if operation is ReduceOperation.MULTIPLY else 0
    return nodes.Literal(span, type_, float(whole) if type_.is_float else whole)


class _What(NamedTuple):
    """What is reduced: a value for each element of `domain`, which it calls by the names of `parameters` (None: as
    hidden functors do); equal `key`s mean the same, and hidden names have `stem`."""

    value: nodes.Expression
    domain: Domain
    parameters: tuple[str, ...] | None
    key: object
    stem: str


class ReductionLowering:
    """Lowers expressions of the schedule together with their reductions."""

    def __init__(self, expressions: ExpressionLowering, hidden: Hidden, new_frontier: NewFrontier) -> None:
        self.expressions, self.hidden = expressions, hidden
        self.elements = SingleElements(expressions, hidden, new_frontier)
        self._known: dict[tuple[object, ...], tuple[nodes.ScalarTarget, str]] = {}
        """The scalar and the functor by what is reduced; the same reduction uses them again."""
        self._sums: dict[tuple[object, ...], tuple[_Halves, str]] = {}
        """The same for saturating sums."""

    @property
    def scalars(self) -> frozenset[str]:
        """The scalars that are put back before each use."""
        halves = (half.scalar for halves, _ in self._sums.values() for half in halves)
        return frozenset({*(scalar.scalar for scalar, _ in self._known.values()), *halves})

    def value(self, node: syntax.Expression) -> nodes.Expression:
        """The IR of `node`; emits the steps that must run before it."""
        done: set[tuple[object, ...]] = set()
        self._before(node, done)
        return self.expressions.expression(node)

    def _before(self, node: syntax.Node, done: set[tuple[object, ...]]) -> None:
        """Emit the reductions and the reads of elements inside `node`, those that others need first."""
        if isinstance(node, syntax.Reduced):
            self._reduced(node, done)
            return
        for part in syntax.children(node):
            self._before(part, done)
        if isinstance(node, syntax.Index):
            self.expressions.lowered[node.span] = self.elements.value(node)

    def again(self, steps: list[nodes.Step]) -> tuple[nodes.Step, ...]:
        """A copy of `steps` for a second place where the same expression is evaluated."""
        return tuple(
            dataclasses.replace(step, site=self.hidden.site(step.span, step.word))
            if isinstance(step, nodes.Compute)
            else step
            for step in steps
        )

    def _reduced(self, node: syntax.Reduced, done: set[tuple[object, ...]]) -> None:
        if node.type is None:
            impossible(node)
        reduced, members = self._what(node), _members(node)
        if node.saturates and reduced.value.type.bits == node.type.bits:
            self.expressions.lowered[node.span] = self._saturating(reduced, members, done)
            return
        scalar = self._step(node.operation, reduced, node.type, members, done)
        self.expressions.lowered[node.span] = nodes.ScalarValue(node.span, node.type, scalar.scalar)

    def _what(self, node: syntax.Reduced) -> _What:
        span = node.span
        if isinstance(node.array, syntax.Values):
            values = node.array
            return _What(self.expressions.expression(values.value), values.domain, values.parameters, span, "values")
        array = node.array.symbol
        if array is None or array.domain is None or array.type is None:
            impossible(node)
        element = nodes.Element(span, array.type, array.name, array.domain, own_id(array.domain, span), False)
        return _What(element, array.domain, None, array.name, array.name)

    def _step(
        self,
        operation: ArrayReduction,
        reduced: _What,
        type_: Type,
        members: nodes.Elements,
        done: set[tuple[object, ...]],
    ) -> nodes.ScalarTarget:
        """Reduces over `members`; `done` are the reductions of this expression so far."""
        span, key = reduced.value.span, (operation, reduced.key, members.frontier)
        extreme = None
        if operation in _EXTREMES:
            extreme = self._step(_EXTREMES[operation], reduced, reduced.value.type, members, done)
        if key not in self._known:
            scalar = self.hidden.scalar(f"{operation.value}_of_{reduced.stem}", type_, span)
            functor = self._functor(operation, reduced, scalar, extreme)
            self._known[key] = scalar, functor
        scalar, functor = self._known[key]
        if key not in done:
            done.add(key)
            begin = identity(_UPDATES[operation], type_, span)
            self.hidden.emit(nodes.StoreScalar(span, scalar.scalar, begin), self.hidden.compute(span, members, functor))
        return scalar

    def _saturating(self, reduced: _What, members: nodes.Elements, done: set[tuple[object, ...]]) -> nodes.Expression:
        """The sum of values of 64 bits over `members`."""
        value, key = reduced.value, (ArrayReduction.SUM, reduced.key, members.frontier)
        span, stem = value.span, reduced.stem
        if key not in self._sums:
            halves = _halves_of(f"sum_of_{stem}", value.type, span, self.hidden)
            updates = _halved_updates(value, halves)
            functor = self.hidden.functor(f"sum_up_{stem}", reduced.domain, span, (), updates, reduced.parameters)
            self._sums[key] = halves, functor
        halves, functor = self._sums[key]
        if key not in done:
            done.add(key)
            self.hidden.emit(*_zeroed(halves), self.hidden.compute(span, members, functor))
        return _join(halves)

    def _functor(
        self,
        operation: ArrayReduction,
        reduced: _What,
        scalar: nodes.ScalarTarget,
        extreme: nodes.ScalarTarget | None,
    ) -> str:
        """The functor that reduces one value into the scalar; with `extreme`, its element's id if it is that value."""
        value, span, domain = reduced.value, reduced.value.span, reduced.domain
        condition: tuple[nodes.Expression, ...] = ()
        if extreme is not None:
            best = nodes.ScalarValue(span, value.type, extreme.scalar)
            condition = (nodes.Binary(span, Type.BOOL, BinaryOperation.EQUAL, value, best),)
            value = own_id(domain, span, reduced.parameters)
        elif operation is ArrayReduction.COUNT:
            value, condition = nodes.Literal(span, scalar.type, 1), (value,)
        elif value.type is not scalar.type:
            value = nodes.Convert(span, scalar.type, value)
        update = nodes.Update(span, scalar, _UPDATES[operation], value)
        return self.hidden.functor(f"reduce_{scalar.scalar}", domain, span, condition, (update,), reduced.parameters)


def _members(node: syntax.Reduced) -> nodes.Elements:
    """The elements that are reduced."""
    members, array = node.members, node.array
    domain = array.domain if isinstance(array, syntax.Values) else array.symbol and array.symbol.domain
    named = members is not None and members.symbol is not None and members.symbol.kind is SymbolKind.FRONTIER
    name = members.symbol.unique if named and members is not None and members.symbol is not None else None
    return nodes.Elements((members or node.array).span, domain or Domain.VERTEX, name)


_HALF = 32


class _Halves(NamedTuple):
    """The scalars of both sums of halves."""

    low: nodes.ScalarTarget
    high: nodes.ScalarTarget


def _halves_of(stem: str, type_: Type, span: Span, hidden: Hidden) -> _Halves:
    """Scalars for the sums of the halves of values of `type_`, int64 or uint64."""
    return _Halves(hidden.scalar(f"low_{stem}", Type.UINT64, span), hidden.scalar(f"high_{stem}", type_, span))


def _halved_updates(element: nodes.Expression, halves: _Halves) -> tuple[nodes.Statement, ...]:
    """Adds the halves of a value to both sums."""
    code, type_ = Code(element.span), element.type
    bits = code.convert(Type.UINT64, element)
    low = code.binary(BinaryOperation.BIT_AND, bits, code.literal(Type.UINT64, 2**_HALF - 1))
    high = code.binary(BinaryOperation.SHIFT_RIGHT, element, code.literal(type_, _HALF))
    add = ReduceOperation.ADD
    return nodes.Update(code.span, halves.low, add, low), nodes.Update(code.span, halves.high, add, high)


def _zeroed(halves: _Halves) -> list[nodes.Step]:
    """Sets both sums to 0."""
    return [nodes.StoreScalar(each.span, each.scalar, nodes.Literal(each.span, each.type, 0)) for each in halves]


def _join(halves: _Halves) -> nodes.Expression:
    """The whole sum, or the nearest end of its type."""
    code, type_ = Code(halves.high.span), halves.high.type
    low = code.scalar(halves.low.scalar, Type.UINT64)
    carried = code.binary(BinaryOperation.SHIFT_RIGHT, low, code.literal(Type.UINT64, _HALF))
    upper = code.binary(BinaryOperation.ADD, code.scalar(halves.high.scalar, type_), code.convert(type_, carried))
    lower = code.binary(BinaryOperation.BIT_AND, low, code.literal(Type.UINT64, 2**_HALF - 1))
    shifted = code.binary(BinaryOperation.SHIFT_LEFT, upper, code.literal(type_, _HALF))
    lowest, largest = integer_range(type_)
    above = code.binary(BinaryOperation.GREATER, upper, code.literal(type_, largest >> _HALF))
    whole: nodes.Expression = code.binary(BinaryOperation.BIT_OR, shifted, code.convert(type_, lower))
    whole = code.select(above, code.literal(type_, largest), whole)
    if not type_.is_signed:
        return whole
    below = code.binary(BinaryOperation.LESS, upper, code.literal(type_, lowest >> _HALF))
    return code.select(below, code.literal(type_, lowest), whole)


def with_first_values(
    steps: tuple[nodes.Step, ...], scalars: Iterable[nodes.Scalar], reduced: frozenset[str]
) -> tuple[tuple[nodes.Step, ...], tuple[nodes.Scalar, ...]]:
    """The schedule without the first store into each scalar of a reduction, and all `scalars`, of which those called
    `reduced` are of reductions: that store needs no step, nor a barrier after it, where the schedule makes it once and
    before anything else.

    Such a scalar is mentioned only after a store that puts it back, as both are emitted together. So a store that is
    the first in the text, and in no loop, is made at most once, and before everything that reads or updates the scalar:
    its value may as well be the initial one.
    """
    stored: set[str] = set()
    begin: dict[str, nodes.Expression] = {}

    def block(steps: tuple[nodes.Step, ...]) -> tuple[nodes.Step, ...]:
        left: list[nodes.Step] = []
        for step in steps:
            if isinstance(step, nodes.StoreScalar) and step.scalar in reduced and step.scalar not in stored:
                begin[step.scalar] = step.value
            else:
                left.append(with_blocks(step, block) if isinstance(step, nodes.If) else step)
            stored.update(each.scalar for each in walk(step) if isinstance(each, nodes.StoreScalar))
        return tuple(left)

    left = block(steps)
    changed = (dataclasses.replace(each, initial=begin[each.name]) if each.name in begin else each for each in scalars)
    return left, tuple(changed)
