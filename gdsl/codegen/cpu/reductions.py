"""What reductions begin with and how they combine, as C++ text."""

from __future__ import annotations

import math

from gdsl.codegen.literals import literal
from gdsl.codegen.ranges import type_range
from gdsl.operations import NeighborOperation, ReduceOperation
from gdsl.types import ScalarType

COMBINE = {
    ReduceOperation.MIN: "least(a, b)",
    ReduceOperation.MAX: "greatest(a, b)",
    ReduceOperation.ADD: "sum(a, b)",
    ReduceOperation.MULTIPLY: "product(a, b)",
    ReduceOperation.BIT_AND: "a & b",
    ReduceOperation.BIT_OR: "a | b",
    ReduceOperation.BIT_XOR: "a ^ b",
}
"""How two values `a` and `b` become one."""

UPDATES = {
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


def identity(operation: ReduceOperation, kind: ScalarType) -> str:
    """The value of a type that changes nothing under `operation`."""
    if operation is ReduceOperation.MIN:
        return _extreme(kind, largest=True)
    if operation is ReduceOperation.MAX:
        return _extreme(kind, largest=False)
    if operation is ReduceOperation.MULTIPLY:
        return literal(1, kind)
    if operation is ReduceOperation.BIT_AND:
        return literal(True, kind) if kind is ScalarType.BOOL else f"{kind.value}(-1)"
    return literal(0, kind)


def empty_total(operation: ReduceOperation, kind: ScalarType) -> str:
    """What a total begins with that is reduced into a scalar at the end: NaN for `min=` and `max=` of floats, since an
    infinity would win where the scalar and all that is reduced into it are NaN."""
    if kind.is_float and operation in (ReduceOperation.MIN, ReduceOperation.MAX):
        return literal(math.nan, kind)
    return identity(operation, kind)


def _extreme(kind: ScalarType, largest: bool) -> str:
    if kind.is_id:
        none = "NO_VERTEX" if kind is ScalarType.VERTEX else "NO_EDGE"
        return none if largest else f"{kind.value}(0)"
    if kind is ScalarType.BOOL:
        return literal(largest, kind)
    if kind.is_float:
        return literal(float("inf") if largest else float("-inf"), kind)
    return literal(type_range(kind)[1 if largest else 0], kind)
