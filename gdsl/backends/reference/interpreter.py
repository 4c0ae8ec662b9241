"""Interprets the schedule of a program, step by step."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from typing import Any

import numpy

from gdsl.backends.failures import (
    Progress,
    history_error,
    is_converted,
    late_error,
    left_out,
    pairs_error,
    width_error,
)
from gdsl.backends.interface import Bindings, Limits, Outcome
from gdsl.backends.reference.expressions import compile_expression, index_error
from gdsl.backends.reference.graphs import GraphView, SubgraphView, contract
from gdsl.backends.reference.operators import CallAll, Operators, SerialCalls
from gdsl.backends.reference.state import Clock, State
from gdsl.backends.reference.statements import BodyCompiler
from gdsl.backends.reference.values import Value, constant
from gdsl.diagnostics import GdslError
from gdsl.extents import TRACE_CAPACITY
from gdsl.graph.graph import Graph
from gdsl.interpreter import with_room
from gdsl.ir import nodes as ir
from gdsl.ir.calls import frames_of_calls
from gdsl.operations import Domain, SetOperation

MakeCalls = Callable[[State], CallAll]
"""How the calls of one operator run: one after another, or interleaved."""


def interpret(
    program: ir.Program,
    graph: Graph,
    bindings: Bindings,
    limits: Limits,
    *,
    id_bits: int = 32,
    seed: int = 0,
    make_calls: MakeCalls = SerialCalls,
) -> Outcome:
    """Run `program` (annotated, before `gdsl.passes`) on `graph` in the order of `seed`. Raises GdslError
    as `Executable.run`."""
    return with_room(
        frames_of_calls(program), lambda: _interpreted(program, graph, bindings, limits, id_bits, seed, make_calls)
    )


def _interpreted(
    program: ir.Program,
    graph: Graph,
    bindings: Bindings,
    limits: Limits,
    id_bits: int,
    seed: int,
    make_calls: MakeCalls,
) -> Outcome:
    clock = Clock(limits)
    with numpy.errstate(all="ignore"):
        state = State(program, GraphView(graph), bindings, clock, id_bits, seed)
        interpreter = Interpreter(state, make_calls)
        clock.late = interpreter.late
        interpreter.steps(program.schedule)
        arrays, scalars = state.result_arrays(), state.result_scalars()
    trace = tuple(interpreter.operators.trace[:TRACE_CAPACITY])
    return Outcome(arrays, scalars, interpreter.passes, clock.milliseconds(), trace)


class Interpreter:
    """Walks over the schedule."""

    def __init__(self, state: State, make_calls: MakeCalls) -> None:
        """Start outside all loops."""
        self.state = state
        self.make_calls = make_calls
        self.operators = Operators(state, make_calls(state))
        self.graphs: dict[str, GraphView] = {}
        self.sets = SetSteps(state)
        self.passes = 0
        self._depth = 0
        self._expressions: dict[int, Callable[[], Value]] = {}
        self._actions: dict[type[Any], Callable[[Any], None]] = {
            ir.DefineFrontier: self.define_frontier,
            ir.CopyFrontier: self.copy_frontier,
            ir.FarEnds: self.far_ends,
            ir.CombineFrontiers: self.combine_frontiers,
            ir.PushLevel: self.sets.push_level,
            ir.TakeLevel: self.sets.take_level,
            ir.NumberMembers: self.sets.number_members,
            ir.CheckWidth: self.sets.check_width,
            ir.ChooseBound: self.sets.choose_bound,
            ir.CheckPairs: self.sets.check_pairs,
            ir.PushBuckets: self.body_of_buckets,
            ir.PopBuckets: self.body_of_buckets,
            ir.Advance: self.timed(self.operators.advance),
            ir.Filter: self.timed(self.operators.filter),
            ir.Compute: self.timed(self.operators.compute),
            ir.NeighborReduce: self.timed(self.operators.neighbor_reduce),
            ir.NeighborVote: self.timed(self.operators.neighbor_vote),
            ir.Intersect: self.timed(self.operators.intersect),
            ir.SameGraph: self.make_graph,
            ir.Subgraph: self.make_graph,
            ir.Contract: self.make_graph,
            ir.On: self.on,
            ir.StoreElement: self.store_element,
            ir.StoreScalar: self.store_scalar,
            ir.Fill: self.fill,
            ir.Swap: self.swap,
            ir.While: self.while_loop,
            ir.Repeat: self.repeat,
            ir.If: self.branch,
        }

    def steps(self, steps: tuple[ir.Step, ...]) -> None:
        """One step after another."""
        for step in steps:
            self._actions[type(step)](step)

    def body_of_buckets(self, step: ir.PushBuckets | ir.PopBuckets) -> None:
        """The steps of a push or a pop."""
        self.steps(step.body)

    def timed(self, operator: Callable[[Any], None]) -> Callable[[Any], None]:
        """An operator by which its record in the trace knows how long it took."""

        def run(step: Any) -> None:
            began = time.perf_counter()
            operator(step)
            took, before = self.state.clock.taken(began)
            record = self.operators.trace[-1]
            self.operators.trace[-1] = dataclasses.replace(record, time_ms=took, before_ms=before)

        return run

    def value(self, expression: ir.Expression) -> Value:
        """The value of an expression of the schedule."""
        # The program holds its expressions as long as this interpreter lives, so their identities stay theirs.
        evaluate = self._expressions.get(id(expression))
        if evaluate is None:
            evaluate = self._expressions[id(expression)] = compile_expression(expression, self.state.environment)
        return evaluate()

    def define_frontier(self, step: ir.DefineFrontier) -> None:
        """A frontier of some vertices or edges, or of all."""
        count = self.state.graph.bound(step.domain)
        members = set(self.state.graph.all(step.domain)) if step.everything else set()
        for member in step.members:
            number: int = self.value(member)
            if not 0 <= number < count:
                converted = is_converted(self.state.program, member.span)
                raise index_error(self.state.environment, member, step.subject, number, count, converted)
            if not self.state.graph.has(step.domain, number):
                raise left_out(self.state.environment.source_name, member.span, step.subject, number)
            members.add(number)
        self.state.frontiers.members[step.name] = sorted(members)

    def copy_frontier(self, step: ir.CopyFrontier) -> None:
        """A frontier by value; no member list is ever changed in place, so both names may have the same one."""
        self.state.frontiers.members[step.name] = self.state.frontiers.members[step.other]

    def far_ends(self, step: ir.FarEnds) -> None:
        """The ends of the edges of another frontier."""
        members = self.state.frontiers.members
        members[step.name] = self.state.graph.ends(members[step.other], step.end)

    def combine_frontiers(self, step: ir.CombineFrontiers) -> None:
        """A frontier of the elements of either, both, or the first alone."""
        first, second = (set(self.operators.members(operand)) for operand in (step.first, step.second))
        combined = {
            SetOperation.UNION: first | second,
            SetOperation.INTERSECTION: first & second,
            SetOperation.DIFFERENCE: first - second,
        }
        self.state.frontiers.members[step.name] = sorted(combined[step.operation])

    def store_element(self, step: ir.StoreElement) -> None:
        """`a[x] = y`."""
        values, index = BodyCompiler(self.state.environment).target(step.target)([])
        values[index] = self.value(step.value)

    def store_scalar(self, step: ir.StoreScalar) -> None:
        """`s = y`."""
        self.state.scalars[step.scalar] = self.value(step.value)

    def fill(self, step: ir.Fill) -> None:
        """One value for all elements."""
        array = self.state.arrays[step.array]
        value, values, graph = self.value(step.value), list(array.values), self.state.graph
        several = self.state.values_each(step.array)
        for place in graph.all(step.domain):
            values[place * several : (place + 1) * several] = [value] * several
        array.values = values

    def swap(self, step: ir.Swap) -> None:
        """Two arrays or two scalars change places; the names stay."""
        if step.of_scalars:
            scalars = self.state.scalars
            scalars[step.first], scalars[step.second] = scalars[step.second], scalars[step.first]
        else:
            first, second = self.state.arrays[step.first], self.state.arrays[step.second]
            first.values, second.values = second.values, first.values

    def while_loop(self, step: ir.While) -> None:
        """`while (condition)`; the condition sees the loop's own passes."""
        self._loop(step, lambda: bool(self.value(step.condition)))

    def repeat(self, step: ir.Repeat) -> None:
        """`repeat (count)`; the count belongs to the loop around."""
        count = self.value(step.count)
        self._loop(step, lambda: self.state.clock.iteration < count)

    def _loop(self, step: ir.While | ir.Repeat, goes_on: Callable[[], bool]) -> None:
        clock = self.state.clock
        outer, clock.iteration = clock.iteration, 0
        self._depth += 1
        while goes_on():
            clock.begin_pass(step)
            self.steps(step.body)
            clock.iteration += 1
            self.passes += self._depth == 1
        self._depth -= 1
        clock.iteration = outer

    def late(self) -> GdslError:
        """E0802, with how far the run has come."""
        trace, limits = self.operators.trace, self.state.clock.limits
        last = (
            Progress(trace[-1].site, trace[-1].label, trace[-1].iteration, trace[-1].frontier_size) if trace else None
        )
        return late_error(self.state.program, limits.timeout, last)

    def make_graph(self, step: ir.GraphStep) -> None:
        """A graph derived from the current one."""
        state, built = self.state, self.state.graph
        state.clock.check()
        if isinstance(step, ir.Subgraph):
            built = SubgraphView(state.graph, state.frontiers.members[step.edges])
        elif isinstance(step, ir.Contract):
            weight = state.arrays[step.weights.array].values if step.weights is not None else None
            built = contract(state.graph, step, state.arrays[step.label].values, weight, state.id_bits)
        self.graphs[step.name] = built

    def on(self, step: ir.On) -> None:
        """`on h { … }`: everything is compiled again for the present graph `h`."""
        inner = Interpreter(self.state.on(self.graphs[step.graph]), self.make_calls)
        inner.graphs, inner.operators.trace = self.graphs, self.operators.trace
        inner.passes, inner._depth = self.passes, self._depth
        inner.steps(step.body)
        self.passes = inner.passes

    def branch(self, step: ir.If) -> None:
        """`if … else …`."""
        self.steps(step.then if self.value(step.condition) else step.otherwise)


