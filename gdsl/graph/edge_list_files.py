"""Edge lists: two ids or names a line and perhaps values, between blanks, tabs, commas or other marks."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.diagnostics import GdslError
from gdsl.graph.column_names import Columns
from gdsl.graph.columns import RowsOf, find_row, read_columns, refuse_overflow
from gdsl.graph.edge_list import EdgeList
from gdsl.graph.edge_list_head import Head, head_of
from gdsl.graph.fields import comment_of
from gdsl.graph.group import ALONE, Group, NotInPartsError, ReadAgainError
from gdsl.graph.list_checks import refuse_count_line, refuse_sections
from gdsl.graph.list_meaning import (
    Meaning,
    meaning_of,
    notice_columns,
    notice_edges,
    notice_keys,
    notice_nodes,
    notice_third_column,
)
from gdsl.graph.memory import require_memory
from gdsl.graph.messages import with_fix
from gdsl.graph.number_text import AS_REALS, is_number, is_whole, problem_of, whole_values, words_of
from gdsl.graph.numbering import NumberedNames, number_by_value
from gdsl.graph.text import TextLines, TextPart
from gdsl.graph.text_parts import part_of, read_in_order
from gdsl.graph.vertices import LARGEST_NUM_VERTICES, Names, check_ids, compacted, id_dtype
from gdsl.graph.worded_lists import COMPACT, Worded, read_worded, refuse_names, refuse_unnamed, rows_of_list, width_fix
from gdsl.records import dataclass

_TRAILING_COMMENT = re.compile(r"[ \t][#%].*")
_UNSPECIFIED = Columns()
_MOST_READINGS = 4
"""So many times the file is read with wider types; then all lines are examined for the types they need."""


@dataclass(frozen=True, slots=True)
class _EdgeColumns:
    """The columns of a list: ids or numbers of names, and the values by the names of their columns."""

    part: TextPart
    sources: NDArray[Any]
    destinations: NDArray[Any]
    attributes: dict[str, NDArray[Any]]
    rows: RowsOf
    names: Names | NumberedNames | None = None
    type_statement: str | None = None
    left: tuple[str, ...] = ()
    """Columns that are left out."""
    gap: int | None = None
    """The number of an empty line that more rows follow."""


def read_edge_list(
    path: str,
    one_based: bool | None,
    num_vertices: int | None,
    compact: bool = False,
    requested: Columns = _UNSPECIFIED,
    directed: bool | None = None,
) -> EdgeList:
    """The edges of the file at `path`, in its order. Raises GdslError with file and line.

    Lists of plain numbers are read by blocks; all others, which have names, quotes or text, are read row by row, and
    all values of a column decide what it is. `docs/graphs.md` says what is read how. Arguments that are None follow the
    comments of the file.
    """
    edges, names = read_part_of_edge_list(path, one_based, num_vertices, compact, requested, directed, ALONE)
    assert names is None or isinstance(names, Names)
    edges.names = names
    return edges


def read_part_of_edge_list(
    path: str,
    one_based: bool | None,
    num_vertices: int | None,
    compact: bool,
    requested: Columns,
    directed: bool | None,
    group: Group,
) -> tuple[EdgeList, Names | NumberedNames | None]:
    """The part of the edges that this worker of a group reads, in the order of ranks, and the names of vertices.

    Raises what `read_edge_list` raises, on all workers; NotInPartsError for a list that is not read in parts."""
    with group.agreement():
        head = head_of(path, requested)
    if head.dicts and not group.alone:
        raise NotInPartsError("edge lists with a dictionary on each line")
    result = _read(path, head, requested, directed, compact, group)
    notice_columns(path, head, result.left)
    meaning = meaning_of(path, head, result.type_statement, result.names is not None, one_based, num_vertices, directed)
    total = group.sum(len(result.sources))
    notice_edges(path, head, total)
    if result.names is not None:
        with group.agreement():
            return _of_names(result, meaning, one_based, num_vertices), result.names
    if head.columns is None and not head.dicts:
        refuse_count_line(path, _number_columns(result), head.first_line, head.mark, group)
        notice_third_column(path, head, result.sources, result.attributes, group)
    if result.gap is not None:
        refuse_sections(result.part, result.rows, result.gap, result.sources, result.destinations, group)
    ends = result.sources, result.destinations
    one_based = meaning.one_based
    if compact and not meaning.bipartite:
        if num_vertices is not None:
            message = "num_vertices and compact contradict each other: compact leaves out vertices without an edge"
            raise group.agreed(GdslError.single("E0712", message))
        if one_based:
            _check_ids(result.part, result.rows, *ends, True, None, 2**63 - 2, group)
        sources, destinations, names, count = _compacted(*ends, group)
        return EdgeList(sources, destinations, count, meaning.directed, result.attributes), names
    sources, destinations, count = _ids(result.part, result.rows, *ends, one_based, num_vertices, group)
    if meaning.bipartite:
        sources, destinations, count = _two_sides(sources, destinations, meaning, group)
    elif num_vertices is None:
        notice_keys(path, count, total)
        if meaning.num_vertices is not None and meaning.num_vertices > count:
            what = f"{meaning.num_vertices:,} vertices, as a comment says,"
            with group.agreement():
                require_memory(24 * meaning.num_vertices // group.size, what, path)
            notice_nodes(path, meaning.num_vertices, count)
            count = meaning.num_vertices
            sources, destinations = (end.astype(id_dtype(count), copy=False) for end in (sources, destinations))
    return EdgeList(sources, destinations, count, meaning.directed, result.attributes), None


def _number_columns(result: _EdgeColumns) -> list[NDArray[Any]]:
    weights = result.attributes.get("weight")
    return [result.sources, result.destinations, *([weights] if weights is not None else [])]


def _of_names(result: _EdgeColumns, meaning: Meaning, one_based: bool | None, num_vertices: int | None) -> EdgeList:
    if one_based is not None or num_vertices is not None:
        message = "one_based and num_vertices are for ids; the ends of this list are names"
        raise GdslError.single("E0712", message, fix="leave them out")
    assert result.names is not None
    count = result.names.count if isinstance(result.names, NumberedNames) else len(result.names)
    sources, destinations = (end.astype(id_dtype(count)) for end in (result.sources, result.destinations))
    return EdgeList(sources, destinations, count, meaning.directed, result.attributes)


def _compacted(
    sources: NDArray[Any], destinations: NDArray[Any], group: Group
) -> tuple[NDArray[Any], NDArray[Any], Names | NumberedNames, int]:
    """Both ends renumbered from 0 without gaps, in the order of the original numbers, these, and how many there are."""
    if group.alone:
        sources, destinations, names = compacted(sources, destinations)
        return sources, destinations, names, len(names)
    ids, numbered = number_by_value(group, np.concatenate([sources, destinations]))
    ids = ids.astype(id_dtype(numbered.count))
    return ids[: len(sources)], ids[len(sources) :], numbered, numbered.count


def _two_sides(
    sources: NDArray[Any], destinations: NDArray[Any], meaning: Meaning, group: Group
) -> tuple[NDArray[Any], NDArray[Any], int]:
    """The ends of a bipartite list, whose two sides have ids of their own: those of the right follow the left."""
    left, right = (
        max(group.max(int(ids.max(initial=-1)) + 1), size)
        for ids, size in zip((sources, destinations), meaning.sides, strict=True)
    )
    with group.agreement():
        require_memory(24 * (left + right + 1) // group.size, f"a graph of {left + right:,} vertices")
    if left + right > LARGEST_NUM_VERTICES:
        check_ids(sources, destinations.astype(np.int64) + left, None, group)
    dtype = id_dtype(left + right)
    return sources.astype(dtype), destinations.astype(dtype) + dtype.type(left), left + right


def _read(
    path: str, head: Head, requested: Columns, directed: bool | None, compact: bool, group: Group
) -> _EdgeColumns:
    width = len(head.sample[-1]) if head.sample else 0
    part = part_of(group, path, head.first_line, width)
    if head.plain:
        if head.columns is None:
            meaningful = 4 if head.statements.konect else 3
            if len(head.first or ()) > meaningful:
                with group.agreement():
                    refuse_unnamed(path, head, len(head.first or ()))
        try:
            return _plain(part, head, group)
        except _QuotedError:
            pass
        except GdslError as error:
            if error.code != "E0705" or (head.columns is None and not compact):
                raise
    return _worded(part, head, directed, compact, group)


def _worded(part: TextPart, head: Head, directed: bool | None, compact: bool, group: Group) -> _EdgeColumns:
    if head.dicts:
        from gdsl.graph.networkx_lists import ends_of_list, read_networkx_list

        result, rows = read_networkx_list(part.path, head), partial(_joined, read=ends_of_list, head=head)
    else:
        result, part = read_worded(part, head, directed, compact, group)
        rows = partial(_joined, read=rows_of_list, head=head)
    values, names = _values(result), result.names
    return _EdgeColumns(
        part, result.sources, result.destinations, values, rows, names, result.type_statement, result.left_out
    )


def _values(result: Worded) -> dict[str, NDArray[Any]]:
    return {name: whole_values(values) for name, values in result.attributes.items()}


def _joined(lines: TextLines, read: Any, head: Head) -> Iterator[str]:
    """A text for each row, so that its line can be found."""
    return (" ".join(row) for row in read(lines, head))


@dataclass(frozen=True, slots=True)
class _Layout:
    """The columns of a list of plain numbers: what messages call them, which are the ends, what is between them."""

    names: tuple[str, ...]
    ends: tuple[int, int]
    delimiter: str | None
    first: tuple[str, ...]
    skipped: frozenset[int] = frozenset()


def _layout_of(head: Head) -> _Layout:
    columns = head.columns
    first = head.first or ()
    if columns is None:
        others = ("weight", "time") if len(first) == 4 else ("weight",)
        names = ("source", "destination", *others)[: len(first)]
        return _Layout(names, (0, 1), None if head.mark == "\t" else head.mark, first)
    names = tuple(name or f"column {place + 1}" for place, name in enumerate(columns.names))
    skipped = frozenset(place for place, name in enumerate(columns.names) if name is None)
    return _Layout(names, columns.ends, head.mark, first or ("0",) * len(names), skipped)


class _QuotedError(ReadAgainError):
    """A list of plain numbers has a quote further on."""


class _WiderError(ReadAgainError):
    """A line needs other types, which are the argument."""


def _plain(part: TextPart, head: Head, group: Group) -> _EdgeColumns:
    """A list of numbers, and of columns that are left out. Raises GdslError E0705 for anything else."""
    layout = _layout_of(head)
    rows = partial(_rows, head=head)
    columns, part, gap = _columns(part, head, layout, group)
    with group.agreement():
        refuse_overflow(part, rows, layout.names, columns, layout.delimiter, exact=True)
    source, destination = layout.ends
    values = [place for place in range(len(columns)) if place not in (*layout.ends, *layout.skipped)]
    attributes = {layout.names[place]: whole_values(columns[place]) for place in values}
    return _EdgeColumns(part, columns[source], columns[destination], attributes, rows, gap=gap)


def _columns(
    part: TextPart, head: Head, layout: _Layout, group: Group
) -> tuple[tuple[NDArray[Any], ...], TextPart, int | None]:
    """The values, the part that they are from, and the number of an empty line before the last row; a column has the
    type of its first value until a line needs another one."""
    types: list[type] = [np.int64 if is_whole(word) else np.float64 for word in layout.first]
    for end in layout.ends:
        types[end] = np.int64
    for reading in itertools.count():
        if reading == _MOST_READINGS and group.alone:
            types = _types_of_all(part, head, layout, types)
        try:
            read = partial(_columns_of_part, head=head, layout=layout, types=types)
            (result, gap, last_row), part = read_in_order(group, part, read)
        except _WiderError as wider:
            [types] = wider.args
            continue
        gap, last_row = group.first(gap or None) or 0, group.last(last_row or None) or 0
        return result, part, gap if 0 < gap < last_row else None
    raise AssertionError("a file is read, or refused")


_Read = tuple[tuple[NDArray[Any], ...], int, int]
"""Columns, the first empty line, and the last row."""


def _columns_of_part(
    part: TextPart, head: Head, layout: _Layout, types: list[type]
) -> tuple[tuple[_Read, TextPart], TextPart]:
    with TextLines(part) as lines:
        rows = _rows(lines, head)
        try:
            result = read_columns(lines, rows, layout.names, types, layout.delimiter, _Rows(lines))
            return ((result, lines.gap, lines.last_row), part), lines.following()
        except GdslError as error:
            wider = _wider(types, words_of(lines.line, layout.delimiter), layout.ends)
            if wider is not None:
                raise _WiderError(wider) from None
            if '"' in lines.line:
                raise _QuotedError from None
            raise _with_hint(error, lines, head, layout) from None


def _types_of_all(part: TextPart, head: Head, layout: _Layout, types: list[type]) -> list[type]:
    """The types with which all lines can be read, up to a line that no types fit."""
    with TextLines(part) as lines:
        for row in _rows(lines, head):
            words = words_of(row, layout.delimiter)
            # A float64 needs no other type.
            while any(
                kind is not np.float64 and problem_of(word, kind) for word, kind in zip(words, types, strict=False)
            ):
                wider = _wider(types, words, layout.ends)
                if wider is None:
                    return types
                types = wider
    return types


def _wider(types: list[type], words: list[str], ends: tuple[int, int]) -> list[type] | None:
    """The types with which the line of `words` can be read, or None; a whole number is never rounded to a real one."""
    if len(words) != len(types) or any(problem_of(words[end], np.int64) for end in ends):
        return None
    wider = list(types)
    for place, (word, kind) in enumerate(zip(words, types, strict=True)):
        if place in ends or problem_of(word, kind) is None:
            continue
        wider[place] = np.uint64 if is_whole(word) else np.float64
        fits = problem_of(word, np.uint64) is None if is_whole(word) else is_number(word)
        if (kind is not np.int64 and wider[place] is kind) or not fits:
            return None
    return None if wider == types else wider


def _with_hint(error: GdslError, lines: TextLines, head: Head, layout: _Layout) -> GdslError:
    """`error` with a fix, where an end of a list without a header is a name, or a second list begins."""
    if head.columns is not None:
        return error
    words = words_of(lines.line, layout.delimiter)
    fix = None
    if len(words) == len(layout.names):
        if any(is_whole(words[place]) and problem_of(words[place], np.int64) for place in layout.ends):
            return with_fix(error, COMPACT)
        if any(
            place not in layout.ends and is_whole(word)
            for place, word in enumerate(words)
            if problem_of(word, np.int64)
        ):
            return with_fix(error, AS_REALS)
        name_place = next((place for place in layout.ends if not is_whole(words[place])), None)
        if name_place is not None:
            try:
                refuse_names(lines, head, layout.names[name_place], words[name_place])
            except GdslError as named:
                fix = named.diagnostics[0].fix
    else:
        fix = width_fix(lines, head, len(words))
    return error if fix is None else with_fix(error, fix)


def _rows(lines: TextLines, head: Head) -> Iterator[str]:
    """The lines of the edges of a list of plain numbers."""
    rows = _without_comments(lines, iter(lines))
    if head.in_row and lines.begins:
        next(rows)
    for row in rows:
        lines.watch_gaps()
        return itertools.chain([row], rows)
    return iter(())


class _Rows:
    """The rows after the first one."""

    def __init__(self, lines: TextLines) -> None:
        self._lines = lines

    def among(self, stream: Iterator[str]) -> Iterator[str]:
        return _without_comments(self._lines, stream)

    def plain(self, block: bytes) -> bytes | None:
        return block

    def may_be(self, count: int) -> bool:
        return True


def _without_comments(lines: TextLines, stream: Iterator[str]) -> Iterator[str]:
    """The lines that hold something. After numbers a comment may follow in the same line: no number has its mark."""
    for line in stream:
        marked = "#" in line or "%" in line or "/" in line
        comment = comment_of(line) if marked else None
        if marked and comment is None:
            lines.line = line = _TRAILING_COMMENT.sub("", line)
        if comment is None and line and not line.isspace():
            lines.last_row = lines.number
            yield line
        else:
            if not comment:  # an empty one separates the sections of Trivial Graph Format
                lines.note_gap()
            lines.skip()


def _ids(
    part: TextPart,
    rows: RowsOf,
    sources: NDArray[Any],
    destinations: NDArray[Any],
    one_based: bool,
    num_vertices: int | None,
    group: Group,
) -> tuple[NDArray[Any], NDArray[Any], int]:
    """Both ends counted from 0, in the narrowest type, and the number of vertices."""
    highest = LARGEST_NUM_VERTICES if num_vertices is None else num_vertices
    _check_ids(part, rows, sources, destinations, one_based, num_vertices, highest, group)
    if one_based:
        sources, destinations = sources - 1, destinations - 1
    count = check_ids(sources, destinations, num_vertices, group)
    try:
        with group.agreement():
            what = f"a graph of {count:,} vertices (the largest id and all below it)"
            require_memory(24 * (count + 1) // group.size, what, part.path)
    except GdslError as error:
        raise with_fix(error, COMPACT) from None
    dtype = id_dtype(count)
    return sources.astype(dtype, copy=False), destinations.astype(dtype, copy=False), count


def _check_ids(
    part: TextPart,
    rows: RowsOf,
    sources: NDArray[Any],
    destinations: NDArray[Any],
    one_based: bool,
    num_vertices: int | None,
    highest: int,
    group: Group,
) -> None:
    """Raise E0707 or E0709, at its line, for the first id that is too low or not below `highest`."""
    lowest = 1 if one_based else 0
    for name, ids in (("source", sources), ("destination", destinations)):
        with group.agreement():
            if len(ids) and (ids.min() < lowest or ids.max() >= highest + lowest):
                place = int(np.argmax((ids < lowest) | (ids >= highest + lowest)))
                lines = find_row(part, rows, place)
                raise _outside(lines, name, int(ids[place]), one_based, num_vertices, highest)


def _outside(
    lines: TextLines, name: str, value: int, one_based: bool, num_vertices: int | None, highest: int
) -> GdslError:
    """E0707 at the line last read."""
    lowest = 1 if one_based else 0
    if value < lowest:
        message = f"the {name} {value} is not a vertex: ids count from {lowest} here"
    elif num_vertices is None:
        message = f"the {name} {value} is too large: at most {LARGEST_NUM_VERTICES:,} vertices"
        return lines.error("E0709", message, COMPACT)
    else:
        last = num_vertices - 1 + lowest
        message = f"the {name} {value} is not a vertex: ids count from {lowest} here, {lowest} … {last:,}"
    hint = COMPACT if value < 0 else None
    if one_based and value == 0:
        hint = "the ids seem to count from 0 (0-based): --zero-based (one_based=False) says so"
    elif not one_based and value == num_vertices:
        hint = "if the ids count from 1 (1-based), set one_based=True (--one-based)"
    return lines.error("E0707", message, hint)
