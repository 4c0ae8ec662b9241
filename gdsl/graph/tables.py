"""Tables as lists of edges: frames of pandas, Polars and other libraries, tables of Arrow, dicts of arrays."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gdsl.diagnostics import GdslError, shown
from gdsl.extras import first_line, required
from gdsl.graph.arguments import exact_array
from gdsl.graph.arrays import host_array
from gdsl.graph.column_names import ENDS, UNDIRECTED_ENDS, Columns, ColumnsError, named, require_column
from gdsl.graph.edge_list import EdgeList, edges_from_arrays
from gdsl.graph.group import ALONE, Group, objects
from gdsl.graph.messages import bad_array
from gdsl.graph.numbering import NumberedNames, number_by_appearance, number_by_value
from gdsl.graph.vertices import LARGEST_NUM_VERTICES, Names, compacted, numbered

EXTRA = "gdsl[tables]"


class Table(Protocol):
    """The columns of a table, by name."""

    names: list[str]

    def values(self, name: str, group: Group) -> NDArray[Any]:
        """The column, sharing the table's memory if possible, of the type that it has with all workers. Raises
        E0711."""
        ...

    def first_missing(self, name: str) -> int | None:
        """The first row where the column has no value, as the library defines it: in pandas also a NaN."""
        ...


def table_of(table: Any) -> Table:
    """The columns of `table`: a mapping of arrays, a frame of a library, or an object with Arrow's C interface.

    Raises E0711 for anything else, E0907 for a missing library.
    """
    if not isinstance(table, type) and not isinstance(table, Mapping):
        frame = _frame(table)
        if frame is not None:
            return _Frame(frame)
    result = list(table) if isinstance(table, Mapping) else getattr(table, "columns", None)
    if result is None or isinstance(table, type) or not hasattr(table, "__getitem__"):
        raise bad_array(f"{shown(table)} is not a table with columns", "pandas.DataFrame(...)")
    return _Plain(table, _checked(list(result)))


def _frame(table: Any) -> Any | None:
    """`table` as a frame of Narwhals; None where its columns can be read directly."""
    speaks_arrow = hasattr(table, "__arrow_c_stream__")
    try:
        import narwhals
    except ImportError:
        # Arrow's own tables have their columns without names, and lazy frames have none yet.
        is_other = hasattr(table, "column_names") or hasattr(table, "collect")
        if not is_other and (hasattr(table, "columns") or not speaks_arrow):
            return None
        required("narwhals", EXTRA, f"a table of {type(table).__name__}")
        raise
    try:
        frame = narwhals.from_native(table, pass_through=True)
        if isinstance(frame, narwhals.LazyFrame):
            return frame.collect()
        if isinstance(frame, narwhals.DataFrame):
            return frame
        if speaks_arrow:
            required("pyarrow", EXTRA, f"a table of {type(table).__name__}")
            return narwhals.DataFrame.from_arrow(table, backend="pyarrow")
    except GdslError:
        raise
    except Exception as error:  # whatever the library raises for an unusable table
        if type(error).__name__ == "DuplicateError":
            raise _same_name() from None
        raise _unusable("the table", error) from None
    return None


def _checked(names: list[Any]) -> list[str]:
    if len(set(map(str, names))) != len(names):
        raise _same_name()
    words = [name for name in names if isinstance(name, str)]
    if len(names) > 1 and not words:
        few = ", ".join(map(shown, names[:5]))
        raise bad_array(f"the columns of the table have no names but {few}", "name them, such as 'source', 'target'")
    return words


def _same_name() -> GdslError:
    return bad_array("two columns of the table have the same name", "give each its own")


class _Plain:
    """A table whose columns NumPy reads."""

    def __init__(self, table: Any, names: list[str]) -> None:
        self._table, self.names = table, names

    def values(self, name: str, group: Group) -> NDArray[Any]:
        return _array(self._table[name], name, group)

    def first_missing(self, name: str) -> int | None:
        column = self._table[name]
        for word in ("isna", "is_null"):  # pandas; Polars and Arrow
            if hasattr(column, word):
                return _first(np.asarray(getattr(column, word)()))
        values = _column(column, name)
        if values.dtype.kind != "O":
            return None
        return next((place for place, value in enumerate(values.tolist()) if _is_missing(value)), None)


class _Frame:
    """A frame of Narwhals."""

    def __init__(self, frame: Any) -> None:
        try:
            names = list(frame.columns)
        except Exception as error:
            raise _same_name() if type(error).__name__ == "DuplicateError" else _unusable("the table", error) from None
        self._frame, self.names = frame, _checked(names)

    def values(self, name: str, group: Group) -> NDArray[Any]:
        column = self._frame[name]
        # Next to NaN whole numbers may be rounded, and a missing category would become another category.
        as_they_are = group.any(bool(column.null_count())) and not (
            column.dtype.is_float() or column.dtype.is_decimal()
        )
        with group.agreement():
            values = _of_frame(column, name, as_they_are)
        return _array(values, name, group)

    def first_missing(self, name: str) -> int | None:
        column = self._frame[name]
        if not column.null_count():
            if str(column.dtype) not in ("Object", "Unknown"):
                return None
            return next((place for place, value in enumerate(column.to_list()) if _is_missing(value)), None)
        return _first(column.is_null().to_numpy())


def _of_frame(column: Any, name: str, as_they_are: bool) -> NDArray[Any]:
    import narwhals

    try:
        column = column.cast(narwhals.Float64) if column.dtype.is_decimal() else column
        return objects(column.to_list()) if as_they_are else np.asarray(column.to_numpy())
    except Exception as error:
        raise _unusable(f"the column `{name}`", error) from None


def _array(column: Any, name: str, group: Group) -> NDArray[Any]:
    with group.agreement():
        values = _column(column, name)
    kinds = [kind for kind in group.gather(values.dtype if len(values) else None) if kind is not None]
    if not len(values) and kinds:
        values = values.astype(kinds[0])
    return _of_objects(values, name, group) if values.dtype.kind == "O" else values


def _column(column: Any, name: str) -> NDArray[Any]:
    """A column as a NumPy array. Raises E0711."""
    try:
        values = host_array(column, f"the column `{name}`")
    except ValueError as error:
        raise bad_array(f"the column `{name}` {error}", "give a column of numbers or of names") from None
    if values.ndim != 1:
        raise bad_array(f"the column `{name}` has {values.ndim} dimensions", "give each column once")
    if values.dtype.kind == "U" and isinstance(column, list | tuple) and not all(type(word) is str for word in column):
        return np.array(column, dtype=object)  # NumPy turns numbers into words where words are among them
    return values


def _of_objects(values: NDArray[Any], name: str, group: Group) -> NDArray[Any]:
    """Numbers, or bools, in an array of objects as an array of them, with NaN for missing numbers; of anything else,
    and of whole numbers of more than 64 bits, the same. Raises E0711 for numbers that are rounded next to NaN."""
    result = [value for value in values.tolist() if not _is_missing(value)]
    counted_kinds = group.gather((len(values) - len(result), {_kind_of(value) for value in result}))
    missing, kinds = sum(each for each, _ in counted_kinds), set().union(*(each for _, each in counted_kinds))
    if kinds == {"bool"}:
        return values if missing else values.astype(bool)
    if kinds != {"number"}:
        return values
    with group.agreement():
        # With a NaN at the end, as other workers may have one.
        numbers = [float("nan") if _is_missing(value) else value for value in [*values.tolist(), None]]
        array = exact_array(numbers if missing else values.tolist())
        if array is not None and missing:
            array = array[:-1]
        elif missing:
            message = (
                f"the column `{name}` lacks values, and next to NaN its whole numbers become floats, which cannot hold "
                "all"
            )
            fix = "fill the missing ones, such as by frame.fillna(0), or leave the column out"
            raise bad_array(message, fix)
    return values if array is None else array


def _kind_of(value: Any) -> str:
    if isinstance(value, bool | np.bool_):
        return "bool"
    return "number" if isinstance(value, Real) else "other"


def are_whole(values: NDArray[Any]) -> bool:
    """Whether a column has only whole numbers, of any size."""
    if values.dtype.kind != "O":
        return values.dtype.kind in "iu"
    return all(isinstance(value, Integral) and not isinstance(value, bool) for value in values.tolist())


def _first(mask: NDArray[Any]) -> int | None:
    return int(np.argmax(mask)) if mask.any() else None


def _is_missing(value: Any) -> bool:
    try:
        return value is None or bool(value != value) or type(value).__name__ in ("NAType", "NaTType")
    except (TypeError, ValueError):  # the comparison is not a bool
        return type(value).__name__ in ("NAType", "NaTType")


def _unusable(what: str, error: Exception) -> GdslError:
    return bad_array(f"{what} cannot be read: {first_line(error)}", "give a table with a column for each end")


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
    edges, names = edges_of_part(table, columns, directed, num_vertices, compact, one_based, ALONE)
    assert names is None or isinstance(names, Names)
    edges.names = names
    return edges


def edges_of_part(
    table: Any,
    columns: Columns,
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
            require_column(columns.weight, result.names)
    if directed is None:
        directed = tuple(map(str.lower, ends)) != UNDIRECTED_ENDS
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
        sources, destinations, names = _compacted(sources, destinations, group)
    else:
        _require_ids(ends, sources, destinations, group=group)
        if one_based:
            sources, destinations = sources.astype(np.int64) - 1, destinations.astype(np.int64) - 1
    if names is not None:
        count = names.count if isinstance(names, NumberedNames) else len(names)
        if num_vertices not in (None, count):
            raise group.agreed(bad_array("num_vertices is for ids, and the ends are names", "leave it out"))
        num_vertices = count
    return edges_from_arrays(sources, destinations, num_vertices, attributes, directed, {}, group), names


def _compacted(
    sources: NDArray[Any], destinations: NDArray[Any], group: Group
) -> tuple[NDArray[Any], NDArray[Any], Names | NumberedNames]:
    if group.alone:
        return compacted(sources, destinations)
    if {sources.dtype.kind, destinations.dtype.kind} == {"i", "u"}:  # combined, NumPy turns them into floats
        sources, destinations = sources.astype(object), destinations.astype(object)
    ids, names = number_by_value(group, np.concatenate([sources, destinations]))
    return ids[: len(sources)], ids[len(sources) :], names


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
    return "str" if values.dtype.kind == "U" else str(values.dtype)


def _require_all(table: Table, name: str, fix: str, first: int) -> None:
    missing = table.first_missing(name)
    if missing is not None:
        raise bad_array(f"row {missing + first} of the column `{name}` is empty", fix)


def _require_ids(ends: tuple[str, str], *columns: NDArray[Any], group: Group) -> None:
    """Raise E0709 for numbers that are too large for ids."""
    for name, values in zip(ends, columns, strict=True):
        largest = group.max(int(values.max(initial=0)) if len(values) else 0)
        if largest >= LARGEST_NUM_VERTICES:
            message = (
                f"the column `{name}` has {largest}, too large for an id: at most {LARGEST_NUM_VERTICES:,} vertices"
            )
            fix = "compact=True (--compact) counts only the vertices that have an edge; their numbers are names then"
            raise group.agreed(GdslError.single("E0709", message, fix=fix))


def _ends(names: list[str], columns: Columns) -> tuple[str, str]:
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
        first, second = named(names, Columns()).ends
    except ColumnsError as error:
        raise bad_array(
            error.message, "source='…', target='…' name the ends (--source-column, --target-column)"
        ) from None
    return names[first], names[second]


def _known_pair(columns: list[str]) -> tuple[str, str] | None:
    """The first pair of columns with names of ends, in any case."""
    for pair in (*ENDS, UNDIRECTED_ENDS):
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
                raise bad_array(f"the column `{name}` has the type {values.dtype}", "ends are whole numbers or names")
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
