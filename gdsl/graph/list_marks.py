"""Marks that are no values: between two ends as in `0 -> 1`, after a vertex as in `0: 1 2`, or around rows."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from gdsl.graph.text import TextLines, short
from gdsl.graph_names import COMPRESSED

_BETWEEN = ("<->", "-->", "->", "=>", "--", "→", "-", ":")
_BOTH_WAYS = ("<->", "--")
_BRACKETED = re.compile(r"\s*[\[({].*[\])}][,;]?\s*")
_BRACKETS = re.compile(r"[][(){}]")
_VERTEX = re.compile(r"[^\s:]+:(\s|$)")


def refuse_marks(lines: TextLines, texts: Sequence[str]) -> None:
    """Raise E0705 for rows between blanks that all have such a mark at the same place."""
    after_vertex = after_first_vertex(texts)
    mark = ":" if after_vertex else _mark_between(texts)
    if mark is None:
        return
    pattern = ":" if after_vertex else f" *{mark} *"
    fix = f"put a blank in place of it: sed -i {shlex.quote(f's/{pattern}/ /')} {shlex.quote(lines.path)}"
    if lines.path.lower().endswith(COMPRESSED):
        fix = "put a blank in place of it"
    if mark in _BOTH_WAYS:
        fix += ", and give --undirected (undirected=True)"
    elif after_vertex:
        fix += ", and give --format adjlist (format='adjlist') where neighbors follow"
    raise lines.error("E0705", f"`{short(texts[0])}`: each line has the mark `{mark}`, which is no vertex", fix)


def refuse_brackets(lines: TextLines, texts: Sequence[str]) -> None:
    """Raise E0705 for rows in brackets, as Python and others print pairs: these would be part of names."""
    if not all(_BRACKETED.fullmatch(text) for text in texts):
        return
    fix = "write each edge in a line of its own"
    if all(len(_BRACKETS.findall(text)) == 2 for text in texts):
        fix = "remove them"
        if not lines.path.lower().endswith(COMPRESSED):
            fix += f": sed -i 's/[][(){{}}]//g; s/[,;] *$//' {shlex.quote(lines.path)}"
    raise lines.error("E0705", f"`{short(texts[0])}`: each line is in brackets, which belong to no vertex", fix)


def after_first_vertex(texts: Sequence[str]) -> bool:
    """Whether the first word of each line ends with a colon."""
    return bool(texts) and all(_VERTEX.match(text.lstrip()) for text in texts)


def _mark_between(texts: Sequence[str]) -> str | None:
    """What is between the two ends, with blanks around it or without."""
    rows = [text.split() for text in texts]
    for mark in _BETWEEN:
        if all(len(row) > 2 and row[1] == mark for row in rows):
            return mark
        if all(len(row) == 1 and row[0].count(mark) == 1 and row[0].strip(mark) == row[0] for row in rows):
            return mark
    return None
