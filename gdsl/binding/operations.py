"""The types of arrays that expressions are evaluated in before a run, and conversions between them and ids."""

from __future__ import annotations

from typing import Any

import numpy as np

from gdsl.arithmetic.operations import of_arrays
from gdsl.types import Type

Array = Any

NONE = 2**64 - 1
"""`none` among ids that are held as uint64."""

DTYPES: dict[Type, Any] = {
    Type.BOOL: np.dtype(np.bool_),
    Type.INT32: np.dtype(np.int32),
    Type.UINT32: np.dtype(np.uint32),
    Type.INT64: np.dtype(np.int64),
    Type.UINT64: np.dtype(np.uint64),
    Type.FLOAT32: np.dtype(np.float32),
    Type.FLOAT64: np.dtype(np.float64),
    Type.VERTEX: np.dtype(np.uint64),
    Type.EDGE: np.dtype(np.uint64),
}
"""The dtypes that expressions are evaluated in."""


def stored_as(module: Any, values: Array, type_: Type) -> Array:
    """`values` of a bound array (ids signed, `none` as -1) in the dtype that expressions are evaluated in."""
    if type_.is_id:
        return values.astype(np.int64).astype(np.uint64)
    return values.astype(DTYPES[type_], copy=False)


def convert(module: Any, value: Array, old: Type, new: Type, ids: int) -> Array:
    """A change of type as `ir.Convert` means it; `ids` is how many ids of the type `new` there are."""
    if old is new:
        return value
    target = DTYPES[new]
    if old.is_id:
        none = value == np.uint64(NONE)
        largest = NONE if new is Type.UINT64 else (2**32 - 1 if new is Type.UINT32 else -1)
        return module.where(none, module.full(1, largest, dtype=target), value.astype(target))
    if new.is_id:
        bad = (value < 0) | (value >= ids)
        return module.where(bad, np.uint64(NONE), module.where(bad, 0, value).astype(np.uint64))
    return of_arrays(module).convert(old, new)(value)
