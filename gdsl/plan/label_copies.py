"""Pass `label_copies`: several GPUs lower labels in copies of their own, of which the smallest is taken.

Union-find climbs from label to label, and asks for the former one each time that it lowers one. Labels lead to low ids,
which one of the GPUs has, so nearly all accesses of the others are far, and each waits for the one before. Where no
result depends on which labels an operator leaves (`Advance.loose`, which `gdsl.uniqueness.whole_components` proves), as
long as each is a vertex of the same component and not above the former one, each GPU fills a copy of the labels, and
its calls see and change that alone. When all are done, each GPU stores for every vertex that it has the smallest of the
labels in all copies: a vertex of the component, and not above the former label, as each of them is. What two GPUs have
linked by different labels is not linked by that: the loop that settles the labels does so, if it is still needed.

Copies are filled and read in order, which takes two passes over the labels on each GPU: so the operator goes over all
vertices, and writes nothing else.
"""

from __future__ import annotations

import dataclasses

from gdsl.ir.nodes import Advance
from gdsl.plan import merges
from gdsl.plan.facts import Facts
from gdsl.plan.gpu_copies import copies_of
from gdsl.plan.nodes import Barrier, Operation, Part, Plan, Sweep, Work
from gdsl.plan.sweep_nodes import Labels
from gdsl.plan.walking import map_operations

FILLED = Barrier("until each GPU has its labels")
LOWERED = Barrier("until all labels are lowered on each GPU")


def run(plan: Plan, facts: Facts) -> Plan:
    """`plan` with labels in copies, where several GPUs run it. Graphs that are built have other vertices."""
    if not plan.target.several_gpus or plan.graphs:
        return plan
    copy = copies_of(plan)
    return dataclasses.replace(
        plan, schedule=map_operations(plan.schedule, lambda operation: _with_labels(operation, copy, plan, facts))
    )


def _with_labels(operation: Operation, copy: int, plan: Plan, facts: Facts) -> Operation:
    step, push = operation.step, operation.does
    if not isinstance(step, Advance) or not isinstance(push, Sweep) or not step.loose or operation.fused:
        return operation
    (name,) = {access.name for access in facts.accesses.of_step(step) if access.writes}
    others = push.collect or push.skips or push.merge or push.proposals or push.totals
    everything = push.is_plain and push.members.frontier is None
    if others or not everything or not operation.waits or name in plan.swapped:
        return operation
    does = dataclasses.replace(push, labels=Labels(name, copy))
    body = merges.with_copies(operation.body, (Work(Part.LABELED), FILLED), (LOWERED, Work(Part.JOINED)))
    return dataclasses.replace(operation, does=does, body=body)
