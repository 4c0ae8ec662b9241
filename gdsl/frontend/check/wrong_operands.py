"""The messages about operations on types that do not have them."""

from __future__ import annotations

import re
from dataclasses import replace

from gdsl.diagnostics import Edit, Suggestion
from gdsl.frontend import syntax
from gdsl.frontend.check.conversions import as_operand, comparison_fix, parts_fix, suggested_cast
from gdsl.frontend.check.environment import Environment
from gdsl.source import Span
from gdsl.types import Type


def report_quotient(
    expression: syntax.Binary, left: Type, right: Type, hint: Type | None, environment: Environment
) -> None:
    """`/` on two integers in a place of type `hint`."""
    message = f"`/` on two integers ({left.name} and {right.name})"
    span = expression.span
    first, second = environment.words(expression.left.span), as_operand(environment.words(expression.right.span))
    written = environment.words(span)
    if written.replace(" ", "") == f"{first}/={second}".replace(" ", ""):
        code = f"{first} //= {second};"
        suggestions = [Suggestion(f"write `{code}` for the truncated quotient", (Edit(span, code),))]
        environment.report("E0207", message, span, suggestions=suggestions)
        return
    # Of a chain `span` is one sign and the operand after it.
    start = min(expression.left.span, span, key=lambda place: place.order)
    whole = Span(start.line, start.column, span.end_line, span.end_column, span.origin)
    exact = f"{_as_fraction(first)} / {second}" if _as_fraction(first) else None
    if exact is None and _as_fraction(second):
        exact = f"{as_operand(first)} / {_as_fraction(second)}"
    if exact is None:
        exact = f"{hint.name if hint is not None and hint.is_float else 'float32'}({first}) / {second}"
    truncated = f"{as_operand(first)} // {second}"
    of_floats = Suggestion(f"write `{exact}`", (Edit(whole, exact),))
    of_integers = Suggestion(f"write `{truncated}` for the truncated quotient", (Edit(whole, truncated),))
    if hint is not None and hint.is_float:
        suggestions = [of_floats, of_integers]
    else:
        suggestions = [of_integers, replace(of_floats, words=f"or `{exact}`", beside=True)]
    environment.report("E0207", message, span, suggestions=suggestions)


def prefer_fractions(side: syntax.Expression, other: Type | None, environment: Environment) -> None:
    """Reverse the suggestions for quotients of integers in `side`, whose other operand is a float."""
    if other is None or not other.is_float:
        return
    low, high = (side.span.line, side.span.column), (side.span.end_line, side.span.end_column)
    for number, diagnostic in enumerate(environment.diagnostics):
        if diagnostic.code != "E0207" or diagnostic.span is None or len(diagnostic.suggestions) < 2:
            continue
        integers, floats = diagnostic.suggestions[:2]
        if floats.beside and low <= (diagnostic.span.line, diagnostic.span.column) <= high:
            edits = tuple(
                replace(edit, text=re.sub(r"^float32\(", f"{other.name}(", edit.text)) for edit in floats.edits
            )
            first = Suggestion(f"write `{edits[0].text}`", edits)
            environment.diagnostics[number] = replace(diagnostic, suggestions=(first, integers))


def _as_fraction(words: str) -> str:
    """A literal integer as a float of the same value; nothing for other words."""
    return f"{words}.0" if re.fullmatch(r"-?[0-9]+", words) else ""


def report_sides(expression: syntax.Binary, left: Type, right: Type, environment: Environment) -> None:
    """Two types that have no common one."""
    sign = expression.operation.value
    first, second = (environment.words(side.span) for side in (expression.left, expression.right))
    if left.is_integer and right.is_integer:
        message = f"`{sign}` between {left.name} and {right.name}, one signed and one unsigned"
        advice = f"cast one side: `{right.name}({first})` or `{left.name}({second})`"
        environment.report("E0223", message, expression.span, fix=advice)
        return
    if left.is_id or right.is_id:
        id_, other = (left, right) if left.is_id else (right, left)
        report_undefined(expression, sign, id_, environment, other, first if left.is_id else second)
        return
    message = f"`{sign}` between {left.name} and {right.name}"
    if left.is_pair or right.is_pair:
        pairs = left.is_pair and right.is_pair and expression.operation.is_comparison
        advice = "make the types of their parts the same" if pairs else parts_fix(sign)
        environment.report("E0206", message, expression.span, fix=advice)
        return
    if Type.BOOL in (left, right) and sign in ("+", "-", "*", "/", "//", "%"):
        number, flag = (right, first) if left is Type.BOOL else (left, second)
        fix = f"a bool becomes 0 or 1 by `{number.name}({flag})`"
    elif Type.BOOL in (left, right):
        fix = comparison_fix(second, right) if left is Type.BOOL else comparison_fix(first, left)
    else:
        fix = suggested_cast(left, right, first) or ""
    if isinstance(expression.left, syntax.Binary) and _compares(expression.left) and _compares(expression):
        middle = environment.words(expression.left.right.span)
        fix = f"a comparison has two sides: `{first} && {middle} {sign} {second}`"
    sides = (expression.left, expression.right)
    if sign in "&|^" and any(isinstance(side, syntax.Binary) and side.operation.is_comparison for side in sides):
        fix = f"comparisons bind tighter than `{sign}` here: write `(a {sign} b) == c`"
    environment.report("E0206", message, expression.span, fix=fix or None)


def report_undefined(
    expression: syntax.Node,
    sign: str,
    type_: Type,
    environment: Environment,
    other: Type | None = None,
    words: str | None = None,
) -> None:
    """An operation that `type_` does not have; `words` are those of the operand of this type."""
    if words is None:
        words = environment.words(_operand(expression).span)
    if type_.is_id:
        message = (
            f"`{sign}` with a {type_.name} id" if other is None else f"`{sign}` between {type_.name} and {other.name}"
        )
        fix = f"ids are compared and used as indices; to calculate write `int32({words})`, and `{type_.name}(…)` back"
        environment.report("E0209", message, expression.span, fix=fix)
        return
    if type_.is_pair:
        message = f"`{sign}` is not defined on pairs"
        environment.report("E0206", message, expression.span, fix=parts_fix(sign))
        return
    fixes: dict[str, str] = {}
    if isinstance(expression, syntax.Binary):
        first, second = (as_operand(environment.words(side.span)) for side in (expression.left, expression.right))
        fixes["//"] = f"write `trunc({first} / {second})`"
        if type_.is_float and "=" not in environment.words(expression.span):
            fixes["^"] = f"`^` is the exclusive or; write `pow({first}, {second})` for a power"
        if environment.words(expression.span).startswith(f"{first} //="):
            fixes["//"] = f"write `{first} = trunc({first} / {second});`"
    elif isinstance(expression, syntax.Unary):
        fixes["!"] = comparison_fix(environment.words(expression.operand.span), type_, "==")
    environment.report("E0206", f"`{sign}` is not defined on {type_.name}", expression.span, fix=fixes.get(sign))


def _compares(expression: syntax.Binary) -> bool:
    return expression.operation.is_comparison


def _operand(expression: syntax.Node) -> syntax.Node:
    """The operand that a message mentions."""
    if isinstance(expression, syntax.Binary):
        return expression.left
    if isinstance(expression, syntax.Unary | syntax.Link):
        return expression.operand
    return expression
