"""Finds functors that look at the first edges of each list only.

Where the condition says `place < x`, with an x that the operator does not write, a push or a reduction along out-edges
walks the first x edges of each vertex and no others.
"""

from __future__ import annotations

from gdsl.ir.nodes import Binary, EdgeFunctor, Expression, Literal, ParamValue, Place, ScalarTarget, ScalarValue
from gdsl.operations import BinaryOperation
from gdsl.passes.writers import targets


def place_limit(functor: EdgeFunctor) -> Expression | None:
    """The x of `place < x`; None where there is no such conjunct."""
    written = {target.scalar for target in targets(functor) if isinstance(target, ScalarTarget)}
    for conjunct in functor.condition:
        if not isinstance(conjunct, Binary) or conjunct.operation is not BinaryOperation.LESS:
            continue
        limit = conjunct.right
        fixed = isinstance(limit, (Literal, ParamValue)) or (
            isinstance(limit, ScalarValue) and limit.name not in written
        )
        if isinstance(conjunct.left, Place) and fixed:
            return limit
    return None
