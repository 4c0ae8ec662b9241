"""Edges in the rows of a table of any library."""

from __future__ import annotations

import difflib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.diagnostics import GdslError, shown
from gdsl.graph.columns import ENDS, UNDIRECTED_ENDS
from gdsl.graph.edge_list import EdgeList, edges_from_arrays
from gdsl.graph.errors import bad_array
from gdsl.graph.ids import LARGEST_NUM_VERTICES
from gdsl.graph.names import Names, compacted, numbered
from gdsl.graph.tables import Table, table_of
from gdsl.records import dataclass


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns of a table are the ends and the weight; what is None is found by its name."""

    source: str | None = None
    target: str | None = None
    weight: str | None = None

    @property
    def as_found(self) -> bool:
        """Whether nothing is asked for."""
        return self.source is None and self.target is None and self.weight is None


def edges_of_table(
    table: Any, columns: Columns, directed: bool | None, num_vertices: int | None, compact: bool = False
) -> EdgeList:
    """The edges in the rows of a table; `Graph.from_table` says what the arguments mean. Raises E0709, E0711, E0907."""
    found = table_of(table)
    ends = _ends(found.names, columns.source, columns.target)
    weight = columns.weight
    if weight is not None and weight not in found.names:
        raise _no_column(weight, found.names)
    if directed is None:
        directed = tuple(map(str.lower, ends)) != UNDIRECTED_ENDS
    for name in ends:
        _require_all(found, name, "leave out the rows without both ends")
    sources, destinations = (found.values(name) for name in ends)
    attributes = _attributes(found, ends, weight)
    names: Names | None = None
    if any(values.dtype.kind not in "iu" for values in (sources, destinations) if len(values)):
        sources, destinations, names = _named(ends, sources, destinations)
        num_vertices = _count(num_vertices, names)
    elif compact and len(sources) == len(destinations):
        sources, destinations, names = compacted(sources, destinations)
        num_vertices = _count(num_vertices, names)
    else:
        _require_ids(ends, sources, destinations)
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
        elif is_weight and len(values):
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


def _ends(columns: list[str], source: str | None, target: str | None) -> tuple[str, str]:
    """The columns of the two ends: those asked for, else a pair that is named as such, else the first two."""
    if source is None and target is None:
        if len(columns) < 2:
            raise bad_array("the table has no two columns for the ends", "source='…', target='…' name them")
        return _called(columns) or (columns[0], columns[1])
    if source is None or target is None or source == target:
        raise bad_array("both ends need a column of their own", "source='…', target='…' name them")
    for name in (source, target):
        if name not in columns:
            raise _no_column(name, columns)
    return source, target


def _called(columns: list[str]) -> tuple[str, str] | None:
    """The first pair of columns that are named as the ends, in capitals too."""
    for pair in (*ENDS, UNDIRECTED_ENDS):
        found = [name if name in columns else _in_any_case(name, columns) for name in pair]
        if None not in found:
            return str(found[0]), str(found[1])
    return None


def _in_any_case(word: str, columns: list[str]) -> str | None:
    return next((name for name in columns if name.lower() == word), None)


def _no_column(name: object, columns: list[str]) -> GdslError:
    few = ", ".join(columns[:20]) + (", …" if len(columns) > 20 else "")
    near = difflib.get_close_matches(str(name), columns, n=1) or _same_word(str(name), columns)
    fix = f"did you mean {near[0]!r}? Its columns are {few}" if near else f"its columns are {few or 'none'}"
    return bad_array(f"the table has no column {shown(name)}", fix)


def _same_word(name: str, columns: list[str]) -> list[str]:
    return [column for column in columns if column.lower() == name.lower()][:1]


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
