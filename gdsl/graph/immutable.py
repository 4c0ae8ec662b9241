"""Arrays that nobody can write into: native code trusts a graph's arrays without looking at them again.

A flag that says read-only is not enough: whoever holds the array, or its `base`, can take it back.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray


def immutable(values: NDArray[Any], dtype: np.dtype[Any] | None = None) -> NDArray[Any]:
    """A copy of `values` (one-dimensional) over the memory of a `bytes`, which NumPy never lets anybody write."""
    wanted = values.dtype.newbyteorder("=") if dtype is None else dtype
    if _is_immutable(values, wanted):
        return values
    converted = np.ascontiguousarray(values, dtype=wanted)
    return np.ndarray(converted.shape, wanted, buffer=converted.tobytes())


def written(count: int, dtype: np.dtype[Any], fill: Callable[[NDArray[np.uint8]], None]) -> NDArray[Any]:
    """`count` values of which `fill` has written the bytes, like `immutable` without a copy."""
    nbytes = count * dtype.itemsize
    if nbytes < 2:  # Python has only one `bytes` of each byte, and of none
        made = np.zeros(nbytes, np.uint8)
        fill(made)
        return immutable(made.view(dtype))
    memory = bytes(nbytes)  # nobody else has it yet
    address = ctypes.cast(ctypes.c_char_p(memory), ctypes.c_void_p).value
    assert address is not None
    fill(np.ctypeslib.as_array((ctypes.c_uint8 * nbytes).from_address(address)))
    return np.ndarray((count,), dtype, buffer=memory)


def _is_immutable(values: NDArray[Any], dtype: np.dtype[Any]) -> bool:
    return type(values) is np.ndarray and type(_owner(values)) is bytes and values.dtype == dtype and _is_plain(values)


def _is_plain(values: NDArray[Any]) -> bool:
    return values.flags.c_contiguous and values.flags.aligned


def _owner(values: Any) -> Any:
    while isinstance(values, np.ndarray):
        values = values.base
    return values


class Values(Mapping[str, NDArray[Any]]):
    """Immutable arrays by name. Each access gives another view: setting the shape or dtype of one changes no other."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self._arrays = {name: immutable(values) for name, values in arrays.items()}

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self._arrays[name].view()

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def __repr__(self) -> str:
        return repr(self._arrays)

    def __reduce__(self) -> tuple[type[Values], tuple[dict[str, NDArray[Any]]]]:
        return Values, (dict(self._arrays),)
