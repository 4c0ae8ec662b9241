"""Problem data, functors and functions."""

from __future__ import annotations

import dataclasses

from gdsl.extents import MOST_VALUES
from gdsl.frontend import syntax
from gdsl.frontend.check.conversions import typed_pair
from gdsl.frontend.check.environment import Environment, Place, names_without
from gdsl.frontend.check.expressions import ExpressionChecker
from gdsl.frontend.check.fixed_size_arrays import literal_number
from gdsl.frontend.check.names import NameChecker
from gdsl.frontend.check.param_sets import VERTEX_SET, declare_set, is_set, with_least_size
from gdsl.frontend.check.recursion import Calls, refuse_recursion
from gdsl.frontend.check.statements import StatementChecker, always_returns, resolve_type
from gdsl.frontend.syntax import DeclarationKind, FunctorForm, Symbol, SymbolKind
from gdsl.operations import Domain
from gdsl.types import Type

_KINDS = {DeclarationKind.PARAM: SymbolKind.PARAM, DeclarationKind.SCALAR: SymbolKind.SCALAR}
_EDGE_ROLES = (
    (SymbolKind.SOURCE, Type.VERTEX),
    (SymbolKind.DESTINATION, Type.VERTEX),
    (SymbolKind.EDGE, Type.EDGE),
)
_COMMON_ROLES = (
    (SymbolKind.SOURCE, Type.VERTEX),
    (SymbolKind.DESTINATION, Type.VERTEX),
    (SymbolKind.COMMON, Type.VERTEX),
    (SymbolKind.EDGE, Type.EDGE),
    (SymbolKind.SOURCE_EDGE, Type.EDGE),
    (SymbolKind.DESTINATION_EDGE, Type.EDGE),
)


def declare_data(node: syntax.Declaration, environment: Environment) -> syntax.Declaration:
    """Make the declared name known; its expressions are checked later, when all names are."""
    if node.declared.name == VERTEX_SET:
        return declare_set(node, environment)
    type_ = resolve_type(node.declared, environment)
    from_caller = node.is_input or node.kind is DeclarationKind.PARAM
    if type_ is not None and type_.is_pair and from_caller:
        what = "an input" if node.is_input else "a param"
        fix = f"give two {'params' if what == 'a param' else 'inputs'}, and make the pair of them: `(a, b)`"
        environment.report("E0224", f"{what} cannot be a pair", node.declared.span, fix=fix)
        type_ = None
    if type_ is None:
        environment.declare_global(Symbol(SymbolKind.MISTAKEN, node.name, node.name_span))
        return node
    domain = node.kind.domain
    kind = _KINDS.get(node.kind, SymbolKind.ARRAY)
    mutable = kind is not SymbolKind.PARAM and not node.is_input
    count = node.count if kind is SymbolKind.ARRAY else None
    symbol = Symbol(kind, node.name, node.name_span, type_, domain, node.is_input, mutable, count=count)
    return dataclasses.replace(node, type=type_, symbol=environment.declare_global(symbol))


def check_data(node: syntax.Declaration, environment: Environment) -> syntax.Declaration:
    """The initial value and the `where` of one declaration, typed."""
    if node.type is None or node.symbol is None:
        if not is_set(node):
            return node
        node = with_least_size(node, environment)
        return dataclasses.replace(node, where=_checked_where(node, environment))
    if node.is_input and node.initial is not None:
        fix = "leave out the initial value, or leave out `input`"
        environment.report("E0224", f"the input `{node.name}` has an initial value", node.initial.span, fix=fix)
    if node.where is not None and not node.is_input and node.kind is not DeclarationKind.PARAM:
        fix = "`where` is a condition on what the caller passes"
        message = f"`where` belongs to params and inputs, and `{node.name}` is neither"
        environment.report("E0224", message, node.where.span, fix=fix)
    count = check_count(node, ExpressionChecker(environment.part(Place.EXTENT)), environment)
    domain, initial = node.kind.domain, node.initial
    if initial is not None:
        place = Place.DEFAULT if node.kind is DeclarationKind.PARAM else Place.INITIAL
        part = environment.part(place, domain)
        part.count = node.symbol.count
        initial = ExpressionChecker(part).value(initial, node.type, f"`{node.name}`")
        if place is Place.DEFAULT and initial.type is not None:
            _check_literal(initial, place, environment)
    return dataclasses.replace(node, initial=initial, where=_checked_where(node, environment), count=count)


