"""The message for a text that the parser cannot go on with: that of the table of mistakes, or what it expected."""

from __future__ import annotations

from gdsl.diagnostics import Diagnostic, enumerate_words
from gdsl.frontend.failures import Failure
from gdsl.frontend.mistake_patterns import Mistake
from gdsl.frontend.mistakes import TABLE
from gdsl.source import Source

# fmt: off
_OPERATORS = frozenset((
    "OR", "AND", "BAR", "CARET", "AMPERSAND", "EQUALITY", "RELATION", "SHIFT", "PLUS", "MINUS", "STAR", "SLASH",
    "SLASHES", "PERCENT", "QMARK",
))
# fmt: on
# fmt: off
_OPERAND = frozenset((
    "NAME", "INTEGER", "HEXADECIMAL", "FLOAT", "TRUE", "FALSE", "INF", "NONE", "LPAR", "LBRACE", "MINUS", "NOT",
    "TILDE", "NOW", "CHANGED", "FETCH", "CAS",
))
# fmt: on
# fmt: off
_STATEMENT = frozenset((
    "LET", "VAR", "ACCEPT", "IF", "FOR", "WHILE", "REPEAT", "BREAK", "RETURN", "FRONTIER", "EDGE", "GRAPH",
    "HISTORY", "BUCKETS", "ON",
))
# fmt: on
_UPDATES = frozenset(("UPDATE", "ANY_ASSIGN", "SHORT_ASSIGN"))


def describe(failure: Failure, source: Source) -> Diagnostic:
    """The message for `failure`."""
    for entry in TABLE:
        diagnostic = entry.diagnostic(failure) if isinstance(entry, Mistake) else entry(failure)
        if diagnostic is not None:
            return diagnostic
    if failure.kind == "$END":
        notes = (f"expected here: {expected_words(failure)}",)
        return Diagnostic("E0107", "the program ends too early", failure.span, notes=notes, fix=_open_brace(source))
    what = f"unexpected `{failure.text}`"
    if failure.text == "}" and "SCHEDULE" in failure.expected:
        fix = "leave it out: every block before it has ended"
        return Diagnostic("E0101", "this `}` closes nothing", failure.span, fix=fix)
    return Diagnostic("E0101", what, failure.span, hint=f"expected {expected_words(failure)}")


def expected_words(failure: Failure) -> str:
    """The expected tokens in a person's words, such as ``an operator, `)` or `,` ``."""
    left = set(failure.expected)
    words: list[str] = []
    if {"NAME", "INTEGER", "LPAR"} <= left:
        left -= _OPERAND
        words.append("an expression")
    if left >= {"LET", "FRONTIER"}:
        left -= _STATEMENT
        words.append("a statement")
    if {"PLUS", "STAR"} <= left:
        left -= _OPERATORS
        words.append("an operator")
    if "UPDATE" in left:
        left -= _UPDATES
        words.append("an assignment")
    names = {"NAME": "a name", "INTEGER": "a number", "FLOAT": "a number", "DOC": "a doc comment", "$END": "the end"}
    names["STRING"] = "the name of a file in quotes"
    words += sorted({names[kind] for kind in left if kind in names})
    words += sorted(f"`{failure.spellings[kind]}`" for kind in left if kind in failure.spellings)
    return enumerate_words(words) if words else "the end of the program"


def _open_brace(source: Source) -> str | None:
    opened = [line for line, text in enumerate(source.text.split("\n"), 1) for _ in range(text.count("{"))]
    closed = source.text.count("}")
    return "add the missing `}`" if len(opened) > closed else None
