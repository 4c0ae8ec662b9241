"""Reductions in expressions of the schedule: over an array, `sum(a)`, `any(b, f)`, `argmin(a)`, or over the values
that a functor without a name gives, `count(v => mate[v] != none)`, as is suggested for `count(mate != none)`."""

from __future__ import annotations

import dataclasses
import re
from typing import NamedTuple

from gdsl.diagnostics import Label
from gdsl.frontend import syntax
from gdsl.frontend.check.arguments import bind
from gdsl.frontend.check.environment import (
    Environment,
    Place,
    around_functor,
    built_in,
    check_same_graph,
    poison,
    refuse_fixed_size,
    refuse_now,
)
from gdsl.frontend.check.names import NameChecker
from gdsl.frontend.check.other_reductions import PARAMETERS, names_set, report_undefined_reduction
from gdsl.frontend.check.set_operations import contains_set
from gdsl.frontend.signatures import REDUCTIONS, Group, names_of
from gdsl.frontend.syntax import OperatorKind, Symbol, SymbolKind
from gdsl.frontend.vocabulary import ARRAY_REDUCTIONS
from gdsl.operations import DOMAINS, ArrayReduction, Domain, UnaryOperation
from gdsl.types import Type

_FLAGS = (ArrayReduction.COUNT, ArrayReduction.ANY, ArrayReduction.ALL)
_ORDERINGS = (ArrayReduction.MIN, ArrayReduction.MAX)
_PLACES = (ArrayReduction.ARGMIN, ArrayReduction.ARGMAX)
_ROLES = {
    Domain.VERTEX: (SymbolKind.VERTEX,),
    Domain.EDGE: (SymbolKind.SOURCE, SymbolKind.DESTINATION, SymbolKind.EDGE),
}
"""What the parameters of a functor are."""
_IDS_OF = dict.fromkeys((SymbolKind.VERTEX, SymbolKind.SOURCE, SymbolKind.DESTINATION), Type.VERTEX)
_IDS_OF |= {SymbolKind.EDGE: Type.EDGE}


def is_reduction(call: syntax.Call, environment: Environment) -> bool:
    """Whether `call` means a reduction. Two of the words are functions of numbers too, and reduce where their first
    argument is an array; a program's own function of such a name is that function."""
    if call.function not in ARRAY_REDUCTIONS or environment.find(call.function) is not None:
        return False
    if call.function not in ("min", "max") and environment.place is Place.SCHEDULE:
        return True
    first = call.arguments[0].value if call.arguments else None
    if isinstance(first, syntax.Lambda):
        return True
    tests = (is_over_elements, names_set, _at_set)
    if first is not None and environment.place is Place.SCHEDULE and any(test(first, environment) for test in tests):
        return True
    symbol = environment.symbol_of(first)
    if isinstance(first, syntax.Name) and symbol is None and first.name in names_of(Group.DEGREE):
        return environment.place is Place.SCHEDULE
    return symbol is not None and symbol.kind is SymbolKind.ARRAY and symbol != environment.own


