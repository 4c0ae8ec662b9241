"""Places in a program's text."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of program text: lines and columns from 1, the end column one past the last character."""

    line: int
    column: int
    end_line: int
    end_column: int


NOWHERE = Span(0, 0, 0, 0)
"""The span of what no line of the program says, such as a default."""


_LONGEST_EXCERPT = 80
_MOST_LINES = 8


@lru_cache(maxsize=2)
def _lines(text: str) -> list[str]:
    return text.split("\n")


@dataclass(frozen=True, slots=True)
class Source:
    """One program's text and the name it is known by in messages (a path, or ``<text>``)."""

    name: str
    text: str

    def line(self, number: int) -> str:
        """The text of line `number` (from 1) without its line end; empty past the last line."""
        lines = _lines(self.text)
        return lines[number - 1].rstrip("\r") if 0 < number <= len(lines) else ""

    def excerpt(self, span: Span) -> str:
        """The text at `span` on one line, without the `;` of a statement; empty where it is too long to be shown."""
        if span.line != span.end_line:
            text = " ".join(self.text_between(span).split())
        else:
            text = self.line(span.line)[span.column - 1 : span.end_column - 1].strip()
        text = text.rstrip("; ")
        return text if len(text) <= _LONGEST_EXCERPT and "#" not in text else ""

    def text_between(self, span: Span) -> str:
        """The text at `span`, with the ends of its lines; of many lines only the first."""
        last = min(span.end_line, span.line + _MOST_LINES)
        lines = [self.line(number) for number in range(span.line, last + 1)]
        lines[-1] = lines[-1][: span.end_column - 1] if last == span.end_line else lines[-1]
        lines[0] = lines[0][span.column - 1 :]
        return "\n".join(lines)
