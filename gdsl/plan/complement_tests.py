"""Pass `complement_tests`: `a - f`, right after `f = filter(a, half)`, asks the test of `half` again.

That is one sweep where a queue would be marked, and all would wait, before the other is walked (`combinations`).
"""

from __future__ import annotations

import dataclasses

from gdsl.plan.combinations import with_tests
from gdsl.plan.facts import Facts
from gdsl.plan.nodes import Plan


def run(plan: Plan, facts: Facts) -> Plan:
    """`plan` with the tests of such differences."""
    if not (plan.target.fused and plan.target.grid):
        return plan
    return dataclasses.replace(plan, schedule=with_tests(plan.schedule, plan.program, plan.target))
