"""How votes are counted: on a grid, in tables, one for each list, whose size depends on its length.

A list has no more keys than edges, so a table with two places for each edge never fills up. The position of a vertex's
lists also gives that of its table, so tables need no allocation. Short lists need no table. For longer ones, a block
counts in its shared memory first, and uses the table only for keys that find no place there after some probes. A place
once taken stays taken, and every thread probes the same places for a key, so all votes for a key are in one of the two.
Lists with more edges than fit in shared memory are counted in parts, by several blocks. Each thread of the cpu backend
has a table of its own.
"""

from __future__ import annotations

from collections.abc import Callable

from gdsl.extents import EDGES, VERTICES, Extent, Sum, Times
from gdsl.ir.nodes import EdgeFunctor, Element, NeighborVote, VoteFunctor
from gdsl.ir.traversal import walk
from gdsl.plan.result_nodes import Tables, Vote
from gdsl.plan.sweep_nodes import Sweep


def vote_of(
    step: NeighborVote, functor: EdgeFunctor, score: VoteFunctor | None, grid: bool, unused: Callable[[str], str]
) -> Vote:
    """How the winners of `step` are found; `unused` makes of a name one that no data of the program has."""
    key, weight = functor.key, functor.value
    assert key is not None and weight is not None
    names = f"vote_keys_{key.type.name}", f"vote_totals_{weight.type.name}"
    return Vote(
        array=step.array,
        key=key.type,
        total=weight.type,
        score=step.score,
        score_type=score.value.type if score is not None else weight.type,
        keep=step.keep,
        stands=step.keeps_candidate,
        tables=Tables(*map(unused, names)) if grid else None,
        staging=unused(f"{step.array}_voted") if reads_result(step, functor, score) else None,
    )


def reads_result(step: NeighborVote, functor: EdgeFunctor, score: VoteFunctor | None) -> bool:
    """Whether the winners of some vertices are read before those of others are computed."""
    read = {node.array for node in walk((functor, *((score,) if score else ()))) if isinstance(node, Element)}
    return step.array in read or step.array == step.keep


def places(sweep: Sweep) -> Extent:
    """How many places the tables of all vertices have."""
    return Sum((Times(2 * len(sweep.walks), EDGES), VERTICES))