class ReductionChecker:
    """Makes `Reduced`s of calls; a type of None in an answer means that a mistake was reported."""

    def __init__(self, names: NameChecker) -> None:
        self.names, self.environment = names, names.environment

    def reduction(self, call: syntax.Call) -> syntax.Expression:
        """A call of which `is_reduction` holds, with plain arguments."""
        word, environment = call.function, self.environment
        if environment.place is not Place.SCHEDULE:
            message = f"`{word}` over an array belongs to the schedule, not to {environment.place.value}"
            fix = f"give it to a scalar there: `s = {word}(…);`"
            environment.report("E0404", message, call.span, fix=fix)
            return poison(call.span)
        if bind(call.arguments, REDUCTIONS[word], environment, call.span) is None:
            return poison(call.span)
        operation, first = ArrayReduction(word), call.arguments[0].value
        array: syntax.Name | syntax.Values | None
        if isinstance(first, syntax.Lambda):
            array = self._values(first, word, Type.BOOL if operation in _FLAGS else None)
            domain = array.domain if array is not None else None
        else:
            array = self._array(call, first)
            domain = array.symbol.domain if array is not None and array.symbol is not None else None
        if array is None or array.type is None or domain is None:
            return poison(call.span)
        members = None
        if len(call.arguments) == 2:
            members = self._members(call.arguments[1].value, word, domain, self._source(array))
            if members is None:
                return poison(call.span)
        type_ = self._result(call, operation, array, domain)
        if type_ is None:
            return poison(call.span)
        return syntax.Reduced(call.span, operation, array, members, type=type_)

    def _source(self, array: syntax.Name | syntax.Values) -> str:
        """What is reduced, in a message."""
        return array.name if isinstance(array, syntax.Name) else self.environment.words(array.span)

    def _values(self, value: syntax.Lambda, word: str, hint: Type | None) -> syntax.Values | None:
        """The values that a functor without a name gives."""
        domain, environment = value.domain, self.environment
        if domain is None or value.whole is None:
            if value.parameters or value.whole is None:
                message = f"`{word}` takes a value for each vertex or edge"
                fix = f"write `{word}(v => value)` or `{word}((src, dst, e) => value)`"
                environment.report("E0401", message, value.span, fix=fix)
            return None
        part = around_functor(value, environment).part(Place.VALUE, domain)
        for parameter, kind in zip(value.parameters, _ROLES[domain], strict=True):
            part.declare(Symbol(kind, parameter.name, parameter.span, _IDS_OF[kind]), parameter=True)
        before = len(environment.diagnostics)
        typed = type(self.names)(part).infer(value.whole, hint)
        if typed.type is None or len(environment.diagnostics) > before:
            return None
        names = tuple(parameter.name for parameter in value.parameters)
        return syntax.Values(value.span, names, typed, domain, type=typed.type)

    def _array(self, call: syntax.Call, value: syntax.Expression) -> syntax.Name | None:
        """The array that is reduced."""
        word = call.function
        if not isinstance(value, syntax.Name):
            refuse_expression(call, self.environment)
            return None
        refuse_now(value, self.environment)
        if value.name in names_of(Group.DEGREE):
            message = f"`{word}` takes an array, and `{value.name}` is a function"
            self.environment.report("E0402", message, value.span, fix=f"write `{word}(v => {value.name}(v))`")
            return None
        symbol = built_in(value.name) if value.name in DOMAINS else self.names.resolve(value.name, value.span)
        if symbol is None:
            return None
        if symbol.kind is not SymbolKind.ARRAY or symbol.domain is None:
            labels = (Label(symbol.span, "declared here"),) if symbol.name not in DOMAINS else ()
            what = f"the set of all {symbol.name}" if symbol.name in DOMAINS else symbol.kind.with_article
            message = f"`{word}` takes an array, and `{symbol.name}` is {what}"
            fix = self._swapped(call, symbol) or _fix_for(word, symbol)
            self.environment.report("E0402", message, value.span, labels=labels, fix=fix)
            return None
        if refuse_fixed_size(symbol, f"`{word}`", self.environment, value.span):
            return None
        return dataclasses.replace(value, symbol=symbol, type=symbol.type)

    def _swapped(self, call: syntax.Call, symbol: Symbol) -> str | None:
        """A call whose set comes before what is reduced over it."""
        if not names_set(call.arguments[0].value, self.environment) or len(call.arguments) != 2:
            return None
        first, second = (argument.value for argument in call.arguments)
        if isinstance(second, syntax.Name | syntax.Lambda):
            values = self.environment.words(second.span)
        else:
            each = of_each(second, self.environment)
            if each is None:
                return None
            values = f"{each.parameters} => {each.value}"
        over = "" if symbol.name in DOMAINS else f", {self.environment.words(first.span)}"
        return f"the set comes last: `{call.function}({values}{over})`"

    def _members(self, value: syntax.Expression, word: str, over: Domain, array: str) -> syntax.Name | None:
        """The set after the array, of what the array is over."""
        if not isinstance(value, syntax.Name):
            message = f"`{word}` takes the name of a frontier after the array"
            fix = "give the set a name: `frontier f = …;`"
            self.environment.report("E0403", message, value.span, fix=fix)
            return None
        refuse_now(value, self.environment)
        everything = value.name in DOMAINS
        symbol = built_in(value.name) if everything else self.names.resolve(value.name, value.span)
        if symbol is None:
            return None
        domain = DOMAINS[value.name] if everything else symbol.domain
        if not everything and symbol.kind is not SymbolKind.FRONTIER:
            labels = [Label(symbol.span, "declared here")]
            message = f"`{symbol.name}` is {symbol.kind.with_article}, not a frontier"
            single = symbol.type is (over.id_type)
            kind = "frontier" if over is Domain.VERTEX else "edge frontier"
            fix = f"give it a set: `{word}({array}, at)`, with `{kind} at = {{ {symbol.name} }};` before"
            self.environment.report("E0403", message, value.span, labels=labels, fix=fix if single else None)
            return None
        if domain is not over:
            of, wanted = ("edges", "vertices") if domain is Domain.EDGE else ("vertices", "edges")
            labels = [] if everything else [Label(symbol.span, "declared here")]
            message = f"this is a set of {of}, and `{array}` is over {wanted}"
            fix = f"name a set of {wanted}, or leave it out: `{word}({array})`"
            self.environment.report("E0416", message, value.span, labels=labels, fix=fix)
            return None
        if not everything and not check_same_graph(symbol, value.span, self.environment):
            return None
        return dataclasses.replace(value, symbol=symbol)

    def _result(
        self, call: syntax.Call, operation: ArrayReduction, array: syntax.Name | syntax.Values, domain: Domain
    ) -> Type | None:
        """The type of the value."""
        type_ = array.type
        assert type_ is not None, "the caller has asked"
        if operation in _FLAGS:
            fits = type_ is Type.BOOL
        elif operation is ArrayReduction.SUM:
            fits = type_.is_numeric
        else:
            fits = type_.is_numeric or type_.is_id or (type_.is_pair and operation in _ORDERINGS)
        if not fits:
            report_undefined_reduction(call, operation, type_, domain, self.environment)
            return None
        if operation in _ORDERINGS:
            return type_
        if operation in _PLACES:
            return domain.id_type
        if operation is ArrayReduction.SUM:
            return Type.FLOAT64 if type_.is_float else Type.INT64 if type_.is_signed else Type.UINT64
        return Type.INT64 if operation is ArrayReduction.COUNT else Type.BOOL


