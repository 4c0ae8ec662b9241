"""What the comments before the first row of an edge list say about the graph: SNAP, KONECT and gdsl itself."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gdsl.records import dataclass

_OURS = "undirected"
_UNDIRECTED = re.compile(r"un-?directed(\s+(simple\s+|multi-?)?(graph|network)\b.*|\s*[:=]\s*(true|yes|1))?\.?", re.I)
_NOT_DIRECTED = re.compile(r"directed\s*[:=]\s*(false|no|0)", re.I)
_WEIGHTS = "unweighted|positive|posweighted|signed|multisigned|weighted|multiweighted|dynamic|multiposweighted"
_KONECT = re.compile(rf"(sym|asym|bip)(\s+({_WEIGHTS})\b.*)?", re.I)
_SIZES = re.compile(r"[0-9]{1,18}(\s+[0-9]{1,18}){0,2}")
_NODES = re.compile(r"\bnodes\s*[:=]\s*([0-9][0-9,]{0,20})", re.I)
_EDGES = re.compile(r"\b(?:edges|arcs)\s*[:=]\s*([0-9][0-9,]{0,20})", re.I)


@dataclass(frozen=True, slots=True)
class Statements:
    """What comments say. None, or False: nothing.

    ours: the comment by which gdsl marks its own undirected lists. undirected: the words of any other comment that says
    so. konect: `sym`, `asym` or `bip`. sizes: the numbers of KONECT's second comment. nodes, edges: how many there are.
    """

    ours: bool = False
    undirected: str | None = None
    konect: str | None = None
    sizes: tuple[int, ...] = ()
    nodes: int | None = None
    edges: int | None = None


def statements_of(comments: Sequence[str]) -> Statements:
    """What `comments`, without their marks, say together."""
    ours = undirected = konect = nodes = edges = None
    sizes: tuple[int, ...] = ()
    for place, comment in enumerate(comments):
        if comment == _OURS:
            ours = True
        elif undirected is None and (_UNDIRECTED.fullmatch(comment) or _NOT_DIRECTED.fullmatch(comment)):
            undirected = comment
        found = _KONECT.fullmatch(comment) if place == 0 else None
        if found is not None:
            konect = found[1].lower()
        elif konect is not None and place == 1 and _SIZES.fullmatch(comment):
            sizes = tuple(map(int, comment.split()))
        nodes = _count(_NODES, comment) if nodes is None else nodes
        edges = _count(_EDGES, comment) if edges is None else edges
    return Statements(bool(ours), undirected, konect, sizes, nodes, edges)


def _count(pattern: re.Pattern[str], comment: str) -> int | None:
    found = pattern.search(comment)
    return None if found is None else int(found[1].replace(",", ""))
