"""Columns of tables, whoever made them: by Narwhals what it knows (pandas, Polars, Arrow, …), else columns by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gdsl.diagnostics import GdslError, shown
from gdsl.extras import required
from gdsl.graph.arrays import host_array
from gdsl.graph.errors import bad_array
from gdsl.graph.foreign import missing_of

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
        if hasattr(column, "isna"):
            return _first(np.asarray(column.isna()))
        if missing_of(column):  # of what NumPy shows no sign
            return 0
        values = self.values(name)
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
        try:
            column = self._frame[name]
            column = (column.cast(_float64()) if column.dtype.is_decimal() else column).to_numpy()
        except Exception as error:
            raise _unusable(f"the column `{name}`", error) from None
        return _array(column, name)

    def first_missing(self, name: str) -> int | None:
        column = self._frame[name]
        if not column.null_count():
            if str(column.dtype) not in ("Object", "Unknown"):
                return None
            return next((place for place, value in enumerate(column.to_list()) if _is_missing(value)), None)
        return _first(column.is_null().to_numpy())


def _float64() -> Any:
    import narwhals

    return narwhals.Float64


def _array(column: Any, name: str) -> NDArray[Any]:
    try:
        values = host_array(column, f"the column `{name}`")
    except ValueError as error:
        raise bad_array(f"the column `{name}` {error}", "give a column of numbers or of names") from None
    if values.ndim != 1:
        raise bad_array(f"the column `{name}` has {values.ndim} dimensions", "give each column once")
    return values


def _first(mask: NDArray[Any]) -> int | None:
    return int(np.argmax(mask)) if mask.any() else None


def _is_missing(value: Any) -> bool:
    try:
        return value is None or bool(value != value) or type(value).__name__ in ("NAType", "NaTType")
    except (TypeError, ValueError):  # of what compares to no bool
        return type(value).__name__ in ("NAType", "NaTType")


def _unusable(what: str, error: Exception) -> GdslError:
    first = (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
    return bad_array(f"{what} cannot be read: {first}", "give a table with a column for each end")
