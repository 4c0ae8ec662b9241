"""Checks of what a caller passes for a graph: flags, ids, values by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gdsl.diagnostics import GdslError, shown, type_name
from gdsl.graph.arrays import host_array
from gdsl.graph.messages import bad_array, bad_id


def flag(name: str, value: object) -> bool:
    """The bool that the caller passed. Raises TypeError for anything else."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False, not {shown(value)}")
    return bool(value)


def directions(directed: object, undirected: object, otherwise: bool | None = True) -> tuple[Any, bool]:
    """Whether a caller's edges are arcs (None: `otherwise`), and whether the graph shall become undirected.

    Raises GdslError E0712 where both are set, TypeError for anything that is not a bool.
    """
    arcs, both = None if directed is None else flag("directed", directed), flag("undirected", undirected)
    if arcs and both:
        raise GdslError.single("E0712", "directed and undirected are given together", fix="give one of them")
    return otherwise if arcs is None else arcs, both


def id_array(values: ArrayLike, name: str, or_names: str = "") -> NDArray[Any]:
    """`values` as int32 or int64[n]. Raises GdslError E0707 or E0711 for anything that cannot be ids; `or_names` says
    what takes names."""
    array = _array(values, name)
    if array.size == 0:
        return np.zeros(0, dtype=np.int64)
    if array.dtype.kind not in "iu":
        names = f"; {or_names}" if or_names and array.dtype.kind in "OUT" else ""
        raise bad_array(f"{name} has the type {type_name(array.dtype)}", f"vertex ids are integers{names}")
    if array.dtype.kind == "u" and int(array.max()) > np.iinfo(np.int64).max:
        raise bad_id(int(array.max()), f"{name}[{int(array.argmax())}]", None)
    if array.dtype.itemsize < 4:
        return array.astype(np.int32)
    # NumPy turns uint64 combined with a signed type into floats.
    target_dtype = np.dtype(np.int64) if array.dtype.itemsize == 8 else array.dtype.newbyteorder("=")
    return array.astype(target_dtype, copy=False)


def attribute_arrays(attributes: Mapping[str, ArrayLike], length: int, over: str) -> dict[str, NDArray[Any]]:
    """Copies of the values by name, each [length], one for each `over` (edge, vertex).

    Raises GdslError E0711 for unusable arrays, TypeError for anything that is not a mapping of names.
    """
    if not isinstance(attributes, Mapping):
        raise TypeError(f"attributes are arrays by name, not {shown(attributes)}")
    for name in attributes:
        if not isinstance(name, str):
            raise TypeError(f"the name of an attribute is a str, not {shown(name)}")
    return {name: _values(values, name, length, over) for name, values in attributes.items()}


def numbers_of(name: str, values: Sequence[Any], what: str) -> NDArray[Any] | None:
    """An attribute's values, one for each `what`, as an array; None unless all are numbers. A missing `weight` of an
    edge is 1.

    Raises GdslError E0711 for a weight that is not a number, and for whole numbers that fit no type.
    """
    is_weight = name == "weight" and what.startswith("edge")
    if is_weight:
        values = [1 if value is None else value for value in values]
    place = next((place for place, value in enumerate(values) if not isinstance(value, Real)), None)
    if place is not None:
        if is_weight:
            kind, of, owner = what.partition(" of ")
            message = f"the weight {shown(values[place])} of {kind} number {place}{of}{owner} is not a number"
            raise bad_array(message, "give numbers")
        return None
    array = exact_array(values)
    if array is None:
        raise bad_array(f"a value of `{name}` does not fit in 64 bits", "give integers below 2^63, or floats")
    return array


def exact_array(values: Sequence[Any]) -> NDArray[Any] | None:
    """Numbers as an array of a type of 64 bits or less that holds all of them exactly; None if no type does.

    NumPy turns whole numbers into floats where no integer type fits all of them, and where floats are among them."""
    try:
        array = np.array(values)
    except OverflowError:  # of a large whole number among reals
        return None
    if array.dtype.kind == "f":
        large = [value for value in values if isinstance(value, Integral) and abs(int(value)) > _EXACT]
        if large and all(isinstance(value, Integral) and 0 <= int(value) < 2**64 for value in values):
            return np.array(values, dtype=np.uint64)
        if any(int(float(value)) != int(value) for value in large):
            return None
    return array if array.dtype.kind in "biuf" else None


_EXACT = 2**53
"""Whole numbers up to here are exact as float64."""


def _values(values: ArrayLike, name: str, length: int, over: str) -> NDArray[Any]:
    array = _array(values, name)
    if len(array) != length:
        raise bad_array(f"{name} has {len(array):,} elements", f"give one value for each {over}: {length:,}")
    is_number = array.dtype.kind in "biuf" and array.dtype.itemsize <= 8
    if array.size and not is_number:
        message = f"{name} has the type {type_name(array.dtype)}"
        raise bad_array(message, "values are booleans, integers or real numbers of at most 64 bits")
    if not is_number:
        return np.zeros(0)
    native = array.dtype.newbyteorder("=")
    # SciPy has no sparse matrices of float16; float32 holds its values exactly.
    return np.array(array, dtype=np.float32 if native == np.float16 else native)


def _array(values: ArrayLike, name: str) -> NDArray[Any]:
    try:
        array = host_array(values, name)
    except ValueError as error:
        raise bad_array(f"{name} {error}", "give a sequence of numbers") from None
    if array.ndim != 1:
        raise bad_array(f"{name} has {array.ndim} dimensions", "give an array of one dimension")
    return array
