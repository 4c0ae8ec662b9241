"""Lines of generated code that remember which line of the program they came from."""

from __future__ import annotations

from dataclasses import dataclass, field

from gdsl.codegen.comments import file_name

RESUME = "#line resume"
"""Stands where the generated file's own numbering goes on; `number_lines` puts the number in."""

_INDENT = "    "


@dataclass
class Lines:
    """A growing block of code."""

    lines: list[tuple[str, int | None]] = field(default_factory=list)
    """The text and the line of the program, None where it belongs to the line before."""
    depth: int = 0

    def add(self, text: str, source_line: int | None = None) -> None:
        """One more line at the present depth; `source_line` 0 is nowhere."""
        self.lines.append((_INDENT * self.depth + text, source_line or None))

    def open(self, text: str, source_line: int | None = None) -> None:
        """A line that begins a block."""
        self.add(text, source_line)
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
        following: int | None = None
        for text, line in self.lines:
            if line is not None and line != following:
                result.append(f"#line {line} {file_name(source_name)}")
                following = line
            result.append(text)
            following = None if following is None else following + 1
        return tuple(result)


def number_lines(text: str, name: str) -> str:
    """`text` with each `#line resume` replaced by its own place in the file `name`."""
    lines = text.split("\n")
    return "\n".join(
        f"#line {number + 1} {file_name(name)}" if line == RESUME else line for number, line in enumerate(lines, 1)
    )
