"""The values of a run, single and in arrays, with their reductions and conversions.

A bool is a Python or NumPy bool, a number a NumPy scalar of its type, an id a Python int, `none` the largest number of
the id's width, a pair a tuple of two such. `gdsl.arithmetic` says what the operations do; call what is here under
`numpy.errstate(all="ignore")`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy

from gdsl.arithmetic import operations as arithmetic
from gdsl.arithmetic.operations import SINGLE, BinaryFunction, UnaryFunction
from gdsl.backends.interface import Pair
from gdsl.operations import Builtin, Domain, NeighborOperation, ReduceOperation
from gdsl.types import Type

Value = Any
"""One value of a program, in the form described above."""

_ORDERINGS = {ReduceOperation.MIN: Builtin.MIN, ReduceOperation.MAX: Builtin.MAX}


def none_id(id_bits: int) -> int:
    """`none` for ids of `id_bits` bits: greater than every id."""
    return (1 << id_bits) - 1


def dtype_of(scalar_type: Type, id_bits: int) -> numpy.dtype[Any]:
    """The dtype of an array of results; ids are signed there, with `none` as -1."""
    if scalar_type.is_id:
        return numpy.dtype(f"int{id_bits}")
    return numpy.dtype(scalar_type.name)


def domain_of(scalar_type: Type) -> Domain:
    """What ids of `scalar_type` count (vertices, where it is no id)."""
    return Domain.EDGE if scalar_type is Type.EDGE else Domain.VERTEX


def constant(value: bool | int | float, scalar_type: Type, id_bits: int) -> Value:
    """`value`, a number from outside (ids: `none` as -1), as a value of `scalar_type`; it must be in range.

    A number beside ids that is too large for any stays below `none` and above all others.
    """
    if scalar_type is Type.BOOL:
        return bool(value)
    if scalar_type.is_id:
        return min(int(value), none_id(id_bits) - 1) if value >= 0 else none_id(id_bits)
    return arithmetic.typed(scalar_type)(value)


def zero(scalar_type: Type, id_bits: int) -> Value:
    """What a value is without an initial one: 0, false, `none`."""
    return none_id(id_bits) if scalar_type.is_id else constant(0, scalar_type, id_bits)


def from_array(array: Any, scalar_type: Type, id_bits: int) -> list[Value]:
    """The values of a one-dimensional NumPy `array` of the type's dtype (ids: `none` as -1)."""
    if scalar_type.is_numeric:
        return list(array.astype(dtype_of(scalar_type, id_bits), copy=False))
    values: list[Value] = array.tolist()
    if scalar_type.is_id:
        none = none_id(id_bits)
        return [value if value >= 0 else none for value in values]
    return values


def to_array(values: Sequence[Value], scalar_type: Type, id_bits: int) -> Any:
    """`values` as a NumPy array of the type's dtype; ids are signed with `none` as -1, pairs a `Pair` of two."""
    if scalar_type.is_pair:
        parts = zip(*values, strict=True) if values else ((), ())
        return Pair(*(to_array(list(part), kind, id_bits) for part, kind in zip(parts, scalar_type.parts, strict=True)))
    if scalar_type.is_id:
        unsigned = numpy.array(values, dtype=numpy.dtype(f"uint{id_bits}"))
        return unsigned.view(dtype_of(scalar_type, id_bits))
    return numpy.array(values, dtype=dtype_of(scalar_type, id_bits))


def to_python(value: Value, scalar_type: Type, id_bits: int) -> Any:
    """`value` as a Python number, a pair as a `Pair` of two; `none` as -1."""
    if scalar_type.is_pair:
        return Pair(*(to_python(part, kind, id_bits) for part, kind in zip(value, scalar_type.parts, strict=True)))
    if scalar_type is Type.BOOL:
        return bool(value)
    if scalar_type.is_float:
        return float(value)
    return -1 if scalar_type.is_id and value == none_id(id_bits) else int(value)


def largest(scalar_type: Type, id_bits: int) -> Value:
    """The identity of a minimum: infinity for floats, `none` for ids, true."""
    if scalar_type.is_pair:
        return tuple(largest(part, id_bits) for part in scalar_type.parts)
    if scalar_type is Type.BOOL:
        return True
    return none_id(id_bits) if scalar_type.is_id else arithmetic.largest(scalar_type)


def smallest(scalar_type: Type, id_bits: int) -> Value:
    """The identity of a maximum: minus infinity for floats, 0 for ids and unsigned integers, false."""
    if scalar_type.is_pair:
        return tuple(smallest(part, id_bits) for part in scalar_type.parts)
    if scalar_type is Type.BOOL:
        return False
    return 0 if scalar_type.is_id else arithmetic.smallest(scalar_type)


def differs(a: Value, b: Value) -> bool:
    """Whether `a` and `b` are not the same value; NaN is the same as NaN."""
    if isinstance(a, tuple):
        return differs(a[0], b[0]) or differs(a[1], b[1])
    return bool(a != b) and not (a != a and b != b)


def convert_function(source: Type, target: Type, id_bits: int, ids: int) -> UnaryFunction:
    """What a conversion from `source` to `target`, of which the graph has `ids` (if that is an id), does.

    See `gdsl.ir.nodes.Convert`.
    """
    none = none_id(id_bits)
    if source is target:
        return lambda value: value
    if target.is_id:
        return lambda value: int(value) if 0 <= value < ids else none
    if source.is_id:
        cast = SINGLE.convert(Type.INT64, target)
        return lambda value: cast(numpy.int64(-1 if value == none else value))
    return SINGLE.convert(source, target)


def reduce_function(operation: ReduceOperation, scalar_type: Type) -> BinaryFunction:
    """The combination of the former and the new value in `x op= y`."""
    if operation not in _ORDERINGS:
        return SINGLE.binary(operation.as_binary, scalar_type)
    choose = SINGLE.builtin(_ORDERINGS[operation], scalar_type)
    if not scalar_type.holds_float:
        return choose
    # -0.0 counts as 0.0, so that it cannot be seen which of several zeros came first.
    positive = _without_negative_zero(scalar_type)
    return lambda former, value: choose(former, positive(value))


def _without_negative_zero(scalar_type: Type) -> UnaryFunction:
    if scalar_type.is_pair:
        first, second = (_without_negative_zero(part) for part in scalar_type.parts)
        return lambda value: (first(value[0]), second(value[1]))
    if not scalar_type.is_float:
        return lambda value: value
    zero = arithmetic.typed(scalar_type)(0)
    return lambda value: value + zero


def neighbor_function(operation: NeighborOperation, scalar_type: Type) -> BinaryFunction:
    """How a `neighbor_reduce` adds one more value to those before; a count adds a bool to an integer."""
    return reduce_function(operation.as_update, scalar_type)


def neighbor_identity(operation: NeighborOperation, scalar_type: Type, id_bits: int) -> Value:
    """The result of `neighbor_reduce` for an empty list of edges."""
    if operation is NeighborOperation.MIN:
        return largest(scalar_type, id_bits)
    if operation is NeighborOperation.MAX:
        return smallest(scalar_type, id_bits)
    if operation is NeighborOperation.PRODUCT:
        return constant(1, scalar_type, id_bits)
    if operation in (NeighborOperation.AND, NeighborOperation.EVERY):
        return True if scalar_type is Type.BOOL else ~arithmetic.typed(scalar_type)(0)
    return constant(0, scalar_type, id_bits)
