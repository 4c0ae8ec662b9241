"""Problem data, functors and functions."""

from __future__ import annotations

import dataclasses

from gdsl.diagnostics import Label
from gdsl.frontend import syntax
from gdsl.frontend.check.environment import Environment, Place
from gdsl.frontend.check.expressions import ExpressionChecker
from gdsl.frontend.check.names import ID_OF
from gdsl.frontend.check.statements import StatementChecker, always_returns, resolve_type
from gdsl.frontend.syntax import DeclarationKind, Symbol, SymbolKind
from gdsl.operations import Domain
from gdsl.source import Span
from gdsl.types import Type

_DOMAINS = {DeclarationKind.VERTEX_ARRAY: Domain.VERTEX, DeclarationKind.EDGE_ARRAY: Domain.EDGE}
_KINDS = {DeclarationKind.PARAM: SymbolKind.PARAM, DeclarationKind.SCALAR: SymbolKind.SCALAR}
Calls = dict[str, list[tuple[str, Span]]]
"""By function those that it calls, each with the place of the call."""

_EDGE_ROLES = (
    (SymbolKind.SOURCE, Type.VERTEX),
    (SymbolKind.DESTINATION, Type.VERTEX),
    (SymbolKind.EDGE, Type.EDGE),
)


def declare_data(node: syntax.Declaration, environment: Environment) -> syntax.Declaration:
    """Make the declared name known; its expressions are checked later, when all names are."""
    type_ = resolve_type(node.declared, environment)
    if node.later is not None:
        environment.later(node.later, node.span)
        environment.declare_global(Symbol(SymbolKind.LATER, node.name, node.name_span))
        return node
    if type_ is None:
        environment.declare_global(Symbol(SymbolKind.LATER, node.name, node.name_span))
        return node
    domain = _DOMAINS.get(node.kind)
    kind = _KINDS.get(node.kind, SymbolKind.ARRAY)
    mutable = kind is not SymbolKind.PARAM and not node.is_input
    symbol = Symbol(kind, node.name, node.name_span, type_, domain, node.is_input, mutable)
    return dataclasses.replace(node, type=type_, symbol=environment.declare_global(symbol))


def check_data(node: syntax.Declaration, environment: Environment) -> syntax.Declaration:
    """The initial value and the `where` of one declaration, typed."""
    if node.type is None or node.symbol is None:
        return node
    if node.is_input and node.initial is not None:
        fix = "leave out the initial value, or leave out `input`"
        environment.report("E0224", f"the input `{node.name}` has an initial value", node.initial.span, fix=fix)
    if node.where is not None and not node.is_input and node.kind is not DeclarationKind.PARAM:
        fix = "`where` is a condition on what the caller gives"
        environment.report("E0224", f"`where` belongs to inputs, and `{node.name}` is none", node.where.span, fix=fix)
    if node.where is not None and node.kind is DeclarationKind.PARAM:
        environment.later("`where` behind a param", node.where.span)
    domain, initial, where = _DOMAINS.get(node.kind), node.initial, node.where
    if initial is not None:
        place = Place.DEFAULT if node.kind is DeclarationKind.PARAM else Place.INITIAL
        checker = ExpressionChecker(environment.part(place, domain))
        initial = checker.value(initial, node.type, f"`{node.name}`")
        if place is Place.DEFAULT and initial.type is not None:
            _check_literal(initial, place, environment)
    if where is not None:
        where = ExpressionChecker(environment.part(Place.WHERE, domain, node.symbol)).condition(where)
    return dataclasses.replace(node, initial=initial, where=where)


def _check_literal(value: syntax.Expression, place: Place, environment: Environment) -> None:
    converts = isinstance(value, syntax.Convert) and value.type in ID_OF.values() and place is Place.DEFAULT
    inner = value.operand if converts and isinstance(value, syntax.Convert) else value
    inner = inner.operand if isinstance(inner, syntax.Unary) else inner
    if not isinstance(inner, syntax.Number | syntax.Boolean | syntax.Infinity | syntax.NoneLiteral):
        message = f"{place.value} is a literal"
        environment.report("E0222", message, value.span, fix="write the number itself")


def check_functor(node: syntax.Functor, environment: Environment) -> syntax.Functor:
    """A functor, typed."""
    part = environment.part(Place.APPLY, node.domain)
    symbols = tuple(
        part.declare(Symbol(kind, parameter.name, parameter.span, type_), parameter=True)
        for parameter, (kind, type_) in zip(node.parameters, _roles(node.domain), strict=True)
    )
    condition, value = node.condition, node.value
    if condition is not None:
        part.place = Place.CONDITION
        condition = ExpressionChecker(part).condition(condition)
    result = node.result
    if value is not None and result is not None:
        part.place = Place.VALUE
        value = ExpressionChecker(part).value(value, result, f"the result of `{node.name}`")
    part.place = Place.APPLY
    with part.block():
        body = StatementChecker(part).block(node.body)
    return dataclasses.replace(node, condition=condition, value=value, body=body, symbols=symbols)


def _roles(domain: Domain) -> tuple[tuple[SymbolKind, Type], ...]:
    return _EDGE_ROLES if domain is Domain.EDGE else ((SymbolKind.VERTEX, ID_OF[domain]),)


def declare_functor(node: syntax.Functor, environment: Environment) -> syntax.Functor:
    """Make a functor known, with the type of its `value`."""
    result = resolve_type(node.declared_result, environment) if node.declared_result is not None else None
    if node.declared_result is not None and node.declared_result.name == "(…)":
        environment.later("pairs", node.declared_result.span)
    symbol = environment.declare_global(Symbol(SymbolKind.FUNCTOR, node.name, node.name_span, domain=node.domain))
    made = dataclasses.replace(node, result=result, symbol=symbol)
    environment.functors.setdefault(node.name, made)
    return made


