"""Decides which steps end with a barrier of their own.

What collects a frontier does, since the frontier is complete only then, and so does what tells how many edges it
walked, but for a reduction, which leaves that to the next barrier (`ends` has the last word). All else ends without,
and `barriers` puts one before the first step that meets what it did. Where every step is a launch of its own all wait
anyway, and what a launch takes over must not be handed on before all have read it.
"""

from __future__ import annotations

from gdsl.ir.nodes import Program, PushLevel, SetStep, TakeLevel
from gdsl.operations import Balance
from gdsl.plan.sweep_nodes import Choice, Sweep
from gdsl.plan.target import Target


def operation_waits(does: Sweep | Choice, program: Program, target: Target) -> bool:
    """Whether an operator does. Graphs that are made may take the place of one that is still read."""
    if not target.grid or not target.fused or program.graphs or isinstance(does, Choice):
        return True
    on_members = does.own is not None and does.collect is None
    return not (on_members or has_barrier_within(does) or walks_without_waiting(does))


def walks_without_waiting(sweep: Sweep) -> bool:
    """Whether a reduction ends as soon as its results are stored: nobody asks how many edges it walked but the trace,
    which is told at the barrier behind it, whichever that is."""
    return sweep.segment is not None and sweep.segment.aside is None and sweep.balance is Balance.AUTO


def has_barrier_within(sweep: Sweep) -> bool:
    """Whether all wait in the middle of a sweep for results that stand aside, and store them an element a thread."""
    return sweep.segment is not None and sweep.segment.aside is not None


def set_step_waits(step: SetStep, counted: frozenset[str], target: Target) -> bool:
    """Whether a step between sets and data does; the edges of the sets `counted` are counted whenever they are made."""
    if not target.grid:
        return True
    if isinstance(step, TakeLevel):
        return step.name in counted
    return not isinstance(step, PushLevel)
