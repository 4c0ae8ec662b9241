"""Values and the arithmetic on them: what each operation of the language does, for each type.

A bool is a Python or NumPy bool, an integer a Python int in the range of its type, a float a NumPy scalar of its type
(NumPy rounds as IEEE 754 asks), an id a Python int, `none` the largest number of the id's width. Whoever calls these
functions on floats does so under `numpy.errstate(all="ignore")`: infinities and NaN are ordinary values here.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from gdsl.operations import BinaryOperation, Builtin, Domain, NeighborOperation, ReduceOperation, UnaryOperation
from gdsl.types import ScalarType

Value = Any
"""One value of a program, in the form that this module's text gives."""

UnaryFunction = Callable[[Value], Value]
BinaryFunction = Callable[[Value, Value], Value]

_EXACT_IN_FLOAT64 = 1 << 53


def none_id(id_bits: int) -> int:
    """`none` for ids of `id_bits` bits: greater than every id."""
    return (1 << id_bits) - 1


def dtype_of(scalar_type: ScalarType, id_bits: int) -> numpy.dtype[Any]:
    """The dtype of an array of results; ids are signed there, with `none` as -1."""
    if scalar_type.is_id:
        return numpy.dtype(f"int{id_bits}")
    return numpy.dtype(scalar_type.value)


def domain_of(scalar_type: ScalarType) -> Domain:
    """What ids of `scalar_type` count (vertices, where it is no id)."""
    return Domain.EDGE if scalar_type is ScalarType.EDGE else Domain.VERTEX


def constant(value: bool | int | float, scalar_type: ScalarType, id_bits: int) -> Value:
    """`value`, a number from outside (ids: `none` as -1), as a value of `scalar_type`, in whose range it is.

    A number beside ids that is too large for any stays below `none` and above all others.
    """
    if scalar_type is ScalarType.BOOL:
        return bool(value)
    if scalar_type is ScalarType.FLOAT32:
        return numpy.float32(value)
    if scalar_type is ScalarType.FLOAT64:
        return numpy.float64(value)
    if scalar_type.is_id:
        return min(int(value), none_id(id_bits) - 1) if value >= 0 else none_id(id_bits)
    return int(value)


def zero(scalar_type: ScalarType, id_bits: int) -> Value:
    """What a value is without an initial one: 0, false, `none`."""
    return none_id(id_bits) if scalar_type.is_id else constant(0, scalar_type, id_bits)


def from_array(array: Any, scalar_type: ScalarType, id_bits: int) -> list[Value]:
    """The values of a one-dimensional NumPy `array` of the type's dtype (ids: `none` as -1)."""
    if scalar_type.is_float:
        return list(array.astype(dtype_of(scalar_type, id_bits), copy=False))
    values: list[Value] = array.tolist()
    if scalar_type.is_id:
        none = none_id(id_bits)
        return [value if value >= 0 else none for value in values]
    return values


def to_array(values: Sequence[Value], scalar_type: ScalarType, id_bits: int) -> Any:
    """`values` as a NumPy array of the type's dtype; ids are int32 or int64 with `none` as -1."""
    if scalar_type.is_id:
        unsigned = numpy.array(values, dtype=numpy.dtype(f"uint{id_bits}"))
        return unsigned.view(dtype_of(scalar_type, id_bits))
    return numpy.array(values, dtype=dtype_of(scalar_type, id_bits))


def to_python(value: Value, scalar_type: ScalarType, id_bits: int) -> bool | int | float:
    """`value` as a Python number; `none` as -1."""
    if scalar_type is ScalarType.BOOL:
        return bool(value)
    if scalar_type.is_float:
        return float(value)
    return -1 if scalar_type.is_id and value == none_id(id_bits) else int(value)


def largest(scalar_type: ScalarType, id_bits: int) -> Value:
    """The identity of a minimum: infinity for floats, `none` for ids."""
    if scalar_type.is_float:
        return constant(math.inf, scalar_type, id_bits)
    if scalar_type.is_id:
        return none_id(id_bits)
    bits = scalar_type.bits or 0
    return (1 << (bits - 1 if scalar_type.is_signed else bits)) - 1


def smallest(scalar_type: ScalarType, id_bits: int) -> Value:
    """The identity of a maximum: minus infinity for floats, 0 for ids and unsigned integers."""
    if scalar_type.is_float:
        return constant(-math.inf, scalar_type, id_bits)
    return -(1 << ((scalar_type.bits or 0) - 1)) if scalar_type.is_signed else 0


