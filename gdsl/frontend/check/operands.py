"""The operands of operators: sets, functors, words and labels."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable

from gdsl.diagnostics import Label, Suggestion, enumerate_words
from gdsl.frontend import syntax
from gdsl.frontend.check.arguments import Arguments, bind
from gdsl.frontend.check.environment import Environment
from gdsl.frontend.check.expressions import ExpressionChecker
from gdsl.frontend.check.lambdas import LAMBDA_FORMS, LambdaChecker
from gdsl.frontend.check.members import buckets_of, pop_set
from gdsl.frontend.check.reductions import of_each
from gdsl.frontend.check.set_operations import SetChecker, contains_set
from gdsl.frontend.check.sets import OPERATORS, OTHER_OPERAND, Sets
from gdsl.frontend.signatures import SIGNATURES
from gdsl.frontend.syntax import FunctorForm, OperatorKind, Symbol, SymbolKind
from gdsl.frontend.vocabulary import closest
from gdsl.operations import DOMAINS, Domain, Over
from gdsl.types import Type

Block = Callable[[Iterable[syntax.Statement]], tuple[syntax.Statement, ...]]
"""Types the statements of a block."""
_ALIASES_OF = {
    "some": "any exists",
    "every": "all forall",
    "sum": "add plus total",
    "product": "mul prod times",
    "min": "minimum",
    "max": "maximum",
    "count": "len",
    "out_edges": "out outgoing out_neighbors",
    "in_edges": "incoming in_neighbors",
    "all_edges": "both undirected",
}
_ALIASES = {word: meant for meant, words in _ALIASES_OF.items() for word in words.split()}
"""What other languages call the words of operators."""


class OperandChecker:
    """Types the operands of operators; None in an answer means that a mistake was reported."""

    def __init__(self, environment: Environment, expressions: ExpressionChecker) -> None:
        self.environment = environment
        self.expressions = expressions
        self.sets = Sets(environment, expressions)
        self.combinations = SetChecker(environment, self._operand)
        self.lambdas = LambdaChecker(environment)
        self.labels: dict[str, syntax.Call] = {}

    def operator(self, call: syntax.Call) -> syntax.OperatorCall | None:
        """A call of an operator as a set; see `OperatorChecker`."""
        raise NotImplementedError

    def arguments(self, call: syntax.Call, form: str = "", *, missing: int = 0) -> Arguments | None:
        """The arguments of a call of the schedule by the names of its parameters."""
        signature = SIGNATURES[call.function]
        if call.label is not None and not signature.labeled:
            message = f"only operators have labels, and `{call.function}` is not one"
            self.environment.report("E0402", message, call.span, fix=f"leave out `@{call.label}`")
            return None
        return bind(call.arguments, signature, self.environment, call.span, form, missing=missing)

    def _operand(self, value: syntax.Expression, domain: Domain) -> syntax.Expression | None:
        return self.members(value, domain, OTHER_OPERAND)

    def members(self, value: syntax.Expression, domain: Domain, target: str) -> syntax.Expression | None:
        """What may become a frontier of `domain`: a set literal, everything, another frontier, an operator's result, or
        several of them combined. `target` is what it is for, in words."""
        match value:
            case syntax.Binary() | syntax.Chain() if contains_set(value, self.environment):
                return self.combinations.chain(value, domain)
            case syntax.Unary() if contains_set(value, self.environment):
                self.combinations.unary(value, domain)
                return None
            case syntax.SetLiteral():
                kind = Type.EDGE if domain is Domain.EDGE else Type.VERTEX
                members = [self.expressions.value(m, kind, "a member") for m in value.members]
                fine = all(member.type is not None for member in members)
                return dataclasses.replace(value, members=tuple(members)) if fine else None
            case syntax.Name():
                return self.sets.named(value, domain, target)
            case syntax.Method() if (owner := buckets_of(value.owner, self.environment)) is not None:
                taken = pop_set(value, owner, self.environment)
                return taken if taken and self.sets.fits(taken, Domain.VERTEX, domain, target) else None
            case syntax.Call() if value.function in OPERATORS:
                typed = self.operator(value)
                if typed is None:
                    return None
                if typed.gives is None:
                    message = f"this `{value.function}` gives no frontier"
                    self.environment.report("E0415", message, value.span)
                    return None
                return typed if self.sets.fits(typed, typed.gives, domain, target) else None
        self.sets.no_set(value, domain)
        return None

    def _is_swapped(self, call: syntax.Call, functor: Symbol) -> bool:
        """Whether the set and the functor are swapped, which is reported for the set."""
        return functor.kind is SymbolKind.FRONTIER and self._is_functor_first(call)

    def functor(
        self,
        call: syntax.Call,
        value: syntax.Expression,
        wanted: FunctorForm,
        operator: str,
        reduced: Type | None = None,
    ) -> syntax.Name | None:
        """The functor of `call`, which takes one of the form `wanted`; where that has no name, `reduced` is the type of
        its value."""
        if isinstance(value, syntax.Lambda):
            return self.lambdas.functor(value, call, wanted, operator, reduced)
        environment = self.environment
        symbol = environment.symbol_of(value)
        if not isinstance(value, syntax.Name) or (symbol is not None and symbol.kind is not SymbolKind.FUNCTOR):
            if symbol is None or not (symbol.kind is SymbolKind.MISTAKEN or self._is_swapped(call, symbol)):
                fix = self._functor_fix(value, wanted)
                environment.report("E0401", f"`{operator}` takes {wanted.words} here", value.span, fix=fix)
            return None
        if symbol is None and value.name in DOMAINS and self._is_functor_first(call):
            return None  # which is reported there
        if symbol is None:
            near = closest(value.name, environment.functors)
            fix = f"did you mean `{near}`?" if near else f"declare {wanted.words} of this name"
            environment.report("E0201", f"there is no functor `{value.name}`", value.span, fix=fix)
            return None
        functor = environment.functors[value.name]
        fits = functor.form is wanted
        if wanted is FunctorForm.BALLOT:
            fits = functor.form is FunctorForm.VALUE and functor.is_ballot
        if not fits:
            labels = (Label(functor.name_span, "declared here"),)
            message = f"`{operator}` takes {wanted.words}, and `{value.name}` is {functor.form.words}"
            fix = f"write `{wanted.text}`"
            if operator == OperatorKind.WHERE.value and functor.form is FunctorForm.EDGE:
                fix = f"`filter(edges, {value.name})` selects of all edges"
            environment.report("E0401", message, value.span, labels=labels, fix=fix)
            return None
        return dataclasses.replace(value, symbol=symbol)

    def _is_functor_first(self, call: syntax.Call) -> bool:
        first = self.environment.symbol_of(call.arguments[0].value) if call.arguments else None
        return first is not None and first.kind is SymbolKind.FUNCTOR

    def _functor_fix(self, value: syntax.Expression, wanted: FunctorForm) -> str:
        """What to write for a functor of the form `wanted` instead of `value`, which is not the name of one."""
        called = self.environment.find(value.function) if isinstance(value, syntax.Call) else None
        if called is not None and called.kind is SymbolKind.FUNCTOR:
            return f"a functor is named, not called: `{called.name}`"
        each = of_each(value, self.environment) if not isinstance(value, syntax.Name) else None
        if each is not None and LAMBDA_FORMS.get(wanted, "").startswith(f"{each.parameters} =>"):
            return f"write `{each.parameters} => {each.value}`"
        declared = f"declare `{wanted.text}` and write its name here"
        return f"{declared}, or write `{LAMBDA_FORMS[wanted]}`" if wanted in LAMBDA_FORMS else declared

    def word(self, value: syntax.Expression, words: Iterable[str], what: str, also: str = "") -> str | None:
        """The one of `words` that `value` is; `what` is its place in a message, `also` what else is allowed."""
        name = value.name if isinstance(value, syntax.Name) else "none" if isinstance(value, syntax.NoneLiteral) else ""
        choices = list(words)
        if name in choices:
            return name
        near = _ALIASES.get(name) or (closest(name, choices) if name else None)
        suggestions = [Suggestion(f"did you mean `{near}`?")] if near in choices else []
        fix = f"the words are {enumerate_words(f'`{word}`' for word in choices)}{also}"
        message = f"{what} is not one of the known words"
        self.environment.report("E0402", message, value.span, fix=fix, suggestions=suggestions)
        return None

    def choice(self, arguments: Arguments, name: str) -> str | None:
        """The word of a keyword, by default the first that it may be."""
        words = arguments.signature.keyword(name).words
        return self.word(arguments[name], words, f"`{name}`") if name in arguments else words[0]

    def over(self, arguments: Arguments) -> Over | None:
        """The edges that are visited."""
        word = self.choice(arguments, "over")
        return Over(word) if word is not None else None

    def label(self, call: syntax.Call) -> None:
        """Register the label of a call; reports a label that is in use."""
        if call.label is None:
            return
        former = self.labels.get(call.label)
        if former is not None and former.span.written == call.span.written and former.span != call.span:
            return  # another expansion of one procedure
        if former is not None or call.label in self.environment.functors:
            message = f"the label `@{call.label}` is used twice"
            if call.label in self.environment.functors:
                message = f"the label `@{call.label}` is also the name of a functor"
            self.environment.report("E0414", message, call.span, fix="choose another label")
        self.labels[call.label] = call
