"""Summary statistics of results."""

from __future__ import annotations

from typing import Any

import numpy as np

from gdsl.ir import nodes as ir
from gdsl.operations import Grade
from gdsl.records import dataclass


@dataclass(frozen=True, slots=True)
class Summary:
    """Statistics of one result; minimum, maximum, mean and sum are over finite values, for ids over those of vertices
    or edges.

    type: the declared one, in the language's words; an id is a `vertex` or an `edge`. infinite: how many values are
    `inf`; for an integer type, its largest value if the result begins with that. lowest: how many are `-inf`. nans: how
    many are NaN. nones: how many ids are `none`.
    """

    name: str
    type: str
    size: int
    minimum: bool | int | float | None
    maximum: bool | int | float | None
    sum: int | float | None
    grade: str
    infinite: int = 0
    lowest: int = 0
    nans: int = 0
    nones: int = 0

    @property
    def unique(self) -> bool:
        """Whether every run gives the same values, up to the rounding of float sums."""
        return self.grade != Grade.NOT_UNIQUE.value

    @property
    def mean(self) -> float | None:
        """The mean of the finite values; None where there are none."""
        count = self.size - self.infinite - self.lowest - self.nans - self.nones
        return self.sum / count if count and self.sum is not None else None


def on_host(values: Any) -> np.ndarray[Any, Any]:
    """`values` as a NumPy array, copied from the device if need be."""
    if hasattr(values, "__cuda_array_interface__"):
        return np.asarray(values.get())
    return np.asarray(values)


def summarize(declared: ir.Array | ir.Scalar, values: Any) -> Summary:
    """The statistics of the result `declared`, an array or a scalar."""
    array = on_host(values).reshape(-1)
    finite, counts = _apart(declared, array)
    low = high = None
    total: int | float = 0
    if len(finite):
        low, high = finite.min().item(), finite.max().item()
        total = float(finite.sum(dtype=np.float64)) if array.dtype.kind == "f" else _exact_sum(finite)
    return Summary(declared.name, declared.type.name, array.size, low, high, total, declared.grade.value, **counts)


def begins_with_inf(declared: ir.Array | ir.Scalar) -> bool:
    """Whether a result is `inf` until it is written, as distances are."""
    initial = declared.initial
    if not isinstance(initial, ir.Literal) or isinstance(initial.value, bool):
        return False
    if declared.type.is_float:
        return initial.value == float("inf")
    return declared.type.is_integer and initial.value == np.iinfo(declared.type.name).max


def finite(declared: ir.Array | ir.Scalar, array: np.ndarray[Any, Any]) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Which values are finite: not `none`, NaN or `inf`."""
    if declared.type.is_id:
        return np.asarray(array >= 0)
    if array.dtype.kind == "f":
        return np.asarray(np.isfinite(array))
    if begins_with_inf(declared):
        return np.asarray(array != np.iinfo(declared.type.name).max)
    return np.ones(array.shape, dtype=bool)


def _apart(declared: ir.Array | ir.Scalar, array: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], dict[str, int]]:
    """The finite values, and counts of the others."""
    if declared.type.is_id:
        is_set = array >= 0
        return array[is_set], {"nones": int(array.size - np.count_nonzero(is_set))}
    if array.dtype.kind == "f":
        finite = np.isfinite(array)
        if finite.all():
            return array, {}
        counts = {"infinite": array == np.inf, "lowest": array == -np.inf, "nans": np.isnan(array)}
        return array[finite], {name: int(np.count_nonzero(which)) for name, which in counts.items()}
    if begins_with_inf(declared):
        reached = array != np.iinfo(declared.type.name).max
        return array[reached], {"infinite": int(array.size - np.count_nonzero(reached))}
    return array, {}


def _exact_sum(values: np.ndarray[Any, Any]) -> int:
    """The sum of integers without overflow: the low and the high halves are summed separately."""
    if values.dtype.itemsize < 8:
        return int(values.sum(dtype=np.int64))
    low = int((values & values.dtype.type(0xFFFFFFFF)).sum(dtype=np.uint64))
    return low + (int((values >> values.dtype.type(32)).sum(dtype=np.int64)) << 32)
