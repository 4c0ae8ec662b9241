"""Pass `solo_rounds`: small passes of a loop that one of several GPUs runs alone.

A pass of `while (f) { … }` whose members have fewer edges than a GPU has threads takes as long as its barriers and the
accesses that wait for each other. More GPUs do not make it shorter: a barrier of two takes a fifth longer than one of a
single GPU, and what the second one reads and counts is on the first one. So before such a pass all GPUs meet
once more, and from there on the first one is alone: `block_count` is that of its own blocks, barriers are those of its
own blocks, and it has all members. The others wait at their next barrier. Before a pass of more than twice as many
edges, or when the loop ends, the first GPU hands on what each of its threads knows (`Solo`: the frontiers of the loop,
directions, scalars that threads have, how many operators there were), comes to that barrier, and all go on from there.
Who has which members is never seen, so this changes no more than another number of blocks would.

**Why all GPUs see the same data.** The first GPU reaches all of the flat address range. The barrier before it is alone
makes visible what the others wrote, and the one after makes visible what it wrote; between the two no other block runs.
What a GPU has for itself must not be part of that:

1. Copies that an operator fills before it reads them, and that are of no use after it (`mirrors`, `proposals`), are as
   good if one GPU fills one of them.
2. Copies that last from one pass to the next (`merges`, `label_copies`, and `replicas` that the loop writes) would miss
   what the first GPU changes. Such loops are left as they are. A loop may read replicas, the first GPU its own.
3. What blocks keep in their own memory from pass to pass (`hub_bounds`, the next level's lists) would miss passes. The
   same.
4. What a thread knows of the run (`Solo`) is handed on.

**Where.** In innermost loops of a vertex frontier (`while (f)`), from near to far or not. Each operator of the loop
runs on the worklist or on what the same pass has made of it, and other steps store scalars. So the worklist says how
much work there is.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from gdsl.effects.access import frontiers_of
from gdsl.ir import nodes as ir
from gdsl.operations import Domain
from gdsl.plan import nodes
from gdsl.plan.facts import Facts
from gdsl.plan.fusion import flattened
from gdsl.plan.hints import HubBounds, NextLevel
from gdsl.plan.step_nodes import Solo
from gdsl.plan.walking import map_blocks, steps_in, sweeps_of, variants_of


def run(plan: nodes.Plan, facts: Facts) -> nodes.Plan:
    """`plan` with loops whose small rounds the first of several GPUs runs alone."""
    target = plan.target
    if not target.several_gpus or not target.fused or plan.graphs or target.teams or target.instances:
        return plan
    replicas = frozenset(each.array for each in plan.replicas)

    def changed(block: tuple[nodes.Step, ...]) -> tuple[nodes.Step, ...]:
        return tuple(
            _with_solo(step, plan, replicas, facts) if isinstance(step, nodes.Loop) else step for step in block
        )

    return dataclasses.replace(plan, schedule=map_blocks(plan.schedule, changed))


def solo_loops(plan: nodes.Plan) -> Iterator[nodes.Loop]:
    """The loops that have such rounds."""
    return (step for step in steps_in(plan.schedule) if isinstance(step, nodes.Loop) and step.solo is not None)


_STORES = (nodes.Barrier, nodes.Leader, nodes.StorePrivate, nodes.Rotate)


def _with_solo(loop: nodes.Loop, plan: nodes.Plan, replicas: frozenset[str], facts: Facts) -> nodes.Loop:
    condition = loop.condition
    if loop.counted or not isinstance(condition, ir.FrontierNotEmpty):
        return loop
    domains = {each.name: each.domain for each in plan.frontiers}
    made, touched = {condition.frontier}, {condition.frontier: None}
    operations: list[nodes.Operation] = []
    for step in loop.body:
        if isinstance(step, nodes.Operation):
            for each in flattened(step):
                use = frontiers_of(each.step)
                if each.step.frontier.frontier not in made or not _may(each, replicas, facts):
                    return loop
                made.update(use.written)
                touched.update(dict.fromkeys((*use.read, *use.written)))
            operations.append(step)
        elif not isinstance(step, _STORES):
            return loop
    if not operations or any(domains[name] is not Domain.VERTEX for name in touched):
        return loop
    counted = any(each.name == condition.frontier and each.counts is not None for each in plan.frontiers)
    choosing = tuple(each.step.site for each in operations if isinstance(each.does, nodes.Choice))
    private = dict.fromkeys(step.step.scalar for step in loop.body if isinstance(step, nodes.StorePrivate))
    rotating = dict.fromkeys(step.step.scalar for step in loop.body if isinstance(step, nodes.Rotate))
    solo = Solo(condition.frontier, counted, tuple(touched), choosing, tuple(private), tuple(rotating))
    return dataclasses.replace(loop, solo=solo)


def _may(operation: nodes.Operation, replicas: frozenset[str], facts: Facts) -> bool:
    """Whether no GPU has data of its own that an operator changes, or that its blocks keep."""
    written = {access.name for access in facts.accesses.of_step(operation.step) if access.writes}
    return not written & replicas and not any(map(_keeps, sweeps_of(operation)))


def _keeps(sweep: nodes.Sweep) -> bool:
    copies = sweep.merge is not None or sweep.labels is not None or bool(sweep.published)
    everywhere = any(write.mode is nodes.Mode.EVERYWHERE for variant in variants_of(sweep) for write in variant.writes)
    in_blocks = any(isinstance(each, (HubBounds, NextLevel)) for each in sweep.hints)
    return copies or everywhere or in_blocks
