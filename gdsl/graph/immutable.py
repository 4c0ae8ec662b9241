"""Arrays that cannot be written: native code relies on a graph's arrays after they were checked once.

A read-only flag is not enough: any holder of the array, or of its `base`, can clear it.
"""

from __future__ import annotations

import contextlib
import ctypes
import mmap
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

_LARGE = 1 << 22
"""From so many bytes on, memory is requested in large pages, as NumPy does for its own arrays: in small pages the first
touch takes several times as long as writing."""

_LINE = 128
"""Large arrays begin at a multiple of so many bytes: a GPU that reads them from here does so in such lines."""


def immutable(values: NDArray[Any], dtype: np.dtype[Any] | None = None) -> NDArray[Any]:
    """A copy of `values` (one-dimensional) over the memory of a `bytes`, which NumPy never makes writable."""
    target_dtype = values.dtype.newbyteorder("=") if dtype is None else dtype
    if _is_immutable(values, target_dtype):
        return values
    writable, immutable_array = allocate_immutable(values.size, target_dtype)
    np.copyto(writable, values.reshape(-1), casting="unsafe")
    return immutable_array


def allocate_immutable(count: int, dtype: np.dtype[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Two arrays of `count` zeros over the same memory: one to write into, and one that is read-only once the first is
    dropped."""
    spare = _LINE if count * dtype.itemsize >= _LARGE else 0
    memory = bytes(max(count * dtype.itemsize + spare, 2))  # a new object: Python shares shorter ones
    address = ctypes.cast(ctypes.c_char_p(memory), ctypes.c_void_p).value
    assert address is not None
    _ask_for_large_pages(address, len(memory))
    first = -address % _LINE if spare else 0
    immutable_array = np.ndarray((count,), dtype, buffer=memory, offset=first)
    writable = (ctypes.c_uint8 * immutable_array.nbytes).from_address(address + first)
    writable.memory = memory  # type: ignore[attr-defined]  # which lives as long
    return np.ctypeslib.as_array(writable).view(dtype), immutable_array


def _ask_for_large_pages(address: int, nbytes: int) -> None:
    """Request large pages, where the system has them; nothing may have been written yet."""
    advice = getattr(mmap, "MADV_HUGEPAGE", None)
    if nbytes < _LARGE or advice is None:
        return
    first = -(-address // mmap.PAGESIZE) * mmap.PAGESIZE
    length = (address + nbytes - first) // mmap.PAGESIZE * mmap.PAGESIZE
    with contextlib.suppress(OSError, AttributeError):  # this is only advice
        ctypes.CDLL(None).madvise(ctypes.c_void_p(first), ctypes.c_size_t(length), advice)


def filled_immutable(count: int, dtype: np.dtype[Any], fill: Callable[[NDArray[np.uint8]], None]) -> NDArray[Any]:
    """`count` values of which `fill` has written the bytes, like `immutable` without a copy."""
    writable, immutable_array = allocate_immutable(count, dtype)
    fill(writable.view(np.uint8))
    return immutable_array


def _is_immutable(values: NDArray[Any], dtype: np.dtype[Any]) -> bool:
    return type(values) is np.ndarray and type(_owner(values)) is bytes and values.dtype == dtype and _is_plain(values)


def _is_plain(values: NDArray[Any]) -> bool:
    return values.flags.c_contiguous and values.flags.aligned


def _owner(values: Any) -> Any:
    while isinstance(values, np.ndarray):
        values = values.base
    return values


class Values(Mapping[str, NDArray[Any]]):
    """Immutable arrays by name. Each access returns a new view, so that setting the shape or dtype of one changes no
    other."""

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
