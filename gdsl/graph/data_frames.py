"""Edges in the rows of a table of any library."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.diagnostics import GdslError
from gdsl.graph.column_names import ENDS, UNDIRECTED_ENDS, ColumnsError, named
from gdsl.graph.edge_list import EdgeList, edges_from_arrays
from gdsl.graph.errors import bad_array
from gdsl.graph.ids import LARGEST_NUM_VERTICES
from gdsl.graph.names import Names, compacted, numbered
from gdsl.graph.tables import Table, are_whole, table_of
from gdsl.graph.wanted import Columns, require_column


def edges_of_table(
    table: Any,
    columns: Columns,
    directed: bool | None,
    num_vertices: int | None,
    compact: bool = False,
    one_based: bool = False,
) -> EdgeList:
    """The edges in the rows of a table; `Graph.from_table` says what the arguments mean, `Graph.read` `one_based`.

    Raises E0709, E0711, E0907."""
    found = table_of(table)
    ends = _ends(found.names, columns)
    if columns.weight is not None:
        require_column(columns.weight, found.names)
    if directed is None:
        directed = tuple(map(str.lower, ends)) != UNDIRECTED_ENDS
    for name in ends:
        _require_all(found, name, "leave out the rows without both ends")
    sources, destinations = (found.values(name) for name in ends)
    attributes = _attributes(found, ends, columns.weight)
    names: Names | None = None
    if not all(are_whole(values) for values in (sources, destinations) if len(values)):
        sources, destinations, names = _named(ends, sources, destinations)
        num_vertices = _count(num_vertices, names)
    elif compact and len(sources) == len(destinations):
        sources, destinations, names = compacted(sources, destinations)
        num_vertices = _count(num_vertices, names)
    else:
        _require_ids(ends, sources, destinations)
        if one_based:
            sources, destinations = sources.astype(np.int64) - 1, destinations.astype(np.int64) - 1
    edges = edges_from_arrays(sources, destinations, num_vertices, attributes, directed, {})
    edges.names = names
    return edges


def _attributes(table: Table, ends: tuple[str, str], weight: str | None) -> dict[str, NDArray[Any]]:
    """The other columns of numbers; where a number is missing, which a weight must not be, it is NaN."""
    attributes: dict[str, Any] = {}
    for name in table.names:
        if name in ends or (name == "weight" and weight not in (None, name)):
            continue
        is_weight = name in (weight, "weight")
        if is_weight:
            _require_all(table, name, "leave these rows out, or fill them, such as by frame.fillna(1)")
        values = table.values(name)
        if values.dtype.kind in "biuf":
            attributes["weight" if is_weight else name] = values
        elif is_weight and not len(values):
            attributes["weight"] = np.zeros(0)  # of what type is not known, and of no matter
        elif is_weight:
            raise bad_array(f"the column `{name}` has the type {_kind(values)}", "weights are numbers")
    return attributes


def _kind(values: NDArray[Any]) -> str:
    if values.dtype.kind == "O":
        return type(values[0]).__name__
    return "str" if values.dtype.kind == "U" else str(values.dtype)


def _require_all(table: Table, name: str, fix: str) -> None:
    missing = table.first_missing(name)
    if missing is not None:
        raise bad_array(f"row {missing} of the column `{name}` is empty", fix)


def _require_ids(ends: tuple[str, str], *columns: NDArray[Any]) -> None:
    """Raise E0709 for numbers that are names rather than ids."""
    for name, values in zip(ends, columns, strict=True):
        largest = int(values.max(initial=0)) if len(values) else 0
        if largest >= LARGEST_NUM_VERTICES:
            message = (
                f"the column `{name}` has {largest}, too large for an id: at most {LARGEST_NUM_VERTICES:,} vertices"
            )
            fix = "compact=True (--compact) counts only the vertices that have an edge; their numbers are names then"
            raise GdslError.single("E0709", message, fix=fix)


def _ends(names: list[str], columns: Columns) -> tuple[str, str]:
    """The columns of the two ends: those asked for, else a pair that is named as such, else the first two."""
    asked = columns.ends_among(names)
    if asked is not None:
        return asked
    if len(names) < 2:
        raise bad_array("the table has no two columns for the ends", "give it one for each end of an edge")
    called = _called(names)
    if called is not None:
        return called
    try:
        first, second = named(names, Columns()).ends
    except ColumnsError as error:
        raise bad_array(
            error.message, "source='…', target='…' name the ends (--source-column, --target-column)"
        ) from None
    return names[first], names[second]


def _called(columns: list[str]) -> tuple[str, str] | None:
    """The first pair of columns that are named as the ends, in capitals too."""
    for pair in (*ENDS, UNDIRECTED_ENDS):
        found = [name if name in columns else _in_any_case(name, columns) for name in pair]
        if None not in found:
            return str(found[0]), str(found[1])
    return None


def _in_any_case(word: str, columns: list[str]) -> str | None:
    return next((name for name in columns if name.lower() == word), None)


def _named(
    ends: tuple[str, str], sources: NDArray[Any], destinations: NDArray[Any]
) -> tuple[NDArray[np.int64], NDArray[np.int64], Names]:
    for name, values in zip(ends, (sources, destinations), strict=True):
        if values.dtype.kind not in "OUTiu" and len(values):
            raise bad_array(f"the column `{name}` has the type {values.dtype}", "ends are whole numbers or names")
    if len(sources) != len(destinations):
        lengths = f"{len(sources):,} sources and {len(destinations):,} destinations"
        raise bad_array(f"the table has {lengths}", "give one source and one destination for each edge")
    try:
        (first, second), names = numbered(sources.tolist(), destinations.tolist())
    except TypeError:  # of what cannot be hashed
        message = f"the columns `{ends[0]}` and `{ends[1]}` hold lists or other things that are no names"
        raise bad_array(message, "ends are whole numbers or names") from None
    return np.array(first, dtype=np.int64), np.array(second, dtype=np.int64), names


def _count(num_vertices: int | None, names: Names) -> int:
    if num_vertices not in (None, len(names)):
        raise bad_array("num_vertices is for ids, and the ends are names", "leave it out")
    return len(names)
