"""Calls of operators."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from gdsl.diagnostics import Label, Suggestion
from gdsl.frontend import syntax
from gdsl.frontend.check.environment import Environment, built_in
from gdsl.frontend.check.expressions import ExpressionChecker
from gdsl.frontend.check.intersect import IntersectChecker
from gdsl.frontend.check.members import buckets_of, popped
from gdsl.frontend.check.nameless import NAMELESS_FORMS, NamelessChecker
from gdsl.frontend.check.neighbor_reductions import NeighborReduceChecker
from gdsl.frontend.check.neighbor_vote import VoteChecker, is_ballot
from gdsl.frontend.check.operator_parts import Given
from gdsl.frontend.check.set_operations import SetChecker, speaks_of_sets
from gdsl.frontend.check.sets import GIVE_VALUES, OPERATORS, OTHER_OPERAND, Sets, functor_domain
from gdsl.frontend.check.several import alike
from gdsl.frontend.syntax import FunctorForm, OperatorKind, Symbol, SymbolKind
from gdsl.frontend.vocabulary import closest, enumerate_words
from gdsl.operations import Domain, Over
from gdsl.types import Type

_ALIASES = {
    "any": "some",
    "exists": "some",
    "all": "every",
    "forall": "every",
    "add": "sum",
    "plus": "sum",
    "total": "sum",
    "mul": "product",
    "prod": "product",
    "times": "product",
    "minimum": "min",
    "maximum": "max",
    "len": "count",
    "out": "out_edges",
    "outgoing": "out_edges",
    "out_neighbors": "out_edges",
    "incoming": "in_edges",
    "in_neighbors": "in_edges",
    "both": "all_edges",
    "undirected": "all_edges",
}
"""What other languages call the words of operators."""
_SHAPES = {
    OperatorKind.ADVANCE: ("advance(f, functor)", (2,), ("to", "over")),
    OperatorKind.FILTER: ("filter(f, functor)", (2,), ()),
    OperatorKind.WHERE: ("where(functor)", (1,), ()),
    OperatorKind.TOP: ("top(f, functor, k)", (3,), ("over",)),
    OperatorKind.COMPUTE: ("compute(f, functor)", (2,), ()),
    OperatorKind.NEIGHBOR_REDUCE: ("a = neighbor_reduce(f, functor, op)", (3,), ("over", "by", "empty")),
    OperatorKind.NEIGHBOR_VOTE: ("a = neighbor_vote(f, ballot, score)", (2, 3), ("over", "keep")),
}
_FOR_MORE = {OperatorKind.WHERE: ", or `filter(f, functor)` for the members of a set"}
"""What is meant where there are more arguments than an operator takes."""


class OperatorChecker:
    """Makes `OperatorCall`s of calls; None in an answer means that a mistake was reported."""

    def __init__(self, environment: Environment, expressions: ExpressionChecker) -> None:
        self.environment = environment
        self.expressions = expressions
        self.sets = Sets(environment, expressions)
        self.combinations = SetChecker(environment, self._operand)
        self.intersect = IntersectChecker(self)
        self.nameless = NamelessChecker(environment)
        self.reductions = NeighborReduceChecker(self)
        self.vote = VoteChecker(self)
        self.labels: dict[str, syntax.Call] = {}

    # ------------------------------------------------------------ sets

    def _operand(self, value: syntax.Expression, domain: Domain) -> syntax.Expression | None:
        return self.members(value, domain, OTHER_OPERAND)

    def members(self, value: syntax.Expression, domain: Domain, target: str) -> syntax.Expression | None:
        """What may become a frontier of `domain`: a set literal, everything, another frontier, an operator's result, or
        several of them combined. `target` is what it is for, in words."""
        match value:
            case syntax.Binary() | syntax.Chain() if speaks_of_sets(value, self.environment):
                return self.combinations.chain(value, domain)
            case syntax.Unary() if speaks_of_sets(value, self.environment):
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
                taken = popped(value, owner, self.environment)
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

    # ------------------------------------------------------------ operators

    def operator(self, call: syntax.Call) -> syntax.OperatorCall | None:
        """Any operator but those that give values."""
        kind = OPERATORS[call.function]
        if kind in GIVE_VALUES:
            message = f"the result of `{call.function}` is assigned to an array over vertices"
            self.environment.report("E0406", message, call.span, fix=f"write `a = {call.function}(…);`")
            return None
        if kind is OperatorKind.INTERSECT:
            return self.intersect.call(call)
        if kind is OperatorKind.TOP:
            return self._top(call)
        positional, keywords = self.arguments(call, kind)
        if positional is None:
            return None
        runs_on, source = Domain.VERTEX, None
        if kind is not OperatorKind.WHERE:
            runs_on = self.sets.domain_of(positional[0], self._expected(positional, kind))
            source = self.members(positional[0], runs_on, f"the input of `{call.function}`")
        domain = Domain.EDGE if kind is OperatorKind.ADVANCE else runs_on
        form = FunctorForm.EDGE if domain is Domain.EDGE else FunctorForm.VERTEX
        operator = _of_edges(call.function, positional[0], domain, kind)
        functor = self.functor(call, positional[-1], form, operator)
        over, gives = self.over(keywords), self._gives(keywords, kind, runs_on)
        self.label(call)
        if functor is None or over is None or gives is False or (source is None and kind is not OperatorKind.WHERE):
            return None
        kept = None if gives is True else gives
        return syntax.OperatorCall(call.span, kind, source, functor, over, runs_on, kept, None, call.label)

    def _top(self, call: syntax.Call) -> syntax.OperatorCall | None:
        """`top(f, functor, k)`."""
        positional, keywords = self.arguments(call, OperatorKind.TOP)
        if positional is None:
            return None
        source = self.members(positional[0], Domain.VERTEX, "the input of `top`")
        functor = self.functor(call, positional[1], FunctorForm.VALUE, call.function, Type.FLOAT64)
        limit = self.expressions.value(positional[2], Type.INT64, "the number of edges that `top` takes")
        over = self.over(keywords)
        self.label(call)
        if source is None or functor is None or limit.type is None or over is None:
            return None
        known = self.environment.functors.get(functor.name)
        result = known.result if known is not None else Type.FLOAT64
        if result is None or not result.is_numeric:
            message = "`top` compares numbers" + (f", and `{functor.name}` gives {result.name}" if result else "")
            self.environment.report("E0407", message, positional[1].span)
            return None
        made = syntax.OperatorCall(call.span, OperatorKind.TOP, source, functor, over, gives=Domain.EDGE)
        return dataclasses.replace(made, label=call.label, limit=limit)

    def _expected(self, positional: list[syntax.Expression], kind: OperatorKind) -> Domain:
        """What a set is of that does not say so itself: the functor of `filter` and `compute` may."""
        tells = kind in (OperatorKind.FILTER, OperatorKind.COMPUTE)
        known = functor_domain(positional[-1], self.environment) if tells else None
        return known or Domain.VERTEX

    def arguments(self, call: syntax.Call, kind: OperatorKind) -> Given:
        """The plain arguments of a call and those with a keyword; None for the former after a mistake."""
        shape, counts, names = _SHAPES[kind]
        keywords: dict[str, syntax.Argument] = {}
        fine = True
        for argument in call.arguments:
            if argument.keyword is None:
                continue
            if argument.keyword not in names or argument.keyword in keywords:
                near = closest(argument.keyword, names)
                fix = f"did you mean `{near}=`?" if near else f"write `{shape}`"
                message = f"`{call.function}` takes no argument `{argument.keyword}=`"
                if argument.keyword in keywords:
                    message, fix = f"`{argument.keyword}=` is given twice", "leave one of them out"
                self.environment.report("E0402", message, argument.span, fix=fix)
                fine = False
            keywords[argument.keyword] = argument
        positional = [argument.value for argument in call.arguments if argument.keyword is None]
        if len(positional) not in counts:
            count = enumerate_words(map(str, counts))
            message = f"`{call.function}` takes {count} argument{'s' if counts[-1] > 1 else ''}, not {len(positional)}"
            other = _FOR_MORE.get(kind, "") if len(positional) > counts[-1] else ""
            self.environment.report("E0402", message, call.span, fix=f"write `{shape}`{other}")
            fine = False
        return (positional, keywords) if fine else (None, keywords)

    def _turned_round(self, call: syntax.Call, given: Symbol) -> bool:
        """Whether the functor stands where the set should, and the set in its place: said of the set."""
        first = call.arguments[0].value if call.arguments else None
        symbol = self.environment.find(first.name) if isinstance(first, syntax.Name) else None
        return given.kind is SymbolKind.FRONTIER and symbol is not None and symbol.kind is SymbolKind.FUNCTOR

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
        if isinstance(value, syntax.Nameless):
            return self.nameless.functor(value, call, wanted, operator, reduced)
        environment = self.environment
        symbol = environment.find(value.name) if isinstance(value, syntax.Name) else None
        if not isinstance(value, syntax.Name) or (symbol is not None and symbol.kind is not SymbolKind.FUNCTOR):
            if symbol is None or not (symbol.kind is SymbolKind.MISTAKEN or self._turned_round(call, symbol)):
                fix = self._named(value, wanted)
                environment.report("E0401", f"`{operator}` takes {wanted.words} here", value.span, fix=fix)
            return None
        if symbol is None:
            near = closest(value.name, environment.functors)
            fix = f"did you mean `{near}`?" if near else f"declare {wanted.words} of this name"
            environment.report("E0201", f"there is no functor `{value.name}`", value.span, fix=fix)
            return None
        functor = environment.functors[value.name]
        fits = functor.form is wanted
        if wanted is FunctorForm.BALLOT:
            fits = functor.form is FunctorForm.VALUE and is_ballot(functor)
        if not fits:
            labels = (Label(functor.name_span, "declared here"),)
            message = f"`{operator}` takes {wanted.words}, and `{value.name}` is {functor.form.words}"
            fix = f"write `{wanted.text}`"
            if operator == OperatorKind.WHERE.value and functor.form is FunctorForm.EDGE:
                fix = f"`filter(edges, {value.name})` selects of all edges"
            environment.report("E0401", message, value.span, labels=labels, fix=fix)
            return None
        return dataclasses.replace(value, symbol=symbol)

    def _named(self, value: syntax.Expression, wanted: FunctorForm) -> str:
        """What to write for a functor of the form `wanted` in the place of `value`, which is no name of one."""
        called = self.environment.find(value.function) if isinstance(value, syntax.Call) else None
        if called is not None and called.kind is SymbolKind.FUNCTOR:
            return f"a functor is named, not called: `{called.name}`"
        declared = f"declare `{wanted.text}` and write its name here"
        return f"{declared}, or write `{NAMELESS_FORMS[wanted]}`" if wanted in NAMELESS_FORMS else declared

    def word(self, value: syntax.Expression, words: Iterable[str], what: str, also: str = "") -> str | None:
        """The one of `words` that `value` is; `what` is where it stands, `also` what may stand there too."""
        name = value.name if isinstance(value, syntax.Name) else "none" if isinstance(value, syntax.NoneLiteral) else ""
        known = list(words)
        if name in known:
            return name
        near = _ALIASES.get(name) or (closest(name, known) if name else None)
        found = [Suggestion(f"did you mean `{near}`?")] if near in known else []
        fix = f"the words are {enumerate_words(f'`{word}`' for word in known)}{also}"
        message = f"{what} is none of the known words"
        self.environment.report("E0402", message, value.span, fix=fix, suggestions=found)
        return None

    def over(self, keywords: dict[str, syntax.Argument]) -> Over | None:
        """The edges that are visited; None after a mistake."""
        if "over" not in keywords:
            return Over.OUT_EDGES
        word = self.word(keywords["over"].value, [over.value for over in Over], "`over`")
        return Over(word) if word is not None else None

    def _gives(self, keywords: dict[str, syntax.Argument], kind: OperatorKind, runs_on: Domain) -> Domain | bool:
        """What the result is a set of; True without a result, False after a mistake."""
        if kind is not OperatorKind.ADVANCE:
            return True if kind is OperatorKind.COMPUTE else runs_on
        if "to" not in keywords:
            return Domain.VERTEX
        word = self.word(keywords["to"].value, ("vertices", "edges", "none"), "`to`")
        known: dict[str | None, Domain | bool] = {"vertices": Domain.VERTEX, "edges": Domain.EDGE, "none": True}
        return known.get(word, False)

    def label(self, call: syntax.Call) -> None:
        """Take the label of a call; says so where it is taken already."""
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

    # ------------------------------------------------------------ swap and fill

    def _data(self, value: syntax.Expression, kinds: tuple[SymbolKind, ...], what: str) -> syntax.Name | None:
        if isinstance(value, syntax.Name):
            symbol = self.expressions.resolve(value.name, value.span)
            if symbol is None:
                return None
            if symbol.kind in kinds:
                if not symbol.mutable:
                    what = "an input" if symbol.is_input else "a parameter of the procedure"
                    message = f"`{symbol.name}` cannot be written: it is {what}"
                    self.environment.report("E0214", message, value.span)
                    return None
                return dataclasses.replace(value, name=symbol.name, symbol=symbol, type=symbol.type)
        self.environment.report(
            "E0405" if what == "swap" else "E0402", f"`{what}` takes the name of an array", value.span
        )
        return None

    def _plain(self, call: syntax.Call) -> list[syntax.Expression] | None:
        plain = [argument.value for argument in call.arguments if argument.keyword is None]
        if len(plain) == 2 and len(call.arguments) == 2 and call.label is None:
            return plain
        form = "swap(a, b)" if call.function == "swap" else "fill(a, x)"
        self.environment.report("E0402", f"`{call.function}` takes two arguments", call.span, fix=f"write `{form}`")
        return None

    def swap(self, call: syntax.Call) -> syntax.Call | None:
        """`swap(a, b)`."""
        plain = self._plain(call)
        if plain is None:
            return None
        kinds = (SymbolKind.ARRAY, SymbolKind.SCALAR)
        names = [self._data(value, kinds, "swap") for value in plain]
        first, second = names
        if first is None or second is None or first.symbol is None or second.symbol is None:
            return None
        one, two = first.symbol, second.symbol
        if (one.kind, one.domain, one.type) != (two.kind, two.domain, two.type):
            labels = (Label(one.span, _described(one)), Label(two.span, _described(two)))
            message = f"`{one.name}` and `{two.name}` are not of one type and kind"
            self.environment.report("E0405", message, call.span, labels=labels)
            return None
        if not alike(one.count, two.count):
            labels = (Label(one.span, _described(one)), Label(two.span, _described(two)))
            message = f"`{one.name}` and `{two.name}` do not have equally many values an element"
            fix = "write the same expression for both: `a[n]`, `b[n]`"
            self.environment.report("E0405", message, call.span, labels=labels, fix=fix)
            return None
        arguments = tuple(dataclasses.replace(a, value=n) for a, n in zip(call.arguments, (first, second), strict=True))
        return dataclasses.replace(call, arguments=arguments, symbol=built_in("swap"))

    def fill(self, call: syntax.Call) -> syntax.Call | None:
        """`fill(a, x)`."""
        plain = self._plain(call)
        if plain is None:
            return None
        array = self._data(plain[0], (SymbolKind.ARRAY,), "fill")
        if array is None or array.type is None:
            return None
        value = self.expressions.value(plain[1], array.type, f"`{array.name}`")
        if value.type is None:
            return None
        arguments = tuple(dataclasses.replace(a, value=n) for a, n in zip(call.arguments, (array, value), strict=True))
        return dataclasses.replace(call, arguments=arguments, symbol=built_in("fill"))


def _of_edges(function: str, value: syntax.Expression, domain: Domain, kind: OperatorKind) -> str:
    """The operator in words; where it runs on a set of edges, with that."""
    if domain is Domain.VERTEX or kind is OperatorKind.ADVANCE:
        return function
    return f"{function}({value.name if isinstance(value, syntax.Name) else 'edges'}, …)"


def _described(symbol: Symbol) -> str:
    type_ = symbol.type.name if symbol.type is not None else ""
    return f"{symbol.domain.value if symbol.domain else 'scalar'} {type_}"
