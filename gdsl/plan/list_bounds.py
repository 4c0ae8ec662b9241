"""Pass `list_bounds`: lists that need not be walked to their ends, or not at all.

**Places.**
If the condition says `place < x`, with an x that the operator does not write, a push or a reduction along out-edges
walks only the first x edges of each vertex. The conditions before it are then evaluated for these edges alone, so they
must be conditions that cannot stop the run (`functor_facts.may_stop`).

**Lists that were walked.**
Over `all_edges` of an undirected graph, whose in-lists are its out-lists, each edge of a member is visited from both
ends. Where both calls do the same (`both_ends`), the second walk is left out on such a graph (by the grids of
one GPU and of several).

**Results that stay.**
`some` stays true once a neighbor has set it, and `every` stays false: the rest of the list cannot change that. A list
is still walked to its end if a value may fail (an index out of range), as in the reference; if both lists of a vertex
are reduced; and if the knob selects another way to share edges. A grid cuts what is left of long lists into chunks, so
it walks all lists to their ends without `load_balance`, which does that.
"""

from __future__ import annotations

import dataclasses

from gdsl.ir import nodes as ir
from gdsl.operations import BinaryOperation, NeighborOperation, Over
from gdsl.passes.writers import targets
from gdsl.plan.both_ends import does_the_same_from_both_ends
from gdsl.plan.facts import Facts
from gdsl.plan.functor_facts import may_stop
from gdsl.plan.nodes import Operation, Plan, Sweep
from gdsl.plan.target import Target
from gdsl.plan.walking import map_sweeps


def run(plan: Plan, facts: Facts) -> Plan:
    """`plan` with the bounds of its lists."""
    cuts = not plan.target.grid or "load_balance" not in plan.program.tuning.without

    def changed(operation: Operation, sweep: Sweep) -> Sweep:
        step = operation.step
        if not isinstance(step, (ir.Advance, ir.NeighborReduce)) or sweep.selection is not None:
            return sweep
        functor, segment = facts.edge_functor(step), sweep.segment
        limit = facts.remember(place_limit, functor)
        walks = sweep.walks
        if limit is not None:
            walks = tuple(
                dataclasses.replace(each, first_places=limit) if each.lists is Over.OUT_EDGES else each
                for each in walks
            )
        if repeats(step, functor, plan.target):
            walks = (walks[0], dataclasses.replace(walks[1], repeats=True))
        if cuts and segment is not None and isinstance(step, ir.NeighborReduce):
            segment = dataclasses.replace(segment, stops_at=result_that_stays(step, functor))
        return dataclasses.replace(sweep, walks=walks, segment=segment)

    return map_sweeps(plan, changed)


def repeats(step: ir.Operator, functor: ir.EdgeFunctor, target: Target) -> bool:
    """Whether the walk along in-edges visits what the one along out-edges has, where these lists are the same."""
    whole = target.grid and not (target.workers or target.instances or target.teams)
    over_both = isinstance(step, ir.Advance) and step.over is Over.ALL_EDGES and step.result is None
    return whole and over_both and does_the_same_from_both_ends(functor)


def place_limit(functor: ir.EdgeFunctor) -> ir.Expression | None:
    """The x of `place < x`; None where there is no such conjunct that ends a list."""
    written = {target.scalar for target in targets(functor) if isinstance(target, ir.ScalarTarget)}
    for conjunct in functor.condition:
        limit = _limit_in(conjunct, written)
        if limit is not None or may_stop(conjunct):
            return limit
    return None


def _limit_in(conjunct: ir.Expression, written: set[str]) -> ir.Expression | None:
    if not isinstance(conjunct, ir.Binary) or conjunct.operation is not BinaryOperation.LESS:
        return None
    limit = conjunct.right
    fixed = isinstance(limit, (ir.Literal, ir.ParamValue)) or (
        isinstance(limit, ir.ScalarValue) and limit.name not in written
    )
    return limit if isinstance(conjunct.left, ir.Place) and fixed else None


_STAYS = {NeighborOperation.SOME: True, NeighborOperation.EVERY: False}


def result_that_stays(step: ir.NeighborReduce, functor: ir.EdgeFunctor) -> bool | None:
    """The result at which a list need not be walked any further, if there is one."""
    if step.operation is None or step.over is Over.ALL_EDGES:
        return None
    if may_stop(functor):
        return None
    return _STAYS.get(step.operation)
