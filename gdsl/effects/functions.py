"""The program's own functions, and their bodies as terms: each function is analyzed once, and its calls are expanded.

A function sees only its parameters, so equal arguments give equal results whatever it does. A function without loops is
also known as a term over its parameters, as long as that stays small; a call substitutes the arguments. A function
comes after those that it calls, so that no chain of calls is followed recursively.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from gdsl.effects.term_factory import Terms
from gdsl.effects.terms import SLOT, Term, Unknown, inside
from gdsl.ir import nodes


class Calls(Protocol):
    """Knows what the program's own functions give."""

    def call(self, node: nodes.FunctionCall, arguments: tuple[Term, ...]) -> Term:
        """The term for a call."""
        ...


class PureValues:
    """Evaluates expressions. `environment` has the locals, and under None what `accept` said last."""

    def __init__(self, terms: Terms, functions: Calls) -> None:
        self.terms = terms
        self.functions = functions
        self.environment: dict[str | None, Term] = {}

    def impure(self, node: nodes.Expression) -> Term:
        """What is not an operation on values: reads, updates, and what the place knows of; here what all places do."""
        terms, kind = self.terms, node.type
        match node:
            case nodes.ParamValue():
                return terms.param(kind, node.name)
            case nodes.Iteration():
                return terms.passes()
            case nodes.Count():
                return terms.count(node.domain)
            case nodes.DegreeOf():
                return terms.degree(node.degree, self.value(node.vertex))
            case nodes.Slot():
                return terms.function(kind, SLOT, (self.value(node.element), self.value(node.place)))
        return terms.unseen(kind)

    def value(self, node: nodes.Expression) -> Term:
        """The term for an expression."""
        terms, kind = self.terms, node.type
        match node:
            case nodes.Literal():
                return terms.constant(kind, node.value)
            case nodes.NoneId():
                return terms.constant(kind, None)
            case nodes.Local() | nodes.ListVariable():
                return self.environment[node.name]
            case nodes.Unary():
                return terms.operation(kind, node.operation, self.value(node.operand))
            case nodes.Binary():
                return self.binary(node)
            case nodes.Chain():
                return self.chain(node)
            case nodes.Select():
                return terms.choice(self.value(node.condition), self.value(node.yes), self.value(node.no))
            case nodes.Convert():
                return terms.conversion(kind, self.value(node.operand))
            case nodes.MakePair():
                return terms.pair(kind, self.value(node.first), self.value(node.second))
            case nodes.PairPart():
                return terms.part(self.value(node.pair), node.place)
            case nodes.BuiltinCall():
                arguments = [self.value(argument) for argument in node.arguments]
                return terms.operation(kind, node.function, *arguments)
            case nodes.FunctionCall():
                return self.functions.call(node, tuple(self.value(argument) for argument in node.arguments))
        return self.impure(node)

    def binary(self, node: nodes.Binary) -> Term:
        """An operation on two operands."""
        return self.terms.operation(node.type, node.operation, self.value(node.left), self.value(node.right))

    def chain(self, node: nodes.Chain) -> Term:
        """Operators one after the other, as nested `Binary`s would have them."""
        result = self.value(node.first)
        for operation, operand in node.links:
            result = self.terms.operation(node.type, operation, result, self.value(operand))
        return result


_LARGEST = 100
"""The largest term to which a function is expanded."""


class Functions:
    """What each function of a program gives, as a term over its parameters."""

    def __init__(self, terms: Terms, functions: Iterable[nodes.Function]) -> None:
        """`functions` are in the order of the IR: each after its callees."""
        self.terms = terms
        self._known: dict[str, tuple[tuple[Unknown, ...], Term]] = {}
        for function in functions:
            body = _Body(self, function)
            result = body.result()
            if result is not None and len(inside(result)) <= _LARGEST:
                self._known[function.name] = (body.parameters, result)

    def call(self, node: nodes.FunctionCall, arguments: tuple[Term, ...]) -> Term:
        """The term for a call."""
        definition = self._known.get(node.function)
        if definition is None:
            return self.terms.function(node.type, node.function, arguments)
        substitution: dict[Term, Term] = dict(zip(definition[0], arguments, strict=True))
        return self.terms.replace_terms(definition[1], substitution.get)


class _Body(PureValues):
    """Runs the body of one function on terms."""

    def __init__(self, functions: Functions, function: nodes.Function) -> None:
        super().__init__(functions.terms, functions)
        self.function = function
        self.parameters = tuple(
            self.terms.argument(kind, name, place) for place, (name, kind) in enumerate(function.parameters)
        )
        self.environment.update(zip((name for name, _ in function.parameters), self.parameters, strict=True))
        self.done: Term = self.terms.false
        """Whether the function has returned by here."""
        self.returned: Term | None = None
        self.followed = True

    def result(self) -> Term | None:
        """The value of a call; None where a loop hides it."""
        self._block(self.function.body)
        return self.returned if self.followed else None

    def _block(self, statements: tuple[nodes.Statement, ...]) -> None:
        for statement in statements:
            if not self.followed:
                return
            self._statement(statement)

    def _statement(self, node: nodes.Statement) -> None:
        match node:
            case nodes.Let() | nodes.Assign():
                self.environment[node.name] = self.value(node.value)
            case nodes.Return():
                value = self.value(node.value)
                former = self.returned
                self.returned = value if former is None else self.terms.choice(self.done, former, value)
                self.done = self.terms.true
            case nodes.Branch():
                self._branch(node)
            case _:
                self.followed = False

    def _branch(self, node: nodes.Branch) -> None:
        condition = self.value(node.condition)
        before, done, returned = dict(self.environment), self.done, self.returned
        self._block(node.then)
        after, after_done, after_returned = self.environment, self.done, self.returned
        self.environment, self.done, self.returned = dict(before), done, returned
        self._block(node.otherwise)
        choice = self.terms.choice
        for name in before:
            if after[name] is not self.environment[name]:
                self.environment[name] = choice(condition, after[name], self.environment[name])
        self.done = choice(condition, after_done, self.done)
        if after_returned is None or self.returned is None:
            self.returned = after_returned or self.returned
        else:
            self.returned = choice(condition, after_returned, self.returned)

    def impure(self, node: nodes.Expression) -> Term:
        """Functions contain nothing else; anything else would not be followed."""
        self.followed = False
        return self.terms.unseen(node.type)
