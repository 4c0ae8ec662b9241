"""Pass `batch`: where the buffers of a run are stored if one launch runs for many values.

The grid is divided into teams of blocks. A team runs the whole schedule with one value, then with the next value that
no team has taken. Only the blocks of one team wait for each other; a team of a single block waits for no other. Teams
share no data that is written. Each value has its own results and its own record for the host. Each team has its own
working memory, which it reuses for one value after another.
"""

from __future__ import annotations

import dataclasses

from gdsl.plan.buffer_nodes import PROBLEM, Allocator, Buffer, Cleared, Role
from gdsl.plan.facts import Facts
from gdsl.plan.nodes import Barrier, Plan, Teams


def run(plan: Plan, facts: Facts) -> Plan:
    """`plan` with the places of its buffers, where teams of blocks run it."""
    return dataclasses.replace(plan, teams=teams_of(plan)) if plan.target.teams else plan


def refusal(plan: Plan) -> str | None:
    """Why a program is not run by teams; None: it is."""
    if not plan.target.fused:
        return "its steps are kernels of their own"
    if plan.target.several_gpus:
        return "several GPUs run it together"
    if not plan.program.params:
        return "it has no params"
    if plan.graphs:
        return "it makes graphs"
    return None


def teams_of(plan: Plan) -> Teams:
    """Where the buffers of a plan are stored."""
    places: dict[str, list[tuple[str, str]]] = {"rows": [], "records": [], "zeros": [], "scratch": []}
    for buffer in plan.buffers:
        place = _place_of(buffer, plan)
        if place is not None:
            places[place].append((buffer.group, buffer.name))
    barrier = Barrier("until all have read the arrays that are moved back") if plan.swapped else None
    return Teams(**{place: tuple(names) for place, names in places.items()}, barrier=barrier)


def _place_of(buffer: Buffer, plan: Plan) -> str | None:
    if buffer.allocator is not Allocator.HOST or buffer.role is Role.TRACE or buffer.cleared is Cleared.GIVEN:
        return None
    if buffer.role in (Role.CONTROL, Role.OUTPUTS):
        return "records"
    if buffer.group == PROBLEM and any(scalar.name == buffer.name for scalar in plan.program.scalars):
        return "records"
    if buffer.group == PROBLEM and (buffer.role is Role.RESULT or buffer.name in plan.swapped or plan.bits is not None):
        return "rows"
    return "zeros" if buffer.cleared is Cleared.ZERO else "scratch"
