"""Readers of graph files in plain Python, made from the formats' descriptions: what the campaign compares with."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Edge = tuple[Any, ...]

_WHOLE = re.compile(r"[+-]?\d+", re.ASCII)
_REAL = re.compile(r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|nan|inf(?:inity)?)", re.ASCII | re.IGNORECASE)
_COUNT = re.compile(r"\d{1,19}", re.ASCII)
_INT64, _UINT64 = (-(2**63), 2**63), (0, 2**64)


class NoGraph(Exception):  # noqa: N818 (an answer, not an error)
    """The file is not what its format describes."""


@dataclass(frozen=True, slots=True)
class SlowGraph:
    """Edges in the file's order, each (source, destination, value, …); an undirected one stands there once."""

    num_vertices: int
    directed: bool
    edges: list[Edge]
    names: tuple[str, ...] = ()

    def stored(self) -> list[Edge]:
        """The edges as a graph stores them: undirected ones both ways, by source, destination and place."""
        both: list[Edge] = []
        for edge in self.edges:
            both.append(edge)
            if not self.directed and edge[0] != edge[1]:
                both.append((edge[1], edge[0], *edge[2:]))
        return sorted(both, key=lambda edge: edge[:2])


def read_slowly(kind: str, content: bytes) -> SlowGraph:
    """The graph in the text `content` of the format `kind`. Raises NoGraph."""
    if b"\0" in content or content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise NoGraph
    text = content.removeprefix(b"\xef\xbb\xbf").decode("latin-1")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    rows = iter([line for line in lines if line.strip()])
    if kind == "mtx":
        return _matrix_market(rows)
    return _dimacs(rows) if kind == "gr" else _edge_list(rows)


def _matrix_market(rows: Iterator[str]) -> SlowGraph:
    banner = re.sub(r"^\s*%%?\s*matrixmarket(?=\s|$)", "%%matrixmarket", next(rows, "").lower()).split()
    if len(banner) != 5 or banner[:3] != ["%%matrixmarket", "matrix", "coordinate"]:
        raise NoGraph
    field, symmetry = banner[3:]
    if symmetry not in ("general", "symmetric"):
        raise NoGraph
    if field not in ("pattern", "integer", "unsigned-integer", "real", "double"):
        raise NoGraph
    rows = (row for row in rows if not row.lstrip().startswith("%"))
    sizes = next((row.split() for row in rows), [])
    if len(sizes) != 3 or not all(map(_COUNT.fullmatch, sizes)) or int(sizes[0]) != int(sizes[1]):
        raise NoGraph
    count, entries = int(sizes[0]), int(sizes[2])
    edges: list[Edge] = []
    words_of: list[str] = []
    for row in rows:
        words = row.split()
        if len(words) != (2 if field == "pattern" else 3):
            raise NoGraph
        ends = tuple(_vertex(word, 1, count) for word in words[:2])
        limits = _UINT64 if field == "unsigned-integer" else _INT64
        value = [_real(word) if field in ("real", "double") else _whole(word, limits) for word in words[2:]]
        words_of.extend(words[2:])
        edges.append((*ends, *value))
    if len(edges) != entries:
        raise NoGraph
    if any(isinstance(value, float) and abs(value) >= 2.0**53 for *_, value in edges) and words_of:
        exact = _column(words_of)
        if isinstance(exact[0], int) and all(_INT64[0] <= value < _INT64[1] for value in exact):
            edges = [(*edge[:2], value) for edge, value in zip(edges, exact, strict=True)]
    return SlowGraph(count, symmetry == "general", edges, () if field == "pattern" else ("weight",))


def _dimacs(rows: Iterator[str]) -> SlowGraph:
    problem = next((row.split() for row in rows if row.split()[0][0] != "c"), [])
    if len(problem) != 4 or problem[:2] != ["p", "sp"] or not all(map(_COUNT.fullmatch, problem[2:])):
        raise NoGraph
    count = int(problem[2])
    edges: list[Edge] = []
    weights: list[str] = []
    for row in rows:
        words = row.split()
        if words[0][0] == "c":
            continue
        if words[0] != "a" or len(words) != 4:
            raise NoGraph
        edges.append((_vertex(words[1], 1, count), _vertex(words[2], 1, count)))
        weights.append(words[3])
    if all(map(_WHOLE.fullmatch, weights)):
        values: list[Any] = [_whole(word, _INT64) for word in weights]
    else:
        values = [_real(word) for word in weights]
        if not all(abs(value) < 2.0**53 for value in values):
            raise NoGraph
    edges = [(*edge, value) for edge, value in zip(edges, values, strict=True)]
    if len(edges) != int(problem[3]):
        raise NoGraph
    return SlowGraph(count, True, edges, ("weight",))


