"""A value of every edge, as NetworkX holds it, and as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

MISSING = object()
_EXACT = 2**53
"""Up to here every whole number is a float64."""


class Column:
    """An edge attribute: `values` [E], and which of them are `missing`; `refused` says why it has no numbers."""

    def __init__(
        self, values: NDArray[Any] | None, missing: NDArray[np.bool_] | None = None, refused: str | None = None
    ) -> None:
        """Without values where it is refused."""
        self._values, self._missing, self._refused = values, missing, refused

    @staticmethod
    def of(name: object, given: Sequence[Any]) -> Column:
        """The column of the Python values of an attribute, `MISSING` where an edge has none."""
        missing = np.fromiter((value is MISSING for value in given), dtype=bool, count=len(given))
        present = [0 if value is MISSING else value for value in given] if missing.any() else given
        kinds = set(map(type, present))
        whole = {kind for kind in kinds if issubclass(kind, Integral)}
        floats = {kind for kind in kinds - whole if issubclass(kind, float)}
        if other := kinds - whole - floats:
            names = ", ".join(sorted(kind.__name__ for kind in other))
            return Column(None, refused=f"values of the edge attribute {name!r} are {names}, not int or float")
        try:
            values = np.array(present, dtype=np.float64 if floats else np.int64)
        except OverflowError:
            return Column(None, refused=f"a value of the edge attribute {name!r} fits no number of 64 bits")
        if floats and any(abs(int(value)) > _EXACT for value in present if isinstance(value, Integral)):
            return Column(None, refused=f"of the edge attribute {name!r} a large int stands among floats")
        return Column(values, missing if missing.any() else None)

    @staticmethod
    def of_array(values: NDArray[Any]) -> Column:
        """The column of an attribute of a `gdsl.Graph`."""
        if values.dtype == np.uint64 and values.max(initial=0) > np.iinfo(np.int64).max:
            return Column(None, refused="a value of the edge attribute fits no signed number of 64 bits")
        return Column(values.astype(np.float64 if values.dtype.kind == "f" else np.int64))

    def as_given(self) -> list[Any]:
        """A Python number for each edge, `MISSING` where it has none. Raises NotImplementedError."""
        if self._values is None:
            raise NotImplementedError(self._refused)
        values: list[Any] = self._values.tolist()
        if self._missing is not None:
            for place in np.flatnonzero(self._missing).tolist():
                values[place] = MISSING
        return values

    def numbers(self, default: float) -> NDArray[Any]:
        """int64[E] or float64[E], with `default` where an edge has none. Raises NotImplementedError."""
        if self._values is None:
            raise NotImplementedError(self._refused)
        if self._missing is None:
            return self._values
        if not isinstance(default, int | float):
            raise NotImplementedError(f"the default {default!r} of an edge attribute is no int or float")
        if isinstance(default, float) and self._values.dtype.kind == "i" and np.abs(self._values).max() > _EXACT:
            raise NotImplementedError("large ints would stand among floats")
        return np.where(self._missing, default, self._values)

    def is_the_same_as(self, other: Column) -> bool:
        """Whether two columns have the same values, and lack the same ones; True where one has no numbers."""
        if self._values is None or other._values is None:
            return True
        equal = np.array_equal(self._values, other._values, equal_nan=self._values.dtype.kind == "f")
        if self._missing is None or other._missing is None:
            return equal
        return equal and np.array_equal(self._missing, other._missing)

    def taken(self, places: NDArray[Any]) -> Column:
        """The values at `places`."""
        if self._values is None:
            return self
        missing = None if self._missing is None else self._missing[places]
        return Column(self._values[places], missing)


def places_of_edges(counts: NDArray[np.int64], order: NDArray[np.int64]) -> NDArray[np.int64]:
    """The places of all edges where arc `order[i]` comes i-th and arc j stands for `counts[j]` edges in a row."""
    starts = np.cumsum(counts) - counts
    taken = counts[order]
    shift = starts[order] - (np.cumsum(taken) - taken)
    places: NDArray[np.int64] = np.arange(int(counts.sum())) + np.repeat(shift, taken)
    return places
