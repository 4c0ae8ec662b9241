"""Pass `launches`: what is one kernel: the whole schedule, or each of its steps, between which the host decides.

On a grid it also builds the phases of every operator (`phases`) and, in the one kernel, places a barrier between each
step and the next one (`barriers`); `synchronization` removes most of them.
"""

from __future__ import annotations

import dataclasses

from gdsl.effects.access import frontiers_of, measured_frontiers
from gdsl.ir.nodes import Expression
from gdsl.plan import nodes
from gdsl.plan.barriers import separated
from gdsl.plan.facts import Facts
from gdsl.plan.phases import with_all_phases
from gdsl.plan.walking import with_blocks


def run(plan: nodes.Plan, facts: Facts) -> nodes.Plan:
    """`plan` with its launches."""
    plan = with_all_phases(plan)
    first, *others = plan.schedule
    assert isinstance(first, nodes.Initialize)
    if not plan.target.fused:
        return dataclasses.replace(plan, schedule=as_launches(first, tuple(others)))
    launch = as_one_launch(first, tuple(others))
    return dataclasses.replace(plan, schedule=(separated(launch) if plan.target.grid else launch,))


def as_one_launch(initialize: nodes.Initialize, steps: tuple[nodes.Step, ...]) -> nodes.Launch:
    """Everything as one launch."""
    return nodes.Launch("enactor", "The whole schedule as one persistent kernel.", (initialize, *steps))


def as_launches(initialize: nodes.Initialize, steps: tuple[nodes.Step, ...]) -> tuple[nodes.Step, ...]:
    """A launch for each step, condition and count."""
    return nodes.Launch("start", "Before the schedule begins.", (initialize,)), *(_on_host(step, 0) for step in steps)


def _on_host(step: nodes.Step, around: int) -> nodes.Step:
    inside = around + isinstance(step, nodes.On)
    step = with_blocks(step, lambda block: tuple(_on_host(each, inside) for each in block))
    if isinstance(step, (nodes.Loop, nodes.Branch)):
        return dataclasses.replace(step, ask=_asking(step.condition, around))
    if isinstance(step, nodes.On):
        enter = nodes.Launch("enter", f"on {step.graph}.", (nodes.EnterGraph(step.graph, step.depth),), around=around)
        return dataclasses.replace(step, enter=enter)
    return step if isinstance(step, nodes.Swap) else dataclasses.replace(_alone(step), around=around)


def _asking(condition: Expression, around: int) -> nodes.Launch:
    comment = f"{condition.span.words}: asked by the host."
    return nodes.Launch("answer", comment, (), condition, measured_frontiers(condition), around=around)


def _alone(step: nodes.Step) -> nodes.Launch:
    """A launch of one step. An operator, or what combines or keeps frontiers, may give those another form, and hands
    them on so."""
    assert isinstance(
        step,
        (
            nodes.Operation,
            nodes.Define,
            nodes.Copy,
            nodes.Combine,
            nodes.FarEnds,
            nodes.MakeGraph,
            nodes.OnSets,
            nodes.Leader,
            nodes.Fill,
        ),
    )
    use = frontiers_of(step.step)
    comment = f"{step.step.span.words}."
    written = tuple(dict.fromkeys((*use.read, *use.written)))
    if isinstance(step, (nodes.Combine, nodes.OnSets)):
        return nodes.Launch("step", comment, (step,), None, (), written)
    if not isinstance(step, nodes.Operation):
        return nodes.Launch("step", comment, (step,), None, use.read, use.written)
    directions = (step.step.site,) if isinstance(step.does, nodes.Choice) else ()
    return nodes.Launch(step.name, comment, (step,), None, (), written, directions)
