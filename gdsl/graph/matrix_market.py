"""Matrix Market files: `symmetric` is an undirected graph, `general` a directed one, entry (i, j) the arc i→j."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.diagnostics import GdslError
from gdsl.graph.columns import CountedRows, from_zero, read_columns
from gdsl.graph.edge_list import EdgeList
from gdsl.graph.file_bytes import empty
from gdsl.graph.group import ALONE, Group
from gdsl.graph.memory import require_memory
from gdsl.graph.messages import edited, with_fix
from gdsl.graph.number_text import is_count, is_number, is_whole, whole_values
from gdsl.graph.overflow import refuse_overflow
from gdsl.graph.text import TextLines, TextPart, line_end, short
from gdsl.graph.text_parts import part_of, read_in_order
from gdsl.graph.vertices import WIDE_FROM, require_countable
from gdsl.records import dataclass

_CALLED = "entries of its header"
_VALUE_TYPES: dict[str, type | None] = {
    "pattern": None,
    "integer": np.int64,
    "unsigned-integer": np.uint64,
    "real": np.float64,
    "double": np.float64,
}
_SHORTEST_ENTRY = {"pattern": 4}
_BYTES_PER_ENTRY = 24
_BANNER = re.compile(r"\s*%{1,2}\s*matrixmarket(?=\s|$)", re.IGNORECASE)
"""The first word of the first line; networkrepository.com writes it with one percent sign."""
_FORTRAN = re.compile(r"[-+]?[0-9.]+[dD][-+]?[0-9]+")
"""A real number as Fortran writes it in double precision."""
_EXACT = 2**53
"""Whole numbers up to here are exact as float64."""
_BANNERS = (
    "begin it with `%%MatrixMarket matrix coordinate real general` (`pattern` without values, `symmetric` where "
    "edges have no direction) and the line `VERTICES VERTICES ENTRIES`; if each line is an edge, --format edges "
    "(format='edges')"
)

_OPPOSITES = {"skew-symmetric": "its negative at (j, i)", "hermitian": "its conjugate at (j, i)"}
_AS_COORDINATES = (
    "write it as `coordinate`: scipy.io.mmwrite('new.mtx', scipy.sparse.coo_array(scipy.io.mmread('old.mtx')))"
)
_REAL_PARTS = "write their absolute values: scipy.io.mmwrite('new.mtx', abs(scipy.io.mmread('old.mtx')))"


@dataclass(frozen=True, slots=True)
class _Header:
    num_vertices: int
    entries: int
    field: str
    directed: bool


def read_matrix_market(path: str, group: Group = ALONE) -> EdgeList:
    """The edges of the file at `path` that this worker of a group reads, in its order, ids from 0. Raises GdslError
    with file and line."""
    result = _read(path, None, group)
    weights = result.attributes.get("weight")
    large = weights is not None and weights.dtype.kind == "f" and bool((np.abs(weights) >= _EXACT).any())
    if group.any(large):
        # a `real` file of whole numbers, which float64 may have rounded
        with contextlib.suppress(GdslError):
            return _read(path, np.int64, group)
    return result


def is_banner(line: str) -> bool:
    """Whether `line` is the first of a Matrix Market file."""
    return _BANNER.match(line) is not None


def _read(path: str, values: type | None, group: Group) -> EdgeList:
    """`read_matrix_market`, with `values` as the type of values instead of the banner's."""
    with group.agreement(), TextLines(path) as lines:
        header = _header(lines, group.size)
    part = part_of(group, path, lines.number)
    kind = values or _VALUE_TYPES[header.field]
    ids = np.int32 if header.num_vertices < WIDE_FROM else np.int64
    names, types = ("row", "column"), (ids, ids)
    if kind is not None:
        names, types = (*names, "value"), (*types, kind)  # type: ignore[assignment]

    def entries(assumed: TextPart) -> tuple[tuple[Any, TextPart, TextLines], TextPart]:
        with TextLines(assumed) as lines:
            if lines.begins:
                _header(lines, group.size)
            entries = _Entries(lines, header.entries, _CALLED)
            try:
                columns = read_columns(lines, entries.among(iter(lines)), names, types, None, entries)
            except GdslError as error:
                raise _with_field(error, lines, header) from None
        return (columns, assumed, lines), entries.following()

    columns, part, lines = read_in_order(group, part, entries, header.entries)
    _check_end(lines, header, columns, group)
    rows = partial(_rows, entries=header.entries, size=group.size)
    with group.agreement():
        refuse_overflow(part, rows, names, columns, None)
    ends = []
    for result in columns[:2]:
        with group.agreement():
            ends.append(from_zero(part, rows, result.astype(ids, copy=False), header.num_vertices, "Matrix Market"))
    attributes = {} if kind is None else {"weight": whole_values(columns[2])}
    return EdgeList(ends[0], ends[1], header.num_vertices, header.directed, attributes)


def _with_field(error: GdslError, lines: TextLines, header: _Header) -> GdslError:
    """`error`, with the other kind of values as its fix where a line has a value too many or too few, or one that is
    not whole, and with a command where its exponent is that of Fortran."""
    words = lines.line.split()
    width, value = len(words), words[-1] if words else ""
    if error.code != "E0705":
        return error
    if width == 3 and _FORTRAN.fullmatch(value):
        change = rf"'{lines.number},$s/\([0-9.]\)[dD]\([-+0-9]\)/\1e\2/'"
        return with_fix(error, f"write exponents with `e`: {edited(lines.path, change)}")
    if width == (3 if header.field == "pattern" else 2):
        other, where = "real" if header.field == "pattern" else "pattern", "no line has another number of values"
    elif width == 3 and header.field == "integer" and is_number(value) and not is_whole(value):
        other, where = "real", "the values are not whole"
    else:
        return error
    command = edited(lines.path, f"'1s/{header.field}/{other}/I'")
    return with_fix(error, f"if {where}, the banner means `{other}`, not `{header.field}`: {command}")


