"""Functions of the graph, of bits and of random numbers, by their signatures; and loops over the lists of vertices."""

from __future__ import annotations

import dataclasses

from gdsl.frontend import syntax
from gdsl.frontend.check.arguments import bind
from gdsl.frontend.check.conversions import converted
from gdsl.frontend.check.environment import Environment, Place, built_in, poison
from gdsl.frontend.check.foreign_names import report_foreign_loop
from gdsl.frontend.check.names import NameChecker
from gdsl.frontend.signatures import SIGNATURES, Group, Kind, Parameter, Signature
from gdsl.frontend.syntax import Symbol, SymbolKind
from gdsl.frontend.vocabulary import SCHEDULE_FUNCTIONS
from gdsl.operations import DOMAINS
from gdsl.source import Span
from gdsl.types import Type

_LIST = "neighbors"
_IDS = {Kind.VERTEX: ("a vertex", Type.VERTEX), Kind.EDGE: ("an edge", Type.EDGE)}
_OWN_ENDS = {"src": SymbolKind.SOURCE, "dst": SymbolKind.DESTINATION}
_OF_THE_GRAPH = (Group.GRAPH, Group.ADDITIONAL_GRAPH)
_WITHOUT_GRAPH = (Place.FUNCTION, Place.DEFAULT, Place.IDENTITY, Place.EXTENT)


def function_of(name: str, symbol: Symbol | None) -> Signature | None:
    """The signature of a function that is checked by it alone; None of others. `symbol` is what `name` means."""
    signature = SIGNATURES.get(name)
    if signature is None or (symbol is not None and signature.group in (Group.ADDITIONAL, Group.ADDITIONAL_GRAPH)):
        return None
    of_bits = bool(signature.parameters) and signature.parameters[-1].kind in (Kind.BITS, Kind.KEY)
    return signature if of_bits or signature.group in (*_OF_THE_GRAPH, Group.DEGREE) else None


def call_of(checker: NameChecker, call: syntax.Call, signature: Signature) -> syntax.Expression:
    """A typed call of such a function."""
    environment, name = checker.environment, call.function
    if name == _LIST:
        message = "`neighbors` gives a list, not a value"
        fix = "walk it, `for u in neighbors(v) { … }`, or take one of it, `neighbor(v, i)`"
        environment.report("E0204", message, call.span, fix=fix)
        return poison(call.span)
    if signature.group in _OF_THE_GRAPH and not _in_functor(environment, f"`{name}`", call.span):
        return poison(call.span)
    if signature.group is Group.DEGREE and environment.place in _WITHOUT_GRAPH:
        environment.report("E0215", f"{environment.place.value} cannot access the graph", call.span)
        return poison(call.span)
    bound = bind(call.arguments, signature, environment, call.span)
    if bound is None:
        return poison(call.span)
    parameters = [*signature.parameters, *signature.parameters[-1:] * len(bound.others)]
    typed = []
    for parameter, argument in zip(parameters, bound.others, strict=False):
        value = _operand(checker, name, parameter, argument.value)
        typed.append(dataclasses.replace(argument, value=value))
    if any(argument.value.type is None for argument in typed):
        return poison(call.span)
    own = _own_end(name, typed[0].value, environment)
    if own is not None:
        return syntax.Name(call.span, own.name, symbol=own, type=Type.VERTEX)
    type_ = signature.gives if isinstance(signature.gives, Type) else typed[0].value.type
    return dataclasses.replace(call, arguments=tuple(typed), symbol=built_in(name), type=type_)