def _checked_where(node: syntax.Declaration, environment: Environment) -> syntax.Expression | None:
    """The condition after a param or an input; of a set it applies to each member."""
    if node.where is None or node.symbol is None:
        return node.where
    part = environment.part(Place.WHERE, Domain.VERTEX if is_set(node) else node.kind.domain, node.symbol)
    part.count = node.symbol.count
    return ExpressionChecker(part).condition(node.where)


def _check_literal(value: syntax.Expression, place: Place, environment: Environment) -> None:
    is_id = value.type is not None and value.type.is_id
    converts = isinstance(value, syntax.Convert) and is_id and place is Place.DEFAULT
    inner = value.operand if converts and isinstance(value, syntax.Convert) else value
    inner = inner.operand if isinstance(inner, syntax.Unary) else inner
    if not isinstance(inner, syntax.Number | syntax.Boolean | syntax.Infinity | syntax.NoneLiteral):
        message = f"{place.value} is a literal"
        environment.report("E0222", message, value.span, fix="write the number itself")


def check_functor(node: syntax.Functor, environment: Environment, key: Type | None = None) -> syntax.Functor:
    """A functor, typed. One from another file knows nothing of the importer's names, so its own hide these. A lambda
    without a `result` has that of its value, whose first part, where it is a pair, is of type `key`."""
    if node.span.file:
        environment = environment.seeing(names_without(environment.globals, syntax.names_declared_in(node)))
    part = environment.part(Place.APPLY, None if node.form is FunctorForm.COMMON else node.domain)
    symbols = tuple(
        part.declare(Symbol(kind, parameter.name, parameter.span, type_), parameter=True)
        for parameter, (kind, type_) in zip(node.parameters, _roles(node, environment), strict=False)
    )
    condition, value = node.condition, node.value
    if condition is not None:
        part.place = Place.CONDITION
        condition = ExpressionChecker(part).condition(condition)
    result = node.result
    if value is not None and result is not None:
        part.place = Place.VALUE
        what = "the value that is reduced" if node.is_lambda else f"the result of `{node.name}`"
        value = ExpressionChecker(part).value(value, result, what)
    elif value is not None and node.is_lambda:
        part.place = Place.VALUE
        value = _inferred_value(value, key, ExpressionChecker(part), part)
        result = value.type
    part.place = Place.APPLY
    with part.block():
        body = StatementChecker(part).block(node.body)
    return dataclasses.replace(node, condition=condition, value=value, body=body, symbols=symbols, result=result)


def _inferred_value(
    value: syntax.Expression, key: Type | None, checker: ExpressionChecker, environment: Environment
) -> syntax.Expression:
    """The value of a functor that does not declare its type: a score, or a ballot for keys of type `key`."""
    if key is None or not isinstance(value, syntax.Pair):
        return checker.infer(value)
    first = checker.value(value.first, key, "the key of a ballot")
    return typed_pair(value, first, checker.infer(value.second), None, environment)


def _roles(node: syntax.Functor, environment: Environment) -> tuple[tuple[SymbolKind, Type | None], ...]:
    """What the parameters are, and their types; those of votes come from the ballots."""
    own = (SymbolKind.VERTEX, Type.VERTEX)
    if node.form is FunctorForm.COMMON:
        return _COMMON_ROLES
    if node.form is FunctorForm.VOTE:
        key, total = environment.votes.get(node.name, (None, None))
        return own, (SymbolKind.FUNCTION_PARAMETER, key), (SymbolKind.FUNCTION_PARAMETER, total)
    return _EDGE_ROLES if node.domain is Domain.EDGE else (own,)


def declare_functor(node: syntax.Functor, environment: Environment) -> syntax.Functor:
    """Make a functor known, with the type of its `value`."""
    result = resolve_type(node.declared_result, environment) if node.declared_result is not None else None
    symbol = environment.declare_global(Symbol(SymbolKind.FUNCTOR, node.name, node.name_span, domain=node.domain))
    declared = dataclasses.replace(node, result=result, symbol=symbol)
    environment.functors.setdefault(node.name, declared)
    return declared


