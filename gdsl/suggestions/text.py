"""Places, replacements and statements in the text of a program."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
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
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def offset(self, line: int, column: int) -> int:
        """Where a line and a column (from 1) are; the end of the text for places past it."""
        if line > len(self._starts):
            return len(self.text)
        return min(self._starts[line - 1] + column - 1, len(self.text))

    def range(self, span: Span) -> tuple[int, int]:
        """The offsets of the first character of `span` and of the one after its last."""
        start = self.offset(span.line, span.column)
        return start, max(start, self.offset(span.end_line, span.end_column))


@dataclass(frozen=True, slots=True)
class EditedText:
    """A text with its replacements; `ranges` are the offsets in the new text that they take."""

    text: str
    ranges: tuple[tuple[int, int], ...]


def apply(places: Places, edits: Iterable[Edit]) -> EditedText | None:
    """The text with all `edits`; None where two of them overlap."""
    ranges = sorted((*places.range(edit.span), edit.text) for edit in edits)
    return _apply(places.text, ranges)


def span_at(text: str, start: int, end: int) -> Span:
    """Offsets as lines and columns."""
    line, end_line = text.count("\n", 0, start) + 1, text.count("\n", 0, end) + 1
    return Span(line, start - text.rfind("\n", 0, start), end_line, end - text.rfind("\n", 0, end))


def _apply(text: str, changes: Sequence[tuple[int, int, str]]) -> EditedText | None:
    parts: list[str] = []
    ranges: list[tuple[int, int]] = []
    at = length = 0
    for start, end, new in changes:
        if start < at:
            return None
        parts += (text[at:start], new)
        length += start - at
        ranges.append((length, length + len(new)))
        length += len(new)
        at = end
    parts.append(text[at:])
    return EditedText("".join(parts), tuple(ranges))


_LONGEST = 200


def statements_around(plain: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The offsets of what may be the statement around a place, the shortest first: up to the nearest braces, beyond
    those of a set, and the head of a loop with `;` in its parentheses. `plain` is a text without comments."""
    seen: set[tuple[int, int]] = set()
    for skipped_before, skipped_behind in ((0, 0), (1, 1), (0, 1), (1, 0), (0, 2)):
        low, high = _low(plain, start, skipped_before), _high(plain, end, skipped_behind)
        for range_ in ((low, high), _head(plain, start, end), (low, start if plain[start:end] == "{" else end)):
            if range_ is None:
                continue
            first, last = _trimmed(plain, *range_)
            if last - first <= _LONGEST and first < last and (first, last) not in seen:
                seen.add((first, last))
                yield first, last


def _low(plain: str, start: int, skipped: int) -> int:
    at = start
    for _ in range(skipped + 1):
        at = max(plain.rfind(sign, 0, at) for sign in ";{}")
        if at < 0:
            return 0
        if plain[at] == ";":
            break
    return at + 1


def _high(plain: str, end: int, skipped: int) -> int:
    at = end
    ends = re.compile(r"[;{}]")
    for number in range(skipped + 1):
        match = ends.search(plain, at)
        if match is None:
            return len(plain)
        if match.group() == ";" or number == skipped:
            return match.end() if match.group() == ";" else match.start()
        at = match.end()
    return at


def _head(plain: str, start: int, end: int) -> tuple[int, int] | None:
    """A `for (…; …; …)` around the place."""
    begun = list(re.finditer(r"\bfor\s*\(", plain[max(0, start - 120) : end + 8]))
    if not begun:
        return None
    first = begun[-1].start() + max(0, start - 120)
    close = plain.find("{", first)
    return (first, close) if first <= start <= close else None


def _trimmed(plain: str, low: int, high: int) -> tuple[int, int]:
    stretch = plain[low:high]
    return low + len(stretch) - len(stretch.lstrip()), high - (len(stretch) - len(stretch.rstrip()))
