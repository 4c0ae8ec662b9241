"""Pass `load_balance`: how the edges of a sweep's members are shared among threads.

Long lists are cut into chunks for all threads, the list of a source becomes a table where many others are looked up in
it, and the knob `balance` chooses among the other ways.

A pull has nothing to share: a thread takes a far end, and lists that are too long are cut. Where a set may hold a
vertex twice, `auto` shares equal numbers of edges: the chunks of long lists have room for each list once. Of the first
few edges of each member, where a push walks no others, there is nothing to share: a thread takes a member.

**Edge lists in the memory of the host (cuda).**
A GPU reads them over a link, which is fast in whole lines. `auto` reduces short lists by a thread or a few lanes each,
which read parts of lines; so reductions share equal numbers of consecutive edges there, 32 to a warp at a time, unless
they leave lists early. Advances do so in any case. Warps of such a reduction take tiles from all parts of the lists: if
each had one part, those that have what is on the GPU would soon be done, and the others too few to keep the link busy.
"""

from __future__ import annotations

import dataclasses

from gdsl.ir.nodes import Advance, Expression, Intersect, Literal, NeighborReduce, Program
from gdsl.ir.traversal import all_steps
from gdsl.operations import Balance, Over
from gdsl.plan.deduplication import repeated_of
from gdsl.plan.facts import Facts
from gdsl.plan.hints import ListTiles, SourceTables
from gdsl.plan.intersections import has_tables
from gdsl.plan.nodes import Form, Members, Operation, Plan, Sweep
from gdsl.plan.target import Target
from gdsl.plan.walking import map_sweeps


def run(plan: Plan, facts: Facts) -> Plan:
    """`plan` with the balance of each sweep, the lists that are cut, and the form that members need for that."""
    target, repeated = plan.target, repeated_of(plan)

    def changed(operation: Operation, sweep: Sweep) -> Sweep:
        step = operation.step
        if isinstance(step, Intersect) and sweep.intersection is not None:
            return sweep.with_hints(SourceTables()) if has_tables(step, target.grid) else sweep
        if not isinstance(step, (Advance, NeighborReduce)) or sweep.selection is not None:
            return sweep
        wanted = plan.program.tuning.sites[step.site].balance
        if plan.graph.host_lists and target.grid and wanted is Balance.AUTO and _reduces_whole_lists(step, sweep):
            return _shared(sweep, Balance.MERGE).with_hints(TILES)
        balance = balance_of(wanted, target, step.frontier.frontier in repeated)
        if isinstance(step, Advance) and sweep.order is None and sweep.skips is None:  # those take whole warps
            limits = (each.first_places for each in sweep.walks if each.lists is Over.OUT_EDGES)
            balance = balance_of_push(balance, step.over, next(limits, None), target)
        return _shared(sweep, balance)

    return map_sweeps(plan, changed)


TILES = ListTiles(rows=4, length=16)
"""Four lines of 128 bytes from each warp of a large GPU are ten times what a link has on its way at a time, so that it
is busy while most warps do something else."""


def _reduces_whole_lists(step: object, sweep: Sweep) -> bool:
    return isinstance(step, NeighborReduce) and sweep.segment is not None and sweep.segment.stops_at is None


def reads_whole_lines(program: Program) -> bool:
    """Whether the place of edge lists makes a difference to `program`."""
    sites = program.tuning.sites
    return any(
        isinstance(step, NeighborReduce) and sites[step.site].balance is Balance.AUTO
        for step in all_steps(program.schedule)
    )


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


def balance_of(wanted: Balance, target: Target, repeated: bool) -> Balance:
    """The balance that the knob requests, where it is possible. `repeated`: a member may occur twice."""
    if wanted not in target.balances:
        wanted = Balance.AUTO
    return Balance.MERGE if repeated and wanted is Balance.AUTO else wanted


FEW_PLACES = 4
"""Edges of a list up to which a thread walks a vertex's own (components of R-MAT sample two: 6 percent; H200)."""


def balance_of_push(balance: Balance, over: Over, first_places: Expression | None, target: Target) -> Balance:
    """The `balance` of a push along the edges before the place `first_places` (None: all): a thread has each list if
    these are few."""
    few = isinstance(first_places, Literal) and int(first_places.value) <= FEW_PLACES and over is Over.OUT_EDGES
    return Balance.THREAD if few and balance is Balance.AUTO and Balance.THREAD in target.balances else balance


def form_of_members(balance: Balance) -> Form:
    """A sweep over all edges tests for each whether its end is a member."""
    return Form.BITMAP if balance is Balance.EDGES else Form.QUEUE
