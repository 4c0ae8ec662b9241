"""Lines of generated code that remember which line of the program they came from, and text of programs in comments."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from pathlib import PurePath

from gdsl.diagnostics import printable
from gdsl.source import Span

RESUME = "#line resume"
"""Marks where the generated file's own numbering continues; `number_lines` fills in the number."""

INDENT = "    "
_TRIGRAPH = re.compile(r"\?\?(?=[=/'()!<>-])")
_LINE_JOINS = re.compile(r"[\s\\]+$")
"""Compilers join lines at a backslash, some of them also where blanks follow it."""


@dataclass
class Lines:
    """A growing block of code."""

    lines: list[tuple[str, Span | None]] = field(default_factory=list)
    """The text and its place in the program, None where it belongs to the line before."""
    depth: int = 0

    def add(self, text: str, place: Span | None = None) -> None:
        """One more line at the present depth, generated from `place` in the program."""
        known = place is not None and place.line > 0
        self.lines.append((INDENT * self.depth + text, place if known else None))

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
        """The lines with a `#line` wherever the line of the program is not simply the next one."""
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
    """The name of an imported file, without its directory if the program's own name has none."""
    return file if PurePath(source_name).name != source_name else PurePath(file).name


def number_lines(text: str, name: str) -> str:
    """`text` with each `#line resume` replaced by its own place in the file `name`."""
    lines = text.split("\n")
    return "\n".join(
        f"#line {number + 1} {file_name(name)}" if line == RESUME else line for number, line in enumerate(lines, 1)
    )


def comment_lines(text: str) -> tuple[str, ...]:
    """`text` as lines that are safe after `//` or between `/*` and `*/`: no control characters, no end of a comment,
    nothing that joins a line to the next. Blank lines at both ends and common indentation go."""
    lines = [_harmless(line).rstrip() for line in text.expandtabs(4).splitlines()]
    while lines and not lines[0].strip():
        lines.pop(0)
    while lines and not lines[-1].strip():
        lines.pop()
    indents = [len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()]
    common = min(indents, default=0)
    return tuple(line.lstrip() if i == 0 else line[common:] for i, line in enumerate(lines))


def _harmless(line: str) -> str:
    visible = "".join(" " if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") else c for c in line)
    separated = visible.replace("*/", "* /").replace("/*", "/ *")
    return _LINE_JOINS.sub("", _TRIGRAPH.sub("? ?", separated))


def title_line(text: str) -> str:
    """`text`, in which there may be the name of a file, as one such line."""
    return comment_lines(printable(text))[0]


def file_name(name: str) -> str:
    """`name` as a string literal for `#line`; with other quotes, which NVRTC writes into PTX as they are."""
    escaped = printable(name).replace('"', "'").replace("\\", "\\\\")
    return '"' + _TRIGRAPH.sub("?\\\\?", escaped) + '"'
