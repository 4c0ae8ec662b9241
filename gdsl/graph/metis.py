"""METIS files: `vertices edges [format [weights]]`, then the neighbors of each vertex, ids from 1; undirected."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.diagnostics import GdslError
from gdsl.graph.columns import lists_of
from gdsl.graph.csr import Csr, undirected_csr
from gdsl.graph.edge_list import EdgeList
from gdsl.graph.memory import require_memory
from gdsl.graph.number_text import is_count
from gdsl.graph.text import TextLines, short
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
    with TextLines(path) as lines:
        header = _header(lines)
        lines.longest = max(lines.longest, header.longest_line)
        vertices = _Vertices(lines, header)
        vertices.read()
    degrees, destinations = vertices.degrees, np.concatenate([np.zeros(0, header.ids), *vertices.neighbors])
    destinations -= 1
    sources = np.repeat(np.arange(header.num_vertices, dtype=header.ids), degrees)
    loops = int(np.count_nonzero(sources == destinations))
    if len(destinations) != 2 * header.num_edges and len(destinations) + loops != 2 * header.num_edges:
        message = f"the lines name {len(destinations):,} neighbors, and the header says {header.num_edges:,} edges"
        raise GdslError.single("E0706", f"{message}, which are named from both ends", place=path)
    attributes: dict[str, NDArray[Any]] = {}
    if header.weighted:
        attributes = {"weight": np.concatenate([np.zeros(0, np.int64), *vertices.edge_weights])}
    edges = EdgeList(sources, destinations, header.num_vertices, True, attributes, _of_vertices(header, vertices))
    return undirected_csr(edges, "the list of neighbors", "name each edge at both of its ends", first=1)


def _header(lines: TextLines) -> _Header:
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
    if lines.size is not None and (num_vertices > lines.size + 1 or 2 * num_edges > lines.size + 1):
        message = f"the header says {num_vertices:,} vertices and {num_edges:,} edges, more than the file can hold"
        raise lines.error("E0706", message)
    needed = 200 * (num_vertices + 1) + 64 * num_edges
    require_memory(needed, f"a graph of {num_vertices:,} vertices and {num_edges:,} edges", lines.place)
    return _Header(num_vertices, num_edges, int(len(form) == 3), weights, form[-1] == "1")


class _Vertices:
    """The data of the vertices, line by line. An empty line is a vertex too.

    degrees: int64[V], 0 for those not yet read; neighbors (ids from 1) and edge_weights: consecutive pieces of all
    lists; fronts: what precedes the neighbors, a row for each vertex.
    """

    def __init__(self, lines: TextLines, header: _Header) -> None:
        self._lines, self._header = lines, header
        self._front, self._step = header.sizes + header.weights, 2 if header.weighted else 1
        self._count = self._lines_with_words = 0
        self._last_line = lines.number
        self.degrees = np.zeros(header.num_vertices, np.int64)
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
        if self._front and self._lines_with_words < self._header.num_vertices:
            message = f"{self._lines_with_words:,} of its {self._header.num_vertices:,} vertices"
            raise self._lines.error("E0706", f"the file has lines for {message}")
        if not self._lines.complete:
            self._require_whole(self._lines.line)

    def _require_whole(self, line: str) -> None:
        """Raise E0706 if the last line has no line end and its last number might be cut off unnoticed, as no other line
        repeats it."""
        words = [] if line.lstrip().startswith("%") else line.split()
        alone = bool(words) and len(words) == self._front
        loop = self._step == 2 and len(words) > self._front and int(words[-2]) == self._count
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
        self.degrees[vertices] = rest_lengths // self._step
        self._count = vertices.stop
        self._lines_with_words += len(lengths)
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
                raise lines.error("E0706", message)
            values = _numbers(lines, line)
            if self._takes(values, np.array([len(values)])):
                continue
            neighbors = values[self._front :: self._step]
            if len(values) < self._front or (len(values) - self._front) % self._step:
                message = f"the line does not hold what the header says of each vertex: `{short(line)}`"
                raise lines.error("E0705", message)
            value = int(neighbors[int(np.argmax((neighbors < 1) | (neighbors > header.num_vertices)))])
            message = f"{value} is not a vertex: METIS ids count from 1, here 1 … {header.num_vertices:,}"
            raise lines.error("E0707", message)


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


def _of_vertices(header: _Header, vertices: _Vertices) -> dict[str, NDArray[Any]]:
    if not header.sizes + header.weights:
        return {}
    table = np.concatenate([np.zeros((0, header.sizes + header.weights), np.int64), *vertices.fronts])
    names = ["size"] * header.sizes
    names += ["vertex_weight"] if header.weights == 1 else [f"vertex_weight_{n}" for n in range(header.weights)]
    columns = map(np.ascontiguousarray, table.T)
    return dict(zip(names, columns, strict=True))
