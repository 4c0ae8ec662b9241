"""Decides which arrays a run gives their initial values.

A result has them, as the caller may see any element of it. A local array that a reduction gives to the members of a
set, and that nobody looks at but what is called for members of the same set, each at its own element, before the set
changes, has been written wherever it is read. To write it before all that is bytes for nothing: 72 MB, and three
percent of the time, of a colouring of nine million vertices.
"""

from __future__ import annotations

from collections.abc import Collection

from gdsl.effects.access import Accesses, frontiers_of
from gdsl.ir.nodes import (
    Array,
    Element,
    If,
    NeighborReduce,
    On,
    Operator,
    Program,
    Repeat,
    Step,
    Swap,
    VertexFunctor,
    While,
)
from gdsl.ir.traversal import walk
from gdsl.operations import Domain
from gdsl.plan.nodes import Initial, Initialise
from gdsl.plan.ownership import own_arrays


def initialise(program: Program, begins: Collection[str] | None = None) -> Initialise:
    """The step before the schedule begins. `begins`: the arrays that need their initial values; None: all."""
    if begins is None:
        begins = [array.name for array in program.arrays if not array.is_input]
    of_vertices, of_edges = (
        tuple(
            Initial(each.name, each.initial) for each in program.arrays if each.name in begins and each.domain is domain
        )
        for domain in (Domain.VERTEX, Domain.EDGE)
    )
    scalars = tuple(Initial(scalar.name, scalar.initial) for scalar in program.scalars if not scalar.is_input)
    return Initialise(of_vertices, of_edges, scalars)


def begins_with_them(program: Program, accesses: Accesses) -> frozenset[str]:
    """The arrays whose initial values may be read, by name."""
    made = [array for array in program.arrays if not array.is_input]
    candidates = {array.name for array in made if _may_do_without(array)} if not program.graphs else set[str]()
    look = _Look(program, accesses, candidates)
    if candidates:
        look.at(program.schedule)
    return frozenset(array.name for array in made if array.name not in candidates or array.name in look.read)


def _may_do_without(array: Array) -> bool:
    return array.is_local and array.domain is Domain.VERTEX and array.count is None


class _Look:
    """A walk over a schedule. `read`: the arrays of which some element may be read before it is written."""

    def __init__(self, program: Program, accesses: Accesses, candidates: set[str]) -> None:
        self._program, self._accesses, self._candidates = program, accesses, candidates
        self._given: dict[str, str | None] = {}
        """The set all of whose members have been given values of an array; None: that of all vertices."""
        self.read: set[str] = set()

    def at(self, steps: tuple[Step, ...]) -> None:
        """Those steps, of whose past nothing is known, and behind which nothing is."""
        self._given = {}
        for step in steps:
            self._at_one(step)
        self._given = {}

    def _at_one(self, step: Step) -> None:
        touched = {access.name for access in self._accesses.of_step(step)}
        if isinstance(step, Swap):
            touched |= {step.first, step.second}
        self.read |= (touched & self._candidates) - self._known(step)
        written = frontiers_of(step).written
        self._given = {name: members for name, members in self._given.items() if members not in written}
        if isinstance(step, NeighborReduce) and step.frontier.domain is Domain.VERTEX:
            self._given[step.array] = step.frontier.frontier
        if isinstance(step, If):
            self.at(step.then)
            self.at(step.otherwise)
        elif isinstance(step, (While, Repeat, On)):
            self.at(step.body)

    def _known(self, step: Step) -> set[str]:
        """What a step touches of arrays where these have been written, or writes whatever is there."""
        if not isinstance(step, Operator) or step.frontier.domain is not Domain.VERTEX:
            return set()
        functor = self._accesses.functor_of(step)
        if isinstance(step, NeighborReduce):
            return {step.array} - self._read_by(step)
        if not isinstance(functor, VertexFunctor) or step.stores is not None or step.looks_at is not None:
            return set()
        members = step.frontier.frontier
        given = {name for name, those in self._given.items() if those == members}
        return given & own_arrays(functor, self._program)

    def _read_by(self, step: NeighborReduce) -> set[str]:
        """What the functor of a reduction reads, and functions that it may combine by."""
        read = {access.name for access in self._accesses.of_step(step) if not access.writes}
        if step.own is not None:
            read |= {node.array for each in self._program.functions for node in walk(each) if isinstance(node, Element)}
        return read
