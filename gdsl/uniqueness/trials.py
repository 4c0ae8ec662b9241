"""The data that may depend on a program's own operator whose laws are only tried, not proved.

Everything that reads such data, or runs where it decides, may have another value where a law does not hold. The order
of the steps is ignored, so that loops need no second pass: too much may be graded *tried*, but never too little.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator

from gdsl.effects.access import Accesses, frontiers_of
from gdsl.ir import nodes
from gdsl.ir.traversal import walk

_Step = tuple[frozenset[str], frozenset[str]]
"""What a step reads, including what decides whether and how often it runs, and what it writes: data and sets."""
_A_GRAPH = "what graphs are made of"
"""Represents the edges of graphs that the schedule builds: operators that walk them read it."""


def tried_data(program: nodes.Program, proved: frozenset[str]) -> frozenset[str]:
    """The names of arrays, scalars and sets that are computed from results of operators that are not in `proved`."""
    reductions = [node for node in walk(program.schedule) if isinstance(node, nodes.NeighborReduce)]
    unproved = (node for node in reductions if node.own is not None and node.own.function not in proved)
    found = {node.stores for node in unproved if node.stores is not None}
    steps = list(_steps(program.schedule, frozenset(), Accesses(program))) if found else []
    grown = bool(found)
    while grown:
        before = len(found)
        for read, written in steps:
            if not read.isdisjoint(found):
                found |= written
        grown = len(found) > before
    return frozenset(found)


def _steps(steps: Iterable[nodes.Step], around: frozenset[str], accesses: Accesses) -> Iterator[_Step]:
    for step in steps:
        touched, use = accesses.of_step(step), frontiers_of(step)
        read = around | {each.name for each in touched} | {*use.read}
        written = frozenset(each.name for each in touched if each.writes) | {*use.written}
        if isinstance(step, nodes.Swap):
            read = read | {step.first, step.second}
            written = written | {step.first, step.second}
        if isinstance(step, nodes.Operator):
            read = read | {_A_GRAPH}
        if isinstance(step, nodes.Contract | nodes.Subgraph):
            written = written | {_A_GRAPH}
        yield read, written
        for body in _bodies(step):
            yield from _steps(body, read, accesses)


def _bodies(step: nodes.Step) -> Iterator[tuple[nodes.Step, ...]]:
    for field in dataclasses.fields(step):
        value = getattr(step, field.name)
        if isinstance(value, tuple) and value and isinstance(value[0], nodes.Step):
            yield value
