"""How long the pieces of a GML or GraphML file are: igraph's readers take the square of the time for very long ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdsl.diagnostics import GdslError
from gdsl.graph.memory import require_memory

LONGEST = 1 << 16
"""Bytes that a word, a string, a comment, a tag or the blanks between them may have."""
_BLANK, _NEWLINE, _QUOTE, _HASH, _OPEN, _CLOSE = 32, *b'\n"#<>'


def require_short_pieces(path: str, kind: str, place: str) -> None:
    """Raise E0710 for the file at `path` if a piece of it is longer than any that such a file needs."""
    text = np.memmap(path, dtype=np.uint8, mode="r")
    require_memory(10 * len(text), "the graph", place)
    longest = _of_gml(text) if kind == "gml" else _of_xml(text)
    if longest > LONGEST:
        message = f"this is no graph: a single word, tag or run of blanks has {longest:,} bytes"
        raise GdslError.single("E0710", message, place=place)


def _of_xml(text: NDArray[np.uint8]) -> int:
    """The longest tag or comment."""
    opens, closes = np.flatnonzero(text == _OPEN), np.append(np.flatnonzero(text == _CLOSE), len(text))
    return int((closes[np.searchsorted(closes, opens)] - opens).max(initial=0))


def _of_gml(text: NDArray[np.uint8]) -> int:
    """The longest word, run of blanks, comment or string."""
    blank = text <= _BLANK
    changes = np.flatnonzero(blank[1:] != blank[:-1]) + 1
    longest = int(np.diff(changes, prepend=0, append=len(text)).max())
    starts = np.append(0, np.flatnonzero(text == _NEWLINE) + 1)
    ends = np.append(starts[1:], len(text))
    of_comments = text[np.minimum(starts, len(text) - 1)] == _HASH
    longest = max(longest, int((ends - starts)[of_comments].max(initial=0)))
    quotes = np.flatnonzero(text == _QUOTE)
    quotes = np.append(quotes[~of_comments[np.searchsorted(starts, quotes, side="right") - 1]], len(text))
    pairs = quotes[: len(quotes) // 2 * 2].reshape(-1, 2)
    return max(longest, int((pairs[:, 1] - pairs[:, 0]).max(initial=0)))
