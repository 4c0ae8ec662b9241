"""Values of the reference backend: ids, arrays of results, identities, conversions; `tests/arithmetic` has the rest."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gdsl.backends.reference.values import (
    constant,
    convert_function,
    differs,
    from_array,
    neighbor_function,
    neighbor_identity,
    none_id,
    reduce_function,
    to_array,
    to_python,
)
from gdsl.operations import NeighborOperation, ReduceOperation
from gdsl.types import Type


def test_what_updates_store_is_never_a_negative_zero_or_a_losing_nan() -> None:
    nan, minus_zero = np.float32("nan"), np.float32(-0.0)
    for operation in (ReduceOperation.MIN, ReduceOperation.MAX):
        combine = reduce_function(operation, Type.FLOAT32)
        sign = np.float32(1 if operation is ReduceOperation.MIN else -1)
        assert combine(nan, sign) == combine(sign, nan) == sign
        assert not np.signbit(combine(sign, minus_zero)) and combine(sign, minus_zero) == 0
        assert not np.signbit(combine(nan, minus_zero))
        assert np.signbit(combine(minus_zero, np.float32(0.0))), "nothing is stored over an equal value"
    for operation in (NeighborOperation.MIN, NeighborOperation.MAX):
        combine = neighbor_function(operation, Type.FLOAT64)
        empty = neighbor_identity(operation, Type.FLOAT64, 32)
        assert not np.signbit(combine(empty, np.float64(-0.0)))


def test_values_differ_by_what_they_compare_to() -> None:
    nan, one = np.float32("nan"), np.float32(1)
    assert not differs(nan, nan)
    assert differs(nan, one)
    assert differs(one, np.float32(2))


@pytest.mark.parametrize(
    ("source", "target", "value", "expected"),
    [
        (Type.FLOAT32, Type.INT32, 3.9, 3),
        (Type.FLOAT32, Type.INT32, -3.9, -3),
        (Type.FLOAT32, Type.INT32, 1e20, 2**31 - 1),
        (Type.FLOAT64, Type.INT64, -1e300, -(2**63)),
        (Type.FLOAT64, Type.UINT32, -1.0, 0),
        (Type.FLOAT64, Type.UINT64, math.inf, 2**64 - 1),
        (Type.FLOAT32, Type.INT32, math.nan, 0),
        (Type.FLOAT32, Type.BOOL, math.nan, True),
        (Type.INT64, Type.INT32, 2**32 + 5, 5),
        (Type.INT32, Type.UINT32, -1, 2**32 - 1),
        (Type.INT32, Type.BOOL, -2, True),
        (Type.BOOL, Type.INT32, True, 1),
        (Type.VERTEX, Type.INT32, -1, -1),
        (Type.VERTEX, Type.UINT32, -1, 2**32 - 1),
        (Type.VERTEX, Type.INT64, -1, -1),
        (Type.EDGE, Type.FLOAT64, -1, -1.0),
        (Type.VERTEX, Type.INT64, 7, 7),
        (Type.INT32, Type.VERTEX, -1, 2**32 - 1),
        (Type.INT64, Type.VERTEX, 2**40, 2**32 - 1),
        (Type.INT64, Type.EDGE, 12, 12),
        (Type.UINT64, Type.EDGE, 19, 19),
        (Type.UINT64, Type.EDGE, 20, 2**32 - 1),
        (Type.INT64, Type.VERTEX, 2**32 - 2, 2**32 - 1),
    ],
)
def test_conversions(source: Type, target: Type, value: float, expected: float) -> None:
    with np.errstate(all="ignore"):
        assert convert_function(source, target, 32, 20)(constant(value, source, 32)) == expected


@pytest.mark.parametrize("bits", [32, 64])
def test_ids_in_arrays(bits: int) -> None:
    values = from_array(np.array([0, -1, 5], f"int{bits}"), Type.VERTEX, bits)
    assert values == [0, none_id(bits), 5]
    array = to_array(values, Type.VERTEX, bits)
    assert array.dtype == np.dtype(f"int{bits}")
    assert array.tolist() == [0, -1, 5]
    assert to_python(none_id(bits), Type.VERTEX, bits) == -1


def test_identities() -> None:
    assert neighbor_identity(NeighborOperation.MIN, Type.INT32, 32) == 2**31 - 1
    assert neighbor_identity(NeighborOperation.MAX, Type.INT32, 32) == -(2**31)
    assert neighbor_identity(NeighborOperation.MIN, Type.VERTEX, 32) == none_id(32)
    assert neighbor_identity(NeighborOperation.MAX, Type.VERTEX, 32) == 0
    assert neighbor_identity(NeighborOperation.MAX, Type.FLOAT32, 32) == -np.inf
    assert neighbor_identity(NeighborOperation.AND, Type.UINT32, 32) == 2**32 - 1
    assert neighbor_identity(NeighborOperation.EVERY, Type.BOOL, 32) is True
    assert not neighbor_identity(NeighborOperation.SOME, Type.BOOL, 32)
    assert neighbor_identity(NeighborOperation.PRODUCT, Type.FLOAT64, 32) == 1
