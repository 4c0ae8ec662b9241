"""Open programs: their texts, and what the compiler knows about them so far."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from lsprotocol import types as lsp
from pygls.uris import to_fs_path

from gdsl import frontend
from gdsl.diagnostics import Diagnostic, GdslError
from gdsl.explanation.facts import Facts, facts_of
from gdsl.frontend import Analysis, syntax
from gdsl.imports import with_imports
from gdsl.language_server.outline import Outline
from gdsl.pipeline import analyze, library_mistakes, load_source, warnings
from gdsl.profiling.last import key_of
from gdsl.program_files import LARGEST_PROGRAM
from gdsl.source import Source, Span

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


class Superseded(Exception):  # noqa: N818 (no error: the text has changed, and nobody waits for the answer)
    """The text has changed since an analysis began."""


@dataclass(frozen=True, slots=True)
class Findings:
    """All messages about a version of a text, with fixes that were compiled, and the facts about a sound one."""

    version: int
    diagnostics: tuple[Diagnostic, ...]
    facts: Facts | None


class Document:
    """One version of an open program."""

    def __init__(self, uri: str, version: int, text: str, encoding: str = lsp.PositionEncodingKind.Utf16) -> None:
        self.uri, self.version = uri, version
        self.text = text.removeprefix("\ufeff")
        self.encoding = encoding
        path = to_fs_path(uri) if uri.startswith("file:") else None
        self.path = path or uri
        self.source = Source(self.path, self.text)

    @cached_property
    def outline(self) -> Outline:
        """Names and scopes, whatever the text."""
        return Outline(self.text)

    @cached_property
    def positions(self) -> Positions:
        """Lines and columns."""
        return Positions(self.text, self.encoding)

    @cached_property
    def whole(self) -> Source:
        """The text with the files that it imports."""
        return with_imports(self.source)

    @cached_property
    def times_key(self) -> tuple[str, ...]:
        """What the times of its last profile are found by."""
        return key_of(self.whole)

    @cached_property
    def is_library(self) -> bool:
        """Whether other programs import from it, and it is none itself."""
        return frontend.is_library(self.source)

    @cached_property
    def analysis(self) -> Analysis:
        """Syntax, names and types: quick enough for every keystroke. Fixes have not been tried."""
        if len(self.text) > LARGEST_PROGRAM:
            message = f"the text is longer than {LARGEST_PROGRAM:,} characters, which no program is"
            return Analysis(None, (), (Diagnostic("E0113", message, Span(1, 1, 1, 1)),), None)
        if self.is_library:
            return frontend.analyze_library(self.source)
        return frontend.analyze(self.whole)

    @cached_property
    def types(self) -> dict[tuple[int, int], str]:
        """By the place of a declared name its type; nothing for names of several types, as in procedures."""
        types: dict[tuple[int, int], set[str]] = {}
        symbols = list(self.analysis.symbols)
        if self.analysis.tree is not None:
            named = (getattr(node, "symbol", None) for node in syntax.walk(self.analysis.tree))
            symbols += [symbol for symbol in named if isinstance(symbol, syntax.Symbol)]
        for symbol in symbols:
            if symbol.type is not None and not symbol.span.file:
                types.setdefault((symbol.span.line, symbol.span.column), set()).add(symbol.type.name)
        return {place: next(iter(names)) for place, names in types.items() if len(names) == 1}

    def type_at(self, offset: int) -> str:
        """The type of the name that is declared at an offset; empty if unknown."""
        return self.types.get(self.positions.line_column(offset), "")

    def study(self, check: Callable[[], None]) -> Findings:
        """Everything: the rules of writes and reads, fixes, warnings, and the plan. Takes up to seconds. `check` raises
        `Superseded` when the text has changed."""
        check()
        if len(self.text) > LARGEST_PROGRAM:
            return Findings(self.version, self.analysis.diagnostics, None)
        if self.is_library:
            return Findings(self.version, library_mistakes(self.source), None)
        diagnostics = analyze(self.source, check).diagnostics
        check()
        if diagnostics:
            return Findings(self.version, diagnostics, None)
        warned = warnings(self.source)
        check()
        try:
            return Findings(self.version, warned, facts_of(load_source(self.source)))
        except GdslError as error:
            return Findings(self.version, error.diagnostics, None)
