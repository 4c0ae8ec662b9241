"""The program's own functions: each is looked at once, and its calls are looked into.

A function sees nothing but its parameters, so equal arguments give equal results whatever it does. One without loops is
also known as a term over its parameters, as long as that stays small; a call puts the arguments in. A function comes
after those that it calls, so that no chain of calls is followed at once.
"""

from __future__ import annotations

from collections.abc import Iterable

from gdsl.effects.making import Terms
from gdsl.effects.pure import PureValues
from gdsl.effects.terms import Term, Unknown, inside
from gdsl.ir import nodes

_LARGEST = 100
"""Parts of the term for a function that is looked into."""


class Functions:
    """What each function of a program gives, as a term over its parameters."""

    def __init__(self, terms: Terms, functions: Iterable[nodes.Function]) -> None:
        """`functions` are in the order of the IR: each after those that it calls."""
        self.terms = terms
        self._known: dict[str, tuple[tuple[Unknown, ...], Term]] = {}
        for function in functions:
            body = _Body(self, function)
            result = body.result()
            if result is not None and len(inside(result)) <= _LARGEST:
                self._known[function.name] = (body.parameters, result)

    def call(self, node: nodes.FunctionCall, arguments: tuple[Term, ...]) -> Term:
        """The term for a call."""
        known = self._known.get(node.function)
        if known is None:
            return self.terms.function(node.type, node.function, arguments)
        given: dict[Term, Term] = dict(zip(known[0], arguments, strict=True))
        return self.terms.replaced(known[1], given.get)


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
        """Nothing else stands in a function; what did would not be followed."""
        self.followed = False
        return self.terms.unseen(node.type)
