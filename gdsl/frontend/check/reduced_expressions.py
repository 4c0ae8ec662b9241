"""What is written instead of a reduction over an expression, such as `count(mate != none)`: only arrays are reduced."""

from __future__ import annotations

import re

from gdsl.frontend import syntax
from gdsl.frontend.check.environment import Environment
from gdsl.frontend.check.set_operations import speaks_of_sets
from gdsl.frontend.syntax import OperatorKind, Symbol, SymbolKind
from gdsl.frontend.vocabulary import ARRAY_REDUCTIONS
from gdsl.operations import Domain

_OPERATORS = frozenset(kind.value for kind in OperatorKind)
_CALLS = {Domain.VERTEX: ("vertices", "v", "v"), Domain.EDGE: ("edges", "(src, dst, e)", "e")}
"""What a functor without a name runs on, its parameters, and the one that is an index."""
_WRITES = {
    "sum": "s = 0; compute({over}, {call} => {{ s += {value}; }});",
    "count": "s = 0; compute({over}, {call} => {{ if ({value}) {{ s += 1; }} }});",
    "any": "s = false; compute({over}, {call} => {{ s |= {value}; }});",
    "all": "s = true; compute({over}, {call} => {{ s &= {value}; }});",
}


def arrays_named(value: syntax.Expression, environment: Environment) -> list[tuple[syntax.Name, Symbol]]:
    """The arrays that an expression names without an index, and without reducing them."""
    found: list[tuple[syntax.Name, Symbol | None]] = []
    stack: list[syntax.Node] = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, syntax.Name):
            found.append((node, environment.find(node.name)))
        elif not isinstance(node, syntax.Call) or not _reduces(node):
            stack.extend(syntax.children(node))
    return [(name, symbol) for name, symbol in found if symbol is not None and symbol.kind is SymbolKind.ARRAY]


def _reduces(call: syntax.Call) -> bool:
    """Whether `call` is a reduction by its form: the name of an array stands first."""
    first = call.arguments[0].value if call.arguments else None
    return call.function in ARRAY_REDUCTIONS and isinstance(first, syntax.Name)


def is_over_elements(value: syntax.Expression, environment: Environment) -> bool:
    """Whether an expression is one of the elements of arrays, which it names bare."""
    return not isinstance(value, syntax.Name) and bool(arrays_named(value, environment))


def refuse_expression(call: syntax.Call, environment: Environment) -> None:
    """Report the reduction `call` of an expression that is no name of an array."""
    word, value = call.function, call.arguments[0].value
    message = f"`{word}` takes the name of an array, not an expression"
    environment.report("E0402", message, value.span, fix=_instead(call, word, value, environment))


def _instead(call: syntax.Call, word: str, value: syntax.Expression, environment: Environment) -> str:
    if is_set(value, environment):
        return named_set(value, environment)
    arrays = arrays_named(value, environment)
    domains = {symbol.domain for _, symbol in arrays}
    domain = next(iter(domains)) if len(domains) == 1 else None
    text = environment.source.excerpt(value.span)
    one_line = value.span.line == value.span.end_line
    if domain is None or not text or not one_line or any(symbol.count is not None for _, symbol in arrays):
        return "store the values in an array first, by a functor"
    over, parameters, index = _CALLS[domain]
    for name, _ in sorted(arrays, key=lambda each: each[0].span.column, reverse=True):
        end = name.span.end_column - value.span.column
        text = f"{text[:end]}[{index}]{text[end:]}"
    if len(call.arguments) == 2 and isinstance(call.arguments[1].value, syntax.Name):
        over = call.arguments[1].value.name
    if word not in _WRITES:
        stored = f"compute({over}, {parameters} => {{ a[{index}] = {text}; }});"
        return f"store the values in an array first: `{stored}`, then `{word}(a)`"
    written = _WRITES[word].format(over=over, call=parameters, value=text)
    return f"reduce into a scalar of the problem: `{written}`"


def is_set(value: syntax.Expression, environment: Environment) -> bool:
    """Whether an expression is a set that has no name."""
    calls = isinstance(value, syntax.Call) and value.function in _OPERATORS
    combined = isinstance(value, syntax.Binary | syntax.Chain) and speaks_of_sets(value, environment)
    return calls or combined or isinstance(value, syntax.SetLiteral)


def named_set(value: syntax.Expression, environment: Environment) -> str:
    """How a set gets a name, and is counted."""
    text = environment.source.excerpt(value.span) or "…"
    words = re.findall(r"\w+", text)
    names = (each for each in ("g", "members", "of_these", "counted") if each not in words)
    name = next((each for each in names if environment.find(each) is None), "…")
    return f"give the set a name: `frontier {name} = {text};`, then `size({name})`"
