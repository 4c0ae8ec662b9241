"""Lines of generated code that remember which line of the program they came from."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePath

from gdsl.codegen.comments import file_name
from gdsl.source import Span

RESUME = "#line resume"
"""Stands where the generated file's own numbering goes on; `number_lines` puts the number in."""

_INDENT = "    "


@dataclass
class Lines:
    """A growing block of code."""

    lines: list[tuple[str, Span | None]] = field(default_factory=list)
    """The text and its place in the program, None where it belongs to the line before."""
    depth: int = 0

    def add(self, text: str, place: Span | None = None) -> None:
        """One more line at the present depth, made from what stands at `place`."""
        known = place is not None and place.line > 0
        self.lines.append((_INDENT * self.depth + text, place if known else None))

    def open(self, text: str, place: Span | None = None) -> None:
        """A line that begins a block."""
        self.add(text, place)
        self.depth += 1

    def close(self, text: str = "}") -> None:
        """A line that ends a block."""
        self.depth -= 1
        self.add(text)

    def plain(self) -> tuple[str, ...]:
        """The lines alone."""
        return tuple(text for text, _ in self.lines)

    def directed(self, source_name: str) -> tuple[str, ...]:
        """The lines with a `#line` wherever the line of the program is not the one that follows by itself."""
        result: list[str] = []
        following: tuple[str, int] | None = None
        for text, place in self.lines:
            if place is not None and (place.file, place.line) != following:
                name = _beside(source_name, place.file) if place.file else source_name
                result.append(f"#line {place.line} {file_name(name)}")
                following = (place.file, place.line)
            result.append(text)
            following = None if following is None else (following[0], following[1] + 1)
        return tuple(result)


def _beside(source_name: str, file: str) -> str:
    """The name of an imported file, without its directory where the program's own goes without one."""
    return file if PurePath(source_name).name != source_name else PurePath(file).name


def number_lines(text: str, name: str) -> str:
    """`text` with each `#line resume` replaced by its own place in the file `name`."""
    lines = text.split("\n")
    return "\n".join(
        f"#line {number + 1} {file_name(name)}" if line == RESUME else line for number, line in enumerate(lines, 1)
    )
