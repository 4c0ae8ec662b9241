"""Expressions without effects as terms; the base for those of functions, of functors and of the schedule."""

from __future__ import annotations

from typing import Protocol

from gdsl.effects.making import Terms
from gdsl.effects.terms import SLOT, Term
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
