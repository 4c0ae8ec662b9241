"""Walks a functor's statements for one operator call and gathers what its calls read and write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gdsl.frontend import syntax
from gdsl.frontend.races.calls import Calls, Guard, WriteKind
from gdsl.frontend.races.terms import Apply, Term, Unknown
from gdsl.frontend.races.values import ACCEPT, Values, both, is_data
from gdsl.frontend.syntax import SymbolKind
from gdsl.operations import BinaryOperation, Domain
from gdsl.types import ScalarType

Left = tuple[list[Term], dict[str, Term]]
"""A `break`: what led to it, and the locals at that moment."""


def collect(call: syntax.OperatorCall, functor: syntax.Functor, functions: Mapping[str, syntax.Function]) -> Calls:
    """Everything that the calls made by `call` read and write."""
    kinds = (
        (SymbolKind.VERTEX,)
        if functor.domain is Domain.VERTEX
        else (SymbolKind.SOURCE, SymbolKind.DESTINATION, SymbolKind.EDGE)
    )
    names = {kind: parameter.name for kind, parameter in zip(kinds, functor.parameters, strict=True)}
    names |= {SymbolKind.NEAR: "near", SymbolKind.FAR: "far"}
    calls = Calls(call, functor, names)
    walker = Statements(calls, functions)
    walker.in_condition = True
    for conjunct in flattened(functor.condition):
        calls.conjuncts.append(walker.value(conjunct))
    walker.in_condition = False
    for place, statement in enumerate(functor.body):
        walker.statement = place
        walker.run(statement)
        walker.statement = None
    calls.accept = walker.environment[ACCEPT]
    if functor.value is not None:
        calls.value = walker.value(functor.value)
    return calls


def flattened(condition: syntax.Expression | None) -> Iterator[syntax.Expression]:
    """The operands of the `&&`s at the top of a `cond`, left to right; none for a missing `cond`."""
    if isinstance(condition, syntax.Binary) and condition.operation is BinaryOperation.AND:
        yield from flattened(condition.left)
        yield from flattened(condition.right)
    elif isinstance(condition, syntax.Chain) and condition.links[0].operation is BinaryOperation.AND:
        for operand in (condition.first, *(link.operand for link in condition.links)):
            yield from flattened(operand)
    elif condition is not None:
        yield condition


class Statements(Values):
    """Runs statements symbolically: both sides of a branch, the body of a loop once for all its passes."""

    def __init__(self, calls: Calls, functions: Mapping[str, syntax.Function]) -> None:
        super().__init__(calls, functions)
        self._breaks: list[list[Left]] = []

    def run(self, statement: syntax.Statement) -> None:
        """Record what one statement does."""
        if isinstance(statement, syntax.Let):
            self._set_local(statement)
        elif isinstance(statement, syntax.Assign):
            self._assign(statement)
        elif isinstance(statement, syntax.Update):
            self.update(statement, statement.span)
        elif isinstance(statement, syntax.ExpressionStatement):
            self.value(statement.value)
        elif isinstance(statement, syntax.Accept):
            self.environment[ACCEPT] = self.limited(ACCEPT, self.value(statement.value))
            self.calls.accepts.append((statement.span, self.guards))
        elif isinstance(statement, syntax.If):
            self._if(statement)
        elif isinstance(statement, syntax.For):
            self._for(statement)
        elif isinstance(statement, syntax.While):
            self._while(statement)
        elif isinstance(statement, syntax.Break) and self._breaks:
            self._breaks[-1].append(([guard.term for guard in self.guards], dict(self.environment)))

    def _block(self, statements: tuple[syntax.Statement, ...], guards: tuple[Guard, ...]) -> None:
        outer, self.guards = self.guards, guards
        place, self.statement = self.statement, None
        for statement in statements:
            self.run(statement)
        self.guards, self.statement = outer, place

    def _assign(self, statement: syntax.Assign) -> None:
        if not is_data(statement.target):
            self._set_local(statement)
            return
        index = self.target(statement.target)
        kind = WriteKind.ANY if statement.any_winner else WriteKind.STORE
        self.write(statement.target, index, kind, self.value(statement.value), statement.span)

    def _if(self, statement: syntax.If) -> None:
        place, self.statement = self.statement, None
        condition = self.value(statement.condition)
        self.statement = place
        self.calls.loose.append(condition)
        before = dict(self.environment)
        self._block(statement.then, both(self.guards, condition, True))
        after_then = self.environment
        self.environment = dict(before)
        self._block(statement.otherwise, both(self.guards, condition, False))
        after_else = self.environment
        self.environment = {name: self.choice(condition, after_then[name], after_else[name], name) for name in before}

    def _for(self, statement: syntax.For) -> None:
        first, last = self.value(statement.first), self.value(statement.last)
        bounds = Apply(ScalarType.BOOL, "in range", (first, last))
        assert statement.symbol is not None
        name = statement.symbol.unique or statement.symbol.name
        variable = self.unknown(statement.type, statement.name, [first, last])
        heads = self._enter(statement.body)
        self.environment[name] = variable
        self._leave(heads, bounds, self._loop_body(statement.body, bounds))
        self.environment.pop(name, None)

    def _while(self, statement: syntax.While) -> None:
        heads = self._enter((statement,))
        condition = self.value(statement.condition)
        self._leave(heads, condition, self._loop_body(statement.body, condition))

    def _loop_body(self, body: tuple[syntax.Statement, ...], condition: Term) -> list[Left]:
        self.calls.loose.append(condition)
        guards = both(self.guards, condition, True)
        left: list[Left] = []
        reasons: list[Term] = []
        if any(isinstance(node, syntax.Break) for statement in body for node in syntax.walk(statement)):
            guards = (*guards, Guard(self.unknown(ScalarType.BOOL, "break", reasons), False))
        self._breaks.append(left)
        before = tuple(self.environment)
        self._block(body, guards)
        self._breaks.pop()
        for terms, _ in left:
            reasons.extend(terms)
        self.environment = {name: self.environment[name] for name in before}
        return left

    def _enter(self, body: tuple[syntax.Statement, ...]) -> dict[str, tuple[Term, Unknown]]:
        """Make unknown what the loop changes: by name the value before and the one at the head of each pass."""
        changed: set[str] = set()
        for statement in body:
            for node in syntax.walk(statement):
                if isinstance(node, syntax.Accept):
                    changed.add(ACCEPT)
                elif isinstance(node, syntax.Assign) and node.target.symbol is not None and not is_data(node.target):
                    changed.add(node.target.symbol.unique or node.target.symbol.name)
        heads = {}
        for name in sorted(changed & self.environment.keys()):
            before = self.environment[name]
            heads[name] = (before, self.unknown(before.type, name, [before]))
            self.environment[name] = heads[name][1]
        return heads

    def _leave(self, heads: dict[str, tuple[Term, Unknown]], condition: Term, left: list[Left]) -> None:
        for name, (before, head) in heads.items():
            last = self.environment[name]
            at_breaks = [term for terms, locals_then in left for term in (*terms, locals_then[name])]
            self.calls.sources[head.number].extend([last, condition, *at_breaks])
            self.environment[name] = self.unknown(before.type, name, [before, head, last], after_loop=True)