def _edge_list(rows: Iterator[str]) -> SlowGraph:
    lines = [_without_comment(row) for row in rows if not re.match(r"[ \t]*(#|%|//)", row)]
    if not lines:
        raise NoGraph
    mark = _mark(lines)
    header = [word.strip().strip('"') for word in lines[0].encode("latin-1").decode("utf-8", "replace").split(mark)]
    if len(header) > 2 and not header[-1] and len(lines) > 1 and len(lines[1].split(mark)) < len(header):
        del header[-1]  # the first line ends with a mark that the others do not have
    named = all(word.isprintable() and word and not _REAL.fullmatch(word) for word in header)
    table = [[word.strip() for word in line.split(mark)] for line in lines[1 if named else 0 :]]
    width = len(header if named else table[0])
    if not named and width > 2 and all(len(row) == width and not row[-1] for row in table):
        width -= 1
    table = [row[:width] + [word for word in row[width:] if word] for row in table]
    if width < 2 or (width > 3 and not named) or any(len(row) != width for row in table):
        raise NoGraph
    places = (_named_ends(header) if named else None) or (0, 1)
    others = [place for place in range(width) if place not in places]
    ends = [[_vertex(row[place], 0, 2**63) for row in table] for place in places]
    values = [_column([row[place] for row in table]) for place in others]
    called = [header[place] for place in others]
    names = tuple("weight" if name.lower() == "weight" else name for name in called) if named else ("weight",)
    largest = max((max(column) for column in ends if column), default=-1)
    return SlowGraph(largest + 1, True, list(zip(*ends, *values, strict=True)), names[: width - 2])


def _mark(lines: list[str]) -> str | None:
    """What is between values: a mark that all lines have as often, first one by which the first line names the ends."""
    if all(_REAL.fullmatch(word) for line in lines for word in line.split()):
        return None
    marks = [mark for mark in "\t;,|" if mark in lines[0]]
    even = [mark for mark in marks if len({line.count(mark) for line in lines}) == 1]
    even.sort(key=lambda mark: not _names_ends([word.strip() for word in lines[0].split(mark)]))
    return next(iter([*even, *(mark for mark in ",;|" if mark in marks)]), None)


def _names_ends(header: list[str]) -> bool:
    return all(word.isprintable() for word in header) and _named_ends(header) is not None


def _named_ends(header: list[str]) -> tuple[int, int] | None:
    words = [word.lower() for word in header]
    for pair in (("source", "destination"), ("source", "target"), ("src", "dst"), ("from", "to")):
        if all(word in words for word in pair):
            return words.index(pair[0]), words.index(pair[1])
    return None


def _without_comment(row: str) -> str:
    """A row of numbers without the comment behind them."""
    front = re.sub(r"[ \t][#%].*", "", row)
    return front if all(map(_REAL.fullmatch, re.split(r"[\s,;|]+", front.strip(" \t,;|")))) else row


def _column(words: list[str]) -> list[Any]:
    """Whole numbers of one type if all of them are whole, else real ones, which round no whole one."""
    if not all(_WHOLE.fullmatch(word) for word in words):
        reals = [_real(word) for word in words]
        if any(_WHOLE.fullmatch(word) and int(word) != int(real) for word, real in zip(words, reals, strict=True)):
            raise NoGraph
        return reals
    whole = [int(word) for word in words]
    if not any(all(low <= value < high for value in whole) for low, high in (_INT64, _UINT64)):
        raise NoGraph
    return whole


def _vertex(word: str, first: int, count: int) -> int:
    return _whole(word, (first, count + first)) - first


def _whole(word: str, limits: tuple[int, int]) -> int:
    if not _WHOLE.fullmatch(word) or len(word) > 40 or not limits[0] <= int(word) < limits[1]:
        raise NoGraph
    return int(word)


def _real(word: str) -> float:
    if not _REAL.fullmatch(word):
        raise NoGraph
    value = float(word)
    if math.isinf(value) and "n" not in word.lower():
        raise NoGraph
    return value


def read_arrays_slowly(arrays: dict[str, Any], weighted: bool) -> SlowGraph:
    """The graph of the arrays that an `.npz` archive holds, as lists and words. Raises NoGraph."""
    shape, layout, data = arrays["shape"], arrays["format"], arrays["data"]
    if len(shape) != 2 or shape[0] != shape[1] or shape[0] < 0:
        raise NoGraph
    if layout == "coo":
        pairs = list(zip(arrays["row"], arrays["col"], strict=False))
        if not len(arrays["row"]) == len(arrays["col"]) == len(data):
            raise NoGraph
    else:
        starts, minor = arrays["indptr"], arrays["indices"]
        rising = all(low <= high for low, high in itertools.pairwise(starts))
        if len(starts) != shape[0] + 1 or starts[0] != 0 or starts[-1] != len(minor) or not rising:
            raise NoGraph
        if len(minor) != len(data):
            raise NoGraph
        major = [row for row in range(shape[0]) for _ in range(starts[row], starts[row + 1])]
        pairs = list(zip(major, minor, strict=True))
        if layout == "csc":
            pairs = [(row, column) for column, row in pairs]
    if any(isinstance(end, float) or not 0 <= end < shape[0] for pair in pairs for end in pair):
        raise NoGraph
    edges = [(*pair, value) if weighted else pair for pair, value in zip(pairs, data, strict=True)]
    return SlowGraph(shape[0], True, edges, ("weight",) if weighted else ())
