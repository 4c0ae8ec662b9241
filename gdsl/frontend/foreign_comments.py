"""Comments as other languages have them: found before parsing, so that all else of the text is read as it is."""

from __future__ import annotations

import re
from dataclasses import replace

from gdsl.diagnostics import Diagnostic
from gdsl.frontend.failures import line_and_column
from gdsl.source import Source, Span

_PIECE = re.compile(
    r'(?P<own>"""(?:.|\n)*?"""|#[^\n]*)|(?P<space>\s+)|(?P<block>/\*(?:.|\n)*?\*/)|(?P<slashes>//)|(?P<text>[^\s#"/]+|.)'
)
_FIX = "a comment begins with `#` and ends with the line"


def without_foreign_comments(source: Source) -> tuple[Source, list[Diagnostic]]:
    """The text with `/* … */`, and `// …` where nothing stands that could be divided, blanked out, and a message about
    the first of each kind."""
    text = source.text
    if "/*" not in text and "//" not in text:
        return source, []
    found = _comments(text)
    if not found:
        return source, []
    pieces, position = [], 0
    for start, end in found:
        pieces += [text[position:start], re.sub(r"[^\n]", " ", text[start:end])]
        position = end
    blocks = [place for place in found if text.startswith("/*", place[0])]
    lines = [place for place in found if not text.startswith("/*", place[0])]
    messages = [_message(text, kind) for kind in (blocks, lines) if kind]
    return replace(source, text="".join(pieces) + text[position:]), messages


def _comments(text: str) -> list[tuple[int, int]]:
    """Where they begin and end."""
    found: list[tuple[int, int]] = []
    position, divides = 0, False
    while (piece := _PIECE.match(text, position)) is not None:
        position = piece.end()
        if piece.lastgroup == "slashes" and not divides:
            line_end = text.find("\n", position)
            position = line_end if line_end >= 0 else len(text)
            found.append((piece.start(), position))
        elif piece.lastgroup == "block":
            found.append((piece.start(), position))
        elif piece.lastgroup in ("text", "slashes"):
            divides = text[position - 1] not in ";{}"
    return found


def _message(text: str, places: list[tuple[int, int]]) -> Diagnostic:
    start, end = places[0]
    line, column = line_and_column(text, start)
    last, behind = line_and_column(text, end)
    more = (f"{len(places) - 1} more below",) if len(places) > 1 else ()
    block = text.startswith("/*", start)
    message = "`/* … */` is no comment here" if block else "`//` divides, it does not begin a comment"
    span = Span(line, column, last, behind) if block else Span(line, column, line, column + 2)
    return Diagnostic("E0112", message, span, notes=more, fix=_FIX)