class SetSteps:
    """Steps between sets and data, such as those of a history."""

    def __init__(self, state: State) -> None:
        self.state = state

    def push_level(self, step: ir.PushLevel) -> None:
        """Append the members of a frontier, if it has any, to a history."""
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
        """Take the level of a history that belongs to the pass of the enclosing loop."""
        state, history = self.state, step.history
        levels, done = int(state.scalars[history.levels]), state.clock.iteration
        level = levels - 1 - done if step.backward else done
        ends = state.arrays[history.ends].values
        first = int(ends[level - 1]) if level else 0
        taken = state.arrays[history.members].values[first : int(ends[level])]
        state.frontiers.members[step.name] = sorted(int(vertex) for vertex in taken)

    def check_width(self, step: ir.CheckWidth) -> None:
        """Check the width of a level of buckets."""
        if not self.state.scalars[step.width] > 0:
            raise width_error(self.state.program.source_name, step.span, step.name)

    def choose_bound(self, step: ir.ChooseBound) -> None:
        """Choose any bound that some member is within: between the nearest and the farthest, or beyond all."""
        scalars = self.state.scalars
        nearest, farthest = scalars[step.nearest], scalars[step.farthest]
        part = numpy.float64(self.state.random.choice((0.0, 0.25, 0.5, numpy.inf)))
        with numpy.errstate(all="ignore"):
            bound = nearest + (farthest - nearest) * part
        scalars[step.bound] = bound if bound > nearest else nearest

    def check_pairs(self, step: ir.CheckPairs) -> None:
        """Check that two sets have the same size."""
        more = int(self.state.scalars[step.more])
        if more != 0:
            raise pairs_error(self.state.program.source_name, step.span, more)

    def number_members(self, step: ir.NumberMembers) -> None:
        """Number the members of a set, in ascending order."""
        state, source = self.state, step.members
        everything = state.graph.all(source.domain)
        members = everything if source.frontier is None else state.frontiers.members[source.frontier]
        values = state.arrays[step.array].values
        for place, member in enumerate(members):
            values[member] = constant(place, step.array_type, state.id_bits)
