"""The steps between sets and data, such as those of a history."""

from __future__ import annotations

import numpy

from gdsl.backends.failures import history_error, pairs_error, width_error
from gdsl.backends.reference.state import State
from gdsl.backends.reference.values import constant
from gdsl.ir import nodes as ir
from gdsl.operations import Domain


class SetSteps:
    """Makes them in one state."""

    def __init__(self, state: State) -> None:
        self.state = state

    def push_level(self, step: ir.PushLevel) -> None:
        """The members of a frontier, if there are any, behind all that a history has."""
        state, history = self.state, step.history
        pushed = state.frontiers.members[step.frontier]
        members, ends = state.arrays[history.members].values, state.arrays[history.ends].values
        levels = int(state.scalars[history.levels])
        first = int(ends[levels - 1]) if levels else 0
        last, room = first + len(pushed), state.graph.count(Domain.VERTEX)
        if last > room:
            raise history_error(state.program.source_name, step.span, history.name, last, room)
        if pushed:
            members[first:last] = pushed
            ends[levels] = numpy.int64(last)
            state.scalars[history.levels] = numpy.int64(levels + 1)

    def take_level(self, step: ir.TakeLevel) -> None:
        """The level of a history that the pass of the loop around asks for."""
        state, history = self.state, step.history
        levels, done = int(state.scalars[history.levels]), state.clock.iteration
        level = levels - 1 - done if step.backward else done
        ends = state.arrays[history.ends].values
        first = int(ends[level - 1]) if level else 0
        taken = state.arrays[history.members].values[first : int(ends[level])]
        state.frontiers.members[step.name] = sorted(int(vertex) for vertex in taken)

    def check_width(self, step: ir.CheckWidth) -> None:
        """The width of a level of buckets."""
        if not self.state.scalars[step.width] > 0:
            raise width_error(self.state.program.source_name, step.span, step.name)

    def choose_bound(self, step: ir.ChooseBound) -> None:
        """Any bound that leaves somebody within it: between the nearest and the farthest, or behind all."""
        scalars = self.state.scalars
        nearest, farthest = scalars[step.nearest], scalars[step.farthest]
        part = numpy.float64(self.state.random.choice((0.0, 0.25, 0.5, numpy.inf)))
        with numpy.errstate(all="ignore"):
            bound = nearest + (farthest - nearest) * part
        scalars[step.bound] = bound if bound > nearest else nearest

    def check_pairs(self, step: ir.CheckPairs) -> None:
        """Two sets of one size."""
        more = int(self.state.scalars[step.more])
        if more != 0:
            raise pairs_error(self.state.program.source_name, step.span, more)

    def number_members(self, step: ir.NumberMembers) -> None:
        """The place of each member of a set; member lists are ascending."""
        state, source = self.state, step.members
        everything = state.graph.all(source.domain)
        members = everything if source.frontier is None else state.frontiers.members[source.frontier]
        values = state.arrays[step.array].values
        for place, member in enumerate(members):
            values[member] = constant(place, step.array_type, state.id_bits)
