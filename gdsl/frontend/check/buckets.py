"""Buckets: `buckets b(A, width) = set;`, `b.pop()`, `b.push(f)` and `b.level`."""

from __future__ import annotations

import dataclasses

from gdsl.diagnostics import Label
from gdsl.frontend import syntax
from gdsl.frontend.check.environment import Environment
from gdsl.frontend.check.kept_methods import instead
from gdsl.frontend.check.operator_parts import Operators
from gdsl.frontend.check.owners import belongs, graph_of
from gdsl.frontend.check.several import refuse_several
from gdsl.frontend.syntax import Symbol, SymbolKind
from gdsl.operations import Domain
from gdsl.types import Type

_SHAPE = "write `buckets b(A, width) = { source };`"


def declaration(statement: syntax.BucketsDeclaration, operators: Operators) -> syntax.Statement | None:
    """`buckets b(A, width) = set;`; None after a mistake."""
    environment = operators.environment
    parts = _parts(statement, environment)
    array = _array(parts[0], operators) if parts is not None else None
    automatic = parts is not None and _is_auto(parts[1], environment)
    width = _width(parts[1], array, statement.name, operators) if parts is not None and not automatic else None
    value = statement.value
    if value is not None:
        value = operators.members(value, Domain.VERTEX, f"what `{statement.name}` begins with")
    graph = graph_of(environment, Domain.VERTEX)
    declared = Symbol(SymbolKind.BUCKETS, statement.name, statement.name_span, graph=graph, automatic=automatic)
    symbol = environment.declare(declared)
    if array is None or (width is None and not automatic) or (statement.value is not None and value is None):
        return None
    return dataclasses.replace(statement, arguments=(), array=array, width=width, value=value, symbol=symbol)


def _parts(
    statement: syntax.BucketsDeclaration, environment: Environment
) -> tuple[syntax.Expression, syntax.Expression] | None:
    """The array and the width."""
    given = statement.arguments
    keywords = [argument for argument in given if argument.keyword is not None]
    wrong = next((each for place, each in enumerate(keywords) if each.keyword != "width" or place), None)
    if wrong is not None:
        message, fix = f"`buckets` takes no argument `{wrong.keyword}=`", _SHAPE
        if wrong.keyword == "width":
            message, fix = "`width=` is given twice", "leave one of them out"
        environment.report("E0402", message, wrong.span, fix=fix)
        return None
    plain = [argument.value for argument in given if argument.keyword is None]
    values = plain + [argument.value for argument in keywords]
    if len(values) != 2 or not plain:
        message = f"`buckets` takes an array and a width, not {len(values)} argument{'' if len(values) == 1 else 's'}"
        environment.report("E0402", message if plain else "`buckets` takes an array first", statement.span, fix=_SHAPE)
        return None
    return values[0], values[1]


def _array(value: syntax.Expression, operators: Operators) -> syntax.Name | None:
    environment = operators.environment
    if not isinstance(value, syntax.Name):
        environment.report("E0419", "buckets are made by an array, by its name", value.span, fix=_SHAPE)
        return None
    symbol = operators.expressions.resolve(value.name, value.span)
    if symbol is None:
        return None
    if refuse_several(symbol, "`buckets`", operators.environment, value.span):
        return None
    fits = symbol.kind is SymbolKind.ARRAY and symbol.domain is Domain.VERTEX
    if not fits or symbol.type is None or not symbol.type.is_numeric:
        if fits and symbol.type is None:
            return None
        what = symbol.kind.with_article
        if symbol.kind is SymbolKind.ARRAY:
            over = "edges" if symbol.domain is Domain.EDGE else "vertices"
            what = f"an array of {symbol.type.name if symbol.type is not None else '?'} over {over}"
        labels = (Label(symbol.span, "declared here"),)
        message = f"buckets are made by an array of numbers over vertices, and `{symbol.name}` is {what}"
        environment.report("E0419", message, value.span, labels=labels)
        return None
    return dataclasses.replace(value, name=symbol.name, symbol=symbol, type=symbol.type)


def _is_auto(value: syntax.Expression, environment: Environment) -> bool:
    return isinstance(value, syntax.Name) and value.name == "auto" and environment.find("auto") is None


def _width(
    value: syntax.Expression, array: syntax.Name | None, name: str, operators: Operators
) -> syntax.Expression | None:
    environment = operators.environment
    kind = array.type if array is not None and array.type is not None else Type.FLOAT64
    typed = operators.expressions.value(value, kind, f"the width of `{name}`")
    if typed.type is None:
        return None
    number = typed
    negative = isinstance(number, syntax.Unary) and isinstance(number.operand, syntax.Number)
    if negative or (isinstance(number, syntax.Number) and not number.value > 0):
        message = f"the width of `{name}` is not above 0"
        environment.report("E0419", message, value.span, fix="give each level a width above 0, such as 1")
        return None
    return typed


# ---------------------------------------------------------------- what is done with them


def popped(call: syntax.Method, symbol: Symbol, operators: Operators) -> syntax.Popped | None:
    """`b.pop()`, as a set; None after a mistake."""
    environment = operators.environment
    if call.name != "pop":
        message = f"`{symbol.name}.{call.name}(…)` gives no set"
        fix = f"write it as a statement of the schedule: `{symbol.name}.push(f);`"
        if call.name != "push":
            given = ", ".join(environment.words(argument.span) for argument in call.arguments)
            message = f"buckets have no `.{call.name}(…)`"
            fix = instead(symbol, call.name, given) or f"write `{symbol.name}.pop()`"
        environment.report("E0419", message, call.span, fix=fix)
        return None
    if call.arguments:
        environment.report("E0402", "`pop` takes no arguments", call.span, fix=f"write `{symbol.name}.pop()`")
        return None
    return syntax.Popped(call.span, symbol) if belongs(symbol, call.span, environment) else None


def statement_of(call: syntax.Method, symbol: Symbol, operators: Operators) -> syntax.Statement | None:
    """`b.push(f);`, or `b.pop();` where nobody wants the set."""
    if call.name != "push":
        taken = popped(call, symbol, operators)
        return None if taken is None else syntax.ExpressionStatement(call.span, taken)
    environment, shape = operators.environment, f"write `{symbol.name}.push(f);`"
    keyword = next((argument for argument in call.arguments if argument.keyword is not None), None)
    if keyword is not None or len(call.arguments) != 1:
        given = f"takes no argument `{keyword.keyword}=`" if keyword else f"takes one set, not {len(call.arguments)}"
        environment.report("E0402", f"`push` {given}", keyword.span if keyword else call.span, fix=shape)
        return None
    if not belongs(symbol, call.span, environment):
        return None
    (argument,) = call.arguments
    value = operators.members(argument.value, Domain.VERTEX, f"what is pushed to `{symbol.name}`")
    if value is None:
        return None
    made = dataclasses.replace(call, arguments=(dataclasses.replace(argument, value=value),), symbol=symbol)
    return syntax.ExpressionStatement(call.span, made)
