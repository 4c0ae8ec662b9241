"""Checks the votes of a sweep."""

from __future__ import annotations

from collections.abc import Callable

from gdsl.ir.nodes import NeighborVote
from gdsl.plan import votes
from gdsl.plan.nodes import Operation, Plan, Sweep

Expect = Callable[[bool, str], None]


def verify_vote(plan: Plan, operation: Operation, sweep: Sweep, expect: Expect) -> None:
    """Call `expect(holds, what)` for everything that must hold of the votes of a sweep, and of one without."""
    step, vote = operation.step, sweep.vote
    expect((vote is not None) == isinstance(step, NeighborVote), "ballots that nobody counts, or the reverse")
    if vote is None or not isinstance(step, NeighborVote):
        return
    functor = next(each for each in plan.program.edge_functors if each.name == step.functor)
    scores = {each.name: each for each in plan.program.vote_functors}
    score = scores.get(step.score) if step.score is not None else None
    key, weight = functor.key, functor.value
    assert key is not None and weight is not None
    expect((vote.array, vote.score, vote.keep) == (step.array, step.score, step.keep), "another vote")
    expect(vote.key is key.type and vote.total is weight.type, "votes of other types")
    expect(vote.score_type is (score.value.type if score is not None else weight.type), "a score of another type")
    expect((vote.tables is not None) == plan.target.grid, "whether tables are shared")
    expect((vote.aside is not None) == votes.reads_result(step, functor, score), "whether the results stand aside")
    data = {each.name for each in plan.program.params} | {each.name for each in plan.program.arrays}
    data |= {each.name for each in plan.program.scalars}
    own = (*((vote.tables.keys, vote.tables.totals) if vote.tables else ()), *((vote.aside,) if vote.aside else ()))
    expect(len(set(own)) == len(own) and not data & set(own), "a buffer with the name of something else")