def _operand(checker: NameChecker, name: str, parameter: Parameter, value: syntax.Expression) -> syntax.Expression:
    """A typed argument of the function `name`."""
    one, wanted = _IDS.get(parameter.kind, ("", None))
    typed = checker.infer(value, wanted)
    type_, words = typed.type, checker.environment.words(typed.span)
    if type_ is None:
        return typed
    code, fix = "E0213", None
    message = f"`{name}` is not defined on {type_.name}"
    match parameter.kind:
        case Kind.VERTEX | Kind.EDGE:
            fits = type_ is wanted
            message = f"`{name}` takes {one} here, and this is {type_.name}"
            fix = f"write `{one.split()[-1]}({words})`" if type_.is_integer else None
        case Kind.PLACE:
            fits = type_.is_integer
            message = f"`{name}` takes a place in the list, an integer from 0, and this is {type_.name}"
            fix = f"write `int32({words})`" if type_ is not Type.BOOL else None
        case Kind.KEY:
            fits = type_.is_integer or type_.is_id or type_ is Type.BOOL
            code, message = "E0205", f"a key of `{name}` is an integer, an id or a bool, and this is {type_.name}"
            fix = f"write `int64({words})`" if type_.is_float else "give the parts of a pair one by one: `p.0, p.1`"
        case _:
            fits, code = type_.is_integer, "E0206"
            fix = f"write `{'uint64' if parameter.kind is Kind.BITS else 'int32'}({words})`"
    if not fits:
        checker.environment.report(code, message, typed.span, fix=fix)
        return poison(typed.span)
    # Keys of all widths are one type: the result does not depend on the width.
    return converted(typed, Type.INT64) if parameter.kind is Kind.KEY else typed


def _own_end(name: str, edge: syntax.Expression, environment: Environment) -> Symbol | None:
    """The functor's own parameter that an end of its own edge is."""
    if name not in _OWN_ENDS or not isinstance(edge, syntax.Name) or edge.symbol is None:
        return None
    if edge.symbol.kind is not SymbolKind.EDGE:
        return None
    symbols = (symbol for scope in environment.scopes for symbol in scope.values())
    return next((symbol for symbol in symbols if symbol.kind is _OWN_ENDS[name]), None)


def _in_functor(environment: Environment, what: str, span: Span) -> bool:
    place = environment.place
    if place.in_functor:
        return True
    fix = "pass what it reads to the function as an argument" if place is Place.FUNCTION else None
    message = f"{what} reads the graph, which functors do, and {place.value} does not"
    environment.report("E0215", message, span, fix=fix)
    return False


def neighbors_of(checker: NameChecker, statement: syntax.ForIn) -> syntax.Call | None:
    """The typed `neighbors(v)` of a loop; None after a mistake."""
    call, environment = statement.value, checker.environment
    if report_foreign_loop(statement, environment):
        return None
    if not isinstance(call, syntax.Call) or call.function != _LIST:
        _report_loop(checker, call)
        return None
    if not _in_functor(environment, "`neighbors`", call.span):
        return None
    if call.label is not None:
        environment.report(
            "E0404", "only operators of the schedule have labels", call.span, fix=f"leave out `@{call.label}`"
        )
        return None
    signature = SIGNATURES[_LIST]
    if bind(call.arguments, signature, environment, call.span) is None:
        return None
    argument = call.arguments[0]
    vertex = _operand(checker, _LIST, signature.parameters[0], argument.value)
    if vertex.type is None:
        return None
    arguments = (dataclasses.replace(argument, value=vertex),)
    return dataclasses.replace(call, arguments=arguments, symbol=built_in(_LIST), type=Type.VERTEX)


def _report_loop(checker: NameChecker, value: syntax.Expression) -> None:
    """Say what a loop can go over."""
    environment = checker.environment
    fix = "write `for i in 0..n { … }` or `for u in neighbors(v) { … }`"
    if isinstance(value, syntax.Call) and value.function in SCHEDULE_FUNCTIONS:
        message = f"`{value.function}` belongs to the schedule, not to {environment.place.value}"
        environment.report("E0404", message, value.span, fix=fix)
        return
    if isinstance(value, syntax.Name) and value.name in DOMAINS and environment.find(value.name) is None:
        parameters = "v" if value.name == "vertices" else "(src, dst, e)"
        functor = f"compute({value.name}, {parameters} => {{ … }})"
        message = f"`{value.name}` is only available as the input of an operator, in the schedule"
        environment.report("E0215", message, value.span, fix=f"an operator runs for each of them: `{functor}`")
        return
    typed = checker.infer(value)
    if typed.type is not None:
        message = f"a loop runs over a range or over the neighbors of a vertex, and this is one {typed.type.name}"
        environment.report("E0205", message, typed.span, fix=fix)


def declare_names(statement: syntax.ForIn, environment: Environment) -> tuple[Symbol, ...]:
    """The symbols of the neighbor and, where it has a name, of the edge to it."""
    kind, types = SymbolKind.LIST_VARIABLE, (Type.VERTEX, Type.EDGE)
    return tuple(
        environment.declare(Symbol(kind, name.name, name.span, type_))
        for name, type_ in zip(statement.names, types, strict=False)
    )
