"""Arrays of several values an element, `a[n]`: how many there are, and which of them an index means."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from gdsl.diagnostics import Label
from gdsl.extents import MOST_VALUES
from gdsl.frontend import syntax
from gdsl.frontend.check.conversions import is_literal
from gdsl.frontend.check.environment import Environment, Place, built_in
from gdsl.frontend.syntax import DeclarationKind, Symbol, SymbolKind
from gdsl.source import Span
from gdsl.types import Type

if TYPE_CHECKING:
    from gdsl.frontend.check.names import NameChecker

_INITIAL_PLACES = (Place.INITIAL, Place.WHERE)
_NOT_COMPARED = ("span", "name_span", "array_span", "function_span", "symbol", "type")


def check_count(node: syntax.Declaration, checker: NameChecker, environment: Environment) -> syntax.Expression | None:
    """How many values an element of the declared array has, an int64; None after a mistake."""
    if node.count is None:
        return None
    if node.kind not in (DeclarationKind.VERTEX_ARRAY, DeclarationKind.EDGE_ARRAY):
        message = f"`{node.name}` is a {node.kind.value}, and only arrays over vertices or edges have several values"
        fix = f"write `vertex {node.name}[…]`, or declare one {node.kind.value} for each value"
        environment.report("E0224", message, node.count.span, fix=fix)
        return None
    count = checker.value(node.count, Type.INT64, f"how many values an element of `{node.name}` has")
    number = _number(count)
    if number is not None and not 1 <= number <= MOST_VALUES:
        message = f"an element of `{node.name}` would have {number:,} values"
        fix = f"write an integer of 1 to {MOST_VALUES:,}, or an expression of params and literals"
        environment.report("E0224", message, node.count.span, fix=fix)
        return None
    return count if count.type is not None else None


def _number(value: syntax.Expression) -> int | None:
    """The number that a literal is; None of anything else."""
    if isinstance(value, syntax.Infinity):
        return MOST_VALUES + 1
    return int(value.value) if isinstance(value, syntax.Number) else None


def of_several(symbol: Symbol, names: NameChecker, expression: syntax.Index) -> syntax.Expression | None:
    """The typed place of `array[index][place]`; None where the array has one value an element.

    Raises `Mistake`, which is reported, where the two do not go together."""
    environment, place = names.environment, expression.place
    labels = (Label(symbol.span, "declared here"),)
    if symbol.count is None and place is None:
        return None
    if symbol.count is None and place is not None:
        message = f"`{symbol.name}` has one value an element, and this asks for one of several"
        element = f"{symbol.name}[{environment.words(expression.index.span)}]"
        pair = symbol.type is not None and symbol.type.is_pair
        fix = f"write `{element}.0` or `{element}.1`" if pair else f"write `{element}`, or declare `{symbol.name}[n]`"
        environment.report("E0204", message, place.span, labels=labels, fix=fix)
        raise Mistake
    if place is None:
        message = f"an element of `{symbol.name}` has several values, and is none itself"
        fix = f"say which of them: `{symbol.name}[v][i]`"
        environment.report("E0204", message, expression.span, labels=labels, fix=fix)
        raise Mistake
    typed = names.infer(place, Type.INT32 if is_literal(place) else None)
    if typed.type is None:
        raise Mistake
    if not typed.type.is_integer:
        message = f"which of the values of `{symbol.name}` is an integer, and this is {typed.type.name}"
        environment.report("E0213", message, typed.span, fix="they count from 0")
        raise Mistake
    _check_literal(symbol, typed, environment)
    if environment.place in _INITIAL_PLACES and not _is_known(symbol, typed, environment):
        message = f"{environment.place.value} reads the values of `{symbol.name}` at `part` or at a literal"
        fix = "`part` says which value of the declared array is meant, where both have equally many"
        environment.report("E0222", message, typed.span, fix=fix)
        raise Mistake
    return typed


class Mistake(Exception):  # noqa: N818 - not an error
    """Something that was reported."""


def _check_literal(symbol: Symbol, place: syntax.Expression, environment: Environment) -> None:
    """Refuse a literal that no run could mean."""
    number = _number(place)
    most = _number(symbol.count) if isinstance(symbol.count, syntax.Expression) else None
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
    return part and isinstance(place, syntax.Name) and place.name == "part" and alike(symbol.count, environment.count)


def own_part(symbol: Symbol, span: Span) -> syntax.Expression | None:
    """`part`, where the array that its own `where` speaks of has several values an element."""
    if symbol.count is None:
        return None
    return syntax.Name(span, "part", symbol=built_in("part"), type=Type.INT32)


def refuse_several(symbol: Symbol | None, what: str, environment: Environment, span: Span) -> bool:
    """Whether `symbol` is an array of several values an element, which `what` does not take; says so."""
    if symbol is None or symbol.count is None:
        return False
    message = f"{what} takes arrays of one value an element, and `{symbol.name}` has several"
    labels = (Label(symbol.span, "declared here"),)
    fix = "copy the values that are meant into an array of their own, by a functor"
    environment.report("E0424", message, span, labels=labels, fix=fix)
    return True


def alike(one: object, other: object) -> bool:
    """Whether two expressions say the same, wherever they stand and whatever is known of them."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(alike, one, other))
    if not isinstance(one, syntax.Node) or not isinstance(other, syntax.Node):
        return type(one) is type(other) and one == other
    slots = [slot.name for slot in dataclasses.fields(one) if slot.name not in _NOT_COMPARED]
    return type(one) is type(other) and all(alike(getattr(one, name), getattr(other, name)) for name in slots)
