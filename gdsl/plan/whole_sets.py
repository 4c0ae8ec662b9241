"""Finds the sets that a schedule gives all vertices at some place.

A set of as many members as there are vertices has each of them once, so that their numbers need not be read from its
queue, which would be one more way to the memory to wait for, and they come in order. It is asked only of sets that are
ever given all vertices, directly or by way of another set: others are seldom whole.
"""

from __future__ import annotations

from gdsl.ir.nodes import CombineFrontiers, CopyFrontier, DefineFrontier, Elements, Program
from gdsl.ir.traversal import walk
from gdsl.operations import Domain, SetOperation
from gdsl.plan.sweep_nodes import Form


def whole_sets(program: Program) -> frozenset[str]:
    """The sets of vertices that may be whole; none where a graph may come to be another one."""
    if program.graphs:
        return frozenset()
    steps = list(walk(program.schedule))
    found = {step.name for step in steps if isinstance(step, DefineFrontier) and _is_everything(step)}
    parts = [(step.name, {step.other}) for step in steps if isinstance(step, CopyFrontier)]
    parts += [
        (step.name, {each.frontier for each in (step.first, step.second) if each.frontier is not None})
        for step in steps
        if isinstance(step, CombineFrontiers) and step.operation is SetOperation.UNION
    ]
    size = -1
    while len(found) != size:
        size = len(found)
        found |= {name for name, others in parts if others & found}
    return frozenset(found)


def _is_everything(step: DefineFrontier) -> bool:
    return step.everything and step.domain is Domain.VERTEX


def walked_whole(source: Elements, form: Form, whole: frozenset[str], repeated: bool) -> bool:
    """Whether a sweep over a set asks if it is whole: one that has a member twice may be as large and is not."""
    return form is Form.QUEUE and source.domain is Domain.VERTEX and source.frontier in whole and not repeated
