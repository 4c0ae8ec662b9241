"""The two calls that meet, in words, and terms as the user would write them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

from gdsl.effects import terms
from gdsl.effects.summary import Effects
from gdsl.effects.terms import Term
from gdsl.ir.nodes import EdgeFunctor, Role
from gdsl.operations import BinaryOperation, Builtin

_VERTICES = (("u", "v"), ("s", "t"), ("p", "q"))
_DEEPEST = 6
"""Parts of a term that are nested deeper are not spelled out."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """Two calls and the element that both name. `element` is empty for scalars; `where` says when they meet there;
    `value` says which of several values of the element it is."""

    first: str
    second: str
    element: str
    where: str = ""
    value: str = ""

    def place(self, name: str) -> str:
        """The array element or scalar, as code."""
        return f"`{name}[{self.element}]{self.value}`" if self.element else f"`{name}`"


def meeting(effects: Effects, first: Term, second: Term) -> Meeting:
    """Two calls that use the indices `first` and `second` for the same element."""
    (first, *place), (second, *other_place) = terms.split(first), terms.split(second)
    met = _meeting(effects, first, second)
    if not place:
        return met
    same = len(other_place) == 1 and place[0] is other_place[0]
    return dataclasses.replace(met, value=f"[{text(effects, place[0]) if same else 'i'}]")


def _meeting(effects: Effects, first: Term, second: Term) -> Meeting:
    """The same of elements."""
    if not effects.on_edges:
        return _of_vertices(effects, first, second)
    if effects.on_common:
        calls = ("the call for a common neighbor of (a, b)", "the call for one of (c, d)")
        if first is effects.terms.unit:
            return Meeting(*calls, "")
        where = f"where `{text(effects, first)}` of the first and `{text(effects, second)}` of the second are the same"
        return Meeting(*calls, "i", where)
    if first is effects.terms.unit:
        return Meeting("the call for edge (a, b)", "the call for edge (c, d)", "")
    one, other = _role(first), _role(second)
    if one is other is Role.EDGE:
        return Meeting("the visit of edge e = (a, b) from a", "the visit of the same edge from b", "e")
    walked, ends = (Role.NEAR, Role.FAR), (Role.SOURCE, Role.DESTINATION)
    if one in walked and other in walked:
        return Meeting(
            f"the visit of an edge from {_walk(one, 'a')}", f"the visit of an edge from {_walk(other, 'b')}", "c"
        )
    if one in ends and other in ends:
        return Meeting(f"the call for edge {_pair(one, 'a')}", f"the call for edge {_pair(other, 'b')}", "c")
    where = f"where `{text(effects, first)}` of the first and `{text(effects, second)}` of the second are the same"
    return Meeting("the call for edge (a, b)", "the call for edge (c, d)", "x", where)


def _pair(role: Role | None, letter: str) -> str:
    return f"(c, {letter})" if role is Role.SOURCE else f"({letter}, c)"


def _walk(role: Role | None, letter: str) -> str:
    return f"c to {letter}" if role is Role.NEAR else f"{letter} to c"


def _of_vertices(effects: Effects, first: Term, second: Term) -> Meeting:
    one, other = _letters(first, second)
    calls_for = (f"the call for vertex {one}", f"the call for vertex {other}")
    if first is effects.terms.unit:
        return Meeting(*calls_for, "")
    if _role(first) is Role.VERTEX:
        return Meeting(*calls_for, one, f"where `{_at(effects, second, other)}` is {one}")
    if _role(second) is Role.VERTEX:
        return Meeting(*calls_for, other, f"where `{_at(effects, first, one)}` is {other}")
    of_first, of_second = _at(effects, first, one), _at(effects, second, other)
    where = f"where `{of_first}` is x in both" if of_first == of_second else ""
    return Meeting(*calls_for, "x", where or f"where `{of_first}` and `{of_second}` are both x")


def _letters(first: Term, second: Term) -> tuple[str, str]:
    """Names for two vertices whose calls meet: not names of locals in the indices."""
    locals_here = {part.name for part in terms.inside(first, second) if isinstance(part, terms.Unknown)}
    return next((pair for pair in _VERTICES if not locals_here & {*pair}), _VERTICES[0])


def _at(effects: Effects, term: Term, letter: str) -> str:
    return text(effects, term, {Role.VERTEX: letter})


def _role(term: Term) -> Role | None:
    return term.role if isinstance(term, terms.End) else None


def text(effects: Effects, term: Term, letters: Mapping[Role, str] | None = None) -> str:
    """`term` in the program's own names, or with `letters` for the functor's parameters."""
    return _Text({**_names(effects), **(letters or {})}).of(term, 0)


def _names(effects: Effects) -> dict[Role, str]:
    functor = effects.functor
    names = {Role.NEAR: "near", Role.FAR: "far"}
    if isinstance(functor, EdgeFunctor):
        ends = {Role.SOURCE: functor.source, Role.DESTINATION: functor.destination, Role.EDGE: functor.edge}
        if functor.common is not None:
            ends[Role.COMMON] = functor.common.vertex
            ends[Role.SOURCE_EDGE] = functor.common.source_edge
            ends[Role.DESTINATION_EDGE] = functor.common.destination_edge
        return names | ends
    return names | {Role.VERTEX: functor.vertex}


class _Text:
    def __init__(self, names: Mapping[Role, str]) -> None:
        self.names = names

    def of(self, term: Term, depth: int) -> str:
        if depth > _DEEPEST:
            return "…"
        deeper = depth + 1
        match term:
            case terms.Constant():
                return "none" if term.value is None else str(term.value).lower()
            case terms.End():
                return self.names[term.role]
            case terms.ElementTerm():
                return f"{term.array}[{']['.join(self.of(part, deeper) for part in terms.split(term.index))}]"
            case terms.ScalarTerm() | terms.ParamTerm():
                return term.name
            case terms.PassTerm():
                return "iteration"
            case terms.CountTerm():
                return term.domain.count_name
            case terms.PlaceTerm():
                return "place"
            case terms.DegreeTerm():
                return f"{term.degree.value}({self.of(term.vertex, deeper)})"
            case terms.Conversion():
                return self.of(term.operand, depth)
            case terms.Unknown():
                return f"{term.name}(…)" if term.origin is terms.Origin.RESULT else term.name
        return self._operation_text(term, deeper)

    def _operation_text(self, term: Term, deeper: int) -> str:
        if isinstance(term, terms.Choice):
            condition, yes, no = (self.of(part, deeper) for part in (term.condition, term.yes, term.no))
            return f"{condition} ? {yes} : {no}"
        if isinstance(term, terms.PairTerm):
            return f"({self.of(term.first, deeper)}, {self.of(term.second, deeper)})"
        if isinstance(term, terms.PartTerm):
            return f"{self.of(term.pair, deeper)}.{term.place}"
        if isinstance(term, terms.FunctionTerm):
            return f"{term.function}({', '.join(self.of(part, deeper) for part in term.arguments)})"
        assert isinstance(term, terms.Operation)
        inner = [self.of(part, deeper) for part in term.arguments]
        if isinstance(term.operation, Builtin):
            return f"{term.operation.value}({', '.join(inner)})"
        if isinstance(term.operation, BinaryOperation):
            sign = "+" if term.operation is BinaryOperation.ADD_SATURATING else term.operation.value
            return f"{inner[0]} {sign} {inner[1]}"
        return f"{term.operation.value}{inner[0]}"
