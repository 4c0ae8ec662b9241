"""Places in a text: offsets, the compiler's spans, and the protocol's positions, which count in units of the client."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable

from lsprotocol import types as lsp

from gdsl.source import Span

_WIDTHS: dict[lsp.PositionEncodingKind, Callable[[str], int]] = {
    lsp.PositionEncodingKind.Utf8: lambda character: len(character.encode("utf-8", "surrogatepass")),
    lsp.PositionEncodingKind.Utf16: lambda character: 2 if ord(character) > 0xFFFF else 1,
    lsp.PositionEncodingKind.Utf32: lambda character: 1,
}


class Positions:
    """The lines of one text."""

    def __init__(self, text: str, encoding: str = lsp.PositionEncodingKind.Utf16) -> None:
        self.text = text
        self._width = _WIDTHS.get(lsp.PositionEncodingKind(encoding), _WIDTHS[lsp.PositionEncodingKind.Utf16])
        self._starts = [0, *(match.end() for match in re.finditer(r"\r\n|\n|\r", text))]
        self._compiler_starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def position(self, offset: int) -> lsp.Position:
        """The protocol's position of an offset."""
        offset = min(max(offset, 0), len(self.text))
        line = bisect_right(self._starts, offset) - 1
        before = self.text[self._starts[line] : offset]
        return lsp.Position(line, len(before) if before.isascii() else sum(map(self._width, before)))

    def offset(self, position: lsp.Position) -> int:
        """The offset of a position; the end of its line, or of the text, where that is shorter."""
        if position.line >= len(self._starts):
            return len(self.text)
        start = self._starts[position.line]
        end = self._starts[position.line + 1] if position.line + 1 < len(self._starts) else len(self.text)
        line = self.text[start:end].rstrip("\r\n")
        if line.isascii():
            return start + min(position.character, len(line))
        units = 0
        for number, character in enumerate(line):
            if units >= position.character:
                return start + number
            units += self._width(character)
        return start + len(line)

    def range(self, start: int, end: int) -> lsp.Range:
        """The range between two offsets."""
        return lsp.Range(self.position(start), self.position(max(start, end)))

    def offset_of(self, line: int, column: int) -> int:
        """The offset of a line and a column of the compiler, both from 1."""
        if line > len(self._compiler_starts):
            return len(self.text)
        return min(self._compiler_starts[max(line, 1) - 1] + max(column, 1) - 1, len(self.text))

    def offsets(self, span: Span) -> tuple[int, int]:
        """The offsets of a span."""
        start = self.offset_of(span.line, span.column)
        return start, max(start, self.offset_of(span.end_line, span.end_column))

    def span_range(self, span: Span) -> lsp.Range:
        """The range of a span."""
        return self.range(*self.offsets(span))

    def line_column(self, offset: int) -> tuple[int, int]:
        """A line and a column of the compiler."""
        line = bisect_right(self._compiler_starts, offset) - 1
        return line + 1, offset - self._compiler_starts[line] + 1

    @property
    def whole(self) -> lsp.Range:
        """All of the text."""
        return self.range(0, len(self.text))
