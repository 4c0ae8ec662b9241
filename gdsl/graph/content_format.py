"""Files whose first lines say that they are of another format than their names do."""

from __future__ import annotations

import itertools
import re

from gdsl.diagnostics import GdslError, printable
from gdsl.graph.column_names import ENDS
from gdsl.graph.dimacs import is_problem_line
from gdsl.graph.matrix_market import is_banner
from gdsl.graph.notices import notice
from gdsl.graph.number_text import is_number, words_of
from gdsl.graph.text import TextLines

_MOST_LINES = 1000
"""Comments before the line that says it."""
_FEWEST_ROWS = 3
"""Lines that show what a file is."""
_FIRST_ROWS = 50
_BEGINNINGS = {
    "graphml": re.compile(r"<(\w+:)?graphml[\s>]"),
    "gexf": re.compile(r"<(\w+:)?gexf[\s>]"),
    "gml": re.compile(r"(^|\s)graph\s*\["),
    "pajek": re.compile(r"^\*(vertices|network)\b", re.IGNORECASE | re.MULTILINE),
    "dot": re.compile(r"\A\s*(strict\s+)?(di)?graph\b[^\[\n]*\{"),
    "json": re.compile(r"\A\s*\{"),
}
"""How files of formats begin that are text."""
CALLED = {"mtx": "a Matrix Market file", "gr": "a DIMACS file"}


def format_by_content(path: str, wanted: str | None) -> str:
    """The format of a file that is called an edge list: `edges`, unless its first lines say otherwise.

    Raises GdslError E0712 where they do and `wanted` is `edges`.
    """
    with TextLines(path) as lines:
        try:
            found = _found(lines)
        except GdslError:
            found = None  # its reader says what is wrong
    if found is None:
        return "edges"
    if wanted is not None:
        message = f"this is {CALLED[found]}, not an edge list"
        raise GdslError.single("E0712", message, fix=f"--format {found} (format='{found}')", place=path)
    notice(f"{printable(path)} is read as {CALLED[found]} (--format {found}), as its first lines say")
    return found


def _found(lines: TextLines) -> str | None:
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
    """Whether the lines of a file that is no list of edges are each a vertex, one line each, and its neighbors."""
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
    """The format that a file whose name says none seems to have; None where its beginning does not show it."""
    with TextLines(path) as lines:
        try:
            rows = [line for line in itertools.islice(lines, _FIRST_ROWS) if line.strip()]
        except GdslError:
            return None
    with TextLines(path) as lines:
        found = _found(lines)
    if found is not None or not rows:
        return found
    beginning = "\n".join(rows)
    for kind, pattern in _BEGINNINGS.items():
        if pattern.search(beginning):
            return kind
    words = next((row.split() for row in rows if row.lstrip()[0] not in "#%"), [])
    return "edges" if len(words) in (2, 3) and all(map(is_number, words)) else None
