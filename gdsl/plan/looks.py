"""Decides what a worklist that passes over members reads ahead for several edges side by side (cuda).

Edges of a monotone loop wait for their values and their far end, then for the value there, which is looked at before
it is changed. One edge after the other that is two waits an edge, since no read moves over the exchange of the edge
before. So all of it is read for several edges: what `early` finds; then the values at the far ends. A look may be as
old as the last barrier (`late_changed_min` says why), so it may be as old as a few edges.

Nor does anybody wait for the mark of a vertex that was changed, which says whether it is in the result already, before
all edges side by side have put theirs: the answer is asked for behind them.

The value of the near end is read once a member, when its visit begins, and noted as what the member is visited with
(`skips`): each edge is visited with exactly that, so that who still has it in the next pass need not be visited again.
"""

from __future__ import annotations

from gdsl.ir import nodes as ir
from gdsl.ir.traversal import walk
from gdsl.operations import Domain, Over
from gdsl.plan.early import early_of, is_simple, several_of
from gdsl.plan.hints import EarlyRead, ReadAhead
from gdsl.plan.sweep_nodes import Skips, Variant

_ENDS = {
    Over.OUT_EDGES: (ir.Role.SOURCE, ir.Role.DESTINATION),
    Over.IN_EDGES: (ir.Role.DESTINATION, ir.Role.SOURCE),
}
"""The near end and the far end."""


def early_of_worklist(
    step: ir.Advance,
    functor: ir.EdgeFunctor,
    variant: Variant,
    skips: Skips,
    program: ir.Program,
) -> ReadAhead | None:
    """None where the functor is too long for that, or asks for other values of the array."""
    functions: dict[str, object] = {function.name: function.body for function in program.functions}
    near, far = _ENDS[step.over]
    if not is_simple(functor, variant, functions):
        return None
    (changed,) = (each.target for each in walk(functor.body) if isinstance(each, ir.Update))
    reads = [each for each in walk(functor) if isinstance(each, ir.Element) and each.array == skips.array]
    if not isinstance(changed, ir.ElementTarget) or not _is(changed.index, far) or not reads:
        return None
    if not all(_is(each.index, near) for each in reads):
        return None
    early = early_of(functor, variant, functions)
    before, behind = (early.before, early.after) if early is not None else ((), ())
    seen = ir.Element(changed.span, skips.type, skips.array, Domain.VERTEX, changed.index, False, False)
    own = EarlyRead(reads[0], tuple(reads))
    several = several_of([*(read.value for level in (*before, *behind) for read in level), own.value, seen])
    return ReadAhead(before, behind, several, own, seen, over=step.over) if several > 1 else None


def _is(index: ir.Expression, role: ir.Role) -> bool:
    return isinstance(index, ir.Parameter) and index.role is role
