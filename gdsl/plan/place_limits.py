"""Finds functors that look at the first edges of each list only.

Where the condition says `place < x`, with an x that the operator does not write, a push or a reduction along out-edges
walks the first x edges of each vertex and no others. What comes before in the condition is then asked of these edges
alone, so it must be nothing that may stop the run (`stops`).
"""

from __future__ import annotations

from gdsl.ir.nodes import Binary, EdgeFunctor, Expression, Literal, ParamValue, Place, ScalarTarget, ScalarValue
from gdsl.operations import BinaryOperation
from gdsl.passes.writers import targets
from gdsl.plan.stops import may_stop


def place_limit(functor: EdgeFunctor) -> Expression | None:
    """The x of `place < x`; None where there is no such conjunct that ends a list."""
    written = {target.scalar for target in targets(functor) if isinstance(target, ScalarTarget)}
    for conjunct in functor.condition:
        limit = _limit_in(conjunct, written)
        if limit is not None or may_stop(conjunct):
            return limit
    return None


def _limit_in(conjunct: Expression, written: set[str]) -> Expression | None:
    if not isinstance(conjunct, Binary) or conjunct.operation is not BinaryOperation.LESS:
        return None
    limit = conjunct.right
    fixed = isinstance(limit, (Literal, ParamValue)) or (isinstance(limit, ScalarValue) and limit.name not in written)
    return limit if isinstance(conjunct.left, Place) and fixed else None
