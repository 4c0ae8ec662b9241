"""The columns of any table: frames of pandas, Polars and other libraries, tables of Arrow, dicts of arrays."""

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
from gdsl.graph.group import Group, objects
from gdsl.graph.messages import bad_array

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
        except GdslError:  # the deadline
            raise
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
    except GdslError:  # the deadline
        raise
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
    if values.ndim == 0:
        raise bad_array(f"the column `{name}` is one value, {shown(column)}", "give a list or an array")
    if values.ndim != 1:
        raise bad_array(f"the column `{name}` has {values.ndim} dimensions", "give one value in each row")
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
    """Whether a column, [n] of any dtype, has only whole numbers, of any size."""
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
