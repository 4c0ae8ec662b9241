"""Sorts of whole numbers in place, by C++ of this machine where it can be had: it counts digits, and leaves out those
that are known to be in order, where NumPy compares whole numbers."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Sort = Callable[[NDArray[Any], int, int], None]
"""Puts whole numbers of 32 or 64 bits, none below 0, in order: by their bits from one place up to another, above which
all have the same. Those that are the same in these bits stand in order before."""

_WORTH_A_LOOK = 1 << 18
_WORTH_COMPILING = 1 << 21
"""So many numbers to sort."""
_NAME, _SYMBOLS = "graph/order.cpp", {4: "gdsl_sort_32", 8: "gdsl_sort_64"}
_OF_LISTS = ("gdsl_count_blocks", "gdsl_divide", "gdsl_order_block")


def library_for(count: int) -> ctypes.CDLL | None:
    """What is compiled of `order.cpp`, where it is worth while for so many numbers or edges and can be had."""
    if count < _WORTH_A_LOOK:
        return None
    from gdsl.native import kept  # which small graphs do without

    return kept.library(_NAME, (*_SYMBOLS.values(), *_OF_LISTS), make=count >= _WORTH_COMPILING)


def sort_of(count: int) -> Sort:
    """The best way for `count` numbers, all at once or piece by piece; any number of threads may call it."""
    library = library_for(count)
    return _by_numpy if library is None else _by(library)


def _by_numpy(numbers: NDArray[Any], low: int, high: int) -> None:
    numbers.sort()


def _by(library: ctypes.CDLL) -> Sort:
    functions = {size: library[symbol] for size, symbol in _SYMBOLS.items()}
    for function in functions.values():
        function.restype = None

    def sort(numbers: NDArray[Any], low: int, high: int) -> None:
        spare = np.empty_like(numbers)
        at, room = (ctypes.c_void_p(each.ctypes.data) for each in (numbers, spare))
        functions[numbers.itemsize](at, room, ctypes.c_int64(len(numbers)), low, high)

    return sort
