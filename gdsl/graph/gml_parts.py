"""What of a GML file igraph's reader passes over without a word, takes for something else, or ends the process with."""

from __future__ import annotations

import re
from pathlib import Path

from gdsl.diagnostics import GdslError

_GRAPH = re.compile(rb"(?:^|[\s\]])graph\s*\[")
_TOKEN = re.compile(rb'"[^"]*"|^#[^\n]*|[\[\]]|(?<![^\s\[\]"])graph(?=\s*\[)', re.MULTILINE)

_NUMBERED = rb"&#(?:([0-9]{1,7})|[xX]([0-9A-Fa-f]{1,6}));"
"""A character by its number, which igraph leaves as it is."""
_SHORT_REAL = rb"([0-9]\.)([Ee][+-]?[0-9])"
"""Such as `1.E-05`, which GML has and NetworkX writes, and igraph refuses."""
_ODD = re.compile(_NUMBERED + rb"|" + _SHORT_REAL)
_WORD = re.compile(rb'"[^"]*"|^#[^\n]*|[^\s"\[\]]+', re.MULTILINE)
_NAMED = {"&": "&amp;", '"': "&quot;"}


def as_igraph_reads(path: str, place: str) -> bytes | None:
    """The text of the GML file at `path` with all that igraph would take for something else; None: the file as it is.

    Raises GdslError E0710 for what is not UTF-8, E0705 for more than one graph, of which the first would be read.
    """
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
    return _WORD.sub(_as_igraph_reads, content) if _ODD.search(content) else None


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


def _as_igraph_reads(found: re.Match[bytes]) -> bytes:
    word = found[0]
    if word.startswith(b'"'):
        return re.sub(_NUMBERED, _character, word)
    return re.sub(_SHORT_REAL, rb"\g<1>0\2", word)


def _character(found: re.Match[bytes]) -> bytes:
    number = int(found[1]) if found[1] else int(found[2], 16)
    if not 0 < number <= 0x10FFFF or 0xD800 <= number <= 0xDFFF:
        return found[0]
    return _NAMED.get(chr(number), chr(number)).encode()
