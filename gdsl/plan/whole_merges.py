"""Pass `whole_merges`: arrays that each of several GPUs has whole, because all that changes them is merged.

An array whose copies are merged (`merges`) is stored besides in memory of all GPUs: copies are filled from there before
the first pass, each pass stores there what it has changed, and the result is brought to the first GPU in the end. All
of that is for other steps, which know nothing of copies. But all copies are equal when an operator that merges ends. So
if nothing else writes the array, every GPU has all of it in its copy throughout the schedule, as with `replicas`: each
fills its copy with the initial values, elements that the schedule stores are stored in all copies, all steps read the
copy of their GPU, and that of the first one is the result. Nothing is filled or stored besides.
"""

from __future__ import annotations

import dataclasses
import itertools

from gdsl.effects.access import Access
from gdsl.ir import nodes as ir
from gdsl.ir.traversal import all_steps
from gdsl.plan.facts import Facts
from gdsl.plan.gpu_copies import copies_of, uses_of
from gdsl.plan.nodes import Initialize, Operation, Plan, Replica, Sweep
from gdsl.plan.sweep_nodes import Merge
from gdsl.plan.walking import map_sweeps, operations, steps_in, sweeps, sweeps_of


def run(plan: Plan, facts: Facts) -> Plan:
    """`plan` with merged arrays that each GPU has whole, where several GPUs run it."""
    target = plan.target
    if not target.several_gpus or not target.fused or plan.graphs or target.teams or target.instances:
        return plan
    merging = [sweep.merge for sweep in sweeps(plan) if sweep.merge is not None]
    numbers = itertools.count(copies_of(plan))
    found = (each for each in merging if _suits(each.array, plan, facts))
    whole: dict[str, int] = {}
    for each in found:
        if each.array not in whole:
            whole[each.array] = each.copy if _is_alone(each, plan) else next(numbers)
    if not whole:
        return plan
    replicas = (*plan.replicas, *(Replica(name, copy) for name, copy in whole.items()))
    return map_sweeps(dataclasses.replace(plan, replicas=replicas), lambda _, sweep: _with_whole(sweep, whole))


def _suits(name: str, plan: Plan, facts: Facts) -> bool:
    first = next(step for step in steps_in(plan.schedule) if isinstance(step, Initialize))
    begins = first.barrier is not None and any(each.name == name for each in first.vertex_arrays)
    mirrored = any(sweep.mirrors is not None and name in sweep.mirrors.arrays for sweep in sweeps(plan))
    if not begins or mirrored:
        return False
    by_site = {each.step.site: each for each in operations(plan)}
    return all(
        _keeps_equal(name, step, by_site, facts.accesses.of_step(step)) for step in all_steps(plan.program.schedule)
    )


def _keeps_equal(name: str, step: ir.Step, by_site: dict[int, Operation], found: frozenset[Access]) -> bool:
    if not any(access.writes and access.name == name for access in found):
        return True
    if isinstance(step, ir.StoreElement):
        return True
    operation = by_site.get(step.site) if isinstance(step, ir.Operator) else None
    parts = sweeps_of(operation) if operation is not None else ()
    return bool(parts) and all(sweep.merge is not None and sweep.merge.array == name for sweep in parts)


def _is_alone(merge: Merge, plan: Plan) -> bool:
    """Whether its copy is used for nothing else, so that it can stay."""
    return uses_of(plan)[merge.copy] == {("merge", merge.array)}


def _with_whole(sweep: Sweep, whole: dict[str, int]) -> Sweep:
    if sweep.merge is None or sweep.merge.array not in whole:
        return sweep
    merge = dataclasses.replace(sweep.merge, copy=whole[sweep.merge.array], stays=True)
    return dataclasses.replace(sweep, merge=merge)
