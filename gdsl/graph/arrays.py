"""What a caller gives as an array, as an array of NumPy, with nothing dropped on the way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.diagnostics import GdslError
from gdsl.graph.foreign import as_host, fetched, is_on_gpu, missing_of, reason_of
from gdsl.graph.memory import require_memory


def host_array(values: Any, name: str) -> NDArray[Any]:
    """`values` as `numpy.asarray` takes them, of any dtype and shape; what lies on a GPU is fetched, and what only
    speaks DLPack is taken by that.

    Raises ValueError, with words that go on behind `name`, for what is no array or has masked or missing values: these
    have no counterpart in a graph or a program, and their numbers mean nothing. Raises GdslError E0708 for an array
    larger than the machine.
    """
    if is_on_gpu(values):
        values = fetched(values)
    values = as_host(values)
    try:
        missing = missing_of(values)
        length = len(values) if _is_sequence(values) else 0
        _require_room(16 * length, name)
        masked = length and any(isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value) for value in values)
        array = values if masked else np.asanyarray(values)
    except (GdslError, MemoryError):
        raise
    except Exception as error:  # whatever `__array__`, `__len__` or `__getitem__` of a class do
        why = reason_of(values, error)
        raise ValueError(why or f"is not an array of numbers, but {type(values).__name__}") from error
    if missing:
        raise ValueError(f"has missing values ({missing:,} of them); give the others only, or values in their places")
    if masked:
        raise ValueError(_MASKED)
    if isinstance(array, np.ma.MaskedArray) and np.ma.is_masked(array):
        raise ValueError(_MASKED)
    array = _integers(values, np.asarray(array))
    if 0 in array.strides:  # one value that stands for many, which copies of it do not
        _require_room(array.size * array.itemsize, name)
    return _sound(array)


def _integers(values: Any, array: NDArray[Any]) -> NDArray[Any]:
    """NumPy makes floats of integers that only uint64 holds beside others, and of integers beside floats. Raises
    ValueError where that rounds one."""
    if array.dtype.kind != "f" or not isinstance(values, (list, tuple)) or not values:
        return array
    if all(type(value) is int for value in values) and min(values) >= 0:
        return np.array(values, dtype=np.uint64)
    rounded = next(
        (each for each in values if type(each) is int and abs(each) > _EXACT and int(float(each)) != each), None
    )
    if rounded is not None:
        raise ValueError(f"has {rounded} beside values that make floats of 64 bits of all, which do not hold it")
    return array


def _sound(array: NDArray[Any]) -> NDArray[Any]:
    """Arrays over foreign memory may lie at odd addresses, and have bools that are neither 0 nor 1; compiled code
    relies on both."""
    if array.dtype == np.bool_ and (array.view(np.uint8) > 1).any():
        return np.not_equal(array.view(np.uint8), 0)
    return array if array.flags.aligned else array.copy()


def _require_room(needed: int, name: str) -> None:
    if needed > _LITTLE:
        require_memory(needed, name)


_LITTLE = 1 << 24
_EXACT = 1 << 53
_MASKED = "has masked values; give the others only, or values in their places, such as array.filled(0)"


def _is_sequence(values: Any) -> bool:
    """Whether NumPy would take `values` one by one."""
    if isinstance(values, (str, bytes, bytearray, memoryview, Mapping, type)):
        return False
    as_whole = any(hasattr(values, word) for word in ("__array__", "__array_interface__", "__array_struct__"))
    return (
        not as_whole and hasattr(values, "__len__") and hasattr(values, "__getitem__") and hasattr(values, "__iter__")
    )
