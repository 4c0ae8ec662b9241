"""Pass `late_chunks`: an operator waits for the chunks of long lists only where there are any.

An operator that cuts long lists into chunks has two barriers: one until all chunks are known, and one until the result
is complete. Most passes of a search meet no long list, also on graphs that have some (a power law beside a grid, a path
behind a clique). So the operator appends what it has found before the first barrier. If that finds no chunks, the
result is complete; only otherwise they are visited, and all threads wait once more. Where the last pass has met chunks,
the next one expects some: it appends nothing before the first barrier, since appending takes as long as a barrier.

That is for results which threads append to; an operator with totals, whose threads add these up at their end, waits as
before, and so do several GPUs, each of which would have to look at the counters of all. From near to far in wide passes
a barrier less is not worth the registers (shortest paths on a hypercube take 5 percent more).
"""

from __future__ import annotations

import dataclasses

from gdsl.operations import Domain
from gdsl.plan import nodes
from gdsl.plan.facts import Facts
from gdsl.plan.walking import map_operations, sweeps_of

_FIRST = nodes.Barrier(
    "until the result is complete, or else all chunks of long lists are known",
    (nodes.Counter.CHUNKS, nodes.Counter.ACCEPTED),
    within=nodes.Within.CHUNKS_OR_RESULT,
)
_LAST = nodes.Barrier(
    "until the chunks, if there are any, are visited",
    (nodes.Counter.ACCEPTED,),
    nodes.When.LONG_LISTS,
    nodes.Within.RESULT_OF_CHUNKS,
)
_HELD = nodes.Work(nodes.Part.HELD)


def run(plan: nodes.Plan, facts: Facts) -> nodes.Plan:
    """`plan` whose operators look for chunks when they have found the rest."""
    target = plan.target
    if not target.fused or not target.grid or target.several_gpus or target.instances:
        return plan

    def changed(operation: nodes.Operation) -> nodes.Operation:
        orders = any(sweep.order is not None for sweep in sweeps_of(operation))
        return operation if orders and plan.graph.wide_passes else _changed(operation)

    return dataclasses.replace(plan, schedule=map_operations(plan.schedule, changed))


def _changed(operation: nodes.Operation) -> nodes.Operation:
    if operation.fused or any(sweep.totals for sweep in sweeps_of(operation)):
        return operation
    does = operation.does
    if isinstance(does, nodes.Choice):
        (directions,) = operation.body
        assert isinstance(directions, nodes.Directions)
        pull, push = _late(does.yes, directions.pull), _late(does.no, directions.push)
        return dataclasses.replace(operation, body=(nodes.Directions(pull, push),))
    return dataclasses.replace(operation, body=_late(does, operation.body))


def _late(sweep: nodes.Sweep, body: tuple[nodes.Phase, ...]) -> tuple[nodes.Phase, ...]:
    """The phases of a walk, with its chunks behind what may be its end."""
    chunks = nodes.Work(nodes.Part.CHUNKS)
    if chunks not in body or not _appends(sweep):
        return body
    at = body.index(chunks)
    if len(sweep.walks) > 1 or body[at + 1] != _HELD or not isinstance(body[at + 2], nodes.Barrier):
        return body
    return (*body[: at - 1], _HELD, _FIRST, chunks, _HELD, _LAST, *body[at + 3 :])


def _appends(sweep: nodes.Sweep) -> bool:
    """Whether threads append to the result what they find, and the result is counted alone."""
    collect = sweep.collect
    if collect is None or sweep.segment is not None or sweep.vote is not None or sweep.intersection is not None:
        return False
    queue = collect.form is nodes.Form.QUEUE and collect.dedup is not nodes.Dedup.LATE
    return collect.domain is Domain.VERTEX and (queue or sweep.selection is not None)


def looks_late(operation: nodes.Operation) -> bool:
    """Whether an operator does so, in either direction."""
    first = operation.body[0] if operation.body else None
    bodies = (first.pull, first.push) if isinstance(first, nodes.Directions) else (operation.body,)
    return any(_FIRST in body for body in bodies)
