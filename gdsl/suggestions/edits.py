"""Applying replacements to a text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gdsl.diagnostics import Edit
from gdsl.frontend.failures import without_comments
from gdsl.source import Span


class Places:
    """Offsets of lines and columns in one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.plain = without_comments(text)
        """The text with its comments blanked out."""
        self._starts = [0, *(found.end() for found in re.finditer("\n", text))]

    def offset(self, line: int, column: int) -> int:
        """Where a line and a column (from 1) are; the end of the text for places past it."""
        if line > len(self._starts):
            return len(self.text)
        return min(self._starts[line - 1] + column - 1, len(self.text))

    def range(self, span: Span) -> tuple[int, int]:
        """The offsets of the first character of `span` and of the one behind its last."""
        start = self.offset(span.line, span.column)
        return start, max(start, self.offset(span.end_line, span.end_column))


@dataclass(frozen=True, slots=True)
class Applied:
    """A text with its replacements; `ranges` are the offsets in the new text that they take."""

    text: str
    ranges: tuple[tuple[int, int], ...]


def apply(places: Places, edits: Iterable[Edit]) -> Applied | None:
    """The text with all `edits`; None where two of them overlap."""
    found = sorted((*places.range(edit.span), edit.text) for edit in edits)
    return _apply(places.text, found)


def span_at(text: str, start: int, end: int) -> Span:
    """Offsets as lines and columns."""
    line, end_line = text.count("\n", 0, start) + 1, text.count("\n", 0, end) + 1
    return Span(line, start - text.rfind("\n", 0, start), end_line, end - text.rfind("\n", 0, end))


def _apply(text: str, found: Sequence[tuple[int, int, str]]) -> Applied | None:
    parts: list[str] = []
    ranges: list[tuple[int, int]] = []
    at = length = 0
    for start, end, new in found:
        if start < at:
            return None
        parts += (text[at:start], new)
        length += start - at
        ranges.append((length, length + len(new)))
        length += len(new)
        at = end
    parts.append(text[at:])
    return Applied("".join(parts), tuple(ranges))
