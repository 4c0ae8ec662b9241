"""Decides which operators fetch the lists of members that come later (cpu).

A processor finds by itself that a list is read from one end to the other once it has begun to be. Of members of a set
each list lies elsewhere, and of graphs larger than the cache each begins with a wait for memory, which takes as long as
ten edges and more. So while a thread is at one member it has the first edges of the next but one fetched, and what
their visits ask for by the edge's id. All vertices have their lists in a row, which a processor foresees.
"""

from __future__ import annotations

from gdsl.ir.nodes import EdgeFunctor, Program, Role
from gdsl.operations import Balance, Domain, Over
from gdsl.plan.asked_arrays import arrays_at
from gdsl.plan.hints import PrefetchLists, WholeSet
from gdsl.plan.nodes import Operation, Plan
from gdsl.plan.sweep_nodes import Form, Sweep
from gdsl.plan.walking import leaves_edges_out, map_sweeps


def fetch_lists(plan: Plan) -> Plan:
    """`plan` with what each sweep fetches with the lists of its members."""

    def changed(operation: Operation, sweep: Sweep) -> Sweep:
        fetched = _fetched_with(sweep, plan)
        return sweep if fetched is None else sweep.with_hints(PrefetchLists(fetched))

    return map_sweeps(plan, changed)


def _fetched_with(sweep: Sweep, plan: Plan) -> tuple[str, ...] | None:
    """The arrays of edges that are fetched with the out-lists of a sweep's members; None where no list is."""
    members, program = sweep.members, plan.program
    scattered = members.domain is Domain.VERTEX and members.form is Form.QUEUE and sweep.hint(WholeSet) is None
    if not scattered or sweep.balance is not Balance.AUTO or len(sweep.walks) != 1:
        return None
    (way,) = sweep.walks
    if sweep.selection is not None or sweep.order is not None or way.lists is not Over.OUT_EDGES:
        return None
    if sweep.segment is not None and sweep.segment.stops_at is not None:
        return None  # such a list is often left at its first edges
    if leaves_edges_out(plan):
        return ()  # edges do not lie in the order of their ids
    return arrays_at(_functor(way.variant.functor, program), frozenset({Role.EDGE}), program)


def _functor(name: str, program: Program) -> EdgeFunctor:
    return next(functor for functor in program.edge_functors if functor.name == name)
