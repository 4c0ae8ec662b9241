"""Lowers elements of arrays in expressions of the schedule, `distance[target]`: steps before the statement put each
into a scalar, by a functor that runs on that one vertex or edge."""

from __future__ import annotations

from collections.abc import Callable

from gdsl.frontend import syntax
from gdsl.ir import nodes
from gdsl.ir.lowering.expressions import ExpressionLowering, impossible
from gdsl.ir.lowering.hidden import Hidden, own_id
from gdsl.operations import BinaryOperation, Domain, StoreRule
from gdsl.source import Span
from gdsl.types import Type

NewFrontier = Callable[[str, Span, Domain], str]
"""Makes a frontier with a name that begins with the first argument."""


class SingleElements:
    """Lowers the elements that one schedule reads."""

    def __init__(self, expressions: ExpressionLowering, hidden: Hidden, new_frontier: NewFrontier) -> None:
        self.expressions, self.hidden, self.new_frontier = expressions, hidden, new_frontier
        self._known: dict[tuple[object, ...], tuple[str, str]] = {}
        """The scalar and the functor by array, index and place: the same element is read by them again."""

    def value(self, node: syntax.Index) -> nodes.Expression:
        """The scalar that has the element of `node` after the steps that this emits. Its index, and the place among
        several values, are evaluated before."""
        symbol, type_, span = node.symbol, node.type, node.span
        if symbol is None or type_ is None or symbol.domain is None:
            impossible(node)
        domain = symbol.domain
        index = self._told(node.index, "at")
        place = self._told(node.place, "place") if node.place is not None else None
        key = (node.array, *(_name(each) for each in (index, place)))
        if key not in self._known:
            own = own_id(domain, span)
            slot, checked = self.expressions.counts.index(span, node.array, own, False, place)
            target = self.hidden.scalar(f"element_of_{node.array}", type_, span)
            element = nodes.Element(span, type_, node.array, domain, slot, checked)
            condition = nodes.Binary(span, Type.BOOL, BinaryOperation.EQUAL, own, index)
            store = nodes.Store(span, target, element, StoreRule.ANY_WINNER)
            functor = self.hidden.functor(f"read_{node.array}", domain, span, (condition,), (store,))
            self._known[key] = target.scalar, functor
        scalar, functor = self._known[key]
        frontier = self.new_frontier("at", span, domain)
        self.hidden.emit(
            nodes.DefineFrontier(span, frontier, (index,), False, domain, node.array),
            self.hidden.compute(span, nodes.Elements(span, domain, frontier), functor),
        )
        return nodes.ScalarValue(span, type_, scalar)

    def _told(self, node: syntax.Expression, stem: str) -> nodes.Expression:
        """A value as a functor may read it: from a scalar, where it is an expression of the schedule."""
        value = self.expressions.expression(node)
        if _name(value) is not None:
            return value
        scalar = self.hidden.scalar(stem, value.type, value.span)
        self.hidden.emit(nodes.StoreScalar(value.span, scalar.scalar, value))
        return nodes.ScalarValue(value.span, value.type, scalar.scalar)


def _name(value: nodes.Expression | None) -> object:
    """What stands for a value that a functor may read itself, as it writes nothing but the scalar of the element."""
    if isinstance(value, nodes.Literal):
        return value.value
    return value.name if isinstance(value, nodes.ParamValue | nodes.ScalarValue) else None
