"""Pass `load_balance`: how the edges of a sweep's members are shared among threads.

Long lists are cut into chunks for all threads, the list of a source becomes a table where many others are looked up in
it, and the knob `balance` chooses among the other ways (`balances`).
"""

from __future__ import annotations

import dataclasses

from gdsl.ir.nodes import Advance, Intersect, NeighborReduce
from gdsl.operations import Balance, Over
from gdsl.plan.balances import balance_of, balance_of_push, form_of_members
from gdsl.plan.deduplication import repeated_of
from gdsl.plan.facts import Facts
from gdsl.plan.intersections import has_tables
from gdsl.plan.nodes import Members, Operation, Plan, Sweep
from gdsl.plan.walking import map_sweeps


def run(plan: Plan, facts: Facts) -> Plan:
    """`plan` with the balance of each sweep, the lists that are cut, and the form that members need for that."""
    target, repeated = plan.target, repeated_of(plan)

    def changed(operation: Operation, sweep: Sweep) -> Sweep:
        step = operation.step
        if isinstance(step, Intersect) and sweep.intersection is not None:
            tables = has_tables(step, target.grid)
            return dataclasses.replace(sweep, intersection=dataclasses.replace(sweep.intersection, tables=tables))
        if not isinstance(step, (Advance, NeighborReduce)) or sweep.selection is not None:
            return sweep
        wanted = plan.program.tuning.sites[step.site].balance
        balance = balance_of(wanted, target, step.frontier.frontier in repeated)
        if isinstance(step, Advance) and sweep.order is None and sweep.skips is None:  # those take whole warps
            limits = (each.first_places for each in sweep.walks if each.lists is Over.OUT_EDGES)
            balance = balance_of_push(balance, step.over, next(limits, None), target)
        return _shared(sweep, balance)

    return map_sweeps(plan, changed)


def _shared(sweep: Sweep, balance: Balance) -> Sweep:
    """A push or a reduction whose edges are shared so. A thread an edge of the whole graph knows no places, and only
    a thread or warp that has a list to itself can stop early."""
    segment, walks = sweep.segment, sweep.walks
    if balance is Balance.EDGES:
        walks = tuple(dataclasses.replace(each, first_places=None) for each in walks)
    if segment is not None and balance is not Balance.AUTO:
        segment = dataclasses.replace(segment, stops_at=None)
    members = _in_form(sweep.members, balance)
    cut = balance is Balance.AUTO  # long lists are cut into chunks, which are run as the lists are
    walks = tuple(dataclasses.replace(each, shared=each.variant if cut else None) for each in walks)
    return dataclasses.replace(sweep, balance=balance, members=members, segment=segment, walks=walks)


def _in_form(members: Members, balance: Balance) -> Members:
    form = form_of_members(balance) if members.frontier is not None else None
    return dataclasses.replace(members, form=form)
