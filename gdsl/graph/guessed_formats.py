"""The format of a file as the beginning of its content suggests it."""

from __future__ import annotations

import itertools
import re

from gdsl.diagnostics import GdslError, printable
from gdsl.graph.column_names import ENDS
from gdsl.graph.dimacs import is_problem_line
from gdsl.graph.matrix_market import is_banner
from gdsl.graph.messages import notice
from gdsl.graph.number_text import is_number, words_of
from gdsl.graph.text import TextLines

_MOST_LINES = 1000
"""Lines that are searched for the one that shows the format."""
_FEWEST_ROWS = 3
"""So many lines show what a file is."""
_FIRST_ROWS = 50
_BEGINNINGS = {
    "graphml": re.compile(r"<(\w+:)?graphml[\s>]"),
    "gexf": re.compile(r"<(\w+:)?gexf[\s>]"),
    "gml": re.compile(r"(^|\s)graph\s*\["),
    "pajek": re.compile(r"^\*(vertices|network)\b", re.IGNORECASE | re.MULTILINE),
    "dot": re.compile(r"\A\s*(strict\s+)?(di)?graph\b[^\[\n]*\{"),
    "json": re.compile(r"\A\s*\{"),
}
"""How files of text formats begin."""
_CALLED = {"mtx": "a Matrix Market file", "gr": "a DIMACS file"}


def format_by_content(path: str, format_name: str | None) -> str:
    """The format of a file that is called an edge list: `edges`, unless its first lines say otherwise.

    Raises GdslError E0712 where they do and `format_name` is `edges`.
    """
    with TextLines(path) as lines:
        try:
            result = _format_of_lines(lines)
        except GdslError:
            result = None  # its reader reports the error
    if result is None:
        return "edges"
    if format_name is not None:
        message = f"this is {_CALLED[result]}, not an edge list"
        raise GdslError.single("E0712", message, fix=f"--format {result} (format='{result}')", place=path)
    notice(f"{printable(path)} is read as {_CALLED[result]} (--format {result}), as its first lines say")
    return result


def _format_of_lines(lines: TextLines) -> str | None:
    first = True
    for line in itertools.islice(lines, _MOST_LINES):
        words = line.split(None, 1)
        if not words:
            continue
        if first and is_banner(line):
            return "mtx"
        first = False
        if words[0] != "c":
            return "gr" if is_problem_line(line) else None
    return None


def looks_like_adjacency(path: str) -> bool:
    """Whether each line of a file that is not a list of edges is a vertex and its neighbors."""
    with TextLines(path) as lines:
        try:
            rows = [line for line in itertools.islice(lines, _MOST_LINES) if line.lstrip()[:1] not in ("", "#", "%")]
        except GdslError:
            return False
    mark = next((mark for mark in ",;" if rows and mark in rows[0]), None)
    words = [words_of(row, mark) for row in rows]
    if len(words) < _FEWEST_ROWS or any(word.lower() in {name for pair in ENDS for name in pair} for word in words[0]):
        return False
    alike = len({is_number(word) for row in words for word in row}) == 1
    return len({row[0] for row in words}) == len(words) and len({len(row) for row in words}) > 1 and alike


def guessed_format(path: str) -> str | None:
    """The format that the beginning of a file suggests, where its name gives none; None if it suggests none."""
    with TextLines(path) as lines:
        try:
            rows = [line for line in itertools.islice(lines, _FIRST_ROWS) if line.strip()]
        except GdslError:
            return None
    with TextLines(path) as lines:
        result = _format_of_lines(lines)
    if result is not None or not rows:
        return result
    beginning = "\n".join(rows)
    for kind, pattern in _BEGINNINGS.items():
        if pattern.search(beginning):
            return kind
    words = next((row.split() for row in rows if row.lstrip()[0] not in "#%"), [])
    return "edges" if len(words) in (2, 3) and all(map(is_number, words)) else None
