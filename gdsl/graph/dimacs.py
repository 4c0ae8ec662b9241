"""DIMACS shortest-path files: `p sp vertices arcs`, then `a source destination weight`, ids from 1; directed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.graph.columns import find_row, is_count, read_columns
from gdsl.graph.edge_list import EdgeList
from gdsl.graph.errors import too_large
from gdsl.graph.ids import LARGEST_NUM_VERTICES, WIDE_FROM
from gdsl.graph.memory import require_memory
from gdsl.graph.text import TextLines, narrowed, short

_ARC = ("a ", "a\t")
_SHORTEST_ARC = len("a 1 1 1\n")


def read_dimacs(path: str) -> EdgeList:
    """The arcs of the `.gr` file at `path`, in its order, ids from 0. Raises GdslError with file and line."""
    with TextLines(path) as lines:
        num_vertices, arcs = _problem_line(lines)
        ids = np.int32 if num_vertices < WIDE_FROM else np.int64
        names = ("source", "destination", "weight")
        further = _Arcs(lines, arcs)
        rows = further.among(iter(lines))
        sources, destinations, weights = read_columns(lines, rows, names, (ids, ids, np.int64), None, further)
        if len(sources) < arcs:
            message = f"the file ends after {len(sources):,} arcs, and its `p` line says {arcs:,}"
            raise lines.error("E0706", message, "the file was probably cut off: get it again")
        if arcs and not lines.complete and not _holds_nothing(lines, lines.line):
            fix = "if the file is whole, end its last line with a line end"
            raise lines.error("E0706", "the last line has no line end, so its weight may be cut off", fix)
    for values in (sources, destinations):
        _check_ids(path, values, num_vertices)
    sources, destinations = sources.astype(ids, copy=False), destinations.astype(ids, copy=False)
    one = sources.dtype.type(1)
    return EdgeList(sources - one, destinations - one, num_vertices, True, {"weight": narrowed(weights)})


def _problem_line(lines: TextLines) -> tuple[int, int]:
    """(vertices, arcs) of the `p` line, which the file and the memory can hold; comments before it are skipped."""
    first = next((line for line in lines if not _holds_nothing(lines, line)), None)
    words = first.split() if first is not None else []
    if len(words) != 4 or words[0] != "p" or words[1] != "sp" or not all(is_count(word) for word in words[2:]):
        raise lines.error("E0703", "a DIMACS graph begins with `p sp VERTICES ARCS` after its comments")
    num_vertices, arcs = int(words[2]), int(words[3])
    if num_vertices > LARGEST_NUM_VERTICES:
        raise too_large(f"{num_vertices:,} vertices; at most {LARGEST_NUM_VERTICES:,} are possible", lines.place)
    if lines.size is not None and arcs * _SHORTEST_ARC > lines.size + 1:
        raise lines.error("E0706", f"the `p` line says {arcs:,} arcs, more than the file can hold")
    require_memory(
        24 * (num_vertices + arcs + 1), f"a graph of {num_vertices:,} vertices and {arcs:,} arcs", lines.place
    )
    return num_vertices, arcs


class _Arcs:
    """What stands behind the `a` of each arc."""

    def __init__(self, lines: TextLines, count: int) -> None:
        self._lines, self._count, self._seen = lines, count, 0

    def among(self, stream: Iterator[str]) -> Iterator[str]:
        lines = self._lines
        for line in stream:
            if line.startswith(_ARC):
                self._seen += 1
                if self._seen > self._count:
                    raise lines.error("E0706", f"the file goes on after the {self._count:,} arcs of its `p` line")
                lines.line = line[2:]
                yield lines.line
            elif not _holds_nothing(lines, line):
                raise lines.error("E0705", f"`{short(line.strip())}` is neither an arc (`a …`) nor a comment (`c …`)")

    def plain(self, block: bytes) -> bytes | None:
        all_arcs = block.startswith(b"a ") and block.count(b"\na ") + 1 == block.count(b"\n")
        return block[2:].replace(b"\na ", b"\n") if all_arcs else None

    def may_be(self, count: int) -> bool:
        fits = self._seen + count <= self._count
        self._seen += count if fits else 0
        return fits


def _holds_nothing(lines: TextLines, line: str) -> bool:
    """Whether this is a comment or a blank line."""
    nothing = line.isspace() or line.split(None, 1)[0] == "c"
    if nothing:
        lines.skip()
    return nothing


def _rows(lines: TextLines) -> Iterator[str]:
    return _Arcs(lines, _problem_line(lines)[1]).among(iter(lines))


def _check_ids(path: str, ids: NDArray[Any], num_vertices: int) -> None:
    outside = (ids < 1) | (ids > num_vertices)
    if not outside.any():
        return
    place = int(np.argmax(outside))
    lines = find_row(path, _rows, place)
    fix = "the file's ids seem to count from 0: add 1 to each" if ids[place] == 0 else None
    message = f"{ids[place]} is no vertex: DIMACS ids count from 1, here 1 … {num_vertices:,}"
    raise lines.error("E0707", message, fix)
