"""Pass `write_modes`: plain writes where a call alone addresses what it writes.

On vertices, or on all edges, an element has one call, unless members come twice; so has an edge whose vertex goes
through its list. Along the edges of members an edge has one call, unless both of its ends may bring it; in a pull, so
has the far end whose list one thread walks.

Others may read what a call on a vertex alone writes, such as another one's label in `low[v] min= low[low[v]]`. On a CPU
a plain store of an element is whole, so that they find a value from before or after it; a compare-and-swap, which takes
ten times as long, would make no difference. On a GPU the call keeps the value in a register as well: it reads what
others may write past the cache, and would wait for each of its own atomics before it can go on. Components take 3
percent less time.
"""

from __future__ import annotations

import dataclasses

from gdsl.ir.nodes import Functor, Role, VertexFunctor
from gdsl.operations import Over
from gdsl.passes.writers import far_roles, kept_arrays, own_list_arrays, plain_arrays, single_writer_arrays
from gdsl.plan.deduplication import repeated_of
from gdsl.plan.facts import Facts
from gdsl.plan.nodes import Operation, Plan, Sweep, Variant, Walk
from gdsl.plan.target import Target
from gdsl.plan.variants import with_kept, with_own
from gdsl.plan.walking import map_sweeps


def stores_whole(target: Target) -> bool:
    """Whether a plain store of one element is whole for others who read it, and no worker has a copy."""
    return not target.grid and not target.workers and not target.instances


def keeps_in_registers(target: Target) -> bool:
    """Whether a call may keep an element in a register that it alone writes. Which of several GPUs has the element, or
    whether each has a copy, makes no difference: a call changes the one that its GPU reads."""
    return target.grid and not target.workers and not target.instances


_EDGE = frozenset({Role.EDGE})


def run(plan: Plan, facts: Facts) -> Plan:
    """`plan` with the mode of every write."""
    repeated = repeated_of(plan)

    def changed(operation: Operation, sweep: Sweep) -> Sweep:
        several_calls = operation.step.frontier.frontier in repeated
        if sweep.own is not None:
            own = sweep.own if several_calls else _on_members(sweep.own, facts.functor(operation.step), plan, facts)
            return dataclasses.replace(sweep, own=own)
        if not sweep.walks:
            return sweep
        pulls = sweep.selection is not None
        of_edge = (
            _EDGE if pulls or not (several_calls or operation.step.visits is Over.ALL_EDGES) else frozenset[Role]()
        )

        def along(walk: Walk) -> Walk:
            functor = facts.functor(operation.step)
            variant = _with_plain(walk.variant, functor, far_roles(walk.over) | of_edge if pulls else of_edge, facts)
            shared = _with_plain(walk.shared, functor, of_edge, facts) if walk.shared is not None else None
            return dataclasses.replace(walk, variant=variant, shared=shared)

        return dataclasses.replace(sweep, walks=tuple(map(along, sweep.walks)))

    return map_sweeps(plan, changed)


def _on_members(own: Variant, functor: Functor, plan: Plan, facts: Facts) -> Variant:
    """What is run on members, of which each has one call."""
    roles = frozenset({Role.VERTEX}) if isinstance(functor, VertexFunctor) else _EDGE
    own = _with_plain(own, functor, roles, facts)
    if isinstance(functor, VertexFunctor) and plan.target.one_memory:
        own = with_own(own, facts.remember(own_list_arrays, functor))
    if stores_whole(plan.target) and own.claim is None:
        own = with_own(own, facts.remember(single_writer_arrays, functor, roles))
    if keeps_in_registers(plan.target) and own.claim is None:
        own = with_kept(own, facts.remember(kept_arrays, functor))
    return own


def _with_plain(variant: Variant, functor: Functor, roles: frozenset[Role], facts: Facts) -> Variant:
    """`variant` with plain writes of what only a call with these parameters addresses."""
    if variant.claim is not None or not variant.writes or not roles:
        return variant
    return with_own(variant, facts.remember(plain_arrays, functor, roles))
