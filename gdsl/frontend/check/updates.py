"""Updates that meet no other call: `x op= y` on a `var`, and on a scalar in the schedule, is an assignment."""

from __future__ import annotations

from gdsl.frontend import syntax
from gdsl.frontend.check.environment import built_in
from gdsl.frontend.syntax import SymbolKind
from gdsl.operations import BinaryOperation, ReduceOperation
from gdsl.types import Type

_ORDERINGS = {ReduceOperation.MIN: "min", ReduceOperation.MAX: "max"}


def spelled_out(update: syntax.Update, target: syntax.Name) -> syntax.Assign:
    """`target = target op y`. On a scalar integers wrap, as in a functor; on a `var` it is any other assignment."""
    span = update.span
    if update.operation in _ORDERINGS:
        name = _ORDERINGS[update.operation]
        sides = (target, _without_negative_zero(update.value))
        arguments = tuple(syntax.Argument(side.span, side) for side in sides)
        value: syntax.Expression = syntax.Call(span, name, span, arguments, symbol=built_in(name), type=target.type)
    else:
        operation = BinaryOperation(update.operation.value.removesuffix("="))
        wraps = target.symbol is None or target.symbol.kind is not SymbolKind.LOCAL
        value = syntax.Binary(span, operation, target, update.value, type=target.type, wraps=wraps)
    return syntax.Assign(span, target, value)


def _without_negative_zero(value: syntax.Expression) -> syntax.Expression:
    """`value` as the operand of `min=` or `max=`, where -0.0 counts as 0.0: `value + 0.0`."""
    if value.type is not None and value.type.is_pair and value.type.holds_float:
        parts = (value.first, value.second) if isinstance(value, syntax.Pair) else _parts(value, value.type)
        first, second = map(_without_negative_zero, parts)
        return syntax.Pair(value.span, first, second, type=value.type)
    if value.type is None or not value.type.is_float or isinstance(value, syntax.Infinity):
        return value
    zero = syntax.Number(value.span, 0.0, type=value.type)
    if isinstance(value, syntax.Number):
        return zero if value.value == 0 else value
    return syntax.Binary(value.span, BinaryOperation.ADD, value, zero, type=value.type)


def _parts(pair: syntax.Expression, type_: Type) -> tuple[syntax.Expression, syntax.Expression]:
    first, second = (syntax.PairPart(pair.span, pair, place, type=part) for place, part in enumerate(type_.parts))
    return first, second
