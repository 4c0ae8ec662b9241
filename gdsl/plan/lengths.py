"""Decides whether a program is long."""

from __future__ import annotations

from gdsl.plan.nodes import Plan
from gdsl.plan.walking import own_sweeps

LONG = 10


def is_long(plan: Plan) -> bool:
    return len(list(own_sweeps(plan))) >= LONG
