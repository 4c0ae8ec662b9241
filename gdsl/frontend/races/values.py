"""Expressions of a functor as terms, and the reads and writes that evaluating them makes."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from gdsl.arithmetic.constants import in_type
from gdsl.frontend import syntax
from gdsl.frontend.races.calls import Calls, Guard, Read, Write, WriteKind
from gdsl.frontend.races.terms import (
    UNIT,
    Apply,
    Constant,
    DegreeOf,
    Element,
    Place,
    ScalarRead,
    Term,
    Uniform,
    Unknown,
    size,
)
from gdsl.frontend.syntax import SymbolKind
from gdsl.operations import BinaryOperation, Degree, UnaryOperation
from gdsl.source import Span
from gdsl.types import ScalarType

ACCEPT = "accept"
"""The key in the environment of what `accept` said last; no local can be called so."""

_LARGEST = 120
_MOST_WAYS = 500
_DEEPEST = 12
"""Calls inside each other that are looked into; one further down is an operation of its own."""
_LOCALS = (SymbolKind.LOCAL, SymbolKind.LOOP_VARIABLE, SymbolKind.FUNCTION_PARAMETER)
_DATA = (SymbolKind.ARRAY, SymbolKind.SCALAR)


def largest_value(kind: ScalarType | None) -> int | float:
    """What `inf` is at a type."""
    if kind is None or not kind.is_integer:
        return float("inf")
    bits = kind.bits or 64
    return (1 << bits - 1) - 1 if kind.is_signed else (1 << bits) - 1


def is_data(target: syntax.Name | syntax.Index) -> bool:
    """Whether an assignment's target is problem data, not a local."""
    return target.symbol is not None and target.symbol.kind in _DATA


def written_data(functor: syntax.Functor) -> set[str]:
    """The arrays and scalars that a functor's text writes."""
    names: set[str] = set()
    for statement in functor.body:
        for node in syntax.walk(statement):
            if isinstance(node, syntax.Assign | syntax.Update | syntax.CompareAndSwap) and is_data(node.target):
                assert node.target.symbol is not None
                names.add(node.target.symbol.name)
    return names


def both(guards: tuple[Guard, ...], term: Term, expected: bool) -> tuple[Guard, ...]:
    """`guards` and the further one, taken apart where it is made of several."""
    if isinstance(term, Apply):
        if term.operation == "!":
            return both(guards, term.arguments[0], not expected)
        if term.operation == ("&&" if expected else "||"):
            return both(both(guards, term.arguments[0], expected), term.arguments[1], expected)
    return (*guards, Guard(term, expected))


