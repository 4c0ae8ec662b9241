"""Members and methods in expressions: `b.level`, `b.pop()`, and what to write instead of those of other languages."""

from __future__ import annotations

import dataclasses
import re

from gdsl.diagnostics import Label
from gdsl.frontend import syntax
from gdsl.frontend.check.environment import Environment, Place, built_in, check_same_graph, poison
from gdsl.frontend.check.foreign_names import CONSTANTS
from gdsl.frontend.syntax import OperatorKind, Symbol, SymbolKind
from gdsl.frontend.vocabulary import VALUES
from gdsl.operations import DOMAINS, Domain
from gdsl.source import Span
from gdsl.types import Type

_CALLED = re.compile(r"([A-Za-z_]\w*)\s*\.\s*([A-Za-z_]\w*)\s*(?:\((.*)\))?", re.DOTALL)
_ADD_METHODS = ("add", "insert", "push", "append", "push_back", "enqueue", "put", "emplace")
_SETS = {
    **dict.fromkeys(_ADD_METHODS, "write `{f} = {f} | {{ {x} }};`"),
    **dict.fromkeys(("update", "union", "extend", "merge"), "write `{f} = {f} | {x};`"),
    **dict.fromkeys(("remove", "discard", "erase", "delete"), "write `{f} = {f} - {{ {x} }};`"),
    **dict.fromkeys(("intersect", "intersection", "intersection_update"), "write `{f} = {f} & {x};`"),
    **dict.fromkeys(("difference", "subtract", "minus", "difference_update"), "write `{f} = {f} - {x};`"),
    **dict.fromkeys(("clear", "reset"), "write `{f} = {{ }};`"),
    **dict.fromkeys(("size", "count", "len", "length", "num"), "write `size({f})`"),
    **dict.fromkeys(("empty", "is_empty", "isEmpty", "isempty"), "write `size({f}) == 0`"),
    **dict.fromkeys(("advance", "filter", "compute"), "write `{m}({f}, {x})`"),
    "where": "write `filter({f}, {x})`",
    **dict.fromkeys(("apply", "map", "foreach", "forEach", "for_each", "each", "forall"), "write `compute({f}, {x})`"),
    **dict.fromkeys(
        ("contains", "has", "find", "includes"), "mark its members in an array, `vertex member : bool;`, by `compute`"
    ),
    **dict.fromkeys(
        ("pop", "dequeue", "pop_front", "front", "top"), "operators process all of `{f}`: `compute({f}, functor)`"
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
_ENDS = (SymbolKind.VERTEX, SymbolKind.SOURCE, SymbolKind.DESTINATION, SymbolKind.LIST_VARIABLE)


def _is_part(span: Span, environment: Environment) -> bool:
    """Whether the text at `span` is `a[v].first` of a pair; reports what to write instead."""
    part = _OF_AN_ELEMENT.fullmatch(environment.source.excerpt(span))
    symbol = environment.find(part[2]) if part is not None else None
    if part is None or symbol is None or symbol.type is None or not symbol.type.is_pair or part[3] not in _OF_A_PAIR:
        return False
    fix = f"write `{part[1]}.{_OF_A_PAIR[part[3]]}`"
    environment.report("E0112", f"a pair has no `.{part[3]}`", span, fix=fix)
    return True


def is_foreign_member(span: Span, environment: Environment) -> bool:
    """Whether the text at `span` is a member or method of another language; reports what to write instead."""
    if _is_part(span, environment):
        return True
    called = _CALLED.fullmatch(environment.source.excerpt(span))
    if called is None:
        return False
    base, member, arguments = called.groups()
    if base == "random" and environment.find(base) is None:
        environment.report("E0112", "`random.` is not a prefix here", span, fix="write `random(v, iteration)`")
        return True
    if base in ("std", "math", "np", "numpy", "torch", "self", "this", "gdsl", "Math"):
        lead = f"`{base}.` is not a prefix here"
        words = f"{member}({arguments})" if arguments is not None else CONSTANTS.get(member, member)
        environment.report("E0112", lead, span, fix=f"write `{words}`")
        return True
    symbol = built_in(base) if base in DOMAINS else environment.find(base)
    if symbol is None or symbol.kind is SymbolKind.MISTAKEN:
        return False
    fix = _fix(symbol, member, arguments, environment)
    if fix is None and base not in DOMAINS:
        return False
    call = f"({'…' if arguments else ''})" if arguments is not None else ""
    owner = f"`{base}`" if base in DOMAINS else symbol.kind.with_article
    message = f"{owner} has no `.{member}{call}`"
    environment.report("E0112", message, span, fix=fix)
    return True


def _fix(symbol: Symbol, member: str, arguments: str | None, environment: Environment) -> str | None:
    tables = {SymbolKind.FRONTIER: _SETS, SymbolKind.ARRAY: _ARRAYS, SymbolKind.EDGE: _OF_AN_EDGE}
    tables |= dict.fromkeys(_ENDS, _OF_A_VERTEX)
    number = (symbol.domain or Domain.VERTEX).count_name
    form = (_SETS if symbol.name in DOMAINS else tables.get(symbol.kind, {})).get(member)
    if form is not None and symbol.name in DOMAINS and "{f} =" in form:
        return None  # all of them stay all
    argument = environment.find((arguments or "").strip())
    if member in (*_REDUCED, "count") and arguments:
        reduced = _reduced_over(symbol, arguments.strip(), argument)
        if reduced is not None:
            return f"write `{member}({reduced})` in the schedule"
    if form is not None and argument is not None and argument.kind is SymbolKind.FRONTIER:
        form = form.replace("{{ {x} }}", "{x}")
    if form is not None:
        return form.format(f=symbol.name, x=(arguments or "x").strip() or "x", m=member, n=number)
    other = environment.find(member)
    if other is not None and other.kind is SymbolKind.ARRAY:
        return f"write `{member}[{symbol.name}]`"
    return None


def _reduced_over(symbol: Symbol, arguments: str, argument: Symbol | None) -> str | None:
    """The arguments of a reduction for `array.min(set)` and `set.min(array)`."""
    if symbol.kind is SymbolKind.ARRAY:
        return f"{symbol.name}, {arguments}"
    if argument is not None and argument.kind is SymbolKind.ARRAY:
        if symbol.name in DOMAINS:
            return argument.name
        return f"{argument.name}, {symbol.name}" if symbol.kind is SymbolKind.FRONTIER else None
    return None


_PUSH_METHODS = ("add", "insert", "append", "push_back", "enqueue", "put", "emplace", "update", "extend", "push")
_SIZES = ("size", "len", "length", "count", "num")
_EMPTY = ("empty", "is_empty", "isEmpty", "isempty", "finished")
_POP_METHODS = (
    "pop",
    "dequeue",
    "top",
    "front",
    "back",
    "last",
    "get",
    "next",
    "pop_front",
    "pop_back",
    "popleft",
    "peek",
)
_LEVELS = ("level", "min", "key", "priority", "bucket", "get_current_priority", "current_priority")


def instead(symbol: Symbol, method: str, arguments: str) -> str | None:
    """What to write for `symbol.method(given)`; None where that is unknown."""
    name = symbol.name
    if method in _SIZES:
        return f"write `size({name})`"
    if method in _EMPTY:
        return f"write `size({name}) == 0`"
    if method in _PUSH_METHODS:
        return f"write `{name}.push({arguments or 'f'});`, a statement of the schedule"
    if symbol.kind is SymbolKind.BUCKETS:
        if method in _LEVELS:
            return f"write `{name}.level`"
        return f"write `{name}.pop()`" if method in _POP_METHODS or method.startswith("dequeue") else None
    return (
        f"`for f in backward({name}) {{ … }}` loops over its levels, the last first" if method in _POP_METHODS else None
    )


def buckets_of(owner: syntax.Expression, environment: Environment) -> Symbol | None:
    """The buckets that an expression names; None where it names none."""
    symbol = environment.symbol_of(owner)
    return symbol if symbol is not None and symbol.kind is SymbolKind.BUCKETS else None


def member(expression: syntax.Member, environment: Environment) -> syntax.Expression:
    """`b.level` as a value."""
    symbol = buckets_of(expression.owner, environment)
    owner_symbol = environment.symbol_of(expression.owner)
    if symbol is None and is_foreign_member(expression.span, environment):
        return poison(expression.span)
    if (
        symbol is None
        and expression.name == "level"
        and owner_symbol is not None
        and owner_symbol.kind is not SymbolKind.MISTAKEN
    ):
        labels = (Label(owner_symbol.span, "declared here"),)
        message = f"`{owner_symbol.name}` is {owner_symbol.kind.with_article}, and only buckets have a `.level`"
        environment.report("E0419", message, expression.span, labels=labels)
        return poison(expression.span)
    if symbol is None:
        _no_member(expression, owner_symbol, environment)
        return poison(expression.span)
    if expression.name != "level" or environment.place is not Place.SCHEDULE:
        message, fix = f"buckets have no `.{expression.name}`", f"write `{symbol.name}.level`"
        if expression.name in ("pop", "push"):
            fix = f"write `{symbol.name}.{expression.name}({'f' if expression.name == 'push' else ''})`"
        if environment.place is not Place.SCHEDULE:
            message = f"`{symbol.name}` belongs to the schedule, not to {environment.place.value}"
            fix = "copy the level into a scalar first"
        environment.report("E0419", message, expression.span, fix=fix)
        return poison(expression.span)
    if symbol.automatic:
        message = f"`{symbol.name}` has no levels: its width is chosen automatically"
        labels = (Label(symbol.span, "`auto` here"),)
        fix = f"give `{symbol.name}` a fixed width, such as 1"
        environment.report("E0419", message, expression.span, labels=labels, fix=fix)
        return poison(expression.span)
    return dataclasses.replace(expression, symbol=symbol, type=Type.INT64)


def _no_member(expression: syntax.Member, owner: Symbol | None, environment: Environment) -> None:
    """Report a member of something without members; `owner` is the declared name before the dot, if it is one."""
    if owner is not None and owner.kind is SymbolKind.MISTAKEN:
        return
    name = expression.owner.name if isinstance(expression.owner, syntax.Name) else ""
    if owner is None and name and name not in VALUES:
        environment.report("E0201", f"`{name}` is not declared", expression.owner.span)
        return
    what = owner.kind.with_article if owner is not None else "a value"
    fix = "the parts of a pair are `p.0` and `p.1`, and only buckets have a `.level`"
    environment.report("E0112", f"{what} has no `.{expression.name}`", expression.span, fix=fix)


def report_bucket_method(call: syntax.Method, symbol: Symbol, environment: Environment) -> None:
    """Report a method of buckets that is used as a value."""
    message, fix = f"`{symbol.name}.{call.name}(…)` gives no value", instead(symbol, call.name, "")
    if call.name == "pop":
        message, fix = "this is a set, not a value", f"give it a name: `frontier f = {symbol.name}.pop();`"
    environment.report("E0419", message, call.span, fix=fix)


def pop_set(call: syntax.Method, symbol: Symbol, environment: Environment) -> syntax.Popped | None:
    """`b.pop()`, as a set; None after a mistake."""
    if call.name != "pop":
        message = f"`{symbol.name}.{call.name}(…)` gives no set"
        fix = f"write it as a statement of the schedule: `{symbol.name}.push(f);`"
        if call.name != "push":
            arguments = ", ".join(environment.words(argument.span) for argument in call.arguments)
            message = f"buckets have no `.{call.name}(…)`"
            fix = instead(symbol, call.name, arguments) or f"write `{symbol.name}.pop()`"
        environment.report("E0419", message, call.span, fix=fix)
        return None
    if call.arguments:
        environment.report("E0402", "`pop` takes no arguments", call.span, fix=f"write `{symbol.name}.pop()`")
        return None
    return syntax.Popped(call.span, symbol) if check_same_graph(symbol, call.span, environment) else None


_ADDING = ("push", "append", "add", "insert", "push_back", "enqueue")
"""What other languages call adding to a set."""


def report_method_value(call: syntax.Method, environment: Environment) -> None:
    """Report a method that is used as a value."""
    owner = environment.symbol_of(call.owner)
    if owner is not None and owner.kind is SymbolKind.MISTAKEN:
        return
    if owner is not None and owner.kind is SymbolKind.BUCKETS and environment.place is Place.SCHEDULE:
        report_bucket_method(call, owner, environment)
        return
    if (owner is None or owner.kind is not SymbolKind.HISTORY) and is_foreign_member(call.span, environment):
        return
    message, fix = "methods belong to the schedule: `h.push(f);`", None
    if environment.place is not Place.SCHEDULE and call.name in _ADDING:
        fix = "`accept` says whether the vertex joins the set that the operator gives: `accept true;`"
    arguments = ", ".join(environment.words(argument.span) for argument in call.arguments)
    if call.name in {kind.value for kind in OperatorKind} and isinstance(call.owner, syntax.Call):
        fix = f"an operator takes the set first: `{call.name}({environment.words(call.owner.span)}, {arguments})`"
    if owner is not None and owner.kind is SymbolKind.HISTORY:
        message = f"`{owner.name}.{call.name}(…)` gives no value"
        fix = instead(owner, call.name, arguments) or f"a history has `{owner.name}.push(f);`, and `size({owner.name})`"
    environment.report("E0418", message, call.span, fix=fix)
