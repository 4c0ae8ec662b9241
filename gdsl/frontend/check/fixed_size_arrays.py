"""Elements with several values: `array[index][place]`, and what a place may be."""

from __future__ import annotations

from collections.abc import Callable

from gdsl.diagnostics import Label
from gdsl.extents import MOST_VALUES
from gdsl.frontend import syntax
from gdsl.frontend.check.conversions import is_literal
from gdsl.frontend.check.environment import Environment, Place, same_expression
from gdsl.frontend.syntax import Symbol, SymbolKind
from gdsl.types import Type

Infer = Callable[[syntax.Expression, Type | None], syntax.Expression]
"""Gives an expression its type; the second argument is the one that a literal takes."""


def literal_number(value: syntax.Expression) -> int | None:
    """The number that a literal is; None of anything else."""
    if isinstance(value, syntax.Infinity):
        return MOST_VALUES + 1
    return int(value.value) if isinstance(value, syntax.Number) else None


def value_place(
    symbol: Symbol, infer: Infer, expression: syntax.Index, environment: Environment
) -> syntax.Expression | None:
    """The typed place of `array[index][place]`; None where the array has one value an element.

    Raises `Mistake`, which is reported, where the two do not go together."""
    place = expression.place
    labels = (Label(symbol.span, "declared here"),)
    if symbol.count is None and place is None:
        return None
    if symbol.count is None and place is not None:
        message = f"`{symbol.name}` has one value per element, and this selects one of several"
        element = f"{symbol.name}[{environment.words(expression.index.span)}]"
        pair = symbol.type is not None and symbol.type.is_pair
        fix = f"write `{element}.0` or `{element}.1`" if pair else f"write `{element}`, or declare `{symbol.name}[n]`"
        environment.report("E0204", message, place.span, labels=labels, fix=fix)
        raise Mistake
    if place is None:
        message = f"an element of `{symbol.name}` has several values, and is not a value itself"
        fix = f"select one of them: `{environment.words(expression.span)}[i]`"
        environment.report("E0204", message, expression.span, labels=labels, fix=fix)
        raise Mistake
    typed = infer(place, Type.INT32 if is_literal(place) else None)
    if typed.type is None:
        raise Mistake
    if not typed.type.is_integer:
        message = f"which of the values of `{symbol.name}` is an integer, and this is {typed.type.name}"
        environment.report("E0213", message, typed.span, fix="they count from 0")
        raise Mistake
    _check_literal(symbol, typed, environment)
    if environment.place in (Place.INITIAL, Place.WHERE) and not _is_known(symbol, typed, environment):
        message = f"{environment.place.value} reads the values of `{symbol.name}` at `part` or at a literal"
        fix = "`part` is the index of a value of the declared array, for arrays with the same number of values"
        environment.report("E0222", message, typed.span, fix=fix)
        raise Mistake
    return typed


class Mistake(Exception):  # noqa: N818 - not an error
    """Something that was reported."""


def _check_literal(symbol: Symbol, place: syntax.Expression, environment: Environment) -> None:
    """Refuse a literal that no run could mean."""
    number = literal_number(place)
    most = literal_number(symbol.count) if isinstance(symbol.count, syntax.Expression) else None
    refused = most is not None and most < 1
    if number is None or (number >= 0 and (most is None or refused or number < most)):
        return
    has = f"an element has {most:,}, counted from 0" if most is not None else "they count from 0"
    environment.report("E0213", f"`{symbol.name}` has no value {number:,}: {has}", place.span)
    raise Mistake


def _is_known(symbol: Symbol, place: syntax.Expression, environment: Environment) -> bool:
    """Whether a place of an initial value is there by what it is."""
    if isinstance(place, syntax.Number):
        return isinstance(symbol.count, syntax.Number)
    part = isinstance(place, syntax.Name) and place.symbol is not None and place.symbol.kind is SymbolKind.BUILTIN
    return (
        part
        and isinstance(place, syntax.Name)
        and place.name == "part"
        and same_expression(symbol.count, environment.count)
    )