def declare_function(node: syntax.Function, environment: Environment) -> syntax.Function:
    """Make a function known, with the types of its parameters and its result."""
    symbol = environment.declare_global(Symbol(SymbolKind.FUNCTION, node.name, node.name_span))
    result = resolve_type(node.declared_result, environment)
    parameters = tuple(
        dataclasses.replace(parameter, type=resolve_type(parameter.declared, environment))
        for parameter in node.parameters
    )
    declared = dataclasses.replace(node, parameters=parameters, result=result, symbol=symbol)
    environment.functions.setdefault(node.name, declared)
    return declared


def check_function(node: syntax.Function, environment: Environment) -> syntax.Function:
    """A function, typed."""
    part = environment.part(Place.FUNCTION)
    part.result = node.result
    hidden = syntax.names_declared_in(node) if node.span.file else set[str]()
    hidden |= {parameter.name for parameter in node.parameters if _is_hidden(parameter, environment)}
    part.globals = names_without(environment.globals, hidden) if hidden else environment.globals
    parameters = []
    for parameter in node.parameters:
        symbol = Symbol(SymbolKind.FUNCTION_PARAMETER, parameter.name, parameter.span, parameter.type)
        parameters.append(dataclasses.replace(parameter, symbol=part.declare(symbol)))
    with part.block():
        body = StatementChecker(part).block(node.body)
    if not always_returns(node.body) and not environment.broken.touches(node.span):
        message = f"the function `{node.name}` does not return a value on every path"
        environment.report("E0219", message, node.name_span, fix="end it with `return …;`")
    identity = _identity(node, environment) if node.identity is not None else None
    return dataclasses.replace(node, parameters=tuple(parameters), body=body, identity=identity)


def _identity(node: syntax.Function, environment: Environment) -> syntax.Expression | None:
    """The identity of an operator, whose result and parameters are of one type."""
    for parameter in node.parameters:
        if parameter.type is not node.result and parameter.type is not None and node.result is not None:
            message = f"the operator `{node.name}` turns {parameter.type.name} into {node.result.name}"
            fix = (
                f"an operator takes two values and gives one of the same type: `{parameter.name} : {node.result.name}`"
            )
            environment.report("E0205", message, parameter.span, fix=fix)
    if node.identity is None or node.result is None:
        return None
    checker = ExpressionChecker(environment.part(Place.IDENTITY))
    if node.result.is_pair:
        fix = "reduce pairs by `min` or `max`, or each part by its own operator"
        message = f"operators are on simple values, and `{node.name}` is on pairs"
        environment.report("E0206", message, node.name_span, fix=fix)
        return None
    identity = checker.value(node.identity, node.result, f"the identity of `{node.name}`")
    if identity.type is not None:
        _check_literal(identity, Place.IDENTITY, environment)
    return identity


def _is_hidden(parameter: syntax.FunctionParameter, environment: Environment) -> bool:
    """Whether a function's parameter hides data of the same name."""
    symbol = environment.globals.get(parameter.name)
    return symbol is not None and symbol.kind not in (SymbolKind.FUNCTION, SymbolKind.FUNCTOR)


def check_recursion(functions: tuple[syntax.Function, ...], environment: Environment) -> None:
    """Refuse functions that call themselves, directly or through others."""
    calls: Calls = {}
    for function in functions:
        nodes = [node for node in syntax.walk(function) if isinstance(node, syntax.Call)]
        calls[function.name] = [(node.function, node.span) for node in nodes if node.function in environment.functions]
    refuse_recursion("function", {node.name: node.name_span for node in functions}, calls, environment)


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
    number = literal_number(count)
    if number is not None and not 1 <= number <= MOST_VALUES:
        message = f"an element of `{node.name}` would have {number:,} values"
        fix = f"write an integer of 1 to {MOST_VALUES:,}, or an expression of params and literals"
        environment.report("E0224", message, node.count.span, fix=fix)
        return None
    return count if count.type is not None else None
