"""Lowers `neighbor_vote`."""

from __future__ import annotations

from gdsl.frontend import syntax
from gdsl.ir import nodes
from gdsl.ir.lowering.expressions import impossible


def vote_step(
    call: syntax.OperatorCall, target: syntax.Expression, source: nodes.Elements, ballot: str, site: int
) -> nodes.Step:
    """`target = neighbor_vote(…)`, of which `source` is the input and `ballot` the functor as it was lowered."""
    if not isinstance(target, syntax.Name) or target.type is None:
        impossible(call)
    return nodes.NeighborVote(
        span=call.span,
        site=site,
        label=call.label or call.name,
        frontier=source,
        functor=ballot,
        result=None,
        score=call.score.name if call.score is not None else None,
        over=call.over,
        array=target.name,
        array_type=target.type,
        keep=call.keep.name if call.keep is not None else None,
    )
