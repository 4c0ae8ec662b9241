"""Columns of tables, whoever made them: by Narwhals what it knows (pandas, Polars, Arrow, …), else columns by name."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gdsl.diagnostics import GdslError, shown
from gdsl.extras import first_line, required
from gdsl.graph.arrays import host_array
from gdsl.graph.errors import bad_array
from gdsl.graph.given import exact_array

EXTRA = "gdsl[tables]"


class Table(Protocol):
    """The columns of a table whose names are words."""

    names: list[str]

    def values(self, name: str) -> NDArray[Any]:
        """The column, over the table's own memory where that can be. Raises E0711."""
        ...

    def first_missing(self, name: str) -> int | None:
        """The first row where the column has no value, as the library sees it: of pandas' floats a NaN."""
        ...


def table_of(table: Any) -> Table:
    """The columns of `table`: a mapping of arrays, a frame of a library, or what speaks Arrow's C interface.

    Raises E0711 for what is no table, E0907 where a library is needed that is not installed.
    """
    if not isinstance(table, type) and not isinstance(table, Mapping):
        frame = _frame(table)
        if frame is not None:
            return _Frame(frame)
    found = list(table) if isinstance(table, Mapping) else getattr(table, "columns", None)
    if found is None or isinstance(table, type) or not hasattr(table, "__getitem__"):
        raise bad_array(f"{shown(table)} is not a table with columns", "pandas.DataFrame(...)")
    return _Plain(table, _checked(list(found)))


def _frame(table: Any) -> Any | None:
    """`table` as Narwhals has it; None where the columns will do as they are."""
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
    except Exception as error:  # whatever the library says of a table that is none
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
    """Columns by name, each what NumPy takes."""

    def __init__(self, table: Any, names: list[str]) -> None:
        self._table, self.names = table, names

    def values(self, name: str) -> NDArray[Any]:
        return _array(self._table[name], name)

    def first_missing(self, name: str) -> int | None:
        column = self._table[name]
        for word in ("isna", "is_null"):  # of pandas, of Polars and Arrow
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

    def values(self, name: str) -> NDArray[Any]:
        import narwhals

        try:
            column = self._frame[name]
            column = column.cast(narwhals.Float64) if column.dtype.is_decimal() else column
            # As numbers whole ones may be others beside NaN, and of categories another one stands for what is missing.
            as_they_are = column.null_count() and not column.dtype.is_float()
            values = np.array([*column.to_list(), None], dtype=object)[:-1] if as_they_are else column.to_numpy()
        except Exception as error:
            raise _unusable(f"the column `{name}`", error) from None
        return _array(values, name)

    def first_missing(self, name: str) -> int | None:
        column = self._frame[name]
        if not column.null_count():
            if str(column.dtype) not in ("Object", "Unknown"):
                return None
            return next((place for place, value in enumerate(column.to_list()) if _is_missing(value)), None)
        return _first(column.is_null().to_numpy())


def _array(column: Any, name: str) -> NDArray[Any]:
    values = _column(column, name)
    return _of_objects(values, name) if values.dtype.kind == "O" else values


def _column(column: Any, name: str) -> NDArray[Any]:
    """As NumPy has it. Raises E0711."""
    try:
        values = host_array(column, f"the column `{name}`")
    except ValueError as error:
        raise bad_array(f"the column `{name}` {error}", "give a column of numbers or of names") from None
    if values.ndim != 1:
        raise bad_array(f"the column `{name}` has {values.ndim} dimensions", "give each column once")
    if values.dtype.kind == "U" and isinstance(column, list | tuple) and not all(type(word) is str for word in column):
        return np.array(column, dtype=object)  # NumPy makes words of numbers beside words
    return values


def _of_objects(values: NDArray[Any], name: str) -> NDArray[Any]:
    """Numbers, or bools, in an array of objects as an array of them, with NaN for missing numbers; of anything else,
    and of whole numbers of more than 64 bits, the same. Raises E0711 for numbers that are others beside NaN."""
    given = values.tolist()
    found = [value for value in given if not _is_missing(value)]
    if found and all(isinstance(value, bool | np.bool_) for value in found):
        return values if len(found) < len(given) else values.astype(bool)
    if not found or not all(isinstance(value, Real) and not isinstance(value, bool) for value in found):
        return values
    missing = len(given) - len(found)
    array = exact_array([float("nan") if _is_missing(value) else value for value in given] if missing else given)
    if array is None and missing:
        message = (
            f"the column `{name}` lacks values, and beside NaN its whole numbers are floats, which do not hold all"
        )
        raise bad_array(message, "fill the missing ones, such as by frame.fillna(0), or leave the column out")
    return values if array is None else array


def are_whole(values: NDArray[Any]) -> bool:
    """Whether a column has whole numbers, of any size, and nothing else."""
    if values.dtype.kind != "O":
        return values.dtype.kind in "iu"
    return all(isinstance(value, Integral) and not isinstance(value, bool) for value in values.tolist())


def _first(mask: NDArray[Any]) -> int | None:
    return int(np.argmax(mask)) if mask.any() else None


def _is_missing(value: Any) -> bool:
    try:
        return value is None or bool(value != value) or type(value).__name__ in ("NAType", "NaTType")
    except (TypeError, ValueError):  # of what compares to no bool
        return type(value).__name__ in ("NAType", "NaTType")


def _unusable(what: str, error: Exception) -> GdslError:
    return bad_array(f"{what} cannot be read: {first_line(error)}", "give a table with a column for each end")
