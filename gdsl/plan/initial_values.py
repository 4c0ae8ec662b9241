"""Pass `initial_values`: arrays over edges whose initial values nobody reads do not get any.

Storing them takes as long as reading the lists of the graph, also where a program goes on with few edges. They are not
needed where an array is read of members of sets alone, and whatever enters such a set has been stored before:

- every functor that has the array reads and writes it at the call's own edge only, and nothing else has it;
- it stores the element first, whatever else holds (*storing*), or runs on a set of *stored* edges;
- a set is of stored edges if each of its definitions is an `advance` or `filter` by a storing functor, a `filter` or
  copy of stored edges, a combination that has no others, or empty. An edge that is accepted has been stored by the call
  that accepted it, and nothing takes that back.

Sets are asked for all their definitions at once, wherever they stand: it does not matter which one a read sees.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from gdsl.effects.access import frontiers_of
from gdsl.ir import nodes as ir
from gdsl.ir.traversal import all_steps, blocks_of, walk
from gdsl.operations import Domain, SetOperation
from gdsl.plan.facts import Facts
from gdsl.plan.nodes import Initialize, Plan, Step

_Functor = ir.VertexFunctor | ir.EdgeFunctor


def run(plan: Plan, facts: Facts) -> Plan:
    """`plan` without the initial values that nobody reads."""
    unread = frozenset(unread_values(plan.program))
    if not unread:
        return plan

    def changed(step: Step) -> Step:
        if not isinstance(step, Initialize):
            return step
        return dataclasses.replace(
            step, edge_arrays=tuple(each for each in step.edge_arrays if each.name not in unread)
        )

    return dataclasses.replace(plan, schedule=tuple(changed(step) for step in plan.schedule))


def unread_values(program: ir.Program) -> Iterator[str]:
    """The arrays over edges whose initial values nobody reads."""
    if program.graphs:  # their edges have ids of their own
        return
    for array in program.arrays:
        if array.domain is Domain.EDGE and array.is_local and not array.is_input and _Reads(program, array.name).none():
            yield array.name


class _Reads:
    """Who reads the initial values of one array."""

    def __init__(self, program: ir.Program, array: str) -> None:
        self.array = array
        self.steps = all_steps(program.schedule)
        functors: tuple[_Functor, ...] = (*program.vertex_functors, *program.edge_functors)
        self.having = {each.name: each for each in functors if self._is_in(each)}
        self.storing = {name for name, each in self.having.items() if self._stores_first(each)}
        self.stored = self._stored_sets(program)

    def none(self) -> bool:
        """Whether nobody does."""
        return all(map(self._own_alone, self.having.values())) and all(map(self._reads_stored, self.steps))

    def _is_in(self, part: object) -> bool:
        return any(self.array in _names(node) for node in walk(part))

    def _own_alone(self, functor: _Functor) -> bool:
        """Whether the functor has nothing of the array but the call's own element."""
        having = [node for node in walk(functor) if self.array in _names(node)]
        return all(isinstance(node, ir.Element | ir.ElementTarget) and _is_own(node.index) for node in having)

    def _stores_first(self, functor: _Functor) -> bool:
        """Whether each call that gets past the conditions stores its element before it reads it."""
        if self._is_in(functor.condition):
            return False
        for statement in functor.body:
            if self._is_in(statement):
                whole = isinstance(statement, ir.Store) and not self._is_in(statement.value)
                target = statement.target if isinstance(statement, ir.Store) else None
                return whole and isinstance(target, ir.ElementTarget) and _is_own(target.index)
        return False

    def _reads_stored(self, step: ir.Step) -> bool:
        """Whether a step reads nothing but what has been stored."""
        if not isinstance(step, ir.Advance | ir.Filter | ir.Compute):
            named = _names(step)
            return not self._is_in(_own_parts(step)) and not {self.array, *self.having}.intersection(named)
        if step.functor not in self.having or step.functor in self.storing:
            return True
        on_members = not isinstance(step, ir.Advance) and step.frontier.domain is Domain.EDGE
        return on_members and step.frontier.frontier in self.stored

    def _stored_sets(self, program: ir.Program) -> set[str]:
        stored = {each.name for each in program.frontiers if each.domain is Domain.EDGE}
        while True:
            others = {
                name
                for step in self.steps
                for name in frontiers_of(step).written
                if name in stored and not self._defines_stored(step, stored)
            }
            if not others:
                return stored
            stored -= others

    def _defines_stored(self, step: ir.Step, stored: set[str]) -> bool:
        """Whether a step that defines a set leaves nothing in it but stored edges, where those in `stored` have no
        others."""
        match step:
            case ir.Advance():
                return step.functor in self.storing
            case ir.Filter():
                return step.functor in self.storing or step.frontier.frontier in stored
            case ir.CopyFrontier():
                return step.other in stored
            case ir.CombineFrontiers():
                first, second = step.first.frontier in stored, step.second.frontier in stored
                both, either = first and second, first or second
                of = {SetOperation.UNION: both, SetOperation.INTERSECTION: either, SetOperation.DIFFERENCE: first}
                return of[step.operation]
            case ir.DefineFrontier():
                return not step.members and not step.everything
        return False


def _is_own(index: ir.Expression) -> bool:
    return ir.is_parameter(index, ir.Role.EDGE)


def _own_parts(step: ir.Step) -> tuple[object, ...]:
    """What a step has beside the steps within it."""
    inner = {id(block) for block in blocks_of(step)}
    values = (getattr(step, field.name) for field in dataclasses.fields(step))
    return tuple(value for value in values if id(value) not in inner)


def _names(node: ir.Node) -> list[str]:
    """The names that a node has itself: of functors, data, sets and locals."""
    values = (getattr(node, field.name) for field in dataclasses.fields(node))
    return [value for value in values if isinstance(value, str)]
