"""What reductions begin with and how they combine, as CUDA text."""

from __future__ import annotations

import math

from gdsl.codegen.literals import literal
from gdsl.operations import NeighborOperation, ReduceOperation
from gdsl.types import ScalarType

SUMS = {
    ReduceOperation.MIN: "least(a, b)",
    ReduceOperation.MAX: "greatest(a, b)",
    ReduceOperation.ADD: "sum(a, b)",
    ReduceOperation.SUBTRACT: "sum(a, b)",
    ReduceOperation.MULTIPLY: "product(a, b)",
    ReduceOperation.BIT_AND: "a & b",
    ReduceOperation.BIT_OR: "a | b",
    ReduceOperation.BIT_XOR: "a ^ b",
}
"""How two threads' totals become one. What each thread subtracts is summed up below zero."""

NEIGHBOR = {
    NeighborOperation.SUM: ReduceOperation.ADD,
    NeighborOperation.COUNT: ReduceOperation.ADD,
    NeighborOperation.MIN: ReduceOperation.MIN,
    NeighborOperation.MAX: ReduceOperation.MAX,
    NeighborOperation.PRODUCT: ReduceOperation.MULTIPLY,
    NeighborOperation.SOME: ReduceOperation.BIT_OR,
    NeighborOperation.EVERY: ReduceOperation.BIT_AND,
    NeighborOperation.AND: ReduceOperation.BIT_AND,
    NeighborOperation.OR: ReduceOperation.BIT_OR,
    NeighborOperation.XOR: ReduceOperation.BIT_XOR,
}
"""The update that does what a neighbour reduction does."""

_LARGEST = {
    ScalarType.BOOL: "true",
    ScalarType.INT32: "0x7fffffff",
    ScalarType.UINT32: "0xffffffffu",
    ScalarType.INT64: "0x7fffffffffffffffll",
    ScalarType.UINT64: "0xffffffffffffffffull",
    ScalarType.FLOAT32: "FLOAT32_INF",
    ScalarType.FLOAT64: "FLOAT64_INF",
    ScalarType.VERTEX: "NO_VERTEX",
    ScalarType.EDGE: "NO_EDGE",
}
_SMALLEST = {
    ScalarType.INT32: "(-0x7fffffff - 1)",
    ScalarType.INT64: "(-0x7fffffffffffffffll - 1)",
    ScalarType.FLOAT32: "-FLOAT32_INF",
    ScalarType.FLOAT64: "-FLOAT64_INF",
}


def identity(operation: ReduceOperation, type_: ScalarType) -> str:
    """The value that changes nothing under `operation`."""
    if operation is ReduceOperation.MIN:
        value = _LARGEST[type_]
    elif operation is ReduceOperation.MAX:
        value = _SMALLEST.get(type_, "0")
    elif operation is ReduceOperation.MULTIPLY:
        value = "1"
    elif operation is ReduceOperation.BIT_AND:
        value = "true" if type_ is ScalarType.BOOL else "-1"
    else:
        value = "0"
    return f"{type_.value}({value})"


def empty_total(operation: ReduceOperation, type_: ScalarType) -> str:
    """What a total begins with that is reduced into a scalar at the end: NaN for `min=` and `max=` of floats, since an
    infinity would win where the scalar and all that is reduced into it are NaN."""
    if type_.is_float and operation in (ReduceOperation.MIN, ReduceOperation.MAX):
        return literal(math.nan, type_)
    return identity(operation, type_)
