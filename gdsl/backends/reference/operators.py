"""The operators: the functor calls of each, and what they do with the results."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy

from gdsl.arithmetic.operations import BinaryFunction
from gdsl.backends.interface import TraceRecord
from gdsl.backends.reference.expressions import (
    ACCEPTED,
    COMMON,
    EDGE,
    FAR,
    FIRST_LOCAL,
    NEAR,
    NUMBER,
    VERTEX,
    ExpressionCompiler,
    Frame,
    compile_expression,
)
from gdsl.backends.reference.state import State
from gdsl.backends.reference.statements import CompiledFunctor, compile_functor
from gdsl.backends.reference.values import Value, convert_function, domain_of, neighbor_function, neighbor_identity
from gdsl.extents import TRACE_CAPACITY
from gdsl.ir import nodes as ir
from gdsl.operations import Degree, Domain, NeighborOperation
from gdsl.types import Type

Call = tuple[Any, ...]
"""What one call is for: source (or the vertex itself), destination, edge, near end, far end, as a frame has them; for a
common neighbor the edge from the source and the neighbor in the place of the latter, the other edge and a number."""

CallAll = Callable[[ir.Functor, list[Call], int], set[int]]
"""Calls a functor for each of the calls, and returns what was accepted: the far ends, or what else the calls have at
this place of their frames."""

_COLLECTED = {Domain.VERTEX: FAR, Domain.EDGE: EDGE}

_CALLS_BETWEEN_CHECKS = 4096


class SerialCalls:
    """Calls functors one after another, each to its end, in the order of the list."""

    def __init__(self, state: State) -> None:
        """Functors are compiled when first called."""
        self.state = state
        self.functors: dict[str, CompiledFunctor] = {}

    def compiled(self, functor: ir.Functor) -> CompiledFunctor:
        """`functor`, compiled for this run."""
        if functor.name not in self.functors:
            self.functors[functor.name] = compile_functor(functor, self.state.environment)
        return self.functors[functor.name]

    def __call__(self, functor: ir.Functor, calls: list[Call], collected: int) -> set[int]:
        """Call `functor` for each of `calls`; returns what the accepted ones have at `collected`."""
        ready = self.compiled(functor)
        condition, body, frame = ready.condition, ready.body, ready.frame()
        accepted: set[int] = set()
        for start in range(0, len(calls), _CALLS_BETWEEN_CHECKS):
            self.state.clock.check()
            for call in calls[start : start + _CALLS_BETWEEN_CHECKS]:
                frame[: len(call)] = call
                if condition is None or condition(frame):
                    frame[ACCEPTED] = True
                    body(frame)
                    if frame[ACCEPTED]:
                        accepted.add(frame[collected])
        return accepted


class Operators:
    """Runs the operators of one program in one state; `call_all` decides how the calls of one operator mix."""

    def __init__(self, state: State, call_all: CallAll) -> None:
        """Keep `state` and note every run of an operator in `trace`."""
        self.state = state
        self.call_all = call_all
        self.serial = SerialCalls(state)
        self.votes = Votes(state)
        self.trace: list[TraceRecord] = []
        """Of the first operators, behind which is that of the last one."""
        self.functors: dict[str, ir.Functor] = {functor.name: functor for functor in state.program.vertex_functors}
        self.functors.update((functor.name, functor) for functor in state.program.edge_functors)

    def advance(self, step: ir.Advance) -> None:
        """Visit the edges of a frontier; the accepted far ends, or edges, are the new one."""
        state = self.state
        members = self.members(step.frontier)
        visits = state.graph.edges_of(members, step.over)
        self._note(step, len(members), len(visits))
        calls = visits.calls(state.shuffled(len(visits)))
        accepted = self.call_all(self.functors[step.functor], calls, _COLLECTED[step.to])
        if step.result is not None:
            state.frontiers.members[step.result] = sorted(accepted)

    def filter(self, step: ir.Filter) -> None:
        """Keep the elements that are accepted."""
        accepted = self._on_members(step, step.functor)
        self.state.frontiers.members[step.result] = sorted(accepted)

    def compute(self, step: ir.Compute) -> None:
        """Run the functor on each element."""
        self._on_members(step, step.functor)

    def _on_members(self, step: ir.Operator, functor: str) -> set[int]:
        """Call a functor for each element; returns the accepted ones."""
        members, domain = self.members(step.frontier), step.frontier.domain
        of_edges = domain is Domain.EDGE
        self._note(step, len(members), len(members) if of_edges else 0)
        calls = self._edge_calls(members) if of_edges else self._vertex_calls(members)
        return self.call_all(self.functors[functor], calls, _COLLECTED[domain])

    def neighbor_reduce(self, step: ir.NeighborReduce) -> None:
        """Reduce over the edges of each vertex, then store what came out."""
        state = self.state
        members = self.members(step.frontier)
        visits = state.graph.edges_of(members, step.over)
        self._note(step, len(members), len(visits))
        values = state.arrays[step.array].values
        for vertex, value in self._reductions(step, members, visits.calls(state.shuffled(len(visits)))).items():
            values[vertex] = value

    def intersect(self, step: ir.Intersect) -> None:
        """Find the common neighbors of the ends of each edge, or of each pair. The edges of the trace are those in the
        lists of both."""
        state = self.state
        pairs, members = self._pairs(step), self.members(step.frontier)
        degrees, lists = state.graph.degrees(Degree.OUT), state.graph.first_edges_to()
        self._note(step, len(members), sum(int(degrees[u]) + int(degrees[w]) for u, w, _ in pairs))
        calls: list[Call] = []
        for u, w, e in pairs:
            state.clock.poll()
            of_u, of_w = lists[u], lists[w]
            calls += [(u, w, e, of_u[x], x, of_w[x], 0) for x in of_u if x in of_w]
        if step.functor is not None:
            numbered = [(*call[:-1], number) for number, call in enumerate(calls)]
            order = state.shuffled(len(calls)).tolist()
            accepted = self.call_all(self.functors[step.functor], [numbered[place] for place in order], NUMBER)
            calls = [calls[number] for number in accepted]
        total, common = len(calls), {call[COMMON] for call in calls}
        if step.count is not None:
            state.scalars[step.count] += numpy.int64(total)
        if step.result is not None:
            state.frontiers.members[step.result] = sorted(common)

    def _pairs(self, step: ir.Intersect) -> list[Call]:
        """Source, destination and edge of each member; of pairs of vertices, which have no edge, both vertices."""
        state, members = self.state, self.members(step.frontier)
        if step.partners is None:
            visits = state.graph.edges(members)
            return visits.calls(numpy.arange(len(visits)), ("source", "destination", "edge"))
        partners = state.arrays[step.partners].values
        return [(u, int(partners[u]), None) for u in members if int(partners[u]) < state.graph.count(Domain.VERTEX)]

    def neighbor_vote(self, step: ir.NeighborVote) -> None:
        """Count the votes of each vertex, then store the keys that won."""
        state = self.state
        members = self.members(step.frontier)
        visits = state.graph.edges_of(members, step.over)
        self._note(step, len(members), len(visits))
        functor = self.functors[step.functor]
        assert isinstance(functor, ir.EdgeFunctor)
        totals = self.votes.totals(self.serial.compiled(functor), functor, visits.calls(state.shuffled(len(visits))))
        won = self.votes.winners(step, members, totals)
        values = state.arrays[step.array].values
        for vertex, key in won.items():
            values[vertex] = key

    def _reductions(self, step: ir.NeighborReduce, members: list[int], calls: list[Call]) -> dict[int, Value]:
        declaration = self.functors[step.functor]
        assert isinstance(declaration, ir.EdgeFunctor) and declaration.value is not None
        functor, poll = self.serial.compiled(declaration), self.state.clock.poll
        evaluate = functor.value
        assert evaluate is not None
        counting = step.operation is NeighborOperation.COUNT
        value_type = step.array_type if counting else declaration.value.type
        combine, identity = self._combination(step, value_type)
        results = dict.fromkeys(members, identity)
        ids = self.state.graph.bound(domain_of(step.array_type))
        adding = convert_function(declaration.value.type, value_type, self.state.id_bits, ids)
        frame = functor.frame()
        for call in calls:
            poll()
            frame[: len(call)] = call
            if functor.condition is None or functor.condition(frame):
                functor.body(frame)
                value, vertex = evaluate(frame), call[3]
                results[vertex] = combine(results[vertex], adding(value))
        convert = convert_function(value_type, step.array_type, self.state.id_bits, ids)
        return {vertex: convert(value) for vertex, value in results.items()}

    def _combination(self, step: ir.NeighborReduce, value_type: Type) -> tuple[BinaryFunction, Value]:
        """How two values become one, and what changes nothing."""
        id_bits = self.state.id_bits
        if step.operation is not None:
            operation = step.operation
            return neighbor_function(operation, value_type), neighbor_identity(operation, value_type, id_bits)
        assert step.own is not None
        function = self.state.environment.functions[step.own.function]
        return lambda a, b: function([a, b]), compile_expression(step.own.identity, self.state.environment)()

    def members(self, source: ir.Elements) -> list[int]:
        """The elements of a frontier, or of everything, ascending."""
        if source.frontier is not None:
            return self.state.frontiers.members[source.frontier]
        return self.state.graph.all(source.domain)

    def _edge_calls(self, members: list[int]) -> list[Call]:
        return self.state.graph.edges(members).calls(self.state.shuffled(len(members)))

    def _vertex_calls(self, members: list[int]) -> list[Call]:
        order = self.state.shuffled(len(members)).tolist()
        return [(members[place], None, None, members[place], members[place]) for place in order]

    def _note(self, step: ir.Operator, size: int, edges: int) -> None:
        self.state.clock.check()
        if len(self.trace) > TRACE_CAPACITY:
            self.trace.pop()
        self.trace.append(TraceRecord(step.site, step.label, self.state.clock.iteration, size, edges))


Totals = dict[int, dict[Value, Value]]
"""By vertex and key the sum of the weights."""


class Votes:
    """Counts votes in one run."""

    def __init__(self, state: State) -> None:
        """Count in `state`."""
        self.state = state

    def totals(self, ready: CompiledFunctor, functor: ir.EdgeFunctor, calls: Iterable[tuple[int, ...]]) -> Totals:
        """The sums of the ballots of these calls."""
        assert functor.value is not None and ready.key is not None and ready.value is not None
        add = neighbor_function(NeighborOperation.SUM, functor.value.type)
        totals: Totals = {}
        frame = ready.frame()
        for call in calls:
            self.state.clock.poll()
            frame[: len(call)] = call
            if ready.condition is None or ready.condition(frame):
                key, weight = ready.key(frame), ready.value(frame)
                of_vertex = totals.setdefault(call[NEAR], {})
                of_vertex[key] = add(of_vertex[key], weight) if key in of_vertex else weight
        return totals

    def winners(self, step: ir.NeighborVote, members: Iterable[int], totals: Totals) -> dict[int, Value]:
        """The best key of each vertex that has any."""
        score = self._score(step)
        own_keys = self.state.arrays[step.keep].values if step.keep is not None else None
        won = {}
        for vertex in members:
            self.state.clock.poll()
            of_vertex = totals.get(vertex, {})
            own = own_keys[vertex] if own_keys is not None else None
            if own is not None and step.keeps_candidate:
                of_vertex.setdefault(own, 0)
            if not of_vertex:
                continue
            scores = {key: score(vertex, key, total) for key, total in of_vertex.items()}
            best = None
            for key in sorted(of_vertex, key=lambda key: (own is None or key != own, key)):
                if best is None or _beats(scores[key], scores[best]):
                    best = key
            won[vertex] = best
        return won

    def _score(self, step: ir.NeighborVote) -> Callable[[int, Value, Value], Value]:
        if step.score is None:
            return lambda vertex, key, total: total
        functor = {each.name: each for each in self.state.program.vote_functors}[step.score]
        compiler = ExpressionCompiler(self.state.environment)
        places = compiler.slot(functor.key), compiler.slot(functor.total)
        evaluate = compiler.compile(functor.value)
        frame: Frame = [None] * (FIRST_LOCAL + len(compiler.slots))

        def score(vertex: int, key: Value, total: Value) -> Value:
            frame[VERTEX], frame[places[0]], frame[places[1]] = vertex, key, total
            return evaluate(frame)

        return score


def _beats(score: Value, best: Value) -> bool:
    """Whether a score is larger; every number is larger than NaN."""
    return bool(score > best or (score == score and best != best))
