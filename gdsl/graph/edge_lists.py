"""Edge lists: two ids a line and perhaps a weight, between blanks or commas; what follows # or % is a comment."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.diagnostics import GdslError
from gdsl.graph.construction import LARGEST_NUM_VERTICES, EdgeList, check_ids
from gdsl.graph.graph import id_dtype
from gdsl.graph.memory import require_memory
from gdsl.graph.text import TextLines, narrowed, read_columns

_COMMENT = re.compile(r"[#%].*")
_WHOLE = re.compile(r"[+-]?[0-9]+")


def read_edge_list(path: str, one_based: bool, num_vertices: int | None) -> EdgeList:
    """The directed edges of the file at `path`, in its order. Raises GdslError with file and line.

    Values are between blanks or tabs or, if the first line has one, commas or semicolons. A first line of words
    names the columns. A third column is the attribute `weight`; more columns need names.
    """
    try:
        names, columns = _columns(path, all_real=False)
    except _PerhapsRealError:
        names, columns = _columns(path, all_real=True)
    sources, destinations, count = _ids(path, columns[0], columns[1], one_based, num_vertices)
    attributes = {name: narrowed(values) for name, values in zip(names[2:], columns[2:], strict=True)}
    return EdgeList(sources, destinations, count, True, attributes)


class _PerhapsRealError(Exception):
    """A column that began with a whole number goes on with something else."""


def _columns(path: str, all_real: bool) -> tuple[tuple[str, ...], tuple[NDArray[Any], ...]]:
    """Names and values of the columns; a value column is whole numbers if its first one is, unless `all_real`."""
    with TextLines(path) as lines:
        rows, names, delimiter, first = _layout(lines)
        words = [word.strip() for word in first.split(delimiter)]
        wholes = [not all_real and _WHOLE.fullmatch(word) is not None for word in words[2:]]
        types = (np.int64, np.int64, *(np.int64 if whole else np.float64 for whole in wholes))
        try:
            return names, read_columns(lines, rows, names, types, delimiter)
        except GdslError:
            if any(wholes):
                raise _PerhapsRealError from None
            raise


def _layout(lines: TextLines) -> tuple[Iterator[str], tuple[str, ...], str | None, str]:
    """(data lines, names of the columns, delimiter, the first data line)."""
    rows = _without_comments(lines)
    first = next(rows, None)
    if first is None:
        raise lines.error("E0716", "the file holds no edges, nothing but blanks and comments")
    delimiter = next((mark for mark in ",;" if mark in first), None)
    words = [word.strip().strip('"') for word in first.split(delimiter)]
    header: list[str] | None = None
    if len(words) >= 2 and not any(_is_number(word) for word in words[:2]):
        header = words
        first = next(rows, None)
        if first is None:
            return iter(()), _column_names(lines, header, len(header)), delimiter, ",".join("0" * len(header))
    names = _column_names(lines, header, len(first.split(delimiter)))
    return itertools.chain([first], rows), names, delimiter, first


def _column_names(lines: TextLines, names: list[str] | None, width: int) -> tuple[str, ...]:
    if width < 2 or (names is not None and len(names) < 2):
        raise lines.error("E0705", f"`{lines.line.strip()[:60]}` is not an edge", notes=("a line holds two ids",))
    if width == 2:
        return ("source", "destination")
    if width == 3:
        return ("source", "destination", "weight")
    if names is None or len(names) != width or len(set(names)) != width:
        fix = "name the columns in a first line, such as `source,destination,weight,capacity`"
        raise lines.error("E0705", f"the line has {width} values; without names for them at most 3 are known", fix)
    return ("source", "destination", *names[2:])


def _without_comments(lines: TextLines) -> Iterator[str]:
    for line in lines:
        if "#" in line or "%" in line:
            lines.line = line = _COMMENT.sub("", line)
        if line and not line.isspace():
            yield line


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _ids(
    path: str, sources: NDArray[Any], destinations: NDArray[Any], one_based: bool, num_vertices: int | None
) -> tuple[NDArray[Any], NDArray[Any], int]:
    """Both ends counted from 0, in the narrowest type, and the number of vertices."""
    lowest = 1 if one_based else 0
    highest = LARGEST_NUM_VERTICES if num_vertices is None else num_vertices
    for name, ids in (("source", sources), ("destination", destinations)):
        outside = (ids < lowest) | (ids >= highest + lowest)
        if outside.any():
            place = int(np.argmax(outside))
            raise _outside(path, place, name, int(ids[place]), one_based, num_vertices)
    if one_based:
        sources, destinations = sources - 1, destinations - 1
    count = check_ids(sources, destinations, num_vertices)
    require_memory(24 * (count + 1), f"a graph of {count:,} vertices (the largest id and all below it)", path)
    dtype = id_dtype(count)
    return sources.astype(dtype), destinations.astype(dtype), count


def _outside(path: str, place: int, name: str, value: int, one_based: bool, num_vertices: int | None) -> GdslError:
    """E0707 at the line of data row `place`."""
    lowest = 1 if one_based else 0
    with TextLines(path) as lines:
        rows, *_ = _layout(lines)
        for _ in range(place + 1):
            next(rows)
        if value < lowest:
            message = f"the {name} {value} is no vertex: ids count from {lowest} here"
        elif num_vertices is None:
            return lines.error("E0709", f"the {name} {value} is too large: at most {LARGEST_NUM_VERTICES:,} vertices")
        else:
            last = num_vertices - 1 + lowest
            message = f"the {name} {value} is no vertex: ids count from {lowest} here, {lowest} … {last:,}"
        fix = None
        if one_based and value == 0:
            fix = "the ids seem to count from 0 (0-based): leave out one_based=True (--one-based)"
        elif not one_based and value == num_vertices:
            fix = "if the ids count from 1 (1-based), say one_based=True (--one-based)"
        return lines.error("E0707", message, fix)
