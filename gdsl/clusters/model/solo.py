"""Which passes of a run the first of several GPUs runs alone (`gdsl.plan.solo_rounds`).

A GPU goes on alone before a pass whose members have no more edges than it has threads, and stays alone until one has
more than twice as many. So what lies between the two depends on the passes before: `passes` follows a trace. Where
only sizes are known, as after scaling, a pass is taken to be alone if it is small enough to begin so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gdsl.plan.nodes import Loop, Operation, Plan
from gdsl.plan.solo_rounds import solo_loops
from gdsl.plan.walking import steps_in

STAYS = 2
"""So many times the edges for which a GPU begins alone, it stays so."""


def loops(plan: Plan) -> dict[int, Loop]:
    """The loops that have such passes, by the sites of their operators."""
    return {site: loop for loop in solo_loops(plan) for site in _sites(loop)}


def first_site(loop: Loop) -> int:
    """The site of the operator before which the GPUs decide who runs a pass."""
    return next(_sites(loop))


def edges_of(loop: Loop, members: float, edges: float, mean: float) -> float:
    """Those of a pass as the GPUs know them: counted, or at the mean degree."""
    assert loop.solo is not None
    return edges if loop.solo.counted else members * mean


def most_edges(plan: Plan, threads: int) -> float:
    """Those with which a GPU of so many threads begins alone."""
    return float(plan.sizes.solo_edges * threads)


def passes(
    plan: Plan, vertices: int, edges: int, records: Iterable[tuple[int, int, int]], threads: int
) -> Iterator[bool | None]:
    """For each record of a trace (site, members and edges) whether its pass is one of the first GPU alone; None if it
    is in no such loop. All operators of a pass are as the first one."""
    by_site, alone = loops(plan), dict[int, bool]()
    most, mean = most_edges(plan, threads), edges / max(vertices, 1)
    for site, members, walked in records:
        loop = by_site.get(site)
        if loop is None:
            yield None
            continue
        if site == first_site(loop):
            known = edges_of(loop, members, walked, mean)
            alone[loop.number] = known <= (STAYS * most if alone.get(loop.number) else most)
        yield alone.get(loop.number, False)


def _sites(loop: Loop) -> Iterator[int]:
    return (each.step.site for each in steps_in(loop.body) if isinstance(each, Operation))
