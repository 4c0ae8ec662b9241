"""Reductions as C++ and CUDA text: what they begin with, how two values become one, what combines with memory."""

from __future__ import annotations

import math
from dataclasses import dataclass

from gdsl.codegen.expressions import REDUCTIONS, ExpressionPrinter
from gdsl.codegen.integers import type_range
from gdsl.codegen.literals import literal
from gdsl.ir.nodes import OwnOperation
from gdsl.operations import ReduceOperation
from gdsl.plan.nodes import Identity, Reduction, Segment
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


def combine(reduction: Reduction) -> str:
    """An expression of `a` and `b`. What is subtracted is summed up below zero."""
    return _COMBINE[reduction.combine]


def reduce_function(reduction: Reduction) -> str:
    """The function of the runtime that combines such a total with a value in memory."""
    adds = reduction.combine is ReduceOperation.SUBTRACT
    return f"reduce_{REDUCTIONS[ReduceOperation.ADD if adds else reduction.combine]}"


@dataclass(frozen=True, slots=True)
class SegmentText:
    """The reduction of a list: `combine` makes one value of `a` and `b`, and captures `captured`; `reduce` is the
    beginning of the call that combines with memory, `rest` its end."""

    identity: str
    combine: str
    captured: str
    reduce: str
    rest: str


def of_segment(segment: Segment, printer: ExpressionPrinter) -> SegmentText:
    """How the values of a list become one: by a reduction of the language, or by an operator of the program."""
    reduction = segment.reduction
    if isinstance(reduction, OwnOperation):
        called = printer.call_of_own(reduction.function, ("a", "b"))
        return SegmentText(printer.print(reduction.identity), called, "&", "reduce_by_exchange", ", combine")
    begins = identity(reduction.identity, segment.type)
    return SegmentText(begins, combine(reduction), "", reduce_function(reduction), "")


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
    return literal(type_range(kind)[1 if largest else 0], kind)
