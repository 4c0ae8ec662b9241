"""METIS files: `vertices edges [format [weights]]`, then the neighbors of each vertex, ids from 1; undirected."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.diagnostics import GdslError
from gdsl.graph.columns import lists_of
from gdsl.graph.csr import Csr, undirected_csr
from gdsl.graph.edge_list import EdgeList
from gdsl.graph.group import ALONE, Group
from gdsl.graph.memory import require_memory
from gdsl.graph.number_text import is_count
from gdsl.graph.text import TextLines, TextPart, short
from gdsl.graph.text_parts import part_of, read_in_order
from gdsl.graph.vertices import WIDE_FROM, require_countable
from gdsl.records import dataclass

_FORMATS = {"0", "1", "10", "11", "100", "101", "110", "111"}
_LONGEST_WORD = len(str(2**63)) + 1
"""Including the blank before it."""
_LARGE = 1 << 21
"""Bytes of a file."""


@dataclass(frozen=True, slots=True)
class _Header:
    """What precedes the neighbors: a size (0 or 1) and the weights of the vertex; and whether weights follow each."""

    num_vertices: int
    num_edges: int
    sizes: int
    weights: int
    weighted: bool

    @property
    def ids(self) -> type[np.signedinteger[Any]]:
        """The type of ids, also when they count from 1."""
        return np.int32 if self.num_vertices < WIDE_FROM else np.int64

    @property
    def longest_line(self) -> int:
        """Bytes that the line of one vertex may have: that of a hub names an end of nearly every edge."""
        return _LONGEST_WORD * (self.sizes + self.weights + self.num_edges * (2 if self.weighted else 1))


def read_metis(path: str) -> Csr:
    """The graph of the file at `path`, ids from 0; the weights of edges are `weight`, of vertices `vertex_weight`
    (numbered if there are several) and `size`. Raises GdslError with file and line."""
    return undirected_csr(read_part_of_metis(path, ALONE), *SYMMETRIC, first=1)


SYMMETRIC = "the list of neighbors", "name each edge at both of its ends"
"""What a message calls the edges that are not listed both ways, and its fix."""


def read_part_of_metis(path: str, group: Group) -> EdgeList:
    """The edges, as arcs both ways, of the lines that this worker of a group reads, in the order of ranks, and the
    attributes of all vertices. Raises GdslError with file and line."""
    with group.agreement(), TextLines(path) as lines:
        header = _header(lines, group.size)
    part = part_of(group, path, lines.number)

    def vertices_of(assumed: TextPart) -> tuple[tuple[_Vertices, TextLines], TextPart]:
        with TextLines(assumed) as lines:
            if lines.begins:
                _header(lines, group.size)
            lines.longest = max(lines.longest, header.longest_line)
            vertices = _Vertices(lines, header)
            vertices.read()
        return (vertices, lines), vertices.following()

    vertices, lines = read_in_order(group, part, vertices_of, header.num_vertices)
    _check_end(lines, header, vertices, group)
    destinations = np.concatenate([np.zeros(0, header.ids), *vertices.neighbors])
    destinations -= 1
    sources = vertices.sources(group.before(vertices.count))
    ends, loops = group.sum(len(destinations)), group.sum(int(np.count_nonzero(sources == destinations)))
    if ends != 2 * header.num_edges and ends + loops != 2 * header.num_edges:
        message = f"the lines name {ends:,} neighbors, and the header says {header.num_edges:,} edges"
        message += ", which are named from both ends"
        raise group.agreed(GdslError.single("E0706", message, place=path))
    attributes: dict[str, NDArray[Any]] = {}
    if header.weighted:
        attributes = {"weight": np.concatenate([np.zeros(0, np.int64), *vertices.edge_weights])}
    of_vertices = _of_vertices(header, vertices, group)
    return EdgeList(sources, destinations, header.num_vertices, True, attributes, of_vertices)


def _check_end(lines: TextLines, header: _Header, vertices: _Vertices, group: Group) -> None:
    """Raise E0706 for lines that are missing, and for a last line that may be cut off."""
    with_words, before = group.sum(vertices.lines_with_words), group.before(vertices.count)
    lines.number = group.max(lines.number)
    if header.sizes + header.weights and with_words < header.num_vertices:
        message = f"{with_words:,} of its {header.num_vertices:,} vertices"
        raise group.agreed(lines.error("E0706", f"the file has lines for {message}"))
    with group.agreement():
        if not lines.complete:
            vertices.require_whole(lines.line, before)


def _header(lines: TextLines, size: int) -> _Header:
    """The first line, whose numbers the file can hold, and the memory the part of one of `size` workers."""
    first = next((line for line in lines if not line.lstrip().startswith("%") and not line.isspace()), "")
    words = first.split()
    form = (words[2].lstrip("0") or "0") if len(words) > 2 else "0"
    if not 2 <= len(words) <= 4 or not all(is_count(word) for word in words) or form not in _FORMATS:
        raise lines.error("E0703", "a METIS graph begins with `VERTICES EDGES [FORMAT [WEIGHTS]]` after its comments")
    num_vertices, num_edges = int(words[0]), int(words[1])
    has_weights = len(form) > 1 and form[-2] == "1"
    weights = int(words[3]) if len(words) > 3 else int(has_weights)
    if weights > 100 or bool(weights) != has_weights:
        raise lines.error("E0703", f"the header says {weights} weights a vertex, and its format {words[2]} otherwise")
    require_countable(num_vertices, lines.place)
    if lines.is_whole and lines.size is not None and (num_vertices > lines.size + 1 or 2 * num_edges > lines.size + 1):
        message = f"the header says {num_vertices:,} vertices and {num_edges:,} edges, more than the file can hold"
        raise lines.error("E0706", message)
    needed = 200 * (num_vertices + 1) + 64 * num_edges
    require_memory(needed // size, f"a graph of {num_vertices:,} vertices and {num_edges:,} edges", lines.place)
    return _Header(num_vertices, num_edges, int(len(form) == 3), weights, form[-1] == "1")


class _Vertices:
    """The data of the vertices of some lines, line by line. An empty line is a vertex too.

    neighbors (ids from 1) and edge_weights: consecutive pieces of all lists; fronts: what precedes the neighbors, a row
    for each vertex.
    """

    def __init__(self, lines: TextLines, header: _Header) -> None:
        self._lines, self._header = lines, header
        self._front, self._step = header.sizes + header.weights, 2 if header.weighted else 1
        self._count, self.lines_with_words = lines.part.rows, 0
        self._last_line = lines.number
        self._vertices: list[NDArray[Any]] = []
        self._degrees: list[NDArray[np.int64]] = []
        self.neighbors: list[NDArray[Any]] = []
        self.edge_weights: list[NDArray[np.int64]] = []
        self.fronts: list[NDArray[np.int64]] = []

    def read(self) -> None:
        """Read all lines. Raises GdslError with the line."""
        blocks, read = self._lines.blocks(), _reader(self._lines.path)
        self._read_lines(iter(self._lines))
        for block in blocks:
            if isinstance(block, Exception):
                raise self._lines.refused(block) from None
            self._pass_empty_lines(self._lines.number)
            result = read(block)
            if result is not None and self._takes(*result):
                self._lines.passed(len(result[1]))
                self._last_line = self._lines.number
            else:
                self._read_lines(self._lines.lines_of(block))
        self._pass_empty_lines(self._lines.number)

    @property
    def count(self) -> int:
        """The number of vertices of the lines that were read."""
        return self._count - self._lines.part.rows

    def following(self) -> TextPart:
        """The empty part after the lines, all of which were read."""
        return replace(self._lines.following(), rows=self._count)

    def sources(self, first: int) -> NDArray[Any]:
        """The vertex of each neighbor, where `first` is the first vertex of these lines."""
        ids = self._header.ids
        vertices = np.concatenate([np.zeros(0, ids), *self._vertices])
        vertices += ids(first - self._lines.part.rows)
        return np.repeat(vertices, np.concatenate([np.zeros(0, np.int64), *self._degrees]))

    def require_whole(self, line: str, first: int) -> None:
        """Raise E0706 if the last line has no line end and its last number might be cut off unnoticed, as no other line
        repeats it. `first` is the first vertex of these lines."""
        words = [] if line.lstrip().startswith("%") else line.split()
        alone = bool(words) and len(words) == self._front
        loop = self._step == 2 and len(words) > self._front and int(words[-2]) == first + self.count
        if alone or loop:
            fix = "if the file is whole, end its last line with a line end"
            raise self._lines.error("E0706", "the last line has no line end, so its last number may be cut off", fix)

    def _pass_empty_lines(self, last: int) -> None:
        """Empty lines up to the line `last` are vertices without edges, as long as vertices are left."""
        self._count = min(self._count + last - self._last_line, self._header.num_vertices)
        self._last_line = last

    def _takes(self, numbers: NDArray[np.int64], lengths: NDArray[np.int64]) -> bool:
        """Take these as the lines of the next vertices; False if they cannot be."""
        rest_lengths = lengths - self._front
        vertices = slice(self._count, self._count + len(lengths))
        if vertices.stop > self._header.num_vertices or rest_lengths.min() < 0 or (rest_lengths % self._step).any():
            return False
        after_fronts = numbers
        if self._front:
            starts = np.cumsum(lengths) - lengths
            places = starts[:, None] + np.arange(self._front)
            after_fronts = np.delete(numbers, places.ravel())
        neighbors = after_fronts[:: self._step]
        if len(neighbors) and not 1 <= neighbors.min() <= neighbors.max() <= self._header.num_vertices:
            return False
        if self._front:
            self.fronts.append(numbers[places])
        self.neighbors.append(neighbors.astype(self._header.ids))
        self.edge_weights.append(after_fronts[1::2].copy() if self._header.weighted else after_fronts[:0])
        self._vertices.append(np.arange(vertices.start, vertices.stop, dtype=self._header.ids))
        self._degrees.append(rest_lengths // self._step)
        self._count = vertices.stop
        self.lines_with_words += len(lengths)
        return True

    def _read_lines(self, stream: Iterator[str]) -> None:
        """Read lines one by one."""
        lines, header = self._lines, self._header
        for line in stream:
            self._pass_empty_lines(lines.number - 1)
            self._last_line = lines.number
            if line.lstrip().startswith("%"):
                lines.skip()
                continue
            if self._count >= header.num_vertices:
                if line.isspace():
                    continue
                message = f"the file goes on after the lines of the {header.num_vertices:,} vertices of its header"
                raise lines.error("E0706", message, self._if_edges(len(line.split())))
            values = _numbers(lines, line)
            if self._takes(values, np.array([len(values)])):
                continue
            neighbors = values[self._front :: self._step]
            if len(values) < self._front or (len(values) - self._front) % self._step:
                message = f"the line does not hold what the header says of each vertex: `{short(line)}`"
                raise lines.error("E0705", message)
            value = int(neighbors[int(np.argmax((neighbors < 1) | (neighbors > header.num_vertices)))])
            message = f"{value} is not a vertex: METIS ids count from 1, here 1 … {header.num_vertices:,}"
            from_zero = ["the file's ids seem to count from 0: add 1 to each"] if value == 0 else []
            fixes = [*from_zero, *filter(None, [self._if_edges(len(values))])]
            raise lines.error("E0707", message, "; ".join(fixes) or None)

    def _if_edges(self, width: int) -> str | None:
        """What to do about a line of `width` words that may be an edge, as may be the header."""
        if self._front or self._step == 2 or width != 2:
            return None
        return "if each line is an edge, the first one too: --format edges (format='edges')"


def _reader(path: str) -> Callable[[bytes], tuple[NDArray[np.int64], NDArray[np.int64]] | None]:
    """The reader of blocks for the file at `path`."""
    if os.path.getsize(path) < _LARGE:
        return lists_of
    from gdsl.graph import native_text  # small files do without

    return native_text.lists_reader(path) or lists_of


def _numbers(lines: TextLines, line: str) -> NDArray[np.int64]:
    words = line.split()
    wrong = next((word for word in words if not is_count(word) or int(word) >= 2**63), None)
    if wrong is not None:
        raise lines.error("E0705", f"`{short(wrong)}` is not a whole number")
    return np.array(words, dtype=np.int64) if words else np.zeros(0, np.int64)


def _of_vertices(header: _Header, vertices: _Vertices, group: Group) -> dict[str, NDArray[Any]]:
    if not header.sizes + header.weights:
        return {}
    here = np.concatenate([np.zeros((0, header.sizes + header.weights), np.int64), *vertices.fronts])
    table = np.concatenate(group.gather(here))
    names = ["size"] * header.sizes
    names += ["vertex_weight"] if header.weights == 1 else [f"vertex_weight_{n}" for n in range(header.weights)]
    columns = map(np.ascontiguousarray, table.T)
    return dict(zip(names, columns, strict=True))
