"""Functors without a name: each becomes a functor of the program that only the call knows."""

from __future__ import annotations

import dataclasses

from gdsl.frontend import syntax
from gdsl.frontend.check.declarations import check_functor, without
from gdsl.frontend.check.environment import Environment
from gdsl.frontend.syntax import OperatorKind, Symbol, SymbolKind
from gdsl.operations import Domain
from gdsl.types import Type

NAMELESS_FORMS = {Domain.VERTEX: "v => …", Domain.EDGE: "(src, dst, e) => …"}
"""How a functor without a name is written for a set of vertices or of edges."""


class NamelessChecker:
    """Makes functors of those that stand in one part of the schedule."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment

    def functor(
        self, value: syntax.Nameless, call: syntax.Call, domain: Domain, operator: str, result: Type | None
    ) -> syntax.Name | None:
        """The name of what `value` becomes, for `call`, which takes a functor on `domain`, for a reduction one with a
        value of type `result`; None after a mistake. `operator` is the call in words."""
        if not self._fits(value, domain, operator, result):
            return None
        environment = self.environment
        stem = call.label or call.function
        name = environment.made.name(stem, numbered=call.label is None)
        condition, given = value.condition, value.value
        if value.whole is not None:
            condition, given = (value.whole, None) if result is None else (None, value.whole)
        symbol = Symbol(SymbolKind.FUNCTOR, name, value.span, domain=domain, unique=name)
        functor = syntax.Functor(value.span, name, value.span, domain, value.parameters, condition, value.body, given)
        node = dataclasses.replace(functor, result=result, symbol=symbol, nameless=True)
        before = len(environment.diagnostics)
        made = check_functor(node, self._around(value))
        if len(environment.diagnostics) > before:
            return None
        environment.made.functors.append(made)
        return syntax.Name(value.span, name, symbol=symbol)

    def _around(self, value: syntax.Nameless) -> Environment:
        """What the functor sees: the data of the program, and frontiers for as much as to say that they are none."""
        environment = self.environment
        own = syntax.names_declared_in(value)
        local = {name: symbol for scope in environment.scopes for name, symbol in scope.items() if name not in own}
        visible = without(environment.globals, own) if environment.in_procedure else environment.globals
        return environment.seeing({**local, **visible})

    def _fits(self, value: syntax.Nameless, domain: Domain, operator: str, result: Type | None) -> bool:
        report = self.environment.report
        wanted = f"write `{NAMELESS_FORMS[domain] if result is None else '(src, dst, e) => value'}`"
        if value.domain is not domain:
            takes = "one parameter" if domain is Domain.VERTEX else "three parameters, the two ends and the edge"
            message = f"the functor of `{operator}` has {takes}, and this one has {len(value.parameters)}"
            fix = wanted
            if operator == OperatorKind.WHERE.value and value.domain is Domain.EDGE:
                fix = "`filter(edges, (src, dst, e) => …)` selects of all edges"
            if value.parameters or value.whole is None:
                report("E0401", message, value.span, fix=fix)
            return False
        if result is None and value.value is not None:
            message = f"`{operator}` takes no functor with a `value`"
            report("E0401", message, value.value.span, fix="`value` is for `neighbor_reduce`; write `cond` or `apply`")
            return False
        if result is not None and value.value is None and value.whole is None:
            message = f"the functor of `{operator}` has no `value`"
            report("E0401", message, value.span, fix="write `(src, dst, e) => { value …; }`")
            return False
        return True
