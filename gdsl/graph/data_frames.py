"""Tables of pandas (or of anything with columns by name); nothing here needs pandas itself."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.diagnostics import shown
from gdsl.graph.arrays import host_array
from gdsl.graph.columns import ENDS
from gdsl.graph.edge_list import EdgeList, edges_from_arrays
from gdsl.graph.errors import bad_array
from gdsl.graph.names import Names, numbered


def edges_of_table(
    table: Any, source: str | None, target: str | None, weight: str | None, directed: bool, num_vertices: int | None
) -> EdgeList:
    """The edges in the rows of a table; `Graph.from_pandas` says what the arguments mean. Raises E0711."""
    columns = _columns(table)
    ends = _ends(columns, source, target)
    if weight is not None and weight not in columns:
        raise _no_column(weight, columns)
    sources, destinations = (_values(table, name) for name in ends)
    attributes: dict[str, Any] = {}
    for name in columns:
        values = _values(table, name) if name not in ends else None
        if values is not None and values.dtype.kind in "biuf":
            attributes["weight" if name == weight else name] = values
        elif values is not None and name in (weight, "weight"):
            raise bad_array(f"the column `{name}` has the type {values.dtype}", "weights are numbers")
    names: Names | None = None
    if any(values.dtype.kind not in "iu" for values in (sources, destinations) if len(values)):
        sources, destinations, names = _named(ends, sources, destinations)
        num_vertices = _count(num_vertices, names)
    edges = edges_from_arrays(sources, destinations, num_vertices, attributes, directed, {})
    edges.names = names
    return edges


def _columns(table: Any) -> list[str]:
    found = getattr(table, "columns", None)
    if found is None or isinstance(table, type) or not hasattr(table, "__getitem__"):
        raise bad_array(f"{shown(table)} is not a table with columns", "pandas.DataFrame(...)")
    names = list(found)
    if len(set(map(str, names))) != len(names):
        raise bad_array("two columns of the table have the same name", "give each its own")
    return [name for name in names if isinstance(name, str)]


def _ends(columns: list[str], source: str | None, target: str | None) -> tuple[str, str]:
    """The columns of the two ends: those asked for, else a pair that is named as such, else the first two."""
    if source is None and target is None:
        pairs = [pair for pair in ENDS if set(pair) <= set(columns)]
        if not pairs and len(columns) < 2:
            raise bad_array("the table has no two columns for the ends", "source='…', target='…' name them")
        return pairs[0] if pairs else (columns[0], columns[1])
    if source is None or target is None or source == target:
        raise bad_array("both ends need a column of their own", "source='…', target='…' name them")
    for name in (source, target):
        if name not in columns:
            raise _no_column(name, columns)
    return source, target


def _no_column(name: object, columns: list[str]) -> Exception:
    return bad_array(f"the table has no column {shown(name)}", f"its columns are {', '.join(columns[:20])}")


def _values(table: Any, name: str) -> NDArray[Any]:
    try:
        values = host_array(table[name], f"the column `{name}`")
    except ValueError as error:
        raise bad_array(f"the column `{name}` {error}", "give a column of numbers or of names") from None
    if values.ndim != 1:
        raise bad_array(f"the column `{name}` has {values.ndim} dimensions", "give each column once")
    return values


def _named(
    ends: tuple[str, str], sources: NDArray[Any], destinations: NDArray[Any]
) -> tuple[NDArray[np.int64], NDArray[np.int64], Names]:
    for name, values in zip(ends, (sources, destinations), strict=True):
        if values.dtype.kind not in "OUTiu" and len(values):
            raise bad_array(f"the column `{name}` has the type {values.dtype}", "ends are whole numbers or names")
        missing = next((place for place, value in enumerate(values.tolist()) if _is_missing(value)), None)
        if missing is not None:
            raise bad_array(f"row {missing} of the column `{name}` is empty", "leave out the rows without both ends")
    (first, second), names = numbered(sources.tolist(), destinations.tolist())
    return np.array(first, dtype=np.int64), np.array(second, dtype=np.int64), names


def _is_missing(value: Any) -> bool:
    return value is None or value != value or type(value).__name__ in ("NAType", "NaTType")


def _count(num_vertices: int | None, names: Names) -> int:
    if num_vertices not in (None, len(names)):
        raise bad_array("num_vertices is for ids, and the ends are names", "leave it out")
    return len(names)
