"""Edge lists: two ids or names a line and perhaps values, between blanks, tabs, commas or other marks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.diagnostics import GdslError, printable
from gdsl.graph import list_meaning
from gdsl.graph.column_names import Columns
from gdsl.graph.columns import RowsOf, find_row
from gdsl.graph.edge_list import EdgeList
from gdsl.graph.edge_list_head import Head, head_of, header_fix
from gdsl.graph.group import Group, NotInPartsError
from gdsl.graph.list_checks import refuse_count_line, refuse_sections
from gdsl.graph.list_rows import COMPACT, refuse_unnamed, rows_of_list
from gdsl.graph.memory import require_memory
from gdsl.graph.messages import notice, with_fix
from gdsl.graph.number_text import whole_values
from gdsl.graph.numbering import NumberedNames, numbered_by_value
from gdsl.graph.plain_lists import EdgeColumns, QuotedError, read_plain
from gdsl.graph.text import TextLines, TextPart
from gdsl.graph.text_parts import part_of
from gdsl.graph.vertices import LARGEST_NUM_VERTICES, Names, check_ids, id_dtype
from gdsl.graph.worded_lists import Worded, read_worded


def read_edge_list(
    path: str,
    one_based: bool | None,
    num_vertices: int | None,
    compact: bool,
    requested: Columns,
    directed: bool | None,
    undirected: bool,
    group: Group,
) -> tuple[EdgeList, Names | NumberedNames | None]:
    """The part of the edges that this worker of a group reads, in the order of the file, and the names of vertices.

    Lists of plain numbers are read by blocks; all others, which have names, quotes or text, are read row by row, and
    all values of a column decide what it is. `docs/graphs.md` says what is read how. Arguments that are None follow the
    comments of the file. `undirected`: whether the graph becomes undirected afterwards, whatever a column says. Raises
    GdslError with file and line, on all workers; NotInPartsError for a list that is not read in parts.
    """
    with group.agreement():
        head = head_of(path, requested)
    if head.dicts and not group.alone:
        raise NotInPartsError("edge lists with a dictionary on each line")
    result = _read(path, head, directed is not None or undirected, compact, group)
    list_meaning.notice_columns(path, head, result.left)
    meaning = list_meaning.meaning_of(
        path, head, result.type_statement, result.names is not None, one_based, num_vertices, directed
    )
    total = group.sum(len(result.sources))
    list_meaning.notice_edges(path, head, total)
    if head.in_row and head.columns is not None and not head.columns.known and not total:
        fix = header_fix(path, head, len(head.columns.header))
        notice(f"{printable(path)}: its only line is taken for the names of columns; if it is an edge, {fix}")
    if result.names is not None:
        with group.agreement():
            return _of_names(result, meaning, one_based, num_vertices), result.names
    if head.columns is None and not head.dicts:
        refuse_count_line(path, _number_columns(result), head.first_line, head.mark, group)
        list_meaning.notice_third_column(path, head, result.sources, result.attributes, group)
    if result.gap is not None:
        refuse_sections(result.part, result.rows, result.gap, result.sources, result.destinations, group)
    if compact and not meaning.bipartite:
        return _compacted(result, meaning, num_vertices, group)
    ends = result.sources, result.destinations
    sources, destinations, count = _ids(result.part, result.rows, *ends, meaning.one_based, num_vertices, group)
    if meaning.bipartite:
        sources, destinations, count = _two_sides(sources, destinations, meaning, group)
    elif num_vertices is None:
        list_meaning.notice_keys(path, count, total)
        if meaning.num_vertices is not None and meaning.num_vertices > count:
            _require_stated(path, meaning.num_vertices, count, group)
            count = meaning.num_vertices
            sources, destinations = (end.astype(id_dtype(count), copy=False) for end in (sources, destinations))
    return EdgeList(sources, destinations, count, meaning.directed, result.attributes), None


def _compacted(
    result: EdgeColumns, meaning: list_meaning.Meaning, num_vertices: int | None, group: Group
) -> tuple[EdgeList, Names | NumberedNames]:
    """The edges between vertices that have any, numbered in the order of their ids, which become their names."""
    if num_vertices is not None:
        message = "num_vertices and compact contradict each other: compact leaves out vertices without an edge"
        raise group.agreed(GdslError.single("E0712", message))
    ends = result.sources, result.destinations
    if meaning.one_based:
        _check_ids(result.part, result.rows, *ends, True, None, 2**63 - 2, group)
    sources, destinations, names = numbered_by_value(*ends, group)
    return EdgeList(sources, destinations, len(names), meaning.directed, result.attributes), names


def _require_stated(path: str, stated: int, count: int, group: Group) -> None:
    """Check the memory for as many vertices as a comment says, of which the edges have `count`, and say so."""
    with group.agreement():
        require_memory(24 * stated // group.size, f"{stated:,} vertices, as a comment says,", path)
    list_meaning.notice_nodes(path, stated, count)


def _number_columns(result: EdgeColumns) -> list[NDArray[Any]]:
    weights = result.attributes.get("weight")
    return [result.sources, result.destinations, *([weights] if weights is not None else [])]


def _of_names(
    result: EdgeColumns, meaning: list_meaning.Meaning, one_based: bool | None, num_vertices: int | None
) -> EdgeList:
    if one_based is not None or num_vertices is not None:
        message = "one_based and num_vertices are for ids; the ends of this list are names"
        raise GdslError.single("E0712", message, fix="leave them out")
    assert result.names is not None
    count = len(result.names)
    sources, destinations = (end.astype(id_dtype(count)) for end in (result.sources, result.destinations))
    return EdgeList(sources, destinations, count, meaning.directed, result.attributes)


def _two_sides(
    sources: NDArray[Any], destinations: NDArray[Any], meaning: list_meaning.Meaning, group: Group
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


def _read(path: str, head: Head, decided: bool, compact: bool, group: Group) -> EdgeColumns:
    """`decided`: whether the caller says what is directed."""
    width = len(head.sample[-1]) if head.sample else 0
    part = part_of(group, path, head.first_line, width)
    if head.plain:
        if head.columns is None:
            meaningful = 4 if head.statements.konect else 3
            if len(head.first or ()) > meaningful:
                with group.agreement():
                    refuse_unnamed(path, head, len(head.first or ()))
        try:
            return read_plain(part, head, group)
        except QuotedError:
            pass
        except GdslError as error:
            if error.code != "E0705" or (head.columns is None and not compact):
                raise
    return _worded(part, head, decided, compact, group)


def _worded(part: TextPart, head: Head, decided: bool, compact: bool, group: Group) -> EdgeColumns:
    if head.dicts:
        from gdsl.graph.networkx_lists import ends_of_list, read_networkx_list

        result, rows = read_networkx_list(part.path, head), partial(_joined, read=ends_of_list, head=head)
    else:
        result, part = read_worded(part, head, decided, compact, group)
        rows = partial(_joined, read=rows_of_list, head=head)
    values, names = _values(result), result.names
    return EdgeColumns(
        part, result.sources, result.destinations, values, rows, names, result.type_statement, result.left_out
    )


def _values(result: Worded) -> dict[str, NDArray[Any]]:
    return {name: whole_values(values) for name, values in result.attributes.items()}


def _joined(lines: TextLines, read: Any, head: Head) -> Iterator[str]:
    """A text for each row, so that its line can be found."""
    return (" ".join(row) for row in read(lines, head))


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
                raise _outside(lines, name, int(ids[place]), one_based, num_vertices)


def _outside(lines: TextLines, name: str, value: int, one_based: bool, num_vertices: int | None) -> GdslError:
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
