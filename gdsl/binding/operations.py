"""The language's operations on whole arrays, NumPy's or CuPy's."""

from __future__ import annotations

from typing import Any

import numpy as np

from gdsl.operations import BinaryOperation, Builtin, UnaryOperation
from gdsl.types import ScalarType

Array = Any

NONE = 2**64 - 1
"""`none` among ids that are held as uint64."""

DTYPES: dict[ScalarType, Any] = {
    ScalarType.BOOL: np.dtype(np.bool_),
    ScalarType.INT32: np.dtype(np.int32),
    ScalarType.UINT32: np.dtype(np.uint32),
    ScalarType.INT64: np.dtype(np.int64),
    ScalarType.UINT64: np.dtype(np.uint64),
    ScalarType.FLOAT32: np.dtype(np.float32),
    ScalarType.FLOAT64: np.dtype(np.float64),
    ScalarType.VERTEX: np.dtype(np.uint64),
    ScalarType.EDGE: np.dtype(np.uint64),
}
"""The dtypes that expressions are evaluated in."""


def stored_as(module: Any, values: Array, type_: ScalarType) -> Array:
    """`values` of a bound array (ids signed, `none` as -1) in the dtype that expressions are evaluated in."""
    if type_.is_id:
        return values.astype(np.int64).astype(np.uint64)
    return values.astype(DTYPES[type_], copy=False)


def unary(module: Any, operation: UnaryOperation, value: Array) -> Array:
    """`operation` on each of the values."""
    match operation:
        case UnaryOperation.NEGATE:
            return module.negative(value)
        case UnaryOperation.NOT:
            return ~value
        case UnaryOperation.INVERT:
            return module.invert(value)


def binary(module: Any, operation: BinaryOperation, left: Array, right: Array) -> Array:
    """`operation` on each pair of values of one dtype; `&&` and `||` evaluate both sides."""
    functions = {
        BinaryOperation.ADD: module.add,
        BinaryOperation.SUBTRACT: module.subtract,
        BinaryOperation.MULTIPLY: module.multiply,
        BinaryOperation.DIVIDE: module.divide,
        BinaryOperation.BIT_AND: module.bitwise_and,
        BinaryOperation.BIT_OR: module.bitwise_or,
        BinaryOperation.BIT_XOR: module.bitwise_xor,
        BinaryOperation.AND: module.logical_and,
        BinaryOperation.OR: module.logical_or,
        BinaryOperation.EQUAL: module.equal,
        BinaryOperation.NOT_EQUAL: module.not_equal,
        BinaryOperation.LESS: module.less,
        BinaryOperation.LESS_EQUAL: module.less_equal,
        BinaryOperation.GREATER: module.greater,
        BinaryOperation.GREATER_EQUAL: module.greater_equal,
    }
    if operation in functions:
        return functions[operation](left, right)
    match operation:
        case BinaryOperation.ADD_SATURATING:
            largest = np.iinfo(left.dtype).max
            return module.where((left == largest) | (right == largest), left.dtype.type(largest), left + right)
        case BinaryOperation.INTEGER_DIVIDE:
            return _divided(module, left, right)
        case BinaryOperation.MODULO:
            return _remainder(module, left, right)
        case BinaryOperation.SHIFT_LEFT:
            return module.left_shift(left, _shift_count(left, right))
        case BinaryOperation.SHIFT_RIGHT:
            return module.right_shift(left, _shift_count(left, right))
    raise AssertionError(operation)


def builtin(module: Any, function: Builtin, values: list[Array]) -> Array:
    """A function of the language on arrays of one dtype, which the result has too."""
    functions = {
        Builtin.MIN: module.fmin,
        Builtin.MAX: module.fmax,
        Builtin.ABS: module.abs,
        Builtin.FLOOR: module.floor,
        Builtin.CEIL: module.ceil,
        Builtin.SQRT: module.sqrt,
        Builtin.EXP: module.exp,
        Builtin.LOG: module.log,
        Builtin.POW: module.power,
    }
    return functions[function](*values).astype(values[0].dtype, copy=False)


def convert(module: Any, value: Array, old: ScalarType, new: ScalarType, ids: int) -> Array:
    """A change of type as `ir.Convert` means it; `ids` is how many ids of the type `new` there are."""
    target = DTYPES[new]
    if old is new:
        return value
    if new is ScalarType.BOOL:
        return value != 0
    if old.is_id:
        none = value == np.uint64(NONE)
        largest = NONE if new is ScalarType.UINT64 else (2**32 - 1 if new is ScalarType.UINT32 else -1)
        return module.where(none, module.full(1, largest, dtype=target), value.astype(target))
    if new.is_id:
        bad = (value < 0) | (value >= ids)
        return module.where(bad, np.uint64(NONE), module.where(bad, 0, value).astype(np.uint64))
    if old.is_float and new.is_integer:
        return _rounded(module, value, target)
    return value.astype(target)


def _rounded(module: Any, value: Array, target: Any) -> Array:
    """Towards zero; what does not fit becomes the nearest integer that does, NaN 0."""
    limits = np.iinfo(target)
    value = module.trunc(value.astype(np.float64))
    high, low = value >= float(limits.max), value <= float(limits.min)
    inside = module.where(high | low | module.isnan(value), 0, value).astype(target)
    return module.where(high, target.type(limits.max), module.where(low, target.type(limits.min), inside))


def _divided(module: Any, left: Array, right: Array) -> Array:
    zero = right == 0
    divisor = module.where(zero, right.dtype.type(1), right)
    quotient = module.floor_divide(left, divisor)
    if left.dtype.kind == "i":
        floored = (quotient * divisor != left) & ((left < 0) ^ (divisor < 0))
        quotient = quotient + floored.astype(left.dtype)
    return module.where(zero, left.dtype.type(0), quotient)


def _remainder(module: Any, left: Array, right: Array) -> Array:
    if left.dtype.kind == "f":
        return module.fmod(left, right)
    zero = right == 0
    divisor = module.where(zero, right.dtype.type(1), right)
    return module.where(zero, left.dtype.type(0), module.fmod(left, divisor))


def _shift_count(left: Array, right: Array) -> Array:
    return right & right.dtype.type(left.dtype.itemsize * 8 - 1)
