"""Decides how the edges of a sweep's members are shared among threads, and what that takes.

A pull has nothing to share: a thread takes a far end, and lists that are too long are cut. Where a set may hold a
vertex twice, `auto` shares equal numbers of edges: the chunks of long lists have room for each list once. Of the first
few edges of each member, where a push walks no others, there is nothing to share: a thread takes a member.
"""

from __future__ import annotations

from gdsl.ir.nodes import Expression, Literal
from gdsl.operations import Balance, Over
from gdsl.plan.sweep_nodes import Form
from gdsl.plan.target import Target


def balance_of(wanted: Balance, target: Target, repeated: bool) -> Balance:
    """What becomes of the knob. `repeated`: a member may come twice."""
    if wanted not in target.balances:
        wanted = Balance.AUTO
    return Balance.MERGE if repeated and wanted is Balance.AUTO else wanted


FEW_PLACES = 4


def balance_of_push(balance: Balance, over: Over, first_places: Expression | None, target: Target) -> Balance:
    """What becomes of it in a push along the edges before the place `first_places`, where there is such a limit."""
    few = isinstance(first_places, Literal) and int(first_places.value) <= FEW_PLACES and over is Over.OUT_EDGES
    return Balance.THREAD if few and balance is Balance.AUTO and target.grid else balance


def form_of_members(balance: Balance) -> Form:
    """Who looks at all edges asks of each whether its end is a member."""
    return Form.BITMAP if balance is Balance.EDGES else Form.QUEUE