def wrap_function(scalar_type: ScalarType) -> Callable[[int], int]:
    """Brings any integer into the range of the integer type `scalar_type`, modulo its width."""
    bits = scalar_type.bits or 0
    mask = (1 << bits) - 1
    if not scalar_type.is_signed:
        return lambda value: value & mask
    half = 1 << (bits - 1)
    return lambda value: ((value + half) & mask) - half


def unary_function(operation: UnaryOperation, scalar_type: ScalarType) -> UnaryFunction:
    """What `operation` does to an operand of `scalar_type`."""
    if operation is UnaryOperation.NOT:
        return operator.not_
    if scalar_type.is_float:
        return operator.neg
    wrap = wrap_function(scalar_type)
    if operation is UnaryOperation.NEGATE:
        return lambda value: wrap(-value)
    return lambda value: wrap(~value)


_COMPARISONS: dict[BinaryOperation, BinaryFunction] = {
    BinaryOperation.EQUAL: operator.eq,
    BinaryOperation.NOT_EQUAL: operator.ne,
    BinaryOperation.LESS: operator.lt,
    BinaryOperation.LESS_EQUAL: operator.le,
    BinaryOperation.GREATER: operator.gt,
    BinaryOperation.GREATER_EQUAL: operator.ge,
}
_BITWISE: dict[BinaryOperation, BinaryFunction] = {
    BinaryOperation.BIT_AND: operator.and_,
    BinaryOperation.BIT_OR: operator.or_,
    BinaryOperation.BIT_XOR: operator.xor,
}
_FLOAT: dict[BinaryOperation, BinaryFunction] = {
    BinaryOperation.ADD: operator.add,
    BinaryOperation.SUBTRACT: operator.sub,
    BinaryOperation.MULTIPLY: operator.mul,
    BinaryOperation.DIVIDE: operator.truediv,
    BinaryOperation.MODULO: numpy.fmod,
}


def binary_function(operation: BinaryOperation, scalar_type: ScalarType) -> BinaryFunction:
    """What `operation` (not `&&` or `||`) does to two operands of `scalar_type`."""
    for table in (_COMPARISONS, _BITWISE):
        if operation in table:
            return table[operation]
    if scalar_type.is_float:
        return _FLOAT[operation]
    return _integer_function(operation, scalar_type)


def _integer_function(operation: BinaryOperation, scalar_type: ScalarType) -> BinaryFunction:
    wrap = wrap_function(scalar_type)
    inf = largest(scalar_type, 0)
    count = (scalar_type.bits or 0) - 1
    functions: dict[BinaryOperation, BinaryFunction] = {
        BinaryOperation.ADD: lambda a, b: wrap(a + b),
        BinaryOperation.ADD_SATURATING: lambda a, b: inf if a == inf or b == inf else wrap(a + b),
        BinaryOperation.SUBTRACT: lambda a, b: wrap(a - b),
        BinaryOperation.MULTIPLY: lambda a, b: wrap(a * b),
        BinaryOperation.INTEGER_DIVIDE: lambda a, b: wrap(_divide(a, b)),
        BinaryOperation.MODULO: lambda a, b: wrap(a - b * _divide(a, b)) if b != 0 else 0,
        BinaryOperation.SHIFT_LEFT: lambda a, b: wrap(a << (b & count)),
        BinaryOperation.SHIFT_RIGHT: lambda a, b: a >> (b & count),
    }
    return functions[operation]


def _divide(a: int, b: int) -> int:
    if b == 0:
        return 0
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def minimum(a: Value, b: Value) -> Value:
    """The smaller value; of a number and NaN the number."""
    return b if b < a or a != a else a


def maximum(a: Value, b: Value) -> Value:
    """The larger value; of a number and NaN the number."""
    return b if a < b or a != a else a


def differs(a: Value, b: Value) -> bool:
    """Whether `a` and `b` are not the same value; NaN is the same as NaN."""
    return bool(a != b) and not (a != a and b != b)


_ROUNDING: dict[Builtin, UnaryFunction] = {
    Builtin.FLOOR: numpy.floor,
    Builtin.CEIL: numpy.ceil,
    Builtin.SQRT: numpy.sqrt,
    Builtin.EXP: numpy.exp,
    Builtin.LOG: numpy.log,
}


def builtin_function(function: Builtin, scalar_type: ScalarType) -> Callable[..., Value]:
    """What the built-in `function` does to arguments of `scalar_type`."""
    if function is Builtin.MIN:
        return minimum
    if function is Builtin.MAX:
        return maximum
    if function is Builtin.POW:
        return _power
    if function is Builtin.ABS and not scalar_type.is_float:
        wrap = wrap_function(scalar_type)
        return lambda value: wrap(abs(value))
    return operator.abs if function is Builtin.ABS else _ROUNDING[function]