def _header(lines: TextLines, size: int = 1) -> _Header:
    """Banner, comments and sizes, checked against each other, the file's size and the memory, of which one of `size`
    workers needs its part."""
    stream = iter(lines)
    banner = next(stream, None)
    if banner is None:
        raise empty(lines.path)
    start = _BANNER.match(banner)
    if start is None:
        raise lines.error("E0703", "this is not a Matrix Market file: it does not begin with %%MatrixMarket", _BANNERS)
    field, directed = _kind(lines, banner[start.end() :].lower().split())
    sizes = next((line for line in stream if not _holds_nothing(lines, line)), None)
    if sizes is None:
        raise lines.error("E0706", "the file ends before its line `rows columns entries`")
    words = sizes.split()
    if len(words) != 3 or not all(is_count(word) for word in words):
        raise lines.error("E0703", f"`{short(sizes.strip())}` is not `rows columns entries`", "three whole numbers")
    rows, columns, entries = (int(word) for word in words)
    if rows != columns:
        fix = (
            "for an edge from each row to each column: matrix = scipy.io.mmread(FILE), then "
            "Graph.from_scipy(scipy.sparse.bmat([[None, matrix], [matrix.T, None]]))"
        )
        message = f"the matrix is rectangular ({rows:,} × {columns:,}); a graph's matrix is square"
        raise lines.error("E0704", message, fix)
    _check_sizes(lines, rows, entries, field, size)
    return _Header(rows, entries, field, directed)


def _holds_nothing(lines: TextLines, line: str) -> bool:
    """Whether this is a comment or a blank line."""
    nothing = line.isspace() or line.lstrip().startswith("%")
    if nothing:
        lines.skip()
    return nothing


def _kind(lines: TextLines, words: list[str]) -> tuple[str, bool]:
    """(kind of values, whether directed) of the rest of the banner; other kinds of matrices are refused by name."""
    if len(words) != 4 or words[0] != "matrix":
        fix = "%%MatrixMarket matrix coordinate pattern|integer|real general|symmetric"
        raise lines.error("E0703", "the first line of the Matrix Market file is malformed", f"write `{fix}`")
    layout, field, symmetry = words[1:]
    if layout == "array":
        raise lines.error("E0704", "the matrix is dense (`array`)", _AS_COORDINATES)
    if layout != "coordinate":
        raise lines.error("E0703", f"unknown layout `{short(layout)}`", "`coordinate`")
    if field == "complex":
        raise lines.error("E0704", "the matrix has complex values; weights are integers or real numbers", _REAL_PARTS)
    if field not in _VALUE_TYPES:
        raise lines.error("E0703", f"unknown kind of values `{short(field)}`", "`pattern`, `integer` or `real`")
    if symmetry in ("skew-symmetric", "hermitian"):
        fix = f"write every entry, with {_OPPOSITES[symmetry]}, under `general`"
        raise lines.error("E0704", f"the matrix is {symmetry}; a graph is `general` or `symmetric`", fix)
    if symmetry not in ("general", "symmetric"):
        fix = "`general` (directed) or `symmetric` (undirected)"
        raise lines.error("E0703", f"unknown symmetry `{short(symmetry)}`", fix)
    return field, symmetry == "general"


def _check_sizes(lines: TextLines, num_vertices: int, entries: int, field: str, size: int) -> None:
    """Refuse a header that the file or the memory cannot hold, before anything is allocated."""
    require_countable(num_vertices, lines.place)
    shortest = _SHORTEST_ENTRY.get(field, 6)
    # The last entry may lack its line end.
    if lines.is_whole and lines.size is not None and entries * shortest > lines.size + 1:
        note = f"{entries:,} entries are at least {entries * shortest:,} bytes, the file has {lines.size:,}"
        raise lines.error("E0706", f"the header says {entries:,} entries, more than the file can hold", notes=(note,))
    needed = 24 * (num_vertices + 1) + entries * _BYTES_PER_ENTRY
    require_memory(needed // size, f"a graph of {num_vertices:,} vertices and {entries:,} entries", lines.place)


def _rows(lines: TextLines, entries: int, size: int) -> Iterator[str]:
    if lines.begins:
        _header(lines, size)
    return _Entries(lines, entries, _CALLED).among(iter(lines))


class _Entries(CountedRows):
    """The lines of the entries."""

    def among(self, stream: Iterator[str]) -> Iterator[str]:
        for line in stream:
            if not _holds_nothing(self.lines, line):
                self.count()
                yield line

    def plain(self, block: bytes) -> bytes | None:
        return None if b"%" in block else block


def _check_end(lines: TextLines, header: _Header, columns: tuple[NDArray[Any], ...], group: Group) -> None:
    result = group.sum(len(columns[0]))
    lines.number, complete = group.max(lines.number), not group.any(not lines.complete)
    last = group.last(int(columns[1][-1]) if len(columns[1]) else None)
    if result < header.entries:
        message = f"the file ends after {result:,} entries, and its header says {header.entries:,}"
        raise group.agreed(lines.error("E0706", message, "the file was probably cut off: get it again"))
    if complete or last is None:
        return
    # Without its line end the last number may have lost digits; that is certain not to be so where no longer id exists.
    if len(columns) > 2 or last * 10 <= header.num_vertices:
        fix = f"if the file is whole, end its last line: {line_end(lines.path)}"
        raise group.agreed(
            lines.error("E0706", "the last line has no line end, so its last number may be cut off", fix)
        )
