"""Text from programs inside comments and `#line` directives, made harmless."""

from __future__ import annotations

import re
import unicodedata

from gdsl.diagnostics import printable

_TRIGRAPH = re.compile(r"\?\?(?=[=/'()!<>-])")
_LINE_JOINS = re.compile(r"[\s\\]+$")
"""Compilers join lines at a backslash, some of them also where blanks follow it."""


def comment_lines(text: str) -> tuple[str, ...]:
    """`text` as lines that may stand behind `//` or between `/*` and `*/`: no control characters, no end of a comment,
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
