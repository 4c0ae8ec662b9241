"""Decides what is fetched of the next level's own members while blocks wait for each other (cuda).

Who looks at the next level of a history (see `upcoming`) knows its members a pass before they are worked on. What a
reduction over them, and what runs behind it, reads at the members themselves was written long ago, by the search that
made the levels: it is in no cache, and all wait for the slowest. So it is fetched. Arrays that change places may have
other names in the next pass; all names of these places are fetched.
"""

from __future__ import annotations

import dataclasses
from functools import partial

from gdsl.ir.nodes import EdgeFunctor, Program, Role, VertexFunctor
from gdsl.passes.writers import near_roles
from gdsl.plan.asked_arrays import arrays_at
from gdsl.plan.fusion import flattened
from gdsl.plan.nodes import Operation, Step, Swap
from gdsl.plan.sweep_nodes import Sweep
from gdsl.plan.walking import map_operations, steps_in

Places = dict[str, tuple[str, ...]]
"""By array all that it may change places with, itself among them."""


def fetch_own(schedule: tuple[Step, ...], program: Program) -> tuple[Step, ...]:
    """`schedule` with what its reductions fetch at members, whatever they did before."""
    return map_operations(schedule, partial(_fetching, program=program, places=_places(schedule)))


def _fetching(operation: Operation, program: Program, places: Places) -> Operation:
    first = operation.ahead[0] if operation.ahead else operation
    sweep = first.does
    if not isinstance(sweep, Sweep) or sweep.segment is None:
        return operation
    fetched: tuple[str, ...] = ()
    if sweep.segment.upcoming is not None:
        asked = (name for each in flattened(operation) for name in _asked(each, program))
        names = dict.fromkeys(place for name in asked for place in places.get(name, (name,)))
        fetched = tuple(name for name in names if name != sweep.segment.array)  # that is at hand
    segment = dataclasses.replace(sweep.segment, fetched=fetched)
    first = dataclasses.replace(first, does=dataclasses.replace(sweep, segment=segment))
    return dataclasses.replace(operation, ahead=(first, *operation.ahead[1:])) if operation.ahead else first


def _asked(operation: Operation, program: Program) -> tuple[str, ...]:
    """The arrays that an operation reads or changes at its members."""
    functors: tuple[EdgeFunctor | VertexFunctor, ...] = (*program.edge_functors, *program.vertex_functors)
    functor = next(each for each in functors if each.name == operation.step.functor)
    sweep = operation.does
    assert isinstance(sweep, Sweep)
    roles = near_roles(sweep.walks[0].over) if sweep.walks else frozenset({Role.VERTEX})
    return arrays_at(functor, roles, program)


def _places(schedule: tuple[Step, ...]) -> Places:
    places: Places = {}
    for step in steps_in(schedule):
        if isinstance(step, Swap):
            first, second = (places.get(name, (name,)) for name in (step.step.first, step.step.second))
            together = tuple(dict.fromkeys((*first, *second)))
            places |= dict.fromkeys(together, together)
    return places
