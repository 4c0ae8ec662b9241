"""The entries of SciPy's sparse layouts, with every index checked: arrays from a file may hold anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.diagnostics import GdslError
from gdsl.graph.errors import bad_array, bad_id
from gdsl.graph.memory import require_memory
from gdsl.records import dataclass

ARRAYS_OF_LAYOUT: dict[str, tuple[str, ...]] = {
    "coo": ("data", "row", "col"),
    "csr": ("data", "indices", "indptr"),
    "csc": ("data", "indices", "indptr"),
    "bsr": ("data", "indices", "indptr"),
    "dia": ("data", "offsets"),
}
"""The arrays that a matrix of each layout is made of, by the names that SciPy gives them."""

_BYTES_PER_PADDED_ENTRY = 40


@dataclass(frozen=True, slots=True)
class Entries:
    """Entry k is at (rows[k], columns[k]) and has values[k]; all of one length, the indices known to be in range."""

    rows: NDArray[Any]
    columns: NDArray[Any]
    values: NDArray[Any]


def entries_of(layout: str, size: int, arrays: Mapping[str, NDArray[Any]]) -> Entries:
    """The entries of a `size` × `size` matrix in the matrix's own order, parallel ones and stored zeros kept.

    BSR and DIA fill their blocks and diagonals up with zeros, so zeros are no entries there.
    Raises GdslError E0704 for complex values, E0707 for an index out of range, E0711 for arrays that do not fit.
    """
    require_fitting(layout, size, {name: (array.shape, array.dtype) for name, array in arrays.items()})
    values = arrays["data"]
    if layout == "coo":
        return _coordinates(size, arrays["row"], arrays["col"], values)
    if layout == "dia":
        return _diagonals(size, arrays["offsets"], values)
    if layout == "bsr":
        return _blocks(size, arrays["indices"], arrays["indptr"], values)
    major, minor = _compressed(size, size, arrays["indices"], arrays["indptr"])
    return Entries(major, minor, values) if layout == "csr" else Entries(minor, major, values)


Header = tuple[tuple[int, ...], np.dtype[Any]]
"""Shape and type of an array."""


def require_fitting(layout: str, size: int, headers: Mapping[str, Header]) -> None:
    """Check shapes and types alone, as the arrays of a file may be large.

    Raises GdslError E0704 for complex values, E0711 for arrays that do not fit together or the matrix.
    """
    shape, dtype = headers["data"]
    if dtype.kind == "c":
        raise GdslError.single("E0704", "the matrix has complex values; weights are integers or real numbers")
    if dtype.kind not in "biuf":
        raise bad_array(f"data has the type {dtype}", "values are booleans, integers or real numbers")
    for name, (other, kind) in headers.items():
        if name != "data" and len(other) != 1:
            raise bad_array(f"{name} has {len(other)} dimensions", "give an array of one dimension")
        if name != "data" and kind.kind not in "iu" and other[0]:
            raise bad_array(f"{name} has the type {kind}", "indices are integers")
    if layout == "dia":
        _require_diagonals(shape, headers["offsets"][0])
        return
    name = "row" if layout == "coo" else "indices"
    count = headers[name][0][0]
    if layout == "coo" and headers["col"][0][0] != count:
        raise _different("row", (count,), "col", headers["col"][0][0])
    if layout == "bsr":
        _require_blocks(size, shape, count)
    elif shape != (count,):
        raise _different("data", shape, name, count)
    if layout != "coo":
        majors = size // shape[1] if layout == "bsr" else size
        if headers["indptr"][0][0] != majors + 1:
            message = f"indptr has {headers['indptr'][0][0]:,} elements"
            raise bad_array(message, f"one more than the matrix has rows: {majors + 1:,}")


def require_starts(indptr: NDArray[Any], count: int) -> NDArray[np.int64]:
    """`indptr` as int64, which begins with 0, never falls and ends with `count`. Raises GdslError E0711."""
    starts = _whole(indptr, "indptr").astype(np.int64)
    if starts[0] != 0:
        raise bad_array(f"indptr[0] is {starts[0]}", "indptr begins with 0")
    falling = starts[1:] < starts[:-1]
    if falling.any():
        place = int(np.argmax(falling)) + 1
        message = f"indptr[{place}] is {starts[place]}, less than the {starts[place - 1]} before it"
        raise bad_array(message, "indptr never falls")
    if starts[-1] != count:
        message = f"indptr ends with {starts[-1]:,}, and there are {count:,} indices"
        raise bad_array(message, "indptr ends with the number of indices")
    return starts


def _require_blocks(size: int, shape: tuple[int, ...], count: int) -> None:
    if len(shape) != 3 or 0 in shape[1:]:
        raise bad_array(f"data has the shape {shape}", "BSR data has the shape (blocks, rows, columns)")
    height, width = shape[1:]
    if size % height or size % width:
        message = f"blocks of {height} × {width} do not tile a matrix of {size:,} × {size:,}"
        raise bad_array(message, "give blocks whose sides divide the matrix's")
    if shape[0] != count:
        raise bad_array(f"data has {shape[0]:,} blocks, indices {count:,} elements", "one index a block")


def _require_diagonals(shape: tuple[int, ...], offsets: tuple[int, ...]) -> None:
    if len(shape) != 2 or shape[0] != offsets[0]:
        message = f"data has the shape {shape}, offsets {offsets[0]:,} elements"
        raise bad_array(message, "DIA data has one row for each offset")


def _different(name: str, shape: tuple[int, ...], other: str, count: int) -> GdslError:
    said = f"{shape[0]:,} elements" if len(shape) == 1 else f"the shape {shape}"
    return bad_array(f"{name} has {said}, {other} {count:,} elements", "give one for each entry")


def _coordinates(size: int, rows: NDArray[Any], columns: NDArray[Any], values: NDArray[Any]) -> Entries:
    checked = [_indices(array, name, size) for array, name in ((rows, "row"), (columns, "col"))]
    return Entries(checked[0], checked[1], values)


def _compressed(
    majors: int, minors: int, indices: NDArray[Any], indptr: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """(major, minor) index of each entry of a compressed matrix with `majors` rows (columns, rows of blocks)."""
    minor = _indices(indices, "indices", minors)
    starts = require_starts(indptr, len(minor))
    return np.repeat(np.arange(majors, dtype=minor.dtype), np.diff(starts)), minor


def _blocks(size: int, indices: NDArray[Any], indptr: NDArray[Any], values: NDArray[Any]) -> Entries:
    """data[k] is a block of (height, width), at the k-th place of a compressed matrix of blocks."""
    height, width = values.shape[1:]
    major, minor = _compressed(size // height, size // width, indices, indptr)
    require_memory(values.size * _BYTES_PER_PADDED_ENTRY, "the blocks of the matrix")
    block, row, column = np.nonzero(values)
    rows = major.astype(np.int64)[block] * height + row
    columns = minor.astype(np.int64)[block] * width + column
    return Entries(rows, columns, values[block, row, column])


def _diagonals(size: int, offsets: NDArray[Any], values: NDArray[Any]) -> Entries:
    """data[k, j] is the entry in column j of the diagonal column - row = offsets[k]."""
    places = _whole(offsets, "offsets").astype(np.int64)
    if len(np.unique(places)) != len(places):
        raise bad_array("offsets holds a diagonal twice", "give each diagonal once")
    require_memory(values.size * _BYTES_PER_PADDED_ENTRY, "the diagonals of the matrix")
    diagonal, columns = np.nonzero(values[:, :size])
    inside = (columns >= places[diagonal]) & (columns - size < places[diagonal])
    diagonal, columns = diagonal[inside], columns[inside]
    return Entries(columns - places[diagonal], columns, values[diagonal, columns])


def _whole(array: NDArray[Any], name: str) -> NDArray[Any]:
    if array.dtype.kind == "u" and array.size and int(array.max()) > np.iinfo(np.int64).max:
        raise bad_array(f"{name} holds {int(array.max())}", "indices fit 64 bits with a sign")
    return array if array.size else np.zeros(0, dtype=np.int64)


def _indices(array: NDArray[Any], name: str, size: int) -> NDArray[Any]:
    """`array` as indices that are all below `size`. Raises E0707 with the first that is not."""
    whole = _whole(array, name)
    fits_int32 = np.can_cast(whole.dtype, np.int32)
    whole = whole.astype(np.int32 if fits_int32 else np.int64, copy=False)
    outside = (whole < 0) | (whole >= size)
    if outside.any():
        place = int(np.argmax(outside))
        raise bad_id(int(whole[place]), f"{name}[{place}]", size)
    return whole
