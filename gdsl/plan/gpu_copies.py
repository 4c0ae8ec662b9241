"""The copies of arrays that each of several GPUs has; several passes add some, which are numbered together."""

from __future__ import annotations

from collections.abc import Iterator

from gdsl.plan.nodes import Plan, Sweep
from gdsl.plan.walking import sweeps


def copies_of(plan: Plan) -> int:
    """How many copies a GPU has. Operators may use the same ones, each for itself."""
    replicas, queues = (each.copy + 1 for each in plan.replicas), (each.copy + 1 for each in plan.own_queues)
    return max((*_counts(plan), *replicas, *queues), default=0)


def _counts(plan: Plan) -> Iterator[int]:
    for sweep in sweeps(plan):
        if sweep.mirrors is not None:
            yield filled_copies(sweep)
        if sweep.merge is not None:
            yield max(sweep.merge.copy, sweep.merge.marks) + 1
        if sweep.proposals is not None:
            yield sweep.proposals.marks + 1
        if sweep.labels is not None:
            yield max(sweep.labels.copy, sweep.labels.packed or 0) + 1


def filled_copies(sweep: Sweep) -> int:
    """How many copies, the first ones, a sweep fills for itself before it reads them."""
    return 0 if sweep.mirrors is None else len(sweep.mirrors.arrays) + sweep.mirrors.members


def shares_copies(plan: Plan) -> bool:
    """Whether GPUs read or write copies of each other, and so must know where these are."""
    of_others = (each is not None for sweep in sweeps(plan) for each in (sweep.merge, sweep.proposals, sweep.labels))
    return bool(plan.replicas) or any(of_others)
