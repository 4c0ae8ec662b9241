"""What functors read of the graph: the functions of `GraphQuery`, and loops over the lists of vertices."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from gdsl.frontend import syntax
from gdsl.frontend.check.environment import Environment, Place, built_in, poison
from gdsl.frontend.check.foreign_names import report_foreign_loop
from gdsl.frontend.syntax import Symbol, SymbolKind
from gdsl.frontend.vocabulary import CONTEXTUAL_FUNCTIONS, GRAPH_FUNCTIONS, SCHEDULE_FUNCTIONS
from gdsl.operations import GraphQuery
from gdsl.source import Span
from gdsl.types import Type

if TYPE_CHECKING:
    from gdsl.frontend.check.calls import CallChecker

_LIST = "neighbors"
_OWN_ENDS = {GraphQuery.SOURCE: SymbolKind.SOURCE, GraphQuery.DESTINATION: SymbolKind.DESTINATION}


def reads_graph(name: str, symbol: Symbol | None) -> bool:
    """Whether a call of `name`, which means `symbol`, asks something of the graph."""
    own = name in CONTEXTUAL_FUNCTIONS and symbol is not None
    return name in GRAPH_FUNCTIONS or (not own and name in {query.value for query in GraphQuery})


def graph_read(checker: CallChecker, expression: syntax.Call) -> syntax.Expression:
    """A typed call of a function of `GraphQuery`."""
    environment, name = checker.environment, expression.function
    if name == _LIST:
        message = "`neighbors` gives a list, not a value"
        fix = "walk it, `for u in neighbors(v) { … }`, or take one of it, `neighbor(v, i)`"
        environment.report("E0204", message, expression.span, fix=fix)
        return poison(expression.span)
    query = GraphQuery(name)
    if not _in_functor(environment, f"`{name}`", expression.span):
        return poison(expression.span)
    if not checker.count_arguments(expression, 1 if query.of_edge else 2):
        return poison(expression.span)
    values = [argument.value for argument in expression.arguments]
    first = _id(checker, name, values[0], Type.EDGE if query.of_edge else Type.VERTEX)
    typed = [first]
    if query.in_list:
        typed.append(_place(checker, name, values[1]))
    elif not query.of_edge:
        typed.append(_id(checker, name, values[1], Type.VERTEX))
    if any(value is None or value.type is None for value in typed):
        return poison(expression.span)
    own = _own_end(query, first, environment)
    if own is not None:
        return syntax.Name(expression.span, own.name, symbol=own, type=Type.VERTEX)
    arguments = tuple(
        dataclasses.replace(argument, value=value)
        for argument, value in zip(expression.arguments, typed, strict=True)
        if value is not None
    )
    return dataclasses.replace(expression, arguments=arguments, symbol=built_in(name), type=query.result)


def _own_end(query: GraphQuery, edge: syntax.Expression | None, environment: Environment) -> Symbol | None:
    """The functor's own parameter that an end of its own edge is."""
    if query not in _OWN_ENDS or not isinstance(edge, syntax.Name) or edge.symbol is None:
        return None
    if edge.symbol.kind is not SymbolKind.EDGE:
        return None
    symbols = (symbol for scope in environment.scopes for symbol in scope.values())
    return next((symbol for symbol in symbols if symbol.kind is _OWN_ENDS[query]), None)


def _in_functor(environment: Environment, what: str, span: Span) -> bool:
    place = environment.place
    if place.in_functor:
        return True
    fix = "give what it reads to the function as an argument" if place is Place.FUNCTION else None
    message = f"{what} reads the graph, which functors do, and {place.value} does not"
    environment.report("E0215", message, span, fix=fix)
    return False


def _id(checker: CallChecker, name: str, value: syntax.Expression, wanted: Type) -> syntax.Expression | None:
    """An argument that is a vertex or an edge; None after a mistake."""
    typed = checker.infer(value, wanted)
    if typed.type in (None, wanted):
        return typed
    assert typed.type is not None
    one = "an edge" if wanted is Type.EDGE else "a vertex"
    fix = f"write `{wanted.name}({checker.environment.words(typed.span)})`" if typed.type.is_integer else None
    message = f"`{name}` takes {one} here, and this is {typed.type.name}"
    checker.environment.report("E0213", message, typed.span, fix=fix)
    return None


def _place(checker: CallChecker, name: str, value: syntax.Expression) -> syntax.Expression | None:
    """An argument that counts from the start of a list; None after a mistake."""
    typed = checker.infer(value)
    if typed.type is None or typed.type.is_integer:
        return typed
    message = f"`{name}` takes a place in the list, an integer from 0, and this is {typed.type.name}"
    fix = f"write `int32({checker.environment.words(typed.span)})`" if typed.type is not Type.BOOL else None
    checker.environment.report("E0213", message, typed.span, fix=fix)
    return None


def neighbors_of(checker: CallChecker, statement: syntax.ForIn) -> syntax.Call | None:
    """The typed `neighbors(v)` of a loop; None after a mistake."""
    call, environment = statement.value, checker.environment
    if report_foreign_loop(statement, environment):
        return None
    if not isinstance(call, syntax.Call) or call.function != _LIST:
        _report_loop(checker, call)
        return None
    if not _in_functor(environment, "`neighbors`", call.span):
        return None
    if not checker.plain_arguments(call) or not checker.count_arguments(call, 1):
        return None
    argument = call.arguments[0]
    vertex = _id(checker, _LIST, argument.value, Type.VERTEX)
    if vertex is None or vertex.type is None:
        return None
    arguments = (dataclasses.replace(argument, value=vertex),)
    return dataclasses.replace(call, arguments=arguments, symbol=built_in(_LIST), type=Type.VERTEX)


def _report_loop(checker: CallChecker, value: syntax.Expression) -> None:
    """Say what a loop can go over."""
    environment = checker.environment
    fix = "write `for i in 0..n { … }` or `for u in neighbors(v) { … }`"
    if isinstance(value, syntax.Call) and value.function in SCHEDULE_FUNCTIONS:
        message = f"`{value.function}` belongs to the schedule, not to {environment.place.value}"
        environment.report("E0404", message, value.span, fix=fix)
        return
    typed = checker.infer(value)
    if typed.type is not None:
        message = f"a loop goes over a range or over the neighbours of a vertex, and this is one {typed.type.name}"
        environment.report("E0205", message, typed.span, fix=fix)


def declare_names(statement: syntax.ForIn, environment: Environment) -> tuple[Symbol, ...]:
    """The symbols of the neighbour and, where it has a name, of the edge to it."""
    kind, types = SymbolKind.LIST_VARIABLE, (Type.VERTEX, Type.EDGE)
    return tuple(
        environment.declare(Symbol(kind, name.name, name.span, type_))
        for name, type_ in zip(statement.names, types, strict=False)
    )
