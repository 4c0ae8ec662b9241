"""The two calls that meet, in words, and terms as the user would write them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gdsl.frontend.races.calls import Calls
from gdsl.frontend.races.terms import (
    UNIT,
    Apply,
    Constant,
    DegreeOf,
    Element,
    End,
    Place,
    ScalarRead,
    Term,
    Uniform,
    Unknown,
)
from gdsl.frontend.syntax import SymbolKind

_SOURCE, _DESTINATION = SymbolKind.SOURCE, SymbolKind.DESTINATION
_NEAR, _FAR = SymbolKind.NEAR, SymbolKind.FAR


@dataclass(frozen=True, slots=True)
class Meeting:
    """Two calls and the element that both name. `element` is empty for scalars; `where` says when they meet there."""

    first: str
    second: str
    element: str
    where: str = ""

    def place(self, name: str) -> str:
        """The array element or scalar, as code."""
        return f"`{name}[{self.element}]`" if self.element else f"`{name}`"


def meeting(calls: Calls, first: Term, second: Term) -> Meeting:
    """Two calls of which one uses index `first` and the other index `second` for the same element."""
    if not calls.on_edges:
        return _of_vertices(calls, first, second)
    if first == UNIT:
        return Meeting("the call for edge (a, b)", "the call for edge (c, d)", "")
    one, other = _role(first), _role(second)
    if one is other is SymbolKind.EDGE:
        return Meeting("the visit of edge e = (a, b) from a", "the visit of the same edge from b", "e")
    if one in (_NEAR, _FAR) and other in (_NEAR, _FAR):
        return Meeting(
            f"the visit of an edge from {_walk(one, 'a')}", f"the visit of an edge from {_walk(other, 'b')}", "c"
        )
    if one in (_SOURCE, _DESTINATION) and other in (_SOURCE, _DESTINATION):
        return Meeting(f"the call for edge {_pair(one, 'a')}", f"the call for edge {_pair(other, 'b')}", "c")
    where = f"where `{text(calls, first)}` of the first and `{text(calls, second)}` of the second are the same"
    return Meeting("the call for edge (a, b)", "the call for edge (c, d)", "x", where)


def _pair(role: SymbolKind | None, letter: str) -> str:
    return f"(c, {letter})" if role is _SOURCE else f"({letter}, c)"


def _walk(role: SymbolKind | None, letter: str) -> str:
    return f"c to {letter}" if role is _NEAR else f"{letter} to c"


def _of_vertices(calls: Calls, first: Term, second: Term) -> Meeting:
    calls_for = ("the call for vertex u", "the call for vertex v")
    if first == UNIT:
        return Meeting(*calls_for, "")
    if _role(first) is SymbolKind.VERTEX:
        return Meeting(*calls_for, "u", f"where `{_at(calls, second, 'v')}` is u")
    if _role(second) is SymbolKind.VERTEX:
        return Meeting(*calls_for, "v", f"where `{_at(calls, first, 'u')}` is v")
    return Meeting(*calls_for, "x", f"where `{_at(calls, first, 'u')}` and `{_at(calls, second, 'v')}` are both x")


def _at(calls: Calls, term: Term, letter: str) -> str:
    return text(calls, term, {SymbolKind.VERTEX: letter})


def _role(term: Term) -> SymbolKind | None:
    return term.role if isinstance(term, End) else None


def text(calls: Calls, term: Term, letters: Mapping[SymbolKind, str] | None = None) -> str:
    """`term` in the program's own names, or with `letters` for the functor's parameters."""
    names = {**calls.names, **(letters or {})}
    if isinstance(term, Constant):
        return "none" if term.value is None else str(term.value).lower()
    if isinstance(term, End):
        return names.get(term.role, term.role.name.lower())
    if isinstance(term, Element):
        return f"{'now ' if term.now else ''}{term.array}[{text(calls, term.index, letters)}]"
    if isinstance(term, ScalarRead | Uniform):
        return term.name
    if isinstance(term, DegreeOf):
        return f"{term.degree.value}({text(calls, term.vertex, letters)})"
    if isinstance(term, Apply):
        return _operation(term, [text(calls, part, letters) for part in term.arguments])
    if isinstance(term, Unknown):
        return f"{term.name}(…)" if calls.write_of(term) else term.name
    return "place" if isinstance(term, Place) else "…"


def _operation(term: Apply, parts: list[str]) -> str:
    if term.operation == "?:":
        return f"{parts[0]} ? {parts[1]} : {parts[2]}"
    if term.operation == "convert":
        return parts[0]
    if not term.operation[0].isalpha():
        sign = {"+|": "+", "-|": "-"}.get(term.operation, term.operation)
        return f"{sign}{parts[0]}" if len(parts) == 1 else f"{parts[0]} {sign} {parts[1]}"
    return f"{term.operation}({', '.join(parts)})"
