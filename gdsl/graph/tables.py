"""Tables as lists of edges: frames of pandas, Polars and other libraries, tables of Arrow, dicts of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.diagnostics import GdslError, shown, type_name
from gdsl.graph import column_names
from gdsl.graph.edge_list import EdgeList, edges_from_arrays
from gdsl.graph.group import ALONE, Group
from gdsl.graph.messages import bad_array
from gdsl.graph.numbering import NumberedNames, number_by_appearance, numbered_by_value
from gdsl.graph.table_columns import Table, are_whole, table_of
from gdsl.graph.vertices import LARGEST_NUM_VERTICES, Names, numbered


def edges_of_table(
    table: Any, columns: column_names.Columns, directed: bool | None, num_vertices: int | None, compact: bool
) -> EdgeList:
    """The edges in the rows of a table; `Graph.from_table` says what the arguments mean. Raises E0709, E0711, E0907."""
    edges, names = edges_of_part(table, columns, directed, num_vertices, compact, False, ALONE)
    assert names is None or isinstance(names, Names)
    edges.names = names
    return edges


def edges_of_part(
    table: Any,
    columns: column_names.Columns,
    directed: bool | None,
    num_vertices: int | None,
    compact: bool,
    one_based: bool,
    group: Group,
) -> tuple[EdgeList, Names | NumberedNames | None]:
    """The edges in the rows of a table that a worker of a group has, and the names of vertices."""
    with group.agreement():
        result = table_of(table)
        ends = _ends(result.names, columns)
        if columns.weight is not None:
            column_names.require_column(columns.weight, result.names)
            column_names.require_weight_apart(columns.weight, ends)
    if directed is None:
        directed = tuple(map(str.lower, ends)) != column_names.UNDIRECTED_ENDS
    first = group.before(len(table)) if not group.alone else 0
    for name in ends:
        with group.agreement():
            _require_all(result, name, "leave out the rows without both ends", first)
    sources, destinations = (result.values(name, group) for name in ends)
    attributes = _attributes(result, ends, columns.weight, first, group)
    names: Names | NumberedNames | None = None
    if group.any(not all(are_whole(values) for values in (sources, destinations) if len(values))):
        sources, destinations, names = _named(ends, sources, destinations, group)
    elif compact and len(sources) == len(destinations):
        sources, destinations, names = numbered_by_value(sources, destinations, group)
    else:
        _require_ids(ends, sources, destinations, group=group)
        if one_based:
            sources, destinations = sources.astype(np.int64) - 1, destinations.astype(np.int64) - 1
    if names is not None:
        count = len(names)
        if num_vertices not in (None, count):
            raise group.agreed(bad_array("num_vertices is for ids, and the ends are names", "leave it out"))
        num_vertices = count
    return edges_from_arrays(sources, destinations, num_vertices, attributes, directed, {}, group), names


def _attributes(
    table: Table, ends: tuple[str, str], weight: str | None, first: int, group: Group
) -> dict[str, NDArray[Any]]:
    """The other columns of numbers; where a number is missing, which a weight must not be, it is NaN."""
    attributes: dict[str, Any] = {}
    for name in table.names:
        if name in ends or (name == "weight" and weight not in (None, name)):
            continue
        is_weight = name in (weight, "weight")
        if is_weight:
            with group.agreement():
                fix = "leave these rows out, or fill them, such as by frame.fillna(1)"
                _require_all(table, name, fix, first)
        values = table.values(name, group)
        if values.dtype.kind in "biuf":
            attributes["weight" if is_weight else name] = values
        elif is_weight:
            kind = group.first(_kind(values) if len(values) else None)
            if kind is not None:
                raise group.agreed(bad_array(f"the column `{name}` has the type {kind}", "weights are numbers"))
            attributes["weight"] = np.zeros(0)  # of unknown type, which does not matter
    return attributes


def _kind(values: NDArray[Any]) -> str:
    if values.dtype.kind == "O":
        return type(values[0]).__name__
    return "str" if values.dtype.kind == "U" else type_name(values.dtype)


def _require_all(table: Table, name: str, fix: str, first: int) -> None:
    missing = table.first_missing(name)
    if missing is not None:
        raise bad_array(f"row {missing + first} of the column `{name}` is empty", fix)


def _require_ids(ends: tuple[str, str], *columns: NDArray[Any], group: Group) -> None:
    """Raise E0709 for numbers that are too large for ids."""
    for name, values in zip(ends, columns, strict=True):
        largest = group.max(int(values.max(initial=0)) if len(values) else 0)
        if largest >= LARGEST_NUM_VERTICES:
            most = f"at most {LARGEST_NUM_VERTICES:,} vertices"
            message = f"the column `{name}` has {shown(largest)}, too large for an id: {most}"
            fix = "compact=True (--compact) counts only the vertices that have an edge; their numbers are names then"
            raise group.agreed(GdslError.single("E0709", message, fix=fix))


def _ends(names: list[str], columns: column_names.Columns) -> tuple[str, str]:
    """The columns of the two ends: those that the caller names, else a pair with known names, else the first two."""
    requested = columns.ends_among(names)
    if requested is not None:
        return requested
    if len(names) < 2:
        raise bad_array("the table has no two columns for the ends", "give it one for each end of an edge")
    known_pair = _known_pair(names)
    if known_pair is not None:
        return known_pair
    try:
        first, second = column_names.named(names, column_names.Columns()).ends
    except column_names.ColumnsError as error:
        raise bad_array(
            error.message, "source='…', target='…' name the ends (--source-column, --target-column)"
        ) from None
    return names[first], names[second]


def _known_pair(columns: list[str]) -> tuple[str, str] | None:
    """The first pair of columns with names of ends, in any case."""
    for pair in (*column_names.ENDS, column_names.UNDIRECTED_ENDS):
        result = [name if name in columns else _in_any_case(name, columns) for name in pair]
        if None not in result:
            return str(result[0]), str(result[1])
    return None


def _in_any_case(word: str, columns: list[str]) -> str | None:
    return next((name for name in columns if name.lower() == word), None)


def _named(
    ends: tuple[str, str], sources: NDArray[Any], destinations: NDArray[Any], group: Group
) -> tuple[NDArray[np.int64], NDArray[np.int64], Names | NumberedNames]:
    with group.agreement():
        for name, values in zip(ends, (sources, destinations), strict=True):
            if values.dtype.kind not in "OUTiu" and len(values):
                fix = "ends are whole numbers or names"
                if values.dtype.kind == "f" and bool(
                    (np.isfinite(values) & (values % 1 == 0)).all()
                ):  # as missing rows leave them
                    fix += f"; in pandas, frame.astype({{{name!r}: 'int64'}}) makes integers of them"
                raise bad_array(f"the column `{name}` has the type {type_name(values.dtype)}", fix)
        if len(sources) != len(destinations):
            lengths = f"{len(sources):,} sources and {len(destinations):,} destinations"
            raise bad_array(f"the table has {lengths}", "give one source and one destination for each edge")
        try:
            (first, second), names = numbered(sources.tolist(), destinations.tolist())
        except TypeError:  # for unhashable values
            message = f"the columns `{ends[0]}` and `{ends[1]}` hold lists or other things that are not names"
            raise bad_array(message, "ends are whole numbers or names") from None
    one, other = np.array(first, dtype=np.int64), np.array(second, dtype=np.int64)
    if group.alone:
        return one, other, names
    ids, all_names = number_by_appearance(group, list(names))
    return ids[one], ids[other], all_names
