"""The arithmetic, against NumPy's on arrays and against the language's own rules."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdsl.backends.reference.values import (
    binary_function,
    builtin_function,
    constant,
    convert_function,
    differs,
    from_array,
    maximum,
    minimum,
    neighbor_identity,
    none_id,
    to_array,
    to_python,
    unary_function,
)
from gdsl.operations import BinaryOperation, Builtin, NeighborOperation, UnaryOperation
from gdsl.types import ScalarType

INTEGERS = (ScalarType.INT32, ScalarType.UINT32, ScalarType.INT64, ScalarType.UINT64)
FLOATS = (ScalarType.FLOAT32, ScalarType.FLOAT64)
WRAPPING = {
    BinaryOperation.ADD: np.add,
    BinaryOperation.SUBTRACT: np.subtract,
    BinaryOperation.MULTIPLY: np.multiply,
    BinaryOperation.BIT_AND: np.bitwise_and,
    BinaryOperation.BIT_OR: np.bitwise_or,
    BinaryOperation.BIT_XOR: np.bitwise_xor,
}
ORDINARY = {
    BinaryOperation.ADD: np.add,
    BinaryOperation.SUBTRACT: np.subtract,
    BinaryOperation.MULTIPLY: np.multiply,
    BinaryOperation.DIVIDE: np.divide,
    BinaryOperation.MODULO: np.fmod,
}
ANY_FLOAT = st.floats(width=32)


def in_range(type_: ScalarType, value: int) -> int:
    bits = np.iinfo(type_.value)
    return (value - int(bits.min)) % (1 << (type_.bits or 0)) + int(bits.min)


@pytest.mark.parametrize("type_", INTEGERS)
@given(a=st.integers(), b=st.integers())
def test_integers_wrap_as_numpy_arrays_do(type_: ScalarType, a: int, b: int) -> None:
    a, b = in_range(type_, a), in_range(type_, b)
    for operation, expected in WRAPPING.items():
        arrays = np.array([a], type_.value), np.array([b], type_.value)
        assert binary_function(operation, type_)(a, b) == int(expected(*arrays)[0])
    negated = unary_function(UnaryOperation.NEGATE, type_)(a)
    assert negated == int((-np.array([a], type_.value))[0])
    assert unary_function(UnaryOperation.INVERT, type_)(a) == int((~np.array([a], type_.value))[0])


@pytest.mark.parametrize("type_", FLOATS)
@given(a=ANY_FLOAT, b=ANY_FLOAT)
def test_floats_round_as_their_type(type_: ScalarType, a: float, b: float) -> None:
    with np.errstate(all="ignore"):
        x, y = constant(a, type_, 32), constant(b, type_, 32)
        for operation, expected in ORDINARY.items():
            found = binary_function(operation, type_)(x, y)
            wanted = expected(np.array([a], type_.value), np.array([b], type_.value))
            assert found.dtype == np.dtype(type_.value)
            assert np.array_equal(np.array([found]), wanted, equal_nan=True)


@pytest.mark.parametrize(
    ("a", "b", "quotient", "remainder"),
    [(7, 2, 3, 1), (-7, 2, -3, -1), (7, -2, -3, 1), (-7, -2, 3, -1), (5, 0, 0, 0), (-(2**31), -1, -(2**31), 0)],
)
def test_division_truncates_and_by_zero_is_zero(a: int, b: int, quotient: int, remainder: int) -> None:
    assert binary_function(BinaryOperation.INTEGER_DIVIDE, ScalarType.INT32)(a, b) == quotient
    assert binary_function(BinaryOperation.MODULO, ScalarType.INT32)(a, b) == remainder


def test_shifts_take_the_count_modulo_the_width() -> None:
    left = binary_function(BinaryOperation.SHIFT_LEFT, ScalarType.INT32)
    right = binary_function(BinaryOperation.SHIFT_RIGHT, ScalarType.INT32)
    assert left(1, 31) == -(2**31)
    assert left(3, 33) == 6
    assert left(1, -1) == -(2**31)
    assert right(-8, 1) == -4
    assert right(8, 34) == 2
    assert binary_function(BinaryOperation.SHIFT_RIGHT, ScalarType.UINT64)(2**63, 63) == 1


@pytest.mark.parametrize("type_", INTEGERS)
def test_saturating_addition_keeps_inf(type_: ScalarType) -> None:
    add = binary_function(BinaryOperation.ADD_SATURATING, type_)
    inf = int(np.iinfo(type_.value).max)
    assert add(inf, 1) == add(1, inf) == add(inf, inf) == inf
    assert add(2, 3) == 5
    assert add(inf - 1, 2) == int(np.iinfo(type_.value).min)


def test_nan_never_wins() -> None:
    nan, one = np.float32("nan"), np.float32(1)
    assert minimum(nan, one) == minimum(one, nan) == maximum(nan, one) == maximum(one, nan) == 1
    assert math.isnan(minimum(nan, nan))
    assert not differs(nan, nan)
    assert differs(nan, one)
    assert differs(one, np.float32(2))


@pytest.mark.parametrize(
    ("source", "target", "value", "expected"),
    [
        (ScalarType.FLOAT32, ScalarType.INT32, 3.9, 3),
        (ScalarType.FLOAT32, ScalarType.INT32, -3.9, -3),
        (ScalarType.FLOAT32, ScalarType.INT32, 1e20, 2**31 - 1),
        (ScalarType.FLOAT64, ScalarType.INT64, -1e300, -(2**63)),
        (ScalarType.FLOAT64, ScalarType.UINT32, -1.0, 0),
        (ScalarType.FLOAT64, ScalarType.UINT64, math.inf, 2**64 - 1),
        (ScalarType.FLOAT32, ScalarType.INT32, math.nan, 0),
        (ScalarType.FLOAT32, ScalarType.BOOL, math.nan, True),
        (ScalarType.INT64, ScalarType.INT32, 2**32 + 5, 5),
        (ScalarType.INT32, ScalarType.UINT32, -1, 2**32 - 1),
        (ScalarType.INT32, ScalarType.BOOL, -2, True),
        (ScalarType.BOOL, ScalarType.INT32, True, 1),
        (ScalarType.VERTEX, ScalarType.INT32, -1, -1),
        (ScalarType.VERTEX, ScalarType.UINT32, -1, 2**32 - 1),
        (ScalarType.VERTEX, ScalarType.INT64, -1, -1),
        (ScalarType.EDGE, ScalarType.FLOAT64, -1, -1.0),
        (ScalarType.VERTEX, ScalarType.INT64, 7, 7),
        (ScalarType.INT32, ScalarType.VERTEX, -1, 2**32 - 1),
        (ScalarType.INT64, ScalarType.VERTEX, 2**40, 2**32 - 1),
        (ScalarType.INT64, ScalarType.EDGE, 12, 12),
        (ScalarType.UINT64, ScalarType.EDGE, 19, 19),
        (ScalarType.UINT64, ScalarType.EDGE, 20, 2**32 - 1),
        (ScalarType.INT64, ScalarType.VERTEX, 2**32 - 2, 2**32 - 1),
    ],
)
def test_conversions(source: ScalarType, target: ScalarType, value: float, expected: float) -> None:
    with np.errstate(all="ignore"):
        assert convert_function(source, target, 32, 20)(constant(value, source, 32)) == expected


def test_long_integers_become_float32_by_one_rounding() -> None:
    # Through float64 this would be rounded to the midpoint of two float32 numbers, then to the even one.
    value = (1 << 62) + (1 << 38) + 1
    found = convert_function(ScalarType.INT64, ScalarType.FLOAT32, 32, 0)(value)
    assert found == np.array([value], np.int64).astype(np.float32)[0]
    assert found != np.float32(float(value))


@pytest.mark.parametrize("bits", [32, 64])
def test_ids_in_arrays(bits: int) -> None:
    values = from_array(np.array([0, -1, 5], f"int{bits}"), ScalarType.VERTEX, bits)
    assert values == [0, none_id(bits), 5]
    array = to_array(values, ScalarType.VERTEX, bits)
    assert array.dtype == np.dtype(f"int{bits}")
    assert array.tolist() == [0, -1, 5]
    assert to_python(none_id(bits), ScalarType.VERTEX, bits) == -1


def test_identities() -> None:
    assert neighbor_identity(NeighborOperation.MIN, ScalarType.INT32, 32) == 2**31 - 1
    assert neighbor_identity(NeighborOperation.MAX, ScalarType.INT32, 32) == -(2**31)
    assert neighbor_identity(NeighborOperation.MIN, ScalarType.VERTEX, 32) == none_id(32)
    assert neighbor_identity(NeighborOperation.MAX, ScalarType.VERTEX, 32) == 0
    assert neighbor_identity(NeighborOperation.MAX, ScalarType.FLOAT32, 32) == -np.inf
    assert neighbor_identity(NeighborOperation.AND, ScalarType.UINT32, 32) == 2**32 - 1
    assert neighbor_identity(NeighborOperation.EVERY, ScalarType.BOOL, 32) is True
    assert not neighbor_identity(NeighborOperation.SOME, ScalarType.BOOL, 32)
    assert neighbor_identity(NeighborOperation.PRODUCT, ScalarType.FLOAT64, 32) == 1


def test_builtins() -> None:
    with np.errstate(all="ignore"):
        for function in (Builtin.FLOOR, Builtin.CEIL, Builtin.SQRT, Builtin.EXP, Builtin.LOG, Builtin.ABS):
            assert builtin_function(function, ScalarType.FLOAT32)(np.float32(2.5)).dtype == np.float32
        assert builtin_function(Builtin.POW, ScalarType.FLOAT32)(np.float32(2), np.float32(10)) == 1024
        assert builtin_function(Builtin.ABS, ScalarType.INT32)(-(2**31)) == -(2**31)
        assert np.isnan(builtin_function(Builtin.SQRT, ScalarType.FLOAT64)(np.float64(-1)))
