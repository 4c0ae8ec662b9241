"""Sets as values: vertices or edges, by name, written out, or combined by `|`, `&` and `-`."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from gdsl.diagnostics import Label
from gdsl.frontend import syntax
from gdsl.frontend.check.environment import Environment, built_in, check_same_graph, refuse_now
from gdsl.frontend.check.expressions import ExpressionChecker
from gdsl.frontend.syntax import OperatorKind, Symbol, SymbolKind
from gdsl.frontend.vocabulary import closest
from gdsl.operations import DOMAINS, Domain
from gdsl.types import Type

OPERATORS = {kind.value: kind for kind in OperatorKind}
GIVE_VALUES = (OperatorKind.NEIGHBOR_REDUCE, OperatorKind.NEIGHBOR_VOTE)
"""The operators whose result is assigned to an array."""
OTHER_OPERAND = "the other operand"
"""What messages call the second operand of a combination of sets."""


class Sets:
    """What names and calls are sets of; None in an answer means that a mistake was reported."""

    def __init__(self, environment: Environment, expressions: ExpressionChecker) -> None:
        self.environment = environment
        self.expressions = expressions

    def domain_of(self, value: syntax.Expression, otherwise: Domain) -> Domain:
        """What `value` is a set of, as far as its own text shows; nothing is reported."""
        match value:
            case syntax.Name():
                symbol = self.environment.find(value.name)
                named = symbol.domain if symbol is not None and symbol.kind is SymbolKind.FRONTIER else None
                return named or DOMAINS.get(value.name, otherwise)
            case syntax.SetLiteral():
                return Domain.EDGE if any(map(self._is_edge, value.members)) else otherwise
            case syntax.Binary():
                return self._domain_of_any((value.left, value.right), otherwise)
            case syntax.Chain():
                return self._domain_of_any((value.first, *(link.operand for link in value.links)), otherwise)
            case syntax.Call() if value.function in OPERATORS:
                return self._domain_of_call(value, otherwise)
        return otherwise

    def _domain_of_any(self, operands: Iterable[syntax.Expression], otherwise: Domain) -> Domain:
        domains = [self.domain_of(operand, otherwise) for operand in operands]
        return Domain.EDGE if Domain.EDGE in domains else otherwise

    def _is_edge(self, member: syntax.Expression) -> bool:
        if isinstance(member, syntax.Name):
            symbol = self.environment.find(member.name)
            return symbol is not None and symbol.type is Type.EDGE
        if not isinstance(member, syntax.Call):
            return False
        built_in_function = self.environment.find(member.function) is None
        if member.function in ("argmin", "argmax") and built_in_function and member.arguments:
            array = member.arguments[0].value
            symbol = self.environment.symbol_of(array)
            return symbol is not None and symbol.domain is Domain.EDGE
        return member.function == Type.EDGE.name

    def _domain_of_call(self, call: syntax.Call, otherwise: Domain) -> Domain:
        if call.function == OperatorKind.ADVANCE.value:
            to = next((argument.value for argument in call.arguments if argument.keyword == "to"), None)
            return Domain.EDGE if isinstance(to, syntax.Name) and to.name == "edges" else Domain.VERTEX
        if call.function == OperatorKind.TOP.value:
            return Domain.EDGE
        positional = [argument.value for argument in call.arguments if argument.keyword is None]
        if call.function != OperatorKind.FILTER.value or len(positional) != 2:
            return Domain.VERTEX
        return self.domain_of(positional[0], functor_domain(positional[1], self.environment) or otherwise)

    def named(self, value: syntax.Name, domain: Domain, target: str) -> syntax.Expression | None:
        """A frontier, or everything, by its name."""
        refuse_now(value, self.environment)
        if value.name in DOMAINS:
            fits = self.fits(value, DOMAINS[value.name], domain, target)
            return dataclasses.replace(value, symbol=built_in(value.name)) if fits else None
        symbol = self.expressions.resolve(value.name, value.span)
        if symbol is None:
            return None
        if symbol.kind is not SymbolKind.FRONTIER:
            member = symbol.type is domain.id_type and symbol.kind in (SymbolKind.PARAM, SymbolKind.SCALAR)
            fix = f"write `{{ {symbol.name} }}`" if member else None
            if symbol.kind is SymbolKind.ARRAY and symbol.domain is not None:
                fix = _members_fix(symbol)
            if symbol.kind is SymbolKind.FUNCTOR:
                functor = self.environment.functors.get(symbol.name)
                operator = "compute" if functor is not None and functor.domain is Domain.VERTEX else "advance"
                fix = f"the set comes before the functor, such as `{operator}(f, {symbol.name})`"
            if symbol.kind in _SETS_OF:
                fix = _SETS_OF[symbol.kind].format(symbol.name)
            labels = (Label(symbol.span, "declared here"),)
            message = f"`{symbol.name}` is {symbol.kind.with_article}, not a frontier"
            self.environment.report("E0403", message, value.span, labels=labels, fix=fix)
            return None
        typed = dataclasses.replace(value, symbol=symbol)
        if not check_same_graph(symbol, value.span, self.environment):
            return None
        return typed if self.fits(typed, symbol.domain or Domain.VERTEX, domain, target) else None

    def fits(self, value: syntax.Expression, actual: Domain, wanted: Domain, target: str) -> bool:
        """Whether a set holds the wanted elements; reports one that does not."""
        if actual is wanted:
            return True
        message = f"this is a set of {actual.plural}, and {target} is a set of {wanted.plural}"
        symbol = value.symbol if isinstance(value, syntax.Name) else None
        labels = (Label(symbol.span, "declared here"),) if symbol is not None else ()
        fix = _other_domain(value, wanted, target, named=self.environment.find(target.strip("`")) is not None)
        self.environment.report("E0416", message, value.span, labels=labels, fix=fix)
        return False

    def no_set(self, value: syntax.Expression, domain: Domain) -> None:
        """Report that `value` is not a set."""
        before = len(self.environment.diagnostics)
        if isinstance(value, syntax.Call) and self._misspelled(value):
            return
        self.expressions.infer(value)
        if len(self.environment.diagnostics) == before:
            forms = f"`{{ a, b }}`, `{domain.plural}`, another frontier, the result of an operator, or `f | g`"
            fix = f"a frontier is {forms}"
            self.environment.report("E0403", f"this is not a set of {domain.plural}", value.span, fix=fix)

    def _misspelled(self, value: syntax.Call) -> bool:
        if value.function == "neighbors" and len(value.arguments) == 1:
            words = self.environment.words(value.arguments[0].span)
            fix = f"the neighbors of a set are `advance({{ {words} }}, functor)`, with an edge functor"
            self.environment.report("E0201", "there is no operator `neighbors`", value.function_span, fix=fix)
            return True
        near = closest(value.function, OPERATORS)
        if near is None or self.environment.find(value.function) is not None:
            return False
        message = f"there is no operator `{value.function}`"
        self.environment.report("E0201", message, value.function_span, fix=f"did you mean `{near}`?")
        return True


def functor_domain(value: syntax.Expression, environment: Environment) -> Domain | None:
    """What a functor, with or without a name, runs on; None where `value` is not a functor."""
    if isinstance(value, syntax.Lambda):
        return value.domain
    declaration = environment.functors.get(value.name) if isinstance(value, syntax.Name) else None
    return declaration.domain if declaration is not None else None


_SETS_OF = {
    SymbolKind.BUCKETS: "write `{0}.pop()`",
    SymbolKind.HISTORY: "`for g in backward({0}) {{ … }}` goes through its sets",
    SymbolKind.GRAPH: "in `on {0} {{ … }}` its own are `vertices` and `edges`",
}
"""How the sets of what holds some are reached."""


def _members_fix(array: Symbol) -> str:
    """The set of the elements at which `array` is set."""
    is_vertex = array.domain is Domain.VERTEX
    element = f"{array.name}[{'v' if is_vertex else 'e'}]"
    condition = (
        element if array.type is Type.BOOL else f"{element} != {'none' if array.type and array.type.is_id else '0'}"
    )
    return f"write `{f'where(v => {condition})' if is_vertex else f'filter(edges, (src, dst, e) => {condition})'}`"


def _other_domain(value: syntax.Expression, wanted: Domain, target: str, *, named: bool) -> str:
    """What to write; `named` where `target` is a variable, which could be one of the other sets."""
    advances = isinstance(value, syntax.OperatorCall) and value.kind is OperatorKind.ADVANCE
    if wanted is Domain.EDGE:
        return "write `to=edges`" if advances else "`advance(f, functor, to=edges)` gives edges of vertices"
    if target == OTHER_OPERAND and not advances:
        return "sets of edges combine only with each other, in an `edge frontier`"
    if not named:
        return "leave `to=edges` out" if advances else "`advance(e, functor)` gives vertices of edges"
    return "leave `to=edges` out, or declare an `edge frontier`" if advances else "declare an `edge frontier` for it"
