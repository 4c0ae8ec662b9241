"""Pajek files: `*Vertices N` with labels, then sections of arcs, edges, lists of them, or a matrix; ids from 1."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from gdsl.diagnostics import GdslError, printable
from gdsl.graph.arguments import exact_array
from gdsl.graph.edge_list import EdgeList
from gdsl.graph.fields import decoded
from gdsl.graph.memory import require_memory
from gdsl.graph.messages import notice
from gdsl.graph.number_text import is_count, is_number, is_whole, problem_of_real
from gdsl.graph.text import TextLines, short
from gdsl.graph.vertices import Names, id_dtype, require_countable

_WORD = re.compile(r'"([^"]*)"|(\S+)')
_SECTIONS = ("arcs", "edges", "arcslist", "edgeslist", "matrix")
_KNOWN = "known are *Vertices, *Arcs, *Edges, *Arcslist, *Edgeslist and *Matrix"
_IGNORED = ("partition", "vector", "events")
_BYTES_PER_VERTEX, _BYTES_PER_EDGE, _ROWS = 200, 100, 1 << 16


def read_pajek(path: str) -> EdgeList:
    """The network in the file at `path`, with the attribute `weight` where lines have a third value.

    The labels are the names of the vertices, if all differ. With edges only, the graph is undirected; with arcs too, an
    edge is an arc each way. Raises GdslError with file and line.
    """
    with TextLines(path) as lines:
        return _Reader(lines).read()


class _Reader:
    def __init__(self, lines: TextLines) -> None:
        self._lines = lines
        self._count = 0
        self._labels: dict[int, str] = {}
        self._sources: list[int] = []
        self._destinations: list[int] = []
        self._is_edge: list[bool] = []
        self._weights: list[Any] = []
        self._has_weights, self._has_arcs = False, True
        self._matrix_row = 0

    def read(self) -> EdgeList:
        section = ""
        for line in self._rows():
            if line.startswith("*"):
                section = self._begin(line)
            elif section == "vertices":
                self._take_vertex(line)
            elif section in ("arcs", "edges"):
                self._take_edge(line.split(), section == "edges")
            elif section in ("arcslist", "edgeslist"):
                first, *others = line.split()
                for other in others:
                    self._take_edge([first, other], section == "edgeslist")
            elif section == "matrix":
                self._take_row(line.split())
            elif not section:
                raise self._lines.error("E0703", "a Pajek file begins with `*Vertices COUNT`")
        if not section:
            raise self._lines.error("E0703", "a Pajek file begins with `*Vertices COUNT`")
        return self._edges()

    def _rows(self) -> Iterator[str]:
        """The lines that are neither blank nor comments, stripped."""
        for number, line in enumerate(self._lines):
            row = line.strip()
            if not row or row.startswith("%"):
                self._lines.skip()
                continue
            if number % _ROWS == 0:
                needed = _BYTES_PER_EDGE * len(self._sources) + _BYTES_PER_VERTEX * self._count
                require_memory(needed, "the graph", self._lines.place)
            yield row

    def _begin(self, line: str) -> str:
        words = line[1:].split()
        name = words[0].lower() if words else ""
        if name == "network":
            return "network" if self._count else ""
        if name == "vertices":
            if self._count:
                raise self._lines.error("E0705", "this file has a second network", "write each into a file of its own")
            if len(words) < 2 or not is_count(words[1]):
                raise self._lines.error("E0703", f"`{short(line)}` is not `*Vertices COUNT`")
            self._count = int(words[1])
            require_countable(self._count, self._lines.place)
            require_memory(24 * self._count, f"a graph of {self._count:,} vertices", self._lines.place)
            return "vertices"
        if name in _SECTIONS or name in _IGNORED:
            self._has_arcs = not name.startswith("edges")
            return name
        raise self._lines.error("E0705", f"`{short(line)}` is not a section of a network", _KNOWN)

    def _take_vertex(self, line: str) -> None:
        words = [quoted or bare for quoted, bare in _WORD.findall(decoded(self._lines, line))]
        vertex = self._vertex(words[0])
        if vertex in self._labels:
            raise self._lines.error("E0705", f"the vertex {vertex + 1} has two lines")
        self._labels[vertex] = words[1] if len(words) > 1 else ""

    def _vertex(self, word: str) -> int:
        if not is_count(word) or not 1 <= int(word) <= self._count:
            message = f"`{short(word)}` is not a vertex: Pajek ids count from 1, here 1 … {self._count:,}"
            raise self._lines.error("E0707" if is_whole(word) else "E0705", message)
        return int(word) - 1

    def _take_edge(self, words: list[str], is_edge: bool) -> None:
        if len(words) < 2:
            raise self._lines.error("E0705", "a line of arcs or edges holds two ids, and perhaps a weight")
        self._sources.append(self._vertex(words[0]))
        self._destinations.append(self._vertex(words[1]))
        self._is_edge.append(is_edge)
        weight: Any = 1
        if len(words) > 2:
            weight, self._has_weights = self._number(words[2]), True
        self._weights.append(weight)

    def _take_row(self, words: list[str]) -> None:
        row = self._matrix_row
        if row >= self._count or len(words) != self._count:
            message = f"the matrix has {self._count:,} rows of as many values, and this one has {len(words):,}"
            raise self._lines.error("E0705", message)
        for column, word in enumerate(words):
            value = self._number(word)
            if value:
                self._sources.append(row)
                self._destinations.append(column)
                self._is_edge.append(False)
                self._weights.append(value)
                self._has_weights = self._has_weights or value != 1
        self._matrix_row += 1

    def _number(self, word: str) -> float | int:
        if not is_number(word):
            raise self._lines.error("E0705", f"weight: `{short(word)}` is not a number")
        if is_whole(word) and len(word) < 21:
            return int(word)
        if (problem := problem_of_real(word)) is not None:
            raise self._lines.error("E0705", f"weight: `{short(word)}` {problem[0]}", problem[1])
        return float(word)

    def _edges(self) -> EdgeList:
        dtype = id_dtype(self._count)
        sources, destinations = np.array(self._sources, dtype), np.array(self._destinations, dtype)
        is_edge = np.array(self._is_edge, bool)
        attributes = {}
        if self._has_weights:
            weights = exact_array(self._weights)
            if weights is None:
                raise GdslError.single("E0711", "the weights fit no single type of 64 bits", place=self._lines.path)
            attributes["weight"] = weights
        directed = not is_edge.all() if len(is_edge) else self._has_arcs
        if directed and is_edge.any():
            opposites = np.flatnonzero(is_edge & (sources != destinations))
            sources, destinations = (
                np.concatenate([sources, destinations[opposites]]),
                np.concatenate([destinations, sources[opposites]]),
            )
            attributes = {name: np.concatenate([values, values[opposites]]) for name, values in attributes.items()}
        return EdgeList(sources, destinations, self._count, directed, attributes, {}, self._names())

    def _names(self) -> Names | None:
        labels = [self._labels.get(vertex, "") for vertex in range(self._count)] if self._labels else []
        if not labels or all(label in ("", str(vertex + 1)) for vertex, label in enumerate(labels)):
            return Names(range(1, self._count + 1)) if labels and any(labels) else None
        if "" in labels or len(set(labels)) < len(labels):
            why = "missing on some vertices" if "" in labels else "repeated"
            notice(f"{printable(self._lines.path)}: labels are {why}: the vertices are called by their numbers")
            return Names(range(1, self._count + 1))
        return Names(labels)