class Values:
    """Evaluates expressions and keeps the environment of locals; `calls` receives reads and writes."""

    def __init__(self, calls: Calls, functions: Mapping[str, syntax.Function]) -> None:
        self.calls = calls
        self.functions = functions
        self.written = written_data(calls.functor)
        self.environment: dict[str, Term] = {ACCEPT: Constant(ScalarType.BOOL, True)}
        self.guards: tuple[Guard, ...] = ()
        self.statement: int | None = None
        self.in_condition = False
        self._numbers = 0
        self._looping: dict[str, bool] = {}
        self._inlining = 0
        self._ways = 0

    def number(self) -> int:
        """A number that no read and no unknown has yet."""
        self._numbers += 1
        return self._numbers

    def unknown(self, kind: ScalarType | None, name: str, sources: list[Term], after_loop: bool = False) -> Unknown:
        """A new value of which only the origin is known."""
        made = Unknown(kind, name, self.number(), after_loop)
        self.calls.sources[made.number] = sources
        return made

    def limited(self, name: str, term: Term) -> Term:
        """`term`, or an unknown in its place where it has become too large to look through."""
        if size(term, _LARGEST) < _LARGEST:
            return term
        return self.unknown(term.type, name, [term], after_loop=True)

    def choice(self, condition: Term, yes: Term, no: Term, name: str) -> Term:
        """`condition ? yes : no`."""
        return yes if yes == no else self.limited(name, Apply(yes.type, "?:", (condition, yes, no)))

    # ------------------------------------------------------------ expressions

    def value(self, node: syntax.Expression) -> Term:
        """The term for an expression; effects in it are recorded."""
        method = getattr(self, f"_{type(node).__name__.lower()}")
        term: Term = method(node)
        return term

    def _number(self, node: syntax.Number) -> Term:
        return Constant(node.type, node.value)

    def _boolean(self, node: syntax.Boolean) -> Term:
        return Constant(ScalarType.BOOL, node.value)

    def _infinity(self, node: syntax.Infinity) -> Term:
        return Constant(node.type, largest_value(node.type))

    def _noneliteral(self, node: syntax.NoneLiteral) -> Term:
        return Constant(node.type, None)

    def _name(self, node: syntax.Name) -> Term:
        symbol = node.symbol
        assert symbol is not None
        if symbol.kind in _LOCALS:
            return self.environment[symbol.unique or symbol.name]
        if symbol.kind is SymbolKind.SCALAR:
            read = self.number() if symbol.name in self.written else 0
            term = ScalarRead(node.type, symbol.name, node.now, read)
            return self._read(term, node.span)
        if symbol.kind is SymbolKind.PARAM:
            return Uniform(node.type, symbol.name, is_param=True)
        if symbol.kind is SymbolKind.BUILTIN:
            return Place(node.type) if symbol.name == "place" else Uniform(node.type, symbol.name)
        return self.calls.end(symbol.kind)

    def _index(self, node: syntax.Index) -> Term:
        assert node.symbol is not None
        index = self.value(node.index)
        read = self.number() if node.symbol.name in self.written else 0
        return self._read(Element(node.type, node.symbol.name, index, node.now, read), node.span)

    def _read(self, term: Element | ScalarRead, span: Span) -> Term:
        if term.read:
            self.calls.reads.append(Read(term, span, self.in_condition))
        return term

    def _unary(self, node: syntax.Unary) -> Term:
        operand = self.value(node.operand)
        if node.operation is UnaryOperation.NEGATE and isinstance(operand, Constant) and operand.value is not None:
            return Constant(node.type, in_type(-operand.value, node.type) if node.type is not None else None)
        return Apply(node.type, node.operation.value, (operand,))

    def _binary(self, node: syntax.Binary) -> Term:
        left = self.value(node.left)
        before = self.guards
        if node.operation.is_logical:
            self.guards = both(before, left, node.operation is BinaryOperation.AND)
        right = self.value(node.right)
        self.guards = before
        return Apply(node.type, node.operation.value, (left, right))

    def _chain(self, node: syntax.Chain) -> Term:
        """Too long to be looked through."""
        terms, before = [], self.guards
        for operand in (node.first, *(link.operand for link in node.links)):
            terms.append(self.value(operand))
            if node.links[0].operation.is_logical:
                self.guards = both(self.guards, terms[-1], node.links[0].operation is BinaryOperation.AND)
        self.guards = before
        return self.unknown(node.type, "chain", terms, after_loop=True)

    def _conditional(self, node: syntax.Conditional) -> Term:
        condition = self.value(node.condition)
        return self.choice(condition, self.value(node.yes), self.value(node.no), "?:")

    def _convert(self, node: syntax.Convert) -> Term:
        operand = self.value(node.operand)
        if isinstance(operand, Constant) and operand.value is not None and node.type is not None:
            if node.type.is_float:
                return Constant(node.type, in_type(operand.value, node.type))
            if node.type.is_integer and not isinstance(operand.value, float):
                return Constant(node.type, in_type(operand.value, node.type))
        return Apply(node.type, "convert", (operand,))

    def _call(self, node: syntax.Call) -> Term:
        arguments = tuple(self.value(argument.value) for argument in node.arguments)
        if node.function in ("out_degree", "in_degree"):
            return DegreeOf(node.type, Degree(node.function), arguments[0])
        function = self.functions.get(node.function)
        if function is None or self._inlining >= _DEEPEST or self._loops(function):
            return Apply(node.type, node.function, arguments)
        return self.limited(node.function, self._inline(function, arguments))

    def _loops(self, function: syntax.Function) -> bool:
        if function.name not in self._looping:
            loops = (isinstance(part, syntax.While | syntax.For) for part in syntax.walk(function))
            self._looping[function.name] = any(loops)
        return self._looping[function.name]

    def _updatevalue(self, node: syntax.UpdateValue) -> Term:
        write = self.update(node.update, node.span)
        result = self.unknown(node.type, node.outcome.value, [])
        self._with_result(write, result, node)
        return result

    def _compareandswap(self, node: syntax.CompareAndSwap) -> Term:
        index = self.target(node.target)
        old, new = self.value(node.old), self.value(node.new)
        result = self.unknown(ScalarType.BOOL, "cas", [])
        write = self.write(node.target, index, WriteKind.CAS, new, node.span)
        self._with_result(write, result, node, old)
        return result

    # ------------------------------------------------------------ writes

    def target(self, target: syntax.Name | syntax.Index) -> Term:
        """The index of what is written."""
        return self.value(target.index) if isinstance(target, syntax.Index) else UNIT

    def update(self, node: syntax.Update, span: Span) -> Write:
        """Record `x op= y`."""
        index = self.target(node.target)
        value = self.value(node.value)
        write = self.write(node.target, index, WriteKind.REDUCE, value, span)
        return self._replace_last(write, operation=node.operation)

    def write(self, target: syntax.Name | syntax.Index, index: Term, kind: WriteKind, value: Term, span: Span) -> Write:
        """Record a write of `value`."""
        assert target.symbol is not None
        made = Write(
            target.symbol.name,
            target.type,
            index,
            kind,
            value,
            self.guards,
            span,
            target.span,
            statement=self.statement,
        )
        self.calls.writes.append(made)
        return made

    def _with_result(
        self, write: Write, result: Unknown, node: syntax.UpdateValue | syntax.CompareAndSwap, old: Term | None = None
    ) -> None:
        outcome = node.outcome if isinstance(node, syntax.UpdateValue) else None
        self._replace_last(write, result=result, outcome=outcome, old=old)

    def _replace_last(self, write: Write, **slots: object) -> Write:
        assert self.calls.writes[-1] == write
        self.calls.writes[-1] = dataclasses.replace(write, **slots)  # type: ignore[arg-type]
        return self.calls.writes[-1]

    # ------------------------------------------------------------ functions

    def _inline(self, function: syntax.Function, arguments: tuple[Term, ...]) -> Term:
        outer = self.environment
        if not self._inlining:
            self._ways = 0
        self._inlining += 1
        self.environment = {}
        for parameter, argument in zip(function.parameters, arguments, strict=True):
            symbol = parameter.symbol
            self.environment[(symbol.unique or symbol.name) if symbol else parameter.name] = argument
        result = self._returned(function.body)
        self.environment = outer
        self._inlining -= 1
        return result if result is not None else Apply(function.result, function.name, arguments)

    def _returned(self, body: tuple[syntax.Statement, ...]) -> Term | None:
        self._ways += 1
        if self._ways > _MOST_WAYS:  # a call that is not looked into is an operation of its own
            return None
        for place, statement in enumerate(body):
            if isinstance(statement, syntax.Return):
                return self.value(statement.value)
            if isinstance(statement, syntax.If):
                rest = body[place + 1 :]
                condition = self.value(statement.condition)
                before = dict(self.environment)
                yes = self._returned(statement.then + rest)
                self.environment = before
                no = self._returned(statement.otherwise + rest)
                return None if yes is None or no is None else self.choice(condition, yes, no, "?:")
            if isinstance(statement, syntax.Let | syntax.Assign):
                self._set_local(statement)
        return None

    def _set_local(self, statement: syntax.Let | syntax.Assign) -> None:
        symbol = statement.symbol if isinstance(statement, syntax.Let) else statement.target.symbol
        assert symbol is not None
        name = symbol.unique or symbol.name
        self.environment[name] = self.limited(symbol.name, self.value(statement.value))
