"""Expressions of a functor as terms, with the reads and writes of their evaluation."""

from __future__ import annotations

import dataclasses

from gdsl.effects.functions import Functions, PureValues
from gdsl.effects.summary import Effects, Guard, Read, Write, WriteKind
from gdsl.effects.terms import DEEPEST_PROOF, ElementTerm, Operation, ScalarTerm, Term
from gdsl.ir import nodes
from gdsl.operations import BinaryOperation, StoreRule, UnaryOperation
from gdsl.source import Span
from gdsl.types import Type


class Expressions(PureValues):
    """Evaluates expressions; `effects` receives the reads and writes. `written` are the arrays and scalars that the
    operator writes."""

    def __init__(self, effects: Effects, functions: Functions, written: frozenset[str]) -> None:
        super().__init__(effects.terms, functions)
        self.effects = effects
        self.written = written
        self.environment[None] = effects.terms.true
        self.stored: dict[str, tuple[Term, Term]] = {}
        """Index and value of the call's own last store into an array that it only stores into (see `_read`), if that
        has certainly run."""
        self.only_stored: frozenset[str] = frozenset()
        self.guard: Guard | None = None
        self.statement: int | None = None
        self.rounds = False
        self.in_condition = False

    def add_guard(self, outer: Guard | None, term: Term, expected: bool) -> Guard | None:
        """`outer` and a further guard, split where it is a conjunction."""
        if isinstance(term, Operation) and term.depth <= DEEPEST_PROOF:
            if term.operation is UnaryOperation.NOT:
                return self.add_guard(outer, term.arguments[0], not expected)
            if term.operation is (BinaryOperation.AND if expected else BinaryOperation.OR):
                for part in term.arguments:
                    outer = self.add_guard(outer, part, expected)
                return outer
        depends = term.depends | (outer.depends if outer is not None else 0)
        return Guard(term, expected, outer, depends)

    # ------------------------------------------------------------ expressions

    def impure(self, node: nodes.Expression) -> Term:
        """What is not an operation on values; effects in it are recorded."""
        terms, kind = self.terms, node.type
        match node:
            case nodes.Parameter():
                return self.effects.end(node.role)
            case nodes.Place():
                return terms.place()
            case nodes.GraphRead():  # the graph does not change, and no function of the program has such a name
                return terms.function(kind, node.query.value, tuple(self.value(part) for part in node.arguments))
            case nodes.ScalarValue() | nodes.Element():
                return self._read(node)
            case nodes.UpdateValue():
                return self._update_value(node)
            case nodes.CompareAndSwap():
                return self._compare_and_swap(node)
        return super().impure(node)

    def binary(self, node: nodes.Binary) -> Term:
        """An operation on two operands; of logic the right one is evaluated where the left one does not decide."""
        left = self.value(node.left)
        before = self.guard
        if node.operation.is_logical:
            self.guard = self.add_guard(before, left, node.operation is BinaryOperation.AND)
        right = self.value(node.right)
        self.guard = before
        return self.terms.operation(node.type, node.operation, left, right)

    def chain(self, node: nodes.Chain) -> Term:
        """Operators one after the other; an operand of logic is evaluated where none before it decides."""
        result, before = self.value(node.first), self.guard
        last = result
        for operation, operand in node.links:
            if operation.is_logical:
                self.guard = self.add_guard(self.guard, last, operation is BinaryOperation.AND)
            last = self.value(operand)
            result = self.terms.operation(node.type, operation, result, last)
        self.guard = before
        return result

    def _read(self, node: nodes.ScalarValue | nodes.Element) -> Term:
        terms = self.terms
        name = node.array if isinstance(node, nodes.Element) else node.name
        index = self.value(node.index) if isinstance(node, nodes.Element) else terms.unit
        own = self.stored.get(name)
        if own is not None and own[0] is index:
            # Where such a store is allowed, other calls store nothing there, or the same value.
            return own[1]
        number = terms.number() if name in self.written else 0
        term: ElementTerm | ScalarTerm
        if isinstance(node, nodes.Element):
            term = terms.element(node.type, name, index, number)
        else:
            term = terms.scalar(node.type, name, number)
        if number:
            read = Read(number, term, name, index, node.span, node.now, self.in_condition)
            self.effects.reads[number] = read
        return term

    # ------------------------------------------------------------ writes

    def _target(self, target: nodes.Target) -> tuple[str, Term]:
        if isinstance(target, nodes.ScalarTarget):
            return target.scalar, self.terms.unit
        return target.array, self.value(target.index)

    def _write(self, node: object, target: nodes.Target, kind: WriteKind, value: Term, span: Span) -> Write:
        name, index = self._target(target)
        return Write(
            number=self.terms.number(),
            node=node,
            name=name,
            type=target.type,
            index=index,
            kind=kind,
            value=value,
            guard=self.guard,
            span=span,
            target=target.span,
            statement=self.statement,
            rounds=self.rounds,
        )

    def store(self, node: nodes.Store) -> None:
        """Record `x = y` or `x any= y`."""
        kind = WriteKind.ANY if node.rule is StoreRule.ANY_WINNER else WriteKind.STORE
        write = self._write(node, node.target, kind, self.value(node.value), node.span)
        self.effects.add(write)
        if write.name in self.only_stored:
            self.stored[write.name] = (write.index, write.value)

    def update(self, node: nodes.Update) -> None:
        """Record `x op= y`."""
        write = self._write(node, node.target, WriteKind.REDUCE, self.value(node.value), node.span)
        self.effects.add(dataclasses.replace(write, operation=node.operation))

    def _update_value(self, node: nodes.UpdateValue) -> Term:
        update = node.update
        write = self._write(node, update.target, WriteKind.REDUCE, self.value(update.value), node.span)
        result = self.terms.result(node.type, node.outcome.value, write.number)
        value_write = dataclasses.replace(write, operation=update.operation, outcome=node.outcome, result=result)
        self.effects.add(value_write)
        return result

    def _compare_and_swap(self, node: nodes.CompareAndSwap) -> Term:
        old, new = self.value(node.old), self.value(node.new)
        write = self._write(node, node.target, WriteKind.CAS, new, node.span)
        result = self.terms.result(Type.BOOL, "cas", write.number)
        self.effects.add(dataclasses.replace(write, old=old, result=result))
        return result
