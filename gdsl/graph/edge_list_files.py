"""Edge lists: two ids a line and perhaps a weight, between blanks or commas; what follows # or % is a comment."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.diagnostics import GdslError
from gdsl.graph.columns import (
    ENDS,
    UNDIRECTED_ENDS,
    RowsOf,
    find_row,
    is_number,
    is_whole,
    problem_of,
    read_columns,
    refuse_overflow,
    words_of,
)
from gdsl.graph.edge_list import EdgeList
from gdsl.graph.ids import LARGEST_NUM_VERTICES, check_ids, id_dtype
from gdsl.graph.memory import require_memory
from gdsl.graph.named_rows import numbered_rows, words_with_names
from gdsl.graph.names import Names, compacted
from gdsl.graph.text import TextLines, narrowed, readable, short
from gdsl.graph.wanted import Columns, require_column
from gdsl.records import dataclass

_COMMENT = re.compile(r"[#%].*")
_UNDIRECTED = "undirected"
"""The comment by which gdsl marks a list without names of columns."""
_LARGEST_NAME = 2**63 - 2
"""Ids that become names are below it, so that one more is an int64."""
_AS_FOUND = Columns()
_MOST_READINGS = 4
"""Before all lines are looked through for what else they ask for."""
_EXAMPLE = "source,destination,weight,capacity"


@dataclass(frozen=True, slots=True)
class _Layout:
    """What the first lines say: the names of the columns, which of them are the source and the destination, the mark
    between them and the first row of values."""

    names: tuple[str, ...]
    ends: tuple[int, int]
    delimiter: str | None
    first: list[str]
    directed: bool = True
    named: dict[str, int] | None = None
    """The ids of names, filled as the rows are read, where the ends are names."""

    @property
    def values(self) -> list[int]:
        """The places of the columns that are attributes."""
        return [place for place in range(len(self.names)) if place not in self.ends]


def read_edge_list(
    path: str, one_based: bool, num_vertices: int | None, compact: bool = False, wanted: Columns = _AS_FOUND
) -> EdgeList:
    """The edges of the file at `path`, in its order. Raises GdslError with file and line.

    Values are between blanks or tabs or, if the first line has one, commas or semicolons. A first line of words
    names the columns; alone it is a graph without edges. The ends are those that are `wanted`, or the columns that are
    named as such (`ENDS`), where they may hold names, else the first two. Columns called `end` and `other_end`, or a
    comment `# undirected` before all else, make the edges undirected. With `compact` the vertices are those that have
    an edge, in the order of their ids, which become names. One column more is the attribute `weight`; further ones need
    names. A column of whole numbers is int32, int64 or uint64, any other one float64.
    """
    rows = partial(_rows, wanted=wanted)
    layout, columns = _columns(path, wanted)
    refuse_overflow(path, rows, layout.names, columns, layout.delimiter)
    source, destination = layout.ends
    if layout.named is not None:
        if one_based or num_vertices is not None:
            raise GdslError.single("E0712", "one_based and num_vertices are for ids; the ends of this list are names")
        num_vertices = len(layout.named)
    ends = columns[source], columns[destination]
    names = Names(layout.named) if layout.named is not None else None
    if compact and names is None:
        if num_vertices is not None:
            raise GdslError.single("E0712", "num_vertices asks for vertices that compact leaves out")
        _check_ids(path, rows, *ends, one_based, None, highest=_LARGEST_NAME)
        sources, destinations, names = compacted(*ends)
        count = len(names)
    else:
        sources, destinations, count = _ids(path, rows, *ends, one_based, num_vertices)
    attributes = {layout.names[place]: narrowed(columns[place]) for place in layout.values}
    return EdgeList(sources, destinations, count, layout.directed, attributes, names=names)


def _columns(path: str, wanted: Columns) -> tuple[_Layout, tuple[NDArray[Any], ...]]:
    """Layout and values; a column has the type of its first value until a line asks for another one."""
    types: list[type] | None = None
    for reading in itertools.count():
        if types is not None and reading == _MOST_READINGS:
            types = _types_of_all(path, wanted, types)
        with TextLines(path) as lines:
            rows, layout = _layout(lines, wanted)
            if types is None:
                types = [np.int64 if is_whole(word) else np.float64 for word in layout.first]
                for end in layout.ends:
                    types[end] = np.int64
            try:
                further = None if layout.named is not None else _Rows(lines)
                return layout, read_columns(lines, rows, layout.names, types, layout.delimiter, further)
            except GdslError as error:
                wider = _wider(types, words_of(lines.line, layout.delimiter), layout.ends)
                if wider is None:
                    raise _with_hint(error, lines, layout) from None
                types = wider
    raise AssertionError("a file is read, or refused")


def _types_of_all(path: str, wanted: Columns, types: list[type]) -> list[type]:
    """The types with which all lines can be read, up to one with which that cannot be."""
    with TextLines(path) as lines:
        rows, layout = _layout(lines, wanted)
        for row in rows:
            words = words_of(row, layout.delimiter)
            # What is a float64 asks for nothing else.
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


def _layout(lines: TextLines, wanted: Columns) -> tuple[Iterator[str], _Layout]:
    """The lines of the edges, and how to read them."""
    marks: set[str] = set()
    rows = _without_comments(lines, iter(lines), marks)
    first = next(rows, None)
    if first is None:
        raise lines.error("E0716", "the file holds no edges, nothing but blanks and comments")
    directed = _UNDIRECTED not in marks
    delimiter = next((mark for mark in ",;" if mark in first), None)
    header = [word.strip('"') for word in words_of(readable(first), delimiter)]
    if not _is_header(header):
        if not wanted.as_found:
            raise lines.error(
                "E0705", "the first line names no columns, and some are asked for by name", f"`{_EXAMPLE}`"
            )
        words = words_of(first, delimiter)
        layout = _Layout(*_column_names(lines, None, len(words)), delimiter, words, directed)
        return itertools.chain([first], rows), layout
    names, ends = _column_names(lines, header, len(header), wanted)
    directed = directed and (header[ends[0]], header[ends[1]]) != UNDIRECTED_ENDS
    mark = "\t" if delimiter is None and "\t" in first else delimiter
    first = next(rows, None)
    if first is None:
        return iter(()), _Layout(names, ends, delimiter, ["0"] * len(header), directed)
    words = words_with_names(lines, first, mark)
    known = wanted.source is not None or _say_ends(header, ends)
    if len(words) == len(header) and known and _are_names(words, ends):
        ids: dict[str, int] = {}
        layout = _Layout(names, ends, delimiter, ["0" if place in ends else word for place, word in enumerate(words)])
        layout = replace(layout, directed=directed, named=ids)
        every = itertools.chain([first], rows)
        return numbered_rows(lines, every, names, ends, delimiter, mark, ids), layout
    words = words_of(first, delimiter)
    if len(words) != len(header):
        message = f"the line has {len(words)} values, and the first line names {len(header)} columns"
        raise lines.error("E0705", f"{message}: `{short(first)}`")
    return itertools.chain([first], rows), _Layout(names, ends, delimiter, words, directed)


def _say_ends(header: list[str], ends: tuple[int, int]) -> bool:
    """Whether the first line calls the ends what they are."""
    return tuple(header[place].lower() for place in ends) in (*ENDS, UNDIRECTED_ENDS)


def _are_names(words: list[str], ends: tuple[int, int]) -> bool:
    """Whether the ends of the first line are names, no numbers at all."""
    return all(words[place][:1].isalpha() and not is_number(words[place]) for place in ends)


def _with_hint(error: GdslError, lines: TextLines, layout: _Layout) -> GdslError:
    """Where a name stands for an end, how names are read."""
    if layout.named is not None:
        return error
    words = words_of(readable(lines.line), layout.delimiter)
    fix = _fix_of(words, layout.ends, lines.number) if len(words) == len(layout.names) else None
    if fix is None:
        return error
    return GdslError((replace(error.diagnostics[0], fix=fix), *error.diagnostics[1:]), error.source)


def _fix_of(words: list[str], ends: tuple[int, int], line: int) -> str | None:
    """What to do about a line, counted from 1, that is no edge by ids."""
    bare = [word.strip('"') for word in words]
    if line == 1 and not all(bare) and all(is_column_name(word) for word in bare if word):
        return "give each column a name; the first one of pandas is an index, which `to_csv(index=False)` leaves out"
    if any(is_column_name(bare[place]) for place in ends):
        return (
            "vertices have names, both of the first edge among them, under a first line such as `source,target`, or "
            "where --source-column and --target-column (source_column=, target_column=) name these columns"
        )
    if any(words[place] != bare[place] and is_whole(bare[place]) for place in ends):
        return "ids stand without quotes"
    return None


def _is_header(words: list[str]) -> bool:
    """Whether all of them are names. Anything else is taken for an edge, so that no edge is taken for a header."""
    return len(words) >= 2 and all(is_column_name(word) for word in words)


def is_column_name(word: str) -> bool:
    """Whether the first line of an edge list may hold `word` as the name of a column."""
    return (word[:1].isalpha() or word.startswith("_")) and word.isprintable() and not is_number(word)


def _column_names(
    lines: TextLines, header: list[str] | None, width: int, wanted: Columns = _AS_FOUND
) -> tuple[tuple[str, ...], tuple[int, int]]:
    """What messages and attributes call the columns, and the places of the two ends."""
    if width < 2:
        note = "a line holds two ids, between blanks, commas or semicolons"
        raise lines.error("E0705", f"`{short(lines.line.strip())}` is not an edge", notes=(note,))
    ends = _ends(lines, header, wanted) if header is not None else (0, 1)
    if header is not None and header[ends[0]] == header[ends[1]]:
        raise _same_name(lines)
    names = dict(zip(ends, ("source", "destination"), strict=True))
    others = [place for place in range(width) if place not in ends]
    if len(others) == 1:
        names[others[0]] = "weight"
    elif others and header is None:
        fix = f"name the columns in a first line, such as `{_EXAMPLE}`"
        raise lines.error("E0705", f"the line has {width} values; without names for them at most 3 are known", fix)
    elif header is not None:
        names.update((place, "weight" if header[place] == wanted.weight else header[place]) for place in others)
        if len({names[place] for place in others}) != len(others):
            raise _same_name(lines)
    return tuple(names[place] for place in range(width)), ends


def _ends(lines: TextLines, header: list[str], wanted: Columns) -> tuple[int, int]:
    """The places of the columns that are wanted or named as the ends, else the first two."""
    try:
        asked = wanted.ends_among(header)
        if wanted.weight is not None:
            require_column(wanted.weight, header)
    except GdslError as error:
        raise GdslError([replace(problem, place=lines.place) for problem in error.diagnostics]) from None
    if asked is not None:
        return header.index(asked[0]), header.index(asked[1])
    if tuple(header[:2]) in (ENDS[0], UNDIRECTED_ENDS):
        return 0, 1
    for pair in (*ENDS, UNDIRECTED_ENDS):
        found = [_places(header, word) for word in pair]
        if all(found):
            if any(len(places) > 1 for places in found):
                raise _same_name(lines)
            return found[0][0], found[1][0]
    sources, destinations = (
        [place for word in set(words) for place in _places(header, word)] for words in zip(*ENDS, strict=True)
    )
    return (sources[0], destinations[0]) if len(sources) == len(destinations) == 1 else (0, 1)


def _places(header: list[str], word: str) -> list[int]:
    """Where `word` stands in any case; as it is where it stands like that."""
    exact = [place for place, name in enumerate(header) if name == word]
    return exact or [place for place, name in enumerate(header) if name.lower() == word]


def _same_name(lines: TextLines) -> GdslError:
    return lines.error("E0705", "two columns have the same name", f"give each its own, such as `{_EXAMPLE}`")


def _rows(lines: TextLines, wanted: Columns) -> Iterator[str]:
    return _layout(lines, wanted)[0]


class _Rows:
    """The rows behind the first one."""

    def __init__(self, lines: TextLines) -> None:
        self._lines = lines

    def among(self, stream: Iterator[str]) -> Iterator[str]:
        return _without_comments(self._lines, stream, None)

    def plain(self, block: bytes) -> bytes | None:
        return block

    def may_be(self, count: int) -> bool:
        return True


def _without_comments(lines: TextLines, stream: Iterator[str], marks: set[str] | None) -> Iterator[str]:
    """The lines that hold something; `marks` gets the comments of a single word that stand before all of them."""
    begun = marks is None
    for line in stream:
        if "#" in line or "%" in line:
            if marks is not None and not begun and line.lstrip().startswith("#"):
                marks.add(line.strip().removeprefix("#").strip())
            lines.line = line = _COMMENT.sub("", line)
        if line and not line.isspace():
            begun = True
            yield line
        else:
            lines.skip()


def _ids(
    path: str,
    rows: RowsOf,
    sources: NDArray[Any],
    destinations: NDArray[Any],
    one_based: bool,
    num_vertices: int | None,
) -> tuple[NDArray[Any], NDArray[Any], int]:
    """Both ends counted from 0, in the narrowest type, and the number of vertices."""
    highest = LARGEST_NUM_VERTICES if num_vertices is None else num_vertices
    _check_ids(path, rows, sources, destinations, one_based, num_vertices, highest)
    if one_based:
        sources, destinations = sources - 1, destinations - 1
    count = check_ids(sources, destinations, num_vertices)
    require_memory(24 * (count + 1), f"a graph of {count:,} vertices (the largest id and all below it)", path)
    dtype = id_dtype(count)
    return sources.astype(dtype, copy=False), destinations.astype(dtype, copy=False), count


def _check_ids(
    path: str,
    rows: RowsOf,
    sources: NDArray[Any],
    destinations: NDArray[Any],
    one_based: bool,
    num_vertices: int | None,
    highest: int,
) -> None:
    """Raise E0707 or E0709, at its line, for the first id that counts from too low or is not below `highest`."""
    lowest = 1 if one_based else 0
    for name, ids in (("source", sources), ("destination", destinations)):
        if len(ids) and (ids.min() < lowest or ids.max() >= highest + lowest):
            place = int(np.argmax((ids < lowest) | (ids >= highest + lowest)))
            lines = find_row(path, rows, place)
            raise _outside(lines, name, int(ids[place]), one_based, num_vertices, highest)


def _outside(
    lines: TextLines, name: str, value: int, one_based: bool, num_vertices: int | None, highest: int
) -> GdslError:
    """E0707 at the line last read."""
    lowest = 1 if one_based else 0
    if value < lowest:
        message = f"the {name} {value} is no vertex: ids count from {lowest} here"
    elif highest == _LARGEST_NAME:
        return lines.error("E0709", f"the {name} {value} is too large for an id, which is below {highest + lowest:,}")
    elif num_vertices is None:
        fix = "where ids have gaps, --compact (compact=True) counts only the vertices that have an edge"
        return lines.error("E0709", f"the {name} {value} is too large: at most {LARGEST_NUM_VERTICES:,} vertices", fix)
    else:
        last = num_vertices - 1 + lowest
        message = f"the {name} {value} is no vertex: ids count from {lowest} here, {lowest} … {last:,}"
    hint = None
    if one_based and value == 0:
        hint = "the ids seem to count from 0 (0-based): leave out one_based=True (--one-based)"
    elif not one_based and value == num_vertices:
        hint = "if the ids count from 1 (1-based), say one_based=True (--one-based)"
    return lines.error("E0707", message, hint)
