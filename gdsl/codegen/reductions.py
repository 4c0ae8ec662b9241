"""Reductions as C++ and CUDA text: what they begin with, how two values become one, what combines with memory."""

from __future__ import annotations

import math

from gdsl.arithmetic.constants import integer_range
from gdsl.codegen.expressions import REDUCTIONS, ExpressionPrinter
from gdsl.codegen.literals import literal
from gdsl.ir.nodes import OwnOperation, Weights
from gdsl.operations import ReduceOperation
from gdsl.plan.nodes import Identity, Reduction, Segment, Total
from gdsl.plan.sweep_nodes import Merge
from gdsl.types import Type

_COMBINE = {
    ReduceOperation.MIN: "least(a, b)",
    ReduceOperation.MAX: "greatest(a, b)",
    ReduceOperation.ADD: "sum(a, b)",
    ReduceOperation.SUBTRACT: "sum(a, b)",
    ReduceOperation.MULTIPLY: "product(a, b)",
    ReduceOperation.BIT_AND: "a & b",
    ReduceOperation.BIT_OR: "a | b",
    ReduceOperation.BIT_XOR: "a ^ b",
}


Reducing = Segment | Total | Weights | Merge
"""The nodes with a reduction: of the values of a list, into a scalar, of the weights of merged edges, and of the copies
of several GPUs."""


class ReductionPrinter:
    """Prints the reductions of one program; the operators of the program itself are printed as calls."""

    def __init__(self, printer: ExpressionPrinter) -> None:
        self._printer = printer

    def is_own(self, node: Reducing) -> bool:
        """Whether the values are combined by an operator of the program, which only a compare-and-swap can do."""
        return isinstance(_reduction_of(node), OwnOperation)

    def identity(self, node: Segment | Total | Weights) -> str:
        """The value with which the reduction begins."""
        reduction = _reduction_of(node)
        if isinstance(reduction, OwnOperation):
            return self._printer.print(reduction.identity)
        if isinstance(node, Total):
            return identity(node.identity, reduction.type)
        return identity(reduction.identity, node.type)

    def combine(self, node: Reducing) -> str:
        """An expression that combines `a` and `b`. Values to subtract are summed below zero."""
        reduction = _reduction_of(node)
        if isinstance(reduction, OwnOperation):
            return self._printer.call_of_own(reduction.function, ("a", "b")).text
        return _COMBINE[reduction.combine]

    def reduce_function(self, node: Reducing) -> str:
        """The function of the runtime that combines a result with a value in memory."""
        reduction = _reduction_of(node)
        if isinstance(reduction, OwnOperation):
            return "reduce_by_exchange"
        adds = reduction.combine is ReduceOperation.SUBTRACT
        return f"reduce_{REDUCTIONS[ReduceOperation.ADD if adds else reduction.combine]}"

    def block_function(self, node: Weights) -> str:
        """The function of the runtime that combines a result with a value in a block's shared memory."""
        function = self.reduce_function(node)
        return "add_in_block" if function == "reduce_add" else function


def _reduction_of(node: Reducing) -> Reduction | OwnOperation:
    return Reduction(node.operation.as_update, node.type) if isinstance(node, Weights) else node.reduction


def combined(operation: ReduceOperation) -> str:
    """An expression that combines `a` and `b`."""
    return _COMBINE[operation]


def identity(begins: Identity, kind: Type) -> str:
    """What a reduction of this type begins with."""
    if kind.is_pair:
        parts = (identity(_of_part(begins, part), part) for part in kind.parts)
        return f"paired<{', '.join(part.name for part in kind.parts)}>({', '.join(parts)})"
    match begins:
        case Identity.ZERO:
            return literal(0, kind)
        case Identity.ONE:
            return literal(1, kind)
        case Identity.ALL_ONES:
            return literal(True, kind) if kind is Type.BOOL else f"{kind.name}(-1)"
        case Identity.NAN:
            return literal(math.nan, kind)
        case extreme:
            return _extreme(kind, largest=extreme is Identity.LARGEST)


def _of_part(begins: Identity, part: Type) -> Identity:
    """A pair is never a minimum if one of its floats is NaN."""
    return Identity.SMALLEST if begins is Identity.NAN and not part.is_float else begins


def _extreme(kind: Type, largest: bool) -> str:
    if kind.is_id:
        none = "NO_VERTEX" if kind is Type.VERTEX else "NO_EDGE"
        return none if largest else f"{kind.name}(0)"
    if kind is Type.BOOL:
        return literal(largest, kind)
    if kind.is_float:
        return literal(float("inf") if largest else float("-inf"), kind)
    return literal(integer_range(kind)[1 if largest else 0], kind)
