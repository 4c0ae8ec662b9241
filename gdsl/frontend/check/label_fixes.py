"""What to write where `join` and `root` cannot be, or labels may not be written: see `forests`."""

from __future__ import annotations

import re

from gdsl.diagnostics import Edit, Suggestion
from gdsl.frontend import syntax
from gdsl.frontend.check.environment import Environment, Place
from gdsl.frontend.check.scalars_before import free_name, with_before
from gdsl.frontend.signatures import SIGNATURES
from gdsl.frontend.syntax import Symbol, SymbolKind
from gdsl.frontend.vocabulary import LABEL_WORDS
from gdsl.operations import Domain
from gdsl.source import Span
from gdsl.types import Type

_OWN = (SymbolKind.VERTEX, SymbolKind.SOURCE, SymbolKind.DESTINATION, SymbolKind.NEAR, SymbolKind.FAR)


def report_misplaced(call: syntax.Call, environment: Environment) -> None:
    """Say where `join` and `root` belong."""
    name, place, words = call.function, environment.place, environment.words(call.span)
    array = environment.symbol_of(call.arguments[0].value) if len(call.arguments) == 2 else None
    if name == "root" and array is not None and array.kind is SymbolKind.ARRAY and place is not Place.APPLY:
        element = f"{array.name}[{environment.words(call.arguments[1].span)}]"
        settles = f"compute(vertices, v => {{ {array.name}[v] = root({array.name}, v); }});"
        fix = f"settle the labels before, `{settles}`, and write `{element}` here"
        message = f"`root` follows labels, which only `apply` does, not {place.value}"
        environment.report(
            "E0217", message, call.span, fix=fix, suggestions=with_before(fix, settles, call.span, element, environment)
        )
    elif place is not Place.APPLY:
        verb = "changes" if name == "join" else "follows"
        message = f"`{name}` {verb} labels, which only `apply` does, not {place.value}"
        elsewhere = "write it in an `apply`"
        if place is Place.SCHEDULE:
            elsewhere = "an operator does it for each element: "
            elsewhere += f"`compute({'edges, (s, t, e)' if name == 'join' else 'vertices, v'} => {{ … }});`"
        environment.report("E0217", message, call.span, fix=elsewhere)
    elif name == "join":
        fix = f"write `{words};` as a statement: whether it has joined two sets is not known"
        environment.report("E0204", "`join` has no value", call.span, fix=fix)
    elif isinstance(environment.statement, syntax.ExpressionStatement) and environment.statement.value is call:
        fix = "leave it out"
        if len(call.arguments) == 2:
            labels, vertex = (environment.words(each.span) for each in call.arguments)
            fix += f", or settle the label: `{labels}[{vertex}] = {words};`"
        environment.report("E0227", "this root is not used", call.span, fix=fix)
    else:
        leader = free_name("leader", environment)
        named = f"let {leader} = {words};"
        fix = f"give it a name first: `{named}`, and write `{leader}` here"
        again = isinstance(environment.statement, syntax.While | syntax.For)
        edits = () if again else with_before(fix, named, call.span, leader, environment)
        environment.report("E0216", "`root` inside a larger expression", call.span, fix=fix, suggestions=edits)


def hides_a_word(name: str) -> str | None:
    """The fix for a wrong call of what the program calls `join` or `root`."""
    return f"for labels of sets, rename what the program calls `{name}`" if name in LABEL_WORDS else None


def has_wrong_count(call: syntax.Call, environment: Environment) -> bool:
    """Whether a call has too few or too many arguments; reports it, with the call in the names of the program as far as
    they are known."""
    wanted, count = len(SIGNATURES[call.function].parameters), len(call.arguments)
    if count == wanted or any(each.keyword is not None for each in call.arguments):
        return False
    given = [environment.words(each.value.span) for each in call.arguments]
    labels = next((name for name, symbol in environment.globals.items() if _may_have_labels(symbol)), "component")
    own = [symbol.name for scope in environment.scopes for symbol in scope.values() if symbol.kind in _OWN]
    own = [name for name in own if name not in given]
    first = environment.symbol_of(call.arguments[0].value) if call.arguments else None
    form = [*([] if first is not None and first.kind is SymbolKind.ARRAY else [labels]), *given, *own, "s", "t"]
    code = f"{call.function}({', '.join(form[:wanted])})"
    message, fix = f"`{call.function}` takes {wanted} arguments, not {count}", f"write `{code}`"
    suggestion = Suggestion(fix, (Edit(call.span, code),))
    words = f"its form is `{code}`"
    environment.report("E0211", message, call.span, fix=words, suggestions=(suggestion,))
    return True


def _may_have_labels(symbol: Symbol) -> bool:
    of_vertices = symbol.kind is SymbolKind.ARRAY and symbol.domain is Domain.VERTEX
    return of_vertices and symbol.type is Type.VERTEX and symbol.count is None and not symbol.is_input


def instead_of_write(
    node: syntax.Node, name: str, in_schedule: bool, environment: Environment
) -> tuple[str, tuple[Suggestion, ...]]:
    """What to do instead of a statement that may make labels in `name` larger, in words, and what may be right in
    its place."""
    target, words = getattr(node, "target", None), environment.words
    if isinstance(node, syntax.Call) and node.function == "swap":
        names = [words(each.value.span) for each in node.arguments]
        other = next((each for each in names if each != name), "")
        fix = f"copy them: `compute(vertices, v => {{ {other}[v] = {name}[v]; }});`" if other else "leave it out"
        return fix, ()
    if not isinstance(node, syntax.Assign) or not isinstance(target, syntax.Index):
        return "write into another array: labels only lead to smaller vertices", ()
    index, text = words(target.index.span), environment.source.text_between(node.span)
    lowers = f"{name}[{index}] min= {words(node.value.span)};"
    root = re.search(rf"=\s*root\s*\(\s*{name}\s*,(.*)\)\s*;?\s*$", text, re.DOTALL)
    if root is not None:
        other = root[1].strip()
        own = re.sub(r"\s", "", other) == f"{name}[{index}]"
        code = f"{name}[{index}] = root({name}, {index});" if own else f"join({name}, {index}, {other});"
        words_of_it = f"`{code}` gives it {'that root' if own else 'the same root'}"
        return words_of_it, _in_place(node.span, code, environment)
    if in_schedule:
        lowers = f"compute({{ {index} }}, v => {{ {name}[v] min= {words(node.value.span)}; }});"
    return f"`{lowers}` lowers it, in another operator than the joins; or use another array", _in_place(
        node.span, lowers, environment
    )


def _in_place(span: Span, code: str, environment: Environment) -> tuple[Suggestion, ...]:
    """`code` in place of a statement, of which `span` may leave out the `;`."""
    ends = environment.source.text_between(span).rstrip().endswith(";")
    return (Suggestion(f"write `{code}`", (Edit(span, code if ends else code[:-1]),)),)
