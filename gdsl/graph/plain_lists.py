"""Edge lists of plain numbers, read by blocks; a column has the type that all of its values need."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.diagnostics import GdslError
from gdsl.graph.columns import RowsOf, read_columns
from gdsl.graph.edge_list_head import Head
from gdsl.graph.fields import comment_of
from gdsl.graph.group import Group, ReadAgainError
from gdsl.graph.list_rows import COMPACT, refuse_names, width_fix
from gdsl.graph.messages import with_fix
from gdsl.graph.number_text import AS_REALS, is_number, is_whole, problem_of, whole_values, words_of
from gdsl.graph.numbering import NumberedNames
from gdsl.graph.overflow import refuse_overflow
from gdsl.graph.text import TextLines, TextPart
from gdsl.graph.text_parts import read_in_order
from gdsl.graph.vertices import Names
from gdsl.records import dataclass

_TRAILING_COMMENT = re.compile(r"[ \t][#%].*")
_MOST_READINGS = 4
"""So many times the file is read with wider types; then all lines are examined for the types they need."""


@dataclass(frozen=True, slots=True)
class EdgeColumns:
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


class QuotedError(ReadAgainError):
    """A list of plain numbers has a quote further on."""


class _WiderError(ReadAgainError):
    """A line needs other types, which are the argument."""


def read_plain(part: TextPart, head: Head, group: Group) -> EdgeColumns:
    """A list of numbers, and of columns that are left out. Raises GdslError E0705 for anything else."""
    layout = _layout_of(head)
    rows = partial(_rows, head=head)
    columns, part, gap = _columns(part, head, layout, group)
    with group.agreement():
        refuse_overflow(part, rows, layout.names, columns, layout.delimiter, exact=True)
    source, destination = layout.ends
    values = [place for place in range(len(columns)) if place not in (*layout.ends, *layout.skipped)]
    attributes = {layout.names[place]: whole_values(columns[place]) for place in values}
    return EdgeColumns(part, columns[source], columns[destination], attributes, rows, gap=gap)


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
                raise QuotedError from None
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
        fix = width_fix(lines, head)
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
