"""Fixes by which a scalar has a value before a statement of the schedule that cannot compute it itself."""

from __future__ import annotations

import re

from gdsl.diagnostics import Edit, Suggestion
from gdsl.frontend import syntax
from gdsl.frontend.check.environment import Environment
from gdsl.source import Span


def element_before(element: syntax.Index, environment: Environment) -> tuple[str, tuple[Suggestion, ...]]:
    """The fix, in words and as edits, for an element that its expression may not need, or that may not exist: it is
    read before, where its index is one, and again at the end of a `while` that tests it."""
    words, index = environment.words(element.span), environment.words(element.index.span)
    scalar = free_name(f"{element.array}_here", environment)
    exists = isinstance(element.index, syntax.Number)  # as is checked before the run
    reads = f"{scalar} = {words};" if exists else f"if ({index} != none) {{ {scalar} = {words}; }}"
    declared = f"local scalar {scalar} : {element.type.name if element.type else '…'};"
    again = isinstance(environment.statement, syntax.While)
    where = "before the loop and at its end" if again else f"before{_else(environment) and ' the first `if`'}"
    fix = f"declare `{declared}`, write `{reads}` {where}, and `{scalar}` here"
    return fix, _suggested(fix, declared, reads, element.span, scalar, environment)


def index_before(
    index: syntax.Expression, array: str, environment: Environment
) -> tuple[str | None, tuple[Suggestion, ...]]:
    """The fix, in words and as edits, for an index of a store that has to be a scalar."""
    if index.type is None:
        return None, ()
    scalar = free_name(f"{array}_at", environment)
    declared, gives = f"local scalar {scalar} : {index.type.name};", f"{scalar} = {environment.words(index.span)};"
    fix = f"declare `{declared}`, write `{gives}` before, and `{scalar}` here"
    return fix, _suggested(fix, declared, gives, index.span, scalar, environment)


def _suggested(
    fix: str, declared: str, before: str, span: Span, scalar: str, environment: Environment
) -> tuple[Suggestion, ...]:
    text = environment.source.text
    problem = re.search(r"\bproblem\s*\{", text)
    if problem is None or "…" in declared:
        return ()
    head = text[: problem.end()]
    line, column = head.count("\n") + 1, len(head) - head.rfind("\n")
    declaration = Edit(Span(line, column, line, column), f" {declared}")
    return tuple(
        Suggestion(fix, (declaration, *each.edits)) for each in with_before(fix, before, span, scalar, environment)
    )


def with_before(fix: str, before: str, span: Span, code: str, environment: Environment) -> tuple[Suggestion, ...]:
    """The fix as edits: a statement `before` the one that is checked, and again at the end of a `while`, and `code` in
    place of `span`. None where an edit cannot say where the statement belongs."""
    statement = environment.statement
    if statement is None or "…" in before + code or _else(environment):
        return ()
    if any(each.file or each.calls for each in (span, statement.span)):
        return ()
    edits = list[Edit]()
    begin, end = statement.span, statement.span.end_column - 1
    edits += [Edit(Span(begin.line, begin.column, begin.line, begin.column), f"{before} "), Edit(span, code)]
    if isinstance(statement, syntax.While):
        edits.append(Edit(Span(begin.end_line, end, begin.end_line, end), f" {before} "))
    return (Suggestion(fix, tuple(edits)),)


def _else(environment: Environment) -> str:
    """The `else` before the statement that is checked, if there is one."""
    if environment.statement is None:
        return ""
    span = environment.statement.span
    before = environment.source.of(span).line(span.line)[: span.column - 1].rstrip()
    return "else" if re.search(r"\belse$", before) else ""


def free_name(stem: str, environment: Environment) -> str:
    """`stem`, or a name that begins so and is nowhere in the program."""
    taken = set(re.findall(r"\w+", environment.source.text))
    while stem in taken:
        stem += "_too"
    return stem
