"""Functors without a name: each becomes a functor of the program that only the call knows."""

from __future__ import annotations

import dataclasses

from gdsl.frontend import syntax
from gdsl.frontend.check.declarations import check_functor
from gdsl.frontend.check.environment import Environment, around_functor
from gdsl.frontend.syntax import FunctorForm, OperatorKind, Symbol, SymbolKind
from gdsl.operations import Domain
from gdsl.types import Type

LAMBDA_FORMS = {
    FunctorForm.VERTEX: "v => …",
    FunctorForm.EDGE: "(src, dst, e) => …",
    FunctorForm.VALUE: "(src, dst, e) => …",
    FunctorForm.COMMON: "(u, w, x) => …",
    FunctorForm.BALLOT: "(src, dst, e) => (key, weight)",
    FunctorForm.VOTE: "(v, key, total) => …",
}
"""How functors are written without a name."""
_FORMS = {Domain.VERTEX: FunctorForm.VERTEX, Domain.EDGE: FunctorForm.EDGE}


class LambdaChecker:
    """Turns the lambdas of one part of the schedule into functors of the program."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment

    def functor(
        self, value: syntax.Lambda, call: syntax.Call, form: FunctorForm, operator: str, result: Type | None
    ) -> syntax.Name | None:
        """The name of what `value` becomes, for `call`, which takes a functor of that form, for a reduction one with a
        value of type `result`; None after a mistake. `operator` is the call in words. For a ballot `result` is the type
        of the keys, for its score that of the ballot."""
        domain = Domain.VERTEX if form is FunctorForm.VERTEX else Domain.EDGE
        fits = {FunctorForm.COMMON: self._fits_common, FunctorForm.VOTE: self._fits_vote}.get(form)
        if not (fits(value) if fits is not None else self._fits(value, domain, operator, result)):
            return None
        environment = self.environment
        stem = call.label or call.function
        name = environment.generated.name(stem, numbered=call.label is None)
        condition, reduced = value.condition, value.value
        if value.whole is not None:
            condition, reduced = (value.whole, None) if result is None else (None, value.whole)
        symbol = Symbol(SymbolKind.FUNCTOR, name, value.span, domain=domain, unique=name)
        from_ballot = form in (FunctorForm.BALLOT, FunctorForm.VOTE)
        if form is FunctorForm.VOTE and result is not None:
            environment.votes[name] = (result.parts[0], result.parts[1])
        kind = FunctorForm.VALUE if form is FunctorForm.BALLOT else form
        functor = syntax.Functor(value.span, name, value.span, kind, value.parameters, condition, value.body, reduced)
        node = dataclasses.replace(functor, result=None if from_ballot else result, symbol=symbol, is_lambda=True)
        before = len(environment.diagnostics)
        typed = check_functor(node, around_functor(value, environment), result if form is FunctorForm.BALLOT else None)
        if len(environment.diagnostics) > before:
            return None
        environment.generated.functors.append(typed)
        return syntax.Name(value.span, name, symbol=symbol)

    def _fits_common(self, value: syntax.Lambda) -> bool:
        """Whether a functor may run on the common neighbors of the ends of edges."""
        report = self.environment.report
        if len(value.parameters) not in (3, 6):
            message = (
                f"a common functor has the parameters `u, w, x` or `u, w, x, e, eu, ew`, not {len(value.parameters)}"
            )
            if value.parameters or value.whole is None:
                report("E0401", message, value.span, fix="write `(u, w, x) => …`")
            return False
        if value.value is not None:
            message = "`intersect` takes no functor with a `value`"
            report("E0401", message, value.value.span, fix="write `cond` or `apply`")
            return False
        return True

    def _fits_vote(self, value: syntax.Lambda) -> bool:
        """Whether a functor may score votes."""
        report, fix = self.environment.report, "write `(v, key, total) => score`"
        if len(value.parameters) != 3:
            message = f"a vote functor has the parameters `v, key, total`, not {len(value.parameters)}"
            if value.parameters or value.whole is None:
                report("E0401", message, value.span, fix=fix)
            return False
        if value.condition is not None or value.body or (value.whole is None and value.value is None):
            report("E0401", "a vote functor has a `value`, and nothing else", value.span, fix=fix)
            return False
        return True

    def _fits(self, value: syntax.Lambda, domain: Domain, operator: str, result: Type | None) -> bool:
        report = self.environment.report
        wanted = f"write `{LAMBDA_FORMS[_FORMS[domain]] if result is None else '(src, dst, e) => value'}`"
        if value.domain is not domain:
            takes = "one parameter" if domain is Domain.VERTEX else "three parameters, the two ends and the edge"
            message = f"the functor of `{operator}` has {takes}, and this one has {len(value.parameters)}"
            fix = wanted
            if operator == OperatorKind.WHERE.value and value.domain is Domain.EDGE:
                fix = "`filter(edges, (src, dst, e) => …)` selects of all edges"
            elif domain is Domain.EDGE and 0 < len(value.parameters) < 3:
                fix = "name all three, such as `(src, dst, e) => …`"
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
