"""The one style of programs: the same tokens and comments, with other spaces and line ends.

A formatter of lines, as those of Go are: where an author has ended a line, it remains ended; what is written on one
line stays on it while it fits. Everything else about spaces is decided here.
"""

from __future__ import annotations

from gdsl.diagnostics import GdslError
from gdsl.formatting.alignment import aligned
from gdsl.formatting.layout import lines_of
from gdsl.formatting.pieces import pieces_of
from gdsl.frontend import is_library
from gdsl.frontend.parser import parse_all
from gdsl.source import Source

__all__ = ["format_text"]

_MOST_PASSES = 4
"""A line that is wrapped may need another column for its comment, which the next pass finds."""


def format_text(source: Source) -> str:
    """The text of a program, or of a file that others import from, in gdsl's style. Line ends are those of the text.
    Raises `GdslError` with the mistakes of syntax (E01xx) of a text that cannot be read."""
    start = "library" if is_library(source) else "program"
    diagnostics = parse_all(source, start).diagnostics
    if diagnostics:
        raise GdslError(diagnostics, source)
    text = source.text.replace("\r\n", "\n")
    pieces = pieces_of(text, start)
    for _ in range(_MOST_PASSES):
        before, text = text, aligned(lines_of(pieces))
        if text == before:
            break
        words, pieces = [piece.text for piece in pieces], pieces_of(text, start)
        assert words == [piece.text for piece in pieces], "only spaces may change"
    return text.replace("\n", "\r\n") if "\r\n" in source.text else text
