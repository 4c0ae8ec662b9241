"""What of a GML file igraph's reader passes over without a word, or cannot take without ending the process."""

from __future__ import annotations

import re
from pathlib import Path

from gdsl.diagnostics import GdslError

_GRAPH = re.compile(rb"(?:^|[\s\]])graph\s*\[")
_TOKEN = re.compile(rb'"[^"]*"|^#[^\n]*|[\[\]]|(?<![^\s\[\]"])graph(?=\s*\[)', re.MULTILINE)


def refuse_unread(path: str, place: str) -> None:
    """Raise E0710 for the GML file at `path` if it is not UTF-8, and E0705 if it has more than one graph, of which
    the first would be read."""
    content = Path(path).read_bytes()
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise GdslError.single(
            "E0710", "this line is not UTF-8", fix="save the file as UTF-8", place=f"{place}:{line}"
        ) from None
    second = _second_graph(content)
    if second is not None:
        line = content.count(b"\n", 0, second) + 1
        message = "this GML file has what no graph here has: a second graph, and one is read"
        fix = "write each graph into a file of its own"
        raise GdslError.single("E0705", message, fix=fix, place=f"{place}:{line}")


def _second_graph(content: bytes) -> int | None:
    """Where it begins. Most files name one, and are not looked into."""
    if len(_GRAPH.findall(content)) < 2:
        return None
    depth = graphs = 0
    for token in _TOKEN.finditer(content):
        word = token[0]
        graphs += word == b"graph" and depth == 0
        if graphs > 1:
            return token.start()
        depth += {b"[": 1, b"]": -1}.get(word, 0)
    return None
