"""Lowers `intersect(pairs=(f, g))`: the k-th smallest vertex of f belongs to the k-th smallest of g.

Both sets are numbered; each vertex of g is noted under its number, and each of f looks up who stands under its own.
"""

from __future__ import annotations

from gdsl.ir import nodes
from gdsl.ir.lowering.hidden import Hidden, own_id
from gdsl.operations import BinaryOperation, Domain, ReduceOperation, StoreRule
from gdsl.source import Span
from gdsl.types import Type


class VertexPairs:
    """The steps that pair up two sets, and the data that they need."""

    def __init__(self, hidden: Hidden, first: nodes.Elements, second: nodes.Elements, span: Span) -> None:
        self.hidden, self.first, self.second, self.span = hidden, first, second, span
        self.partners = hidden.array("partners", Domain.VERTEX, Type.VERTEX, span)
        """What each vertex of the first set is paired with."""
        self._numbered = hidden.array("numbered", Domain.VERTEX, Type.VERTEX, span)
        self._place = hidden.array("place_in_set", Domain.VERTEX, Type.INT64, span)

    def steps(self) -> tuple[nodes.Step, ...]:
        """All of them, in order."""
        span, more = self.span, self.hidden.scalar("more_in_first", Type.INT64, self.span).scalar
        vertex, none = own_id(Domain.VERTEX, span), nodes.NoneId(span, Type.VERTEX)
        place = nodes.Element(span, Type.INT64, self._place, Domain.VERTEX, vertex, False)
        noted = nodes.Update(span, self._target(self._numbered, place, True), ReduceOperation.MIN, vertex)
        found = nodes.Element(span, Type.VERTEX, self._numbered, Domain.VERTEX, place, True)
        looked_up = nodes.Store(span, self._target(self.partners, vertex, False), found, StoreRule.SINGLE_WRITER)
        difference = nodes.Binary(
            span, Type.INT64, BinaryOperation.SUBTRACT, self._size(self.first), self._size(self.second)
        )
        return (
            nodes.StoreScalar(span, more, difference),
            nodes.CheckPairs(span, more),
            nodes.Fill(span, self._numbered, Domain.VERTEX, Type.VERTEX, none),
            self._number(self.second),
            self._on("note_number", self.second, noted),
            self._number(self.first),
            self._on("find_partner", self.first, looked_up),
        )

    def _size(self, members: nodes.Elements) -> nodes.Expression:
        if members.frontier is None:
            return nodes.Count(self.span, Type.INT64, Domain.VERTEX)
        return nodes.FrontierSize(self.span, Type.INT64, members.frontier)

    def _number(self, members: nodes.Elements) -> nodes.Step:
        return nodes.NumberMembers(self.span, self._place, Type.INT64, members)

    def _on(self, word: str, members: nodes.Elements, statement: nodes.Statement) -> nodes.Step:
        functor = self.hidden.functor(word, Domain.VERTEX, self.span, (), (statement,))
        return self.hidden.compute(self.span, members, functor)

    def _target(self, array: str, index: nodes.Expression, checked: bool) -> nodes.ElementTarget:
        return nodes.ElementTarget(self.span, array, Domain.VERTEX, Type.VERTEX, index, checked)
