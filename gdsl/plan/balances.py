"""Decides how the edges of a sweep's members are shared among threads, and what that takes.

A pull has nothing to share: a thread takes a far end, and lists that are too long are cut. Where a set may hold a
vertex twice, `auto` shares equal numbers of edges: the chunks of long lists have room for each list once.
"""

from __future__ import annotations

from gdsl.operations import Balance
from gdsl.plan.sweep_nodes import Form
from gdsl.plan.target import Target


def balance_of(wanted: Balance, target: Target, pulls: bool, repeated: bool) -> Balance:
    """What becomes of the knob. `repeated`: a member may come twice."""
    if pulls or wanted not in target.balances:
        wanted = Balance.AUTO
    return Balance.MERGE if repeated and not pulls and wanted is Balance.AUTO else wanted


def form_of_members(balance: Balance, pulls: bool) -> Form:
    """Who looks at all vertices or all edges asks of each whether it is a member."""
    return Form.BITMAP if pulls or balance is Balance.EDGES else Form.QUEUE