def _power(base: Value, exponent: Value) -> Value:
    return numpy.power(base, exponent)


def convert_function(source: ScalarType, target: ScalarType, id_bits: int, ids: int) -> UnaryFunction:
    """What a conversion from `source` to `target`, of which the graph has `ids` (if that is an id), does.

    See `gdsl.ir.nodes.Convert`.
    """
    none = none_id(id_bits)
    if source is target:
        return lambda value: value
    if target is ScalarType.BOOL:
        return lambda value: bool(value != 0)
    if target.is_id:
        return lambda value: value if 0 <= value < ids else none
    if target.is_float:
        return _to_float(source, target, none)
    wrap = wrap_function(target)
    if source.is_id:
        return lambda value: wrap(-1 if value == none else value)
    if source.is_float:
        least, most = smallest(target, 0), largest(target, 0)
        return lambda value: _nearest(value, least, most)
    return lambda value: wrap(int(value))


def _to_float(source: ScalarType, target: ScalarType, none: int) -> UnaryFunction:
    kind = numpy.float32 if target is ScalarType.FLOAT32 else numpy.float64
    if source.is_float or source is ScalarType.BOOL or source in (ScalarType.INT32, ScalarType.UINT32):
        return kind

    is_id = source.is_id

    def convert(value: int) -> Value:
        if is_id and value == none:
            value = -1
        # NumPy takes a Python int through float64, which would round a long one twice.
        exact = -_EXACT_IN_FLOAT64 <= value <= _EXACT_IN_FLOAT64
        return kind(value) if exact else kind((numpy.int64 if value < 0 else numpy.uint64)(value))

    return convert


def _nearest(value: Value, least: int, most: int) -> int:
    if value != value:
        return 0
    if value == math.inf or value == -math.inf:
        return most if value > 0 else least
    return max(least, min(most, int(value)))


def reduce_function(operation: ReduceOperation, scalar_type: ScalarType) -> BinaryFunction:
    """What `x op= y` makes of the former value and the new one."""
    operations = {
        ReduceOperation.ADD: BinaryOperation.ADD,
        ReduceOperation.SUBTRACT: BinaryOperation.SUBTRACT,
        ReduceOperation.MULTIPLY: BinaryOperation.MULTIPLY,
        ReduceOperation.BIT_AND: BinaryOperation.BIT_AND,
        ReduceOperation.BIT_OR: BinaryOperation.BIT_OR,
        ReduceOperation.BIT_XOR: BinaryOperation.BIT_XOR,
    }
    if operation is ReduceOperation.MIN:
        return minimum
    if operation is ReduceOperation.MAX:
        return maximum
    return binary_function(operations[operation], scalar_type)


def neighbor_function(operation: NeighborOperation, scalar_type: ScalarType) -> BinaryFunction:
    """How a `neighbor_reduce` adds one more value to those before; a count adds a bool to an integer."""
    operations = {
        NeighborOperation.SUM: ReduceOperation.ADD,
        NeighborOperation.COUNT: ReduceOperation.ADD,
        NeighborOperation.PRODUCT: ReduceOperation.MULTIPLY,
        NeighborOperation.MIN: ReduceOperation.MIN,
        NeighborOperation.MAX: ReduceOperation.MAX,
        NeighborOperation.AND: ReduceOperation.BIT_AND,
        NeighborOperation.EVERY: ReduceOperation.BIT_AND,
        NeighborOperation.OR: ReduceOperation.BIT_OR,
        NeighborOperation.SOME: ReduceOperation.BIT_OR,
        NeighborOperation.XOR: ReduceOperation.BIT_XOR,
    }
    return reduce_function(operations[operation], scalar_type)


def neighbor_identity(operation: NeighborOperation, scalar_type: ScalarType, id_bits: int) -> Value:
    """What a `neighbor_reduce` gives for an empty list of edges."""
    if operation is NeighborOperation.MIN:
        return largest(scalar_type, id_bits)
    if operation is NeighborOperation.MAX:
        return smallest(scalar_type, id_bits)
    if operation is NeighborOperation.PRODUCT:
        return constant(1, scalar_type, id_bits)
    if operation in (NeighborOperation.AND, NeighborOperation.EVERY):
        return True if scalar_type is ScalarType.BOOL else wrap_function(scalar_type)(-1)
    return constant(0, scalar_type, id_bits)
