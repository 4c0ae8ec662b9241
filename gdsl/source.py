"""Places in a program's text."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Origin:
    """How text from elsewhere came into a program.

    `file` is the file that it was imported from, empty for the program's own text; `call` is the call of the procedure
    in whose expansion it is.
    """

    file: str = ""
    call: Span | None = None


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of program text: lines and columns from 1, the end column one past the last character."""

    line: int
    column: int
    end_line: int
    end_column: int
    origin: Origin | None = None
    """None for what is in the program's own text as written."""

    @property
    def file(self) -> str:
        """The name of the file that the text was imported from; empty for the program's own."""
        return self.origin.file if self.origin is not None else ""

    @property
    def order(self) -> tuple[str, int, int]:
        """Sorts places in reading order, the program's own text first."""
        return self.file, self.line, self.column

    @property
    def written(self) -> Span:
        """This place in the text, whichever call it was expanded for."""
        if self.origin is None or self.origin.call is None:
            return self
        origin = Origin(self.file) if self.file else None
        return Span(self.line, self.column, self.end_line, self.end_column, origin)

    @property
    def calls(self) -> tuple[Span, ...]:
        """The calls of the procedures in whose expansions this is, the innermost first."""
        spans: list[Span] = []
        call = self.origin.call if self.origin is not None else None
        while call is not None:
            spans.append(call)
            call = call.origin.call if call.origin is not None else None
        return tuple(spans)

    @property
    def words(self) -> str:
        """The place in words: `line 3`, or `line 3 of common.gdsl`."""
        return f"line {self.line} of {self.file}" if self.file else f"line {self.line}"

    def place_in(self, source_name: str) -> str:
        """The place in the format of compilers, such as `bfs.gdsl:3:5`, in a program of that name."""
        return f"{self.file or source_name}:{self.line}:{self.column}"


NOWHERE = Span(0, 0, 0, 0)
"""The span of what is on no line of the program, such as a default."""


_LONGEST_EXCERPT = 80
_MOST_LINES = 8


@lru_cache(maxsize=2)
def _lines(text: str) -> list[str]:
    return text.split("\n")


@dataclass(frozen=True, slots=True)
class Source:
    """One program's text and its name in messages (a path, or ``<text>``).

    `imported` are the files that it imports from, directly or through others; None until they have been read.
    """

    name: str
    text: str
    imported: tuple[Source, ...] | None = None

    def line(self, number: int) -> str:
        """The text of line `number` (from 1) without its line end; empty past the last line."""
        lines = _lines(self.text)
        return lines[number - 1].rstrip("\r") if 0 < number <= len(lines) else ""

    def of(self, span: Span) -> Source:
        """The text that `span` refers to."""
        return next((source for source in self.imported or () if source.name == span.file), self) if span.file else self

    def excerpt(self, span: Span) -> str:
        """The text at `span` on one line, without the `;` of a statement; empty if it is too long to be shown."""
        if span.line != span.end_line:
            text = " ".join(self.text_between(span).split())
        else:
            text = self.of(span).line(span.line)[span.column - 1 : span.end_column - 1].strip()
        text = text.rstrip("; ")
        return text if len(text) <= _LONGEST_EXCERPT and "#" not in text else ""

    def text_between(self, span: Span) -> str:
        """The text at `span`, including line ends; of many lines only the first."""
        last, source = min(span.end_line, span.line + _MOST_LINES), self.of(span)
        lines = [source.line(number) for number in range(span.line, last + 1)]
        lines[-1] = lines[-1][: span.end_column - 1] if last == span.end_line else lines[-1]
        lines[0] = lines[0][span.column - 1 :]
        return "\n".join(lines)
