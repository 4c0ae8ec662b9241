"""Pass `packed_labels`: several GPUs shorten and pack the labels that they have lowered before the others read them.

Where each GPU has all labels (`replicas`) and lowers its own copy (`label_copies`), the copies are joined by reading
half of every other one, and storing the smaller label wherever another copy has a larger one: nearly all labels go over
the link, as most vertices are linked on one GPU alone, and by labels that are lowered later.

So each GPU first follows the labels of its copy to their roots. No result depends on which labels the operator leaves,
as long as each is a vertex of the same component and not above the former one (`Advance.loose`), and the label of a
label is such a vertex. Then most labels are that of the largest tree, or no other vertex at all, so few bits tell them:
of each vertex whether its label is another vertex, and whether it is another one than the smallest among 1,024. Only
those labels that are neither are written out. Every GPU reads what each of the others has packed, and takes the smaller
labels into its copy: all copies are equal afterwards, as each has the smallest labels of all.

What is packed is in a copy of its own, so labels stay as they are until they are read. If that many labels differ that
packing saves nothing, and for the vertices of the last, incomplete group, they are read from the copy itself, which
its GPU may have begun to join: it has the smallest labels of all in the end, too.
"""

from __future__ import annotations

import dataclasses

from gdsl.plan.facts import Facts
from gdsl.plan.gpu_copies import copies_of
from gdsl.plan.nodes import Barrier, Operation, Part, Plan, Sweep, Work
from gdsl.plan.walking import map_operations

PACKED = Barrier("until all labels are packed")


def run(plan: Plan, facts: Facts) -> Plan:
    """`plan` with packed labels, where each of several GPUs has all of them and lowers them in its copy."""
    copy = copies_of(plan)
    return dataclasses.replace(
        plan, schedule=map_operations(plan.schedule, lambda operation: _with_packing(operation, copy))
    )


def _with_packing(operation: Operation, copy: int) -> Operation:
    sweep = operation.does
    if not isinstance(sweep, Sweep) or sweep.labels is None or not sweep.labels.stays:
        return operation
    joined = operation.body.index(Work(Part.JOINED))
    packing = (Work(Part.PACKED), PACKED, Work(Part.UNPACKED))
    body = (*operation.body[:joined], *packing, *operation.body[joined + 1 :])
    does = dataclasses.replace(sweep, labels=dataclasses.replace(sweep.labels, packed=copy))
    return dataclasses.replace(operation, does=does, body=body)
