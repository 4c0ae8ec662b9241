"""Statements that expand to others: `x op= y` on a `var` and on a scalar of the schedule, `x /= y` and its like, and
updates by the results of other updates.
"""

from __future__ import annotations

import dataclasses
import re

from gdsl.frontend import syntax
from gdsl.frontend.check.conversions import as_operand, converted, widens
from gdsl.frontend.check.environment import Environment, built_in
from gdsl.frontend.check.expressions import ExpressionChecker
from gdsl.frontend.syntax import SymbolKind
from gdsl.operations import BinaryOperation, ReduceOperation
from gdsl.types import Type

_ORDERINGS = {ReduceOperation.MIN: "min", ReduceOperation.MAX: "max"}


def as_assignment(update: syntax.Update, target: syntax.Name) -> syntax.Assign:
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


def effects_first(update: syntax.Update, environment: Environment) -> tuple[syntax.Statement, ...]:
    """The statements for an `update` by the results of other updates: these, then the update by their results."""
    if not any(isinstance(node, syntax.UpdateValue | syntax.CompareAndSwap) for node in syntax.walk(update.value)):
        return (update,)
    named, value = _as_local(environment, "told", update.value)
    return named, dataclasses.replace(update, value=value)


def short_assign(
    statement: syntax.ShortAssign, target: syntax.Name | syntax.Index, checker: ExpressionChecker
) -> tuple[syntax.Statement, ...]:
    """`target = target op value`, of a typed target; an index that is computed is computed once, before. Nothing after
    a mistake."""
    before: tuple[syntax.Statement, ...] = ()
    if isinstance(target, syntax.Index) and not _is_steady(target.index):
        named, index = _as_local(checker.environment, "index", target.index)
        before, target = (named,), dataclasses.replace(target, index=index)
    if isinstance(target, syntax.Index) and target.place is not None and not _is_steady(target.place):
        named, place = _as_local(checker.environment, "place_of_value", target.place)
        before, target = (*before, named), dataclasses.replace(target, place=place)
    typed = checker.apply_to(syntax.Binary(statement.span, statement.operation, target, statement.value), target)
    if typed.type is None or target.type is None:
        return ()
    if not widens(typed.type, target.type):
        sign, type_ = statement.operation.value, target.type.name
        name = target.name
        message = f"`{sign}` gives {typed.type.name} here, and `{name}` is {type_}"
        words = checker.environment.words
        element, by = words(target.span), as_operand(words(statement.value.span))
        fix = f"write `{element} = {type_}({element} {sign} {by});`"
        checker.environment.report("E0205", message, statement.value.span, fix=fix)
        return ()
    return *before, syntax.Assign(statement.span, target, converted(typed, target.type))


def _as_local(environment: Environment, name: str, value: syntax.Expression) -> tuple[syntax.Let, syntax.Name]:
    """A local with a value, and the value by its name."""
    symbol = environment.hidden(name, value.type)
    let = syntax.Let(value.span, name, value.span, None, value, False, value.type, symbol)
    return let, syntax.Name(value.span, name, symbol=symbol, type=value.type)


def _is_steady(index: syntax.Expression) -> bool:
    """Whether an index is the same, and costs nothing, however often it is looked at."""
    if isinstance(index, syntax.Name):
        return index.symbol is not None and index.symbol.kind is not SymbolKind.SCALAR
    return isinstance(index, syntax.Number | syntax.NoneLiteral)


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


_UNUSED = re.compile(r"([A-Za-z_]\w*(?:\[[^\[\]]*\])?)\s*(==|[-+*&|^])(?![-+*&|^=])\s*(\S[^;]*?)\s*;?")


def unused_fix(words: str) -> str | None:
    """The assignment or update that was probably meant by a statement that is only the expression `words`."""
    match = _UNUSED.fullmatch(words)
    if match is None:
        return None
    target, sign, value = match.groups()
    return f"write `{target} {'=' if sign == '==' else f'{sign}='} {value};`"
