"""The copies of arrays that each of several GPUs has; several passes add some, which are numbered together."""

from __future__ import annotations

from collections import defaultdict

from gdsl.plan.nodes import Plan, Sweep
from gdsl.plan.walking import sweeps

Use = tuple[str, str]
"""What a copy is for, and the array or set that it holds for longer than one operator."""


def uses_of(plan: Plan) -> dict[int, set[Use]]:
    """By its number what each copy is used for. A copy that an operator fills for itself is filled by others, too, for
    the same purpose."""
    uses: dict[int, set[Use]] = defaultdict(set)
    for replica in plan.replicas:
        uses[replica.copy].add(("replica", replica.array))
    for queue in plan.own_queues:
        uses[queue.copy].add(("queue", queue.frontier))
    for sweep in sweeps(plan):
        for number in range(_mirrored(sweep)):
            uses[number].add(("mirror", ""))
        merge, proposals, labels = sweep.merge, sweep.proposals, sweep.labels
        if merge is not None:
            uses[merge.copy].add(("replica" if merge.stays else "merge", merge.array))
            uses[merge.marks].add(("marks of changes", ""))
        if proposals is not None:
            uses[proposals.copy].add(("proposals", ""))
            uses[proposals.marks].add(("marks of proposals", ""))
        if labels is not None:
            uses[labels.copy].add(("replica" if labels.stays else "labels", labels.array))
            if labels.packed is not None:
                uses[labels.packed].add(("packed labels", ""))
    return uses


def copies_of(plan: Plan) -> int:
    """How many copies a GPU has."""
    return max(uses_of(plan), default=-1) + 1


def _mirrored(sweep: Sweep) -> int:
    """How many copies, the first ones, a sweep fills for itself before it reads them."""
    return 0 if sweep.mirrors is None else len(sweep.mirrors.arrays) + sweep.mirrors.members


def shares_copies(plan: Plan) -> bool:
    """Whether GPUs read or write copies of each other, and so must know where these are."""
    of_others = (each is not None for sweep in sweeps(plan) for each in (sweep.merge, sweep.proposals, sweep.labels))
    return bool(plan.replicas) or any(of_others)
