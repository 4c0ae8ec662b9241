"""`f.add(v)` and `v.level`: sets, arrays and vertices have no methods and members; what is written instead."""

from __future__ import annotations

import re

from gdsl.frontend.check.environment import Environment
from gdsl.frontend.syntax import Symbol, SymbolKind
from gdsl.operations import Domain
from gdsl.source import Span

_CALLED = re.compile(r"([A-Za-z_]\w*)\s*\.\s*([A-Za-z_]\w*)\s*(?:\((.*)\))?", re.DOTALL)
_ADDED = ("add", "insert", "push", "append", "push_back", "enqueue", "put", "emplace")
_SETS = {
    **dict.fromkeys(_ADDED, "write `{f} = {f} | {{ {x} }};`"),
    **dict.fromkeys(("update", "union", "extend", "merge"), "write `{f} = {f} | {x};`"),
    **dict.fromkeys(("remove", "discard", "erase", "delete"), "write `{f} = {f} - {{ {x} }};`"),
    **dict.fromkeys(("intersect", "intersection", "intersection_update"), "write `{f} = {f} & {x};`"),
    **dict.fromkeys(("difference", "subtract", "minus", "difference_update"), "write `{f} = {f} - {x};`"),
    **dict.fromkeys(("clear", "reset"), "write `{f} = {{ }};`"),
    **dict.fromkeys(("size", "count", "len", "length", "num"), "write `size({f})`"),
    **dict.fromkeys(("empty", "is_empty", "isEmpty", "isempty"), "write `size({f}) == 0`"),
    **dict.fromkeys(("advance", "filter", "compute", "where"), "write `{m}({f}, {x})`"),
    **dict.fromkeys(
        ("contains", "has", "find", "includes"), "mark its members in an array, `vertex member : bool;`, by `compute`"
    ),
    **dict.fromkeys(
        ("pop", "dequeue", "pop_front", "front", "top"), "operators take all of `{f}` at once: `compute({f}, functor)`"
    ),
}
_REDUCED = ("sum", "min", "max", "any", "all", "argmin", "argmax")
_ARRAYS = {
    "fill": "write `fill({f}, {x});`",
    "swap": "write `swap({f}, {x});`",
    **{word: "write `" + word + "({f})` in the schedule" for word in _REDUCED},
    **dict.fromkeys(("size", "len", "length"), "write `{n}`"),
}
_OF_A_VERTEX = {
    **dict.fromkeys(("neighbors", "neighbours", "adj", "out_neighbors", "adjacent"), "write `neighbors({f})`"),
    **dict.fromkeys(("degree", "out_degree", "outdegree", "deg"), "write `out_degree({f})`"),
    **dict.fromkeys(("in_degree", "indegree"), "write `in_degree({f})`"),
    **dict.fromkeys(("id", "index", "number"), "write `int32({f})` for its number"),
}
_OF_AN_EDGE = {
    **dict.fromkeys(("src", "source", "from_", "tail"), "write `src({f})`"),
    **dict.fromkeys(("dst", "dest", "target", "destination", "to", "head"), "write `dst({f})`"),
    "reverse": "write `reverse({f})`",
}
_OF_A_PAIR = {
    **dict.fromkeys(("first", "_0", "x", "item1", "fst", "key"), "0"),
    **dict.fromkeys(("second", "_1", "y", "item2", "snd", "value"), "1"),
}
_OF_AN_ELEMENT = re.compile(r"(([A-Za-z_]\w*)(?:\[.*\])?)\s*\.\s*([A-Za-z_]\w*)", re.DOTALL)
_NUMBERS = {Domain.VERTEX: "num_vertices", Domain.EDGE: "num_edges"}
_ENDS = (SymbolKind.VERTEX, SymbolKind.SOURCE, SymbolKind.DESTINATION, SymbolKind.LIST_VARIABLE)


def _is_part(span: Span, environment: Environment) -> bool:
    """Whether `a[v].first` stands at `span`, of a pair; says what is written here."""
    part = _OF_AN_ELEMENT.fullmatch(environment.source.excerpt(span))
    symbol = environment.find(part[2]) if part is not None else None
    if part is None or symbol is None or symbol.type is None or not symbol.type.is_pair or part[3] not in _OF_A_PAIR:
        return False
    fix = f"write `{part[1]}.{_OF_A_PAIR[part[3]]}`"
    environment.report("E0112", f"a pair has no `.{part[3]}`", span, fix=fix)
    return True


def is_foreign_member(span: Span, environment: Environment) -> bool:
    """Whether what stands at `span` is a member or method of another language; says what is written here."""
    if _is_part(span, environment):
        return True
    called = _CALLED.fullmatch(environment.source.excerpt(span))
    if called is None:
        return False
    base, member, arguments = called.groups()
    if base == "random" and environment.find(base) is None:
        environment.report("E0112", "`random.` stands before nothing here", span, fix="write `random(v, iteration)`")
        return True
    if base in ("std", "math", "np", "numpy", "torch", "self", "this", "gdsl", "Math"):
        lead = f"`{base}.` stands before nothing here"
        words = f"{member}({arguments})" if arguments is not None else member
        environment.report("E0112", lead, span, fix=f"write `{words}`")
        return True
    symbol = environment.find(base)
    if symbol is None or symbol.kind is SymbolKind.MISTAKEN:
        return False
    fix = _fix(symbol, member, arguments, environment)
    if fix is None:
        return False
    given = f"({'…' if arguments else ''})" if arguments is not None else ""
    message = f"{symbol.kind.with_article} has no `.{member}{given}`"
    environment.report("E0112", message, span, fix=fix)
    return True


def _fix(symbol: Symbol, member: str, arguments: str | None, environment: Environment) -> str | None:
    tables = {SymbolKind.FRONTIER: _SETS, SymbolKind.ARRAY: _ARRAYS, SymbolKind.EDGE: _OF_AN_EDGE}
    tables |= dict.fromkeys(_ENDS, _OF_A_VERTEX)
    number = _NUMBERS.get(symbol.domain or Domain.VERTEX, "")
    form = tables.get(symbol.kind, {}).get(member)
    given = environment.find((arguments or "").strip())
    if form is not None and given is not None and given.kind is SymbolKind.FRONTIER:
        form = form.replace("{{ {x} }}", "{x}")
    if form is not None:
        return form.format(f=symbol.name, x=(arguments or "x").strip() or "x", m=member, n=number)
    other = environment.find(member)
    if other is not None and other.kind is SymbolKind.ARRAY:
        return f"write `{member}[{symbol.name}]`"
    return None