def _fix_for(word: str, symbol: Symbol) -> str | None:
    """What to write instead of a reduction of something other than an array."""
    if symbol.kind is SymbolKind.FRONTIER or symbol.name in DOMAINS:
        all_of_them = symbol.name in DOMAINS
        domain = DOMAINS[symbol.name] if all_of_them else symbol.domain
        fixes = {
            "any": f"`{symbol.name}` itself is true while it is not empty",
            "count": f"write `num_{symbol.name}`" if all_of_them else f"write `size({symbol.name})`",
        }
        fixes["sum"] = fixes["count"]
        if domain is not None:
            parameters, index = PARAMETERS[domain]
            least = f"{word}({parameters} => {index}{'' if all_of_them else f', {symbol.name}'})"
            fixes["min"] = fixes["max"] = f"for the id of a member write `{least}`; to reduce an array, write it first"
        return fixes.get(word)
    return None


_OPERATORS = frozenset(kind.value for kind in OperatorKind)


def arrays_named(value: syntax.Expression, environment: Environment) -> list[tuple[syntax.Name, Symbol]]:
    """The arrays that an expression names without an index, and without reducing them."""
    arrays: list[tuple[syntax.Name, Symbol | None]] = []
    stack: list[syntax.Node] = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, syntax.Name):
            arrays.append((node, environment.find(node.name)))
        elif not isinstance(node, syntax.Call) or not _reduces(node):
            stack.extend(syntax.children(node))
    return [(name, symbol) for name, symbol in arrays if symbol is not None and symbol.kind is SymbolKind.ARRAY]


def _reduces(call: syntax.Call) -> bool:
    """Whether `call` is a reduction by its form: its first argument is the name of an array."""
    first = call.arguments[0].value if call.arguments else None
    return call.function in ARRAY_REDUCTIONS and isinstance(first, syntax.Name)


