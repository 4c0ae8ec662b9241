"""Pass `write_modes`: plain writes where a call alone addresses what it writes.

On vertices, or on all edges, an element has one call, unless members come twice; so has an edge whose vertex goes
through its list. Along the edges of members an edge has
one call, unless both of its ends may bring it; in a pull, so has the far end whose list one thread walks.

Others may read what a call on a vertex alone writes, such as another one's label in `low[v] min= low[low[v]]`. On a CPU
a plain store of an element is whole, so that they find a value from before or after it; a compare-and-swap, which takes
ten times as long, would make no difference.
"""

from __future__ import annotations

import dataclasses

from gdsl.ir.nodes import Operator, Role, VertexFunctor
from gdsl.operations import Over
from gdsl.passes.writers import far_roles, own_list_arrays, plain_arrays, single_writer_arrays
from gdsl.plan.deduplication import repeated_of
from gdsl.plan.facts import Facts
from gdsl.plan.nodes import Operation, Plan, Sweep, Variant, Walk
from gdsl.plan.target import Target
from gdsl.plan.variants import with_own
from gdsl.plan.walking import map_sweeps


def stores_whole(target: Target) -> bool:
    """Whether a plain store of one element is whole for others who read it, and no worker has a copy."""
    return not target.grid and not target.workers and not target.instances


_NOTHING: frozenset[Role] = frozenset()
_EDGE = frozenset({Role.EDGE})


def run(plan: Plan, facts: Facts) -> Plan:
    """`plan` with the mode of every write."""
    repeated = repeated_of(plan)

    def alone(variant: Variant, step: Operator, roles: frozenset[Role]) -> Variant:
        if variant.claim is not None or not variant.writes or not roles:
            return variant
        return with_own(variant, facts.remember(plain_arrays, facts.functor(step), roles))

    def changed(operation: Operation, sweep: Sweep) -> Sweep:
        step = operation.step
        several = step.frontier.frontier in repeated
        if sweep.own is not None:
            role = Role.VERTEX if isinstance(facts.functor(step), VertexFunctor) else Role.EDGE
            roles = _NOTHING if several else frozenset({role})
            own = alone(sweep.own, step, roles)
            one_process = not (plan.target.workers or plan.target.several_gpus or plan.target.instances)
            if Role.VERTEX in roles and one_process:
                own = with_own(own, facts.remember(own_list_arrays, facts.functor(step)))
            if roles and stores_whole(plan.target) and own.claim is None:
                own = with_own(own, facts.remember(single_writer_arrays, facts.functor(step), roles))
            return dataclasses.replace(sweep, own=own)
        pulls = sweep.selection is not None
        of_edge = _EDGE if pulls or not (several or step.visits is Over.ALL_EDGES) else _NOTHING

        def along(walk: Walk) -> Walk:
            variant = alone(walk.variant, step, far_roles(walk.over) | of_edge if pulls else of_edge)
            shared = alone(walk.shared, step, of_edge) if walk.shared is not None else None
            return dataclasses.replace(walk, variant=variant, shared=shared)

        return dataclasses.replace(sweep, walks=tuple(map(along, sweep.walks))) if sweep.walks else sweep

    return map_sweeps(plan, changed)
