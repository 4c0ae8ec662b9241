"""DIMACS files: `p KIND vertices edges`, then a line for each arc or edge, ids from 1; PACE's files likewise."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.diagnostics import GdslError, printable
from gdsl.graph.columns import CountedRows, from_zero, read_columns
from gdsl.graph.edge_list import EdgeList
from gdsl.graph.group import ALONE, Group, NotInPartsError
from gdsl.graph.memory import require_memory
from gdsl.graph.messages import notice
from gdsl.graph.number_text import is_count, problem_of, whole_values
from gdsl.graph.text import TextLines, TextPart, line_end, short
from gdsl.graph.text_parts import part_of, read_in_order
from gdsl.graph.vertices import WIDE_FROM, require_countable
from gdsl.records import dataclass


@dataclass(frozen=True, slots=True)
class _Kind:
    """The lines of a kind of problem.

    mark: the letter before each of them, empty where it may be missing. values: the attributes after the two ends.
    further: other letters that lines may begin with.
    """

    mark: str
    directed: bool
    values: tuple[str, ...] = ()
    further: str = ""

    @property
    def called(self) -> str:
        return "arcs" if self.directed else "edges"

    @property
    def one(self) -> str:
        mark = self.mark or "u"
        return (
            f"an arc (`{mark} …`)" if self.directed else f"an edge (`{mark} v`)" if mark == "u" else "an edge (`e …`)"
        )


_COLORING = _Kind("e", False, further="ndvx")
_PACE = _Kind("", False)
_KINDS = {
    "sp": _Kind("a", True, ("weight",)),
    "max": _Kind("a", True, ("capacity",), "n"),
    "min": _Kind("a", True, ("lower", "capacity", "cost"), "n"),
    **dict.fromkeys(("edge", "edges", "col"), _COLORING),
    **dict.fromkeys(("tw", "td", "ds", "cep"), _PACE),
}
"""The kinds of problems, by the word after `p`."""
_NOT_WHOLE = "is not a whole number"
_EXACT = 2**53
"""Whole numbers below are exact as float64."""
_HEADERS = "`p sp VERTICES ARCS`"
_OTHER_HEADERS = "likewise `max`, `min`, `edge`, `col` and `tw`"


def is_problem_line(line: str) -> bool:
    """Whether `line` is the `p` line of a file that `read_dimacs` reads."""
    words = line.split()
    return len(words) == 4 and words[0] == "p" and words[1] in _KINDS and all(is_count(word) for word in words[2:])


def read_dimacs(path: str, group: Group = ALONE) -> EdgeList:
    """The edges of the DIMACS file at `path` that this worker of a group reads, in its order, ids from 0, and the
    attributes of all vertices. Raises GdslError with file and line.

    Shortest paths (`p sp`) have the attribute `weight`, maximum flow (`p max`) `capacity`, minimum-cost flow (`p min`)
    `lower`, `capacity` and `cost`, and the vertices their `supply`. Colorings (`p edge`, `p col`) and the problems of
    PACE (`p tw`) are undirected and have no values. Values are whole numbers; real ones are read as well.
    """
    try:
        return _read(path, np.int64, group)
    except GdslError as error:
        if error.code != "E0705" or not error.diagnostics[0].message.endswith(_NOT_WHOLE):
            raise
        with contextlib.suppress(GdslError):
            result = _read(path, np.float64, group)
            if not group.any(any(not (np.abs(values) < _EXACT).all() for values in result.attributes.values())):
                return result
        raise group.agreed(error) from None


def _read(path: str, values_are: type, group: Group) -> EdgeList:
    """`read_dimacs` with values of one type."""
    with group.agreement(), TextLines(path) as lines:
        header = _problem_line(lines, group.size)
        first = lines.number if group.alone else _first_row(lines, header.kind)
    part = part_of(group, path, first)
    kind, num_vertices, count = header.kind, header.num_vertices, header.count
    ids = np.int32 if num_vertices < WIDE_FROM else np.int64
    names = ("source", "destination", *kind.values)
    types = (ids, ids, *(values_are for _ in kind.values))

    def rows_of(assumed: TextPart) -> tuple[tuple[Any, _Rows, TextPart, TextLines], TextPart]:
        with TextLines(assumed) as lines:
            if lines.begins:
                _problem_line(lines, group.size)
            rows = _Rows(lines, header)
            columns = read_columns(lines, rows.among(iter(lines)), names, types, None, rows)
        return (columns, rows, assumed, lines), rows.following()

    columns, rows, part, lines = read_in_order(group, part, rows_of, count)
    _check_end(lines, header, group.sum(len(columns[0])), group)
    of_vertices = group.first(rows.of_vertices) or {}
    ends = []
    for values in columns[:2]:
        with group.agreement():
            values = values.astype(ids, copy=False)
            ends.append(from_zero(part, partial(_rows, header=header, size=group.size), values, num_vertices, "DIMACS"))
    attributes = {name: whole_values(values) for name, values in zip(kind.values, columns[2:], strict=True)}
    edges = EdgeList(ends[0], ends[1], num_vertices, kind.directed, attributes)
    edges.vertex_attributes = _values_of_vertices(path, header, of_vertices)
    return edges


def _check_end(lines: TextLines, header: _Header, result: int, group: Group) -> None:
    """Raise E0706 where the file may be cut off."""
    cut_off = group.any(not lines.complete and not _holds_nothing(lines, lines.line))
    lines.number = group.max(lines.number)
    kind, count = header.kind, header.count
    if result < count:
        message = f"the file ends after {result:,} {kind.called}, and its `p` line says {count:,}"
        raise group.agreed(lines.error("E0706", message, "the file was probably cut off: get it again"))
    if count and cut_off:
        fix = f"if the file is whole, end its last line: {line_end(lines.path)}"
        last = "weight" if kind.values else "number"
        message = f"the last line has no line end, so its {last} may be cut off"
        raise group.agreed(lines.error("E0706", message, fix))


def _first_row(lines: TextLines, kind: _Kind) -> int:
    """The line of the first arc or edge; lines about vertices come before."""
    number = lines.number
    for line in lines:
        number = lines.number
        if not _holds_nothing(lines, line) and line.lstrip()[0] not in kind.further:
            break
    return number


@dataclass(frozen=True, slots=True)
class _Header:
    word: str
    kind: _Kind
    num_vertices: int
    count: int


def _problem_line(lines: TextLines, size: int = 1) -> _Header:
    """The `p` line, whose numbers the file can hold, and the memory the part of one of `size` workers; comments before
    it are skipped."""
    first = next((line for line in lines if not _holds_nothing(lines, line)), None)
    words = first.split() if first is not None else []
    if len(words) != 4 or words[0] != "p" or not all(is_count(word) for word in words[2:]):
        raise lines.error("E0703", f"a DIMACS graph begins with {_HEADERS} after its comments ({_OTHER_HEADERS})")
    kind = _KINDS.get(words[1])
    if kind is None:
        message = f"`p {short(words[1])}` is not a kind of DIMACS graph that is read: {_HEADERS}, {_OTHER_HEADERS}"
        raise lines.error("E0703", message)
    num_vertices, count = int(words[2]), int(words[3])
    require_countable(num_vertices, lines.place)
    shortest = len("1 1\n") + 2 * (len(kind.values) + bool(kind.values))
    if lines.is_whole and lines.size is not None and count * shortest > lines.size + 1:
        raise lines.error("E0706", f"the `p` line says {count:,} {kind.called}, more than the file can hold")
    needed = 24 * (num_vertices + 1) + 8 * count * (3 + len(kind.values))
    require_memory(needed // size, f"a graph of {num_vertices:,} vertices and {count:,} {kind.called}", lines.place)
    return _Header(words[1], kind, num_vertices, count)


class _Rows(CountedRows):
    """The text after the letter of each arc or edge. Lines about vertices are kept in `of_vertices`, by their
    number."""

    def __init__(self, lines: TextLines, header: _Header) -> None:
        super().__init__(lines, header.count, f"{header.kind.called} of its `p` line")
        self._header = header
        mark = header.kind.mark
        self._mark, self._starts = mark, (f"{mark} ", f"{mark}\t")
        self._first = f"{mark} ".encode()
        self._next = b"\n" + self._first
        self.of_vertices: dict[int, str] = {}

    def among(self, stream: Iterator[str]) -> Iterator[str]:
        lines, kind = self.lines, self._header.kind
        for line in stream:
            row = line.lstrip()
            if kind.mark and row.startswith(self._starts):
                row = row[2:]
            elif _holds_nothing(lines, line):
                continue
            elif row[0] in kind.further and row[1:2].isspace():
                self._keep(row)
                continue
            elif kind.directed or not (row[0].isdigit() or row[0] == "-"):
                message = f"`{short(line.strip())}` is neither {kind.one} nor a comment (`c …`)"
                raise lines.error("E0705", message)
            self.count()
            lines.line = row
            yield row

    def _keep(self, row: str) -> None:
        """A line about a vertex (`n ID VALUE`); coordinates of vertices are skipped."""
        if row[0] != "n":
            self.lines.skip()
            return
        if not self.lines.begins:
            raise NotInPartsError("DIMACS files with lines about vertices among the others")
        words = row.split()
        places = self._header.num_vertices
        if len(words) != 3 or not is_count(words[1]) or not 1 <= int(words[1]) <= places:
            message = f"`{short(row.strip())}` is not `n ID VALUE` with an ID in 1 … {places:,}"
            raise self.lines.error("E0705", message)
        if int(words[1]) - 1 in self.of_vertices:
            raise self.lines.error("E0705", f"the vertex {words[1]} has two lines `n ID VALUE`")
        word = self._header.word
        if word == "max" and words[2] not in ("s", "t"):
            message = f"`{short(words[2])}` is neither `s` (the source) nor `t` (the sink)"
            raise self.lines.error("E0705", message)
        problem = problem_of(words[2], np.int64) if word != "max" else None
        if problem is not None:
            raise self.lines.error("E0705", f"value: `{short(words[2])}` {problem}")
        self.of_vertices[int(words[1]) - 1] = words[2]

    def plain(self, block: bytes) -> bytes | None:
        if self._mark and block.startswith(self._first):
            all_rows = block.count(self._next) + 1 == block.count(b"\n")
            return block[2:].replace(self._next, b"\n") if all_rows else None
        if self._header.kind.directed or not block[:1].isdigit():
            return None
        return block if not block.translate(None, b"0123456789 \t\n") else None


def _holds_nothing(lines: TextLines, line: str) -> bool:
    """Whether this is a comment or a blank line."""
    nothing = line.isspace() or line.lstrip()[:1] == "c"
    if nothing:
        lines.skip()
    return nothing


def _rows(lines: TextLines, header: _Header, size: int) -> Iterator[str]:
    if lines.begins:
        _problem_line(lines, size)
    return _Rows(lines, header).among(iter(lines))


def _values_of_vertices(path: str, header: _Header, result: dict[int, str]) -> dict[str, NDArray[Any]]:
    """The attributes that lines `n ID VALUE` give the vertices; the ends of a flow are named in a notice."""
    if header.word == "max":
        ends = {word: [vertex for vertex, value in result.items() if value == word] for word in "st"}
        _notice_ends(path, ends["s"], ends["t"])
        return {}
    if header.word == "min":
        supply = np.zeros(header.num_vertices, np.int64)
        supply[list(result)] = [int(value) for value in result.values()]
        return {"supply": whole_values(supply)}
    if not result:
        return {}
    if len(result) < header.num_vertices:
        count = f"{len(result):,} of {header.num_vertices:,}"
        notice(f"{printable(path)}: only {count} vertices have a value (`n ID VALUE`); the values are skipped")
        return {}
    values = [int(result[vertex]) for vertex in range(header.num_vertices)]
    return {"vertex_weight": whole_values(np.array(values, np.int64))}


def _notice_ends(path: str, sources: list[int], sinks: list[int]) -> None:
    if not sources and not sinks:
        return
    named = [f"{name} {vertex + 1}" for name, of in (("source", sources), ("sink", sinks)) for vertex in of]
    params = [f"-p {name}={of[0]}" for name, of in (("source", sources), ("sink", sinks)) if len(of) == 1]
    hint = "" if len(params) == len(named) else "; of several, choose one"
    flags = f": run max_flow with {' '.join(params)} --reverse-arcs" if params else ""
    notice(f"{printable(path)} names the {' and the '.join(named)}, and ids count from 0 here{flags}{hint}")


def refuse_other_problems(path: str) -> None:
    """Raise E0702 for a file name of a problem other than shortest paths, which alone are written."""
    if path.lower().endswith(READ_ONLY):
        message = "DIMACS files of this problem are read, not written"
        raise GdslError.single("E0702", message, fix="write a .gr file", place=path)


READ_ONLY = (".col", ".clq", ".max", ".min", ".dimacs")
"""Suffixes of files of other problems than shortest paths."""
