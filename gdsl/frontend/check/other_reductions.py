"""What to write in the schedule in place of what it does not do with arrays: a reduction of values that it is not
defined on, an element as a value, an update of elements."""

from __future__ import annotations

from gdsl.diagnostics import Edit, Suggestion
from gdsl.frontend import syntax
from gdsl.frontend.check.conversions import as_operand
from gdsl.frontend.check.environment import Environment
from gdsl.frontend.syntax import Symbol, SymbolKind
from gdsl.operations import DOMAINS, ArrayReduction, Domain
from gdsl.types import Type

PARAMETERS = {Domain.VERTEX: ("v", "v"), Domain.EDGE: ("(src, dst, e)", "e")}
"""The parameters of a functor without a name, and the one that is an index."""
_OF_FLAGS = {
    ArrayReduction.SUM: ArrayReduction.COUNT,
    ArrayReduction.MIN: ArrayReduction.ALL,
    ArrayReduction.MAX: ArrayReduction.ANY,
}
"""What is, of flags, what the other is of the numbers 0 and 1."""


def report_undefined_reduction(
    call: syntax.Call, operation: ArrayReduction, type_: Type, domain: Domain, environment: Environment
) -> None:
    """Report the reduction `call` of values of `type_`, on which it is not defined."""
    message = f"`{call.function}` is not defined on {type_.name}"
    codes = _other_reductions(call, operation, type_, domain, environment)
    suggestions = [Suggestion(f"write `{code}`", (Edit(call.span, code),) if "…" not in code else ()) for code in codes]
    environment.report("E0407", message, call.span, suggestions=suggestions)


def _other_reductions(
    call: syntax.Call, operation: ArrayReduction, type_: Type, domain: Domain, environment: Environment
) -> list[str]:
    """The reductions that `call` may mean, the likeliest first."""
    over = [environment.words(argument.span) for argument in call.arguments[1:]]
    first = call.arguments[0].value
    parameters, value = _each(first, domain, environment)
    values = f"{parameters} => {_as_wanted(value, type_, operation)}"
    codes = [f"{call.function}({', '.join([values, *over])})"]
    if operation is ArrayReduction.COUNT:
        codes.append(f"any({', '.join([values, *over])})")
    elif type_ is Type.BOOL and operation in _OF_FLAGS:
        codes.insert(0, f"{_OF_FLAGS[operation].value}({', '.join([environment.words(first.span), *over])})")
    return codes


def names_set(value: syntax.Expression, environment: Environment) -> bool:
    """Whether an expression is the name of a set."""
    if not isinstance(value, syntax.Name):
        return False
    symbol = environment.find(value.name)
    return value.name in DOMAINS if symbol is None else symbol.kind is SymbolKind.FRONTIER


def parameters_of_each(domain: Domain, environment: Environment) -> tuple[str, str]:
    """The parameters of a functor without a name, with names that are free, and the one that is an index."""
    parameters, index = PARAMETERS[domain]
    if domain is Domain.VERTEX and environment.find(index) is not None:
        parameters = index = next(name for name in ("u", "w", "x", "each", "…") if environment.find(name) is None)
    return parameters, index


def _each(first: syntax.Expression, domain: Domain, environment: Environment) -> tuple[str, str]:
    """The parameters of a functor without a name, and the value that it gives."""
    if isinstance(first, syntax.Lambda) and first.whole is not None:
        names = [parameter.name for parameter in first.parameters]
        return names[0] if len(names) == 1 else f"({', '.join(names)})", environment.words(first.whole.span)
    parameters, index = parameters_of_each(domain, environment)
    return parameters, f"{environment.words(first.span)}[{index}]"


def _as_wanted(value: str, type_: Type, operation: ArrayReduction) -> str:
    """`value`, of `type_`, as something that is reduced."""
    if type_.is_pair:
        type_, operand = type_.parts[0], f"{value}.0"
    else:
        operand = as_operand(value)
    if operation in (ArrayReduction.COUNT, ArrayReduction.ANY, ArrayReduction.ALL):
        return operand if type_ is Type.BOOL else f"{operand} != {'none' if type_.is_id else '0'}"
    if type_ is Type.BOOL:
        return f"{operand} ? 1 : 0"
    return f"int64({operand})" if type_.is_id and operation is ArrayReduction.SUM else operand


def array_in_schedule(name: str, symbol: Symbol, environment: Environment, hint: Type | None) -> str:
    """What to write in place of the bare name of the array `symbol` as a value of the type `hint`."""
    type_, domain = symbol.type, symbol.domain
    if type_ is None or domain is None or symbol.count is not None:
        return "name an element, or reduce the array, such as by `max(v => …)`"
    if hint is not Type.BOOL:
        word = "count" if type_ is Type.BOOL else "sum" if type_.is_numeric else "min"
        return f"reduce it, such as `{word}({name})`"
    if type_ is Type.BOOL:
        return f"ask `any({name})` or `all({name})`"
    parameters, index = parameters_of_each(domain, environment)
    value = _as_wanted(f"{name}[{index}]", type_, ArrayReduction.ANY)
    return f"ask `any({parameters} => {value})`, or `all` in place of `any`"


def elements_in_schedule(over: str, name: str, symbol: Symbol) -> str:
    """What to write in place of `name[over]`, the elements of an array at the members of a set."""
    if symbol.type is None or symbol.count is not None:
        return "reduce them by a functor"
    word = "any" if symbol.type is Type.BOOL else "min"
    return f"reduce the array over the set: `{word}({name}{'' if over in DOMAINS else f', {over}'})`"


def update_in_schedule(symbol: Symbol, index: str | None, sign: str, value: str, environment: Environment) -> str:
    """The functor that updates the element `index` of an array, or all of them, in place of the schedule."""
    if symbol.domain is None or symbol.count is not None:
        return "do it in a functor"
    parameters, each = parameters_of_each(symbol.domain, environment)
    update = f"{symbol.name}[{each}] {sign} {value};"
    if symbol.domain is Domain.VERTEX:
        return f"write `compute({f'{{ {index} }}' if index else 'vertices'}, {parameters} => {{ {update} }});`"
    update = f"if ({each} == {index}) {{ {update} }}" if index else update
    return f"write `compute(edges, {parameters} => {{ {update} }});`"