def is_over_elements(value: syntax.Expression, environment: Environment) -> bool:
    """Whether an expression is one of the elements of arrays, which it names bare."""
    return not isinstance(value, syntax.Name) and bool(arrays_named(value, environment))


def refuse_expression(call: syntax.Call, environment: Environment) -> None:
    """Report the reduction `call` of an expression that is not the name of an array."""
    word, value = call.function, call.arguments[0].value
    message = f"`{word}` takes the name of an array, not an expression"
    environment.report("E0402", message, value.span, fix=_expression_fix(call, word, value, environment))


def _at_set(value: syntax.Expression, environment: Environment) -> bool:
    """Whether an expression is an array that is indexed by a set, such as `a[f]`."""
    return isinstance(value, syntax.Index) and value.place is None and names_set(value.index, environment)


def _expression_fix(call: syntax.Call, word: str, value: syntax.Expression, environment: Environment) -> str:
    if isinstance(value, syntax.Index) and _at_set(value, environment):
        index = environment.words(value.index.span)
        reduced = f"{word}({value.array}{'' if index in DOMAINS else f', {index}'})"
        others = [environment.words(argument.span) for argument in call.arguments[1:]]
        code = f"{word}({', '.join([reduced, *others])})" if others else reduced
        return f"the set comes last: `{code}`"
    if word in ("sum", "count") and isinstance(value, syntax.Call) and value.function == "intersect":
        return f"write `{environment.words(value.span)}`, which is the total"
    if is_set(value, environment):
        return named_set(value, environment)
    word = "count" if word == "sum" and _is_flag(value) else word
    each = of_each(value, environment)
    if each is None:
        return f"give a value for each vertex: `{word}(v => …)`"
    parameters, text = each.parameters, each.value
    over = [environment.words(argument.span) for argument in call.arguments[1:]]
    return f"give a value for each element: `{word}({', '.join([f'{parameters} => {text}', *over])})`"


class OfEach(NamedTuple):
    """An expression of whole arrays as one of their elements, for a functor with these parameters."""

    domain: Domain
    parameters: str
    value: str


def of_each(value: syntax.Expression, environment: Environment) -> OfEach | None:
    """What an expression of bare arrays says of each element; None where that is unknown."""
    arrays = arrays_named(value, environment)
    domains = {symbol.domain for _, symbol in arrays}
    domain = next(iter(domains)) if len(domains) == 1 else None
    text = environment.source.excerpt(value.span)
    one_line = value.span.line == value.span.end_line
    if domain is None or not text or not one_line or any(symbol.count is not None for _, symbol in arrays):
        return None
    parameters, index = PARAMETERS[domain]
    for name, _ in sorted(arrays, key=lambda each: each[0].span.column, reverse=True):
        end = name.span.end_column - value.span.column
        text = f"{text[:end]}[{index}]{text[end:]}"
    return OfEach(domain, parameters, text)


def _is_flag(value: syntax.Expression) -> bool:
    """Whether an expression is a bool by its form: a comparison, or a combination of conditions."""
    if isinstance(value, syntax.Chain):
        return value.links[-1].operation.is_comparison or value.links[-1].operation.is_logical
    if isinstance(value, syntax.Binary):
        return value.operation.is_comparison or value.operation.is_logical
    return isinstance(value, syntax.Unary) and value.operation is UnaryOperation.NOT


def is_set(value: syntax.Expression, environment: Environment) -> bool:
    """Whether an expression is a set that has no name."""
    calls = isinstance(value, syntax.Call) and value.function in _OPERATORS
    combined = isinstance(value, syntax.Binary | syntax.Chain) and contains_set(value, environment)
    return calls or combined or isinstance(value, syntax.SetLiteral)


def named_set(value: syntax.Expression, environment: Environment) -> str:
    """How a set gets a name, and is counted."""
    text = environment.source.excerpt(value.span) or "…"
    words = re.findall(r"\w+", text)
    names = (each for each in ("g", "members", "of_these", "counted") if each not in words)
    name = next((each for each in names if environment.find(each) is None), "…")
    return f"give the set a name: `frontier {name} = {text};`, then `size({name})`"
