"""Lowers `intersect(pairs=(f, g))`: the k-th smallest vertex of f belongs to the k-th smallest of g.

Both sets are numbered; each vertex of g is stored under its number, and each vertex of f looks up the one with its own
number. All calls share the same arrays, which each call fills again.
"""

from __future__ import annotations

from dataclasses import dataclass

from gdsl.ir import nodes
from gdsl.ir.lowering.hidden import Code, Hidden, own_id
from gdsl.operations import BinaryOperation, Domain, ReduceOperation
from gdsl.source import Span
from gdsl.types import Type


@dataclass(frozen=True, slots=True)
class _Data:
    """`partners` has what each vertex of the first set is paired with, `numbered` the vertices of the second set by
    their `place`; the functor `note` puts them there, `look` finds them. `more` is the scalar of `CheckPairs`."""

    partners: str
    numbered: str
    place: str
    more: str
    note: str
    look: str


class VertexPairs:
    """The steps that pair up sets of one schedule."""

    def __init__(self, hidden: Hidden) -> None:
        self.hidden = hidden
        self._data: _Data | None = None

    def pair(self, first: nodes.Elements, second: nodes.Elements, span: Span) -> str:
        """The array of the partners; emits the steps that fill it."""
        data = self._data = self._data or self._new_data(span)
        sizes = (_size(members, span) for members in (first, second))
        self.hidden.emit(
            nodes.StoreScalar(span, data.more, Code(span).binary(BinaryOperation.SUBTRACT, *sizes)),
            nodes.CheckPairs(span, data.more),
            *(
                _fill(span, name, Type.VERTEX, nodes.NoneId(span, Type.VERTEX))
                for name in (data.numbered, data.partners)
            ),
            _fill(span, data.place, Type.INT64, nodes.Literal(span, Type.INT64, 0)),
            nodes.NumberMembers(span, data.place, Type.INT64, second),
            self.hidden.compute(span, second, data.note),
            nodes.NumberMembers(span, data.place, Type.INT64, first),
            self.hidden.compute(span, first, data.look),
        )
        return data.partners

    def _new_data(self, span: Span) -> _Data:
        partners, numbered = (
            self.hidden.array(name, Domain.VERTEX, Type.VERTEX, span) for name in ("partners", "numbered")
        )
        place = self.hidden.array("place_in_set", Domain.VERTEX, Type.INT64, span)
        more = self.hidden.scalar("more_in_first", Type.INT64, span).scalar
        code, vertex = Code(span), own_id(Domain.VERTEX, span)
        own_place = code.element(place, Type.INT64, vertex)
        target = code.target(numbered, Type.VERTEX, own_place, checked=True)
        note_update = nodes.Update(span, target, ReduceOperation.MIN, vertex)
        stored = code.store(partners, vertex, code.element(numbered, Type.VERTEX, own_place, checked=True))
        note, look = (
            self.hidden.functor(name, Domain.VERTEX, span, (), (statement,))
            for name, statement in (("note_number", note_update), ("find_partner", stored))
        )
        return _Data(partners, numbered, place, more, note, look)


def _size(members: nodes.Elements, span: Span) -> nodes.Expression:
    if members.frontier is None:
        return nodes.Count(span, Type.INT64, Domain.VERTEX)
    return nodes.FrontierSize(span, Type.INT64, members.frontier)


def _fill(span: Span, array: str, type_: Type, value: nodes.Expression) -> nodes.Step:
    return nodes.Fill(span, array, Domain.VERTEX, type_, value)