def declare_function(node: syntax.Function, environment: Environment) -> syntax.Function:
    """Make a function known, with the types of its parameters and its result."""
    symbol = environment.declare_global(Symbol(SymbolKind.FUNCTION, node.name, node.name_span))
    result = resolve_type(node.declared_result, environment)
    if "(…)" in [node.declared_result.name, *(parameter.declared.name for parameter in node.parameters)]:
        environment.later("pairs", node.name_span)
    parameters = tuple(
        dataclasses.replace(parameter, type=resolve_type(parameter.declared, environment))
        for parameter in node.parameters
    )
    made = dataclasses.replace(node, parameters=parameters, result=result, symbol=symbol)
    environment.functions.setdefault(node.name, made)
    return made


def check_function(node: syntax.Function, environment: Environment) -> syntax.Function:
    """A function, typed."""
    part = environment.part(Place.FUNCTION)
    part.result = node.result
    hidden = {parameter.name for parameter in node.parameters if _is_hidden(parameter, environment)}
    part.globals = _without(environment.globals, hidden) if hidden else environment.globals
    parameters = []
    for parameter in node.parameters:
        symbol = Symbol(SymbolKind.FUNCTION_PARAMETER, parameter.name, parameter.span, parameter.type)
        parameters.append(dataclasses.replace(parameter, symbol=part.declare(symbol)))
    with part.block():
        body = StatementChecker(part).block(node.body)
    if not always_returns(node.body) and not environment.broken.touches(node.span):
        message = f"the function `{node.name}` does not return a value on every way through it"
        environment.report("E0219", message, node.name_span, fix="end it with `return …;`")
    identity = _identity(node, environment) if node.identity is not None else None
    return dataclasses.replace(node, parameters=tuple(parameters), body=body, identity=identity)


def _identity(node: syntax.Function, environment: Environment) -> syntax.Expression | None:
    """The identity of an operator, whose result and parameters are of one type."""
    for parameter in node.parameters:
        if parameter.type is not node.result and parameter.type is not None and node.result is not None:
            message = f"the operator `{node.name}` makes {node.result.name} of {parameter.type.name}"
            fix = (
                f"an operator takes two values and gives one of the same type: `{parameter.name} : {node.result.name}`"
            )
            environment.report("E0205", message, parameter.span, fix=fix)
    if node.identity is None or node.result is None:
        return None
    checker = ExpressionChecker(environment.part(Place.IDENTITY))
    identity = checker.value(node.identity, node.result, f"the identity of `{node.name}`")
    if identity.type is not None:
        _check_literal(identity, Place.IDENTITY, environment)
    return identity


def _is_hidden(parameter: syntax.FunctionParameter, environment: Environment) -> bool:
    """Whether a function's parameter stands for itself where the program has data of the same name."""
    symbol = environment.globals.get(parameter.name)
    return symbol is not None and symbol.kind not in (SymbolKind.FUNCTION, SymbolKind.FUNCTOR)


def _without(names: dict[str, Symbol], hidden: set[str]) -> dict[str, Symbol]:
    return {name: symbol for name, symbol in names.items() if name not in hidden}


def check_recursion(functions: tuple[syntax.Function, ...], environment: Environment) -> None:
    """Refuse functions that call themselves, directly or through others."""
    calls: Calls = {}
    for function in functions:
        found = [node for node in syntax.walk(function) if isinstance(node, syntax.Call)]
        calls[function.name] = [(node.function, node.span) for node in found if node.function in environment.functions]
    suspects = _cyclic(calls)
    for function in functions:
        way = _way_back(function.name, calls) if function.name in suspects else None
        if way is not None:
            labels = (Label(way[0][1], "this call leads back"),)
            through = " → ".join([function.name, *(name for name, _ in way)])
            message = f"the function `{function.name}` calls itself ({through})"
            environment.report("E0218", message, function.name_span, labels=labels, fix="use a `while` loop")


def _way_back(start: str, calls: Calls) -> list[tuple[str, Span]] | None:
    """A shortest chain of calls from `start` to itself; None if there is none."""
    reached: dict[str, tuple[str, tuple[str, Span]]] = {}
    waiting = [start]
    for caller in waiting:
        for call in calls.get(caller, []):
            if call[0] in reached:
                continue
            reached[call[0]] = (caller, call)
            waiting.append(call[0])
            if call[0] == start:
                return _way(start, reached)
    return None


def _way(start: str, reached: dict[str, tuple[str, tuple[str, Span]]]) -> list[tuple[str, Span]]:
    caller, call = reached[start]
    way = [call]
    while caller != start:
        caller, call = reached[caller]
        way.append(call)
    return way[::-1]


def _cyclic(calls: Calls) -> set[str]:
    """The functions that lead to themselves or to such a one: what is left when all others are taken away, first
    those that call nothing."""
    callers: dict[str, list[str]] = {}
    open_calls = {name: len(called) for name, called in calls.items()}
    for name, called in calls.items():
        for callee, _ in called:
            callers.setdefault(callee, []).append(name)
    done = [name for name, count in open_calls.items() if not count]
    for name in done:
        for caller in callers.get(name, []):
            open_calls[caller] -= 1
            if not open_calls[caller]:
                done.append(caller)
    return calls.keys() - set(done)
