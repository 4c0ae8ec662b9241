"""Pass `small_frontiers`: sweeps of few members. Hints only.

Two sweeps that do not wait for each other have half of the warps each (`warp_halves`), and few members of a worklist
are a list whose places are taken before it is known who is accepted (`listed_sets`).
"""

from __future__ import annotations

import dataclasses

from gdsl.plan.facts import Facts
from gdsl.plan.listed_sets import list_few
from gdsl.plan.nodes import Plan
from gdsl.plan.warp_halves import share_warps


def run(plan: Plan, facts: Facts) -> Plan:
    """`plan` with both."""
    shared = share_warps(plan.schedule, plan.target)
    return dataclasses.replace(plan, schedule=list_few(shared, plan.program, plan.target))
