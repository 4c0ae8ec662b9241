"""Pass `scalar_reads`: scalars that each thread reads once for an operator, where several GPUs run it.

Scalars are on one GPU, and no cache of the others keeps them: a functor that compares each vertex with a scalar
(`cond component[v] != giant`) reads far memory as often as its warp has vertices. Compilers read it again for each one,
since calls store something in between. An operator that does not write a scalar finds the same value throughout: what
was written before is there when it begins, as its calls may read it from then on, and nobody else writes it before it
ends. So each thread reads it once, before its first call.

Where members may be few this would be one more read that all threads wait for, so the operator goes over everything.
Private scalars (`scalar_copies`) are in each thread already.
"""

from __future__ import annotations

import dataclasses

from gdsl.plan.facts import Facts
from gdsl.plan.hints import ScalarReads
from gdsl.plan.nodes import Choice, Operation, Plan, Sweep
from gdsl.plan.walking import map_operations


def run(plan: Plan, facts: Facts) -> Plan:
    """`plan` with what threads read once. Graphs that are built have other vertices."""
    if not plan.target.several_gpus or plan.graphs:
        return plan
    kept = {each.name for each in plan.program.scalars if not each.type.is_pair} - set(plan.private_scalars)

    def changed(operation: Operation) -> Operation:
        if not operation.step.frontier.everything:
            return operation
        accesses = [access for each in (operation, *operation.fused) for access in facts.accesses.of_step(each.step)]
        written = {access.name for access in accesses if access.writes}
        names = tuple(sorted({access.name for access in accesses} & kept - written))
        return _with_reads(operation, ScalarReads(names)) if names else operation

    return dataclasses.replace(plan, schedule=map_operations(plan.schedule, changed))


def _with_reads(operation: Operation, hint: ScalarReads) -> Operation:
    """`operation` with a hint for the sweep that it runs in: a reduction lends its sweep to what is fused with it."""
    does, first = operation.does, operation.fused[0] if operation.fused else None
    if first is not None and isinstance(first.does, Sweep) and first.does.segment is not None:
        first = dataclasses.replace(first, does=first.does.with_hints(hint))
        return dataclasses.replace(operation, fused=(first, *operation.fused[1:]))
    if isinstance(does, Choice):
        both = dataclasses.replace(does, yes=does.yes.with_hints(hint), no=does.no.with_hints(hint))
        return dataclasses.replace(operation, does=both)
    return dataclasses.replace(operation, does=does.with_hints(hint))
