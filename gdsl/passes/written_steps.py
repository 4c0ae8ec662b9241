"""Writes further data, functors and steps for a program, under names that it does not have."""

from __future__ import annotations

import dataclasses

from gdsl import extents
from gdsl.frontend.vocabulary import unused_name
from gdsl.ir import nodes
from gdsl.ir.verifier import verify
from gdsl.ir.worklists import names_in
from gdsl.knobs import settled
from gdsl.operations import BinaryOperation, Domain, StoreRule
from gdsl.source import Span
from gdsl.types import Type
from gdsl.uniqueness.layout import obstacle as obstacle_to_other_ids


class WrittenSteps:
    """What is added to an annotated program; all of it at `span`. Functors call their vertex `vertex`."""

    def __init__(self, program: nodes.Program, span: Span) -> None:
        self.program, self.span = program, span
        self._taken = names_in(program)
        self._sites = list(program.tuning.sites)
        self._arrays: list[nodes.Array] = []
        self._scalars: list[nodes.Scalar] = []
        self._functors: list[nodes.VertexFunctor] = []
        self._frontiers: list[nodes.Frontier] = []
        self._users: dict[str, str] = {}
        self._vertex = self.name("v")

    def with_schedule(self, schedule: tuple[nodes.Step, ...]) -> nodes.Program:
        """The program with everything that was added, and this schedule."""
        program = self.program
        types = tuple(
            dataclasses.replace(
                each, users=(*each.users, *(new for new, old in self._users.items() if old in each.users))
            )
            for each in program.types
        )
        # nothing is known of values that a caller gives as old ones, nor of what is computed from them
        arrays = (dataclasses.replace(each, values=None) for each in program.arrays)
        result = dataclasses.replace(
            program,
            arrays=(*arrays, *self._arrays),
            scalars=(*program.scalars, *self._scalars),
            vertex_functors=(*program.vertex_functors, *self._functors),
            frontiers=(*program.frontiers, *self._frontiers),
            schedule=schedule,
            tuning=dataclasses.replace(program.tuning, sites=tuple(self._sites)),
            types=types,
        )
        result = dataclasses.replace(result, any_ids=program.any_ids and obstacle_to_other_ids(result) is None)
        verify(result, "resuming")
        return result

    # ------------------------------------------------------------ data

    def name(self, stem: str) -> str:
        """A name that the program does not have."""
        name = unused_name(stem, self._taken)
        self._taken.add(name)
        return name

    def input(self, stem: str, kind: Type, like: str | None = None) -> str:
        """An input of vertices; its values may be given in all types in which those of the data `like` may."""
        name = self.name(stem)
        if like is not None:
            self._users[name] = like
        self._add(name, kind, None, is_input=True)
        return name

    def vertex_set(self, stem: str) -> str:
        """A param that is a set of vertices."""
        name = self.name(stem)
        self._add(name, Type.BOOL, None, is_input=True, is_set=True)
        return name

    def array(self, stem: str, kind: Type, initial: nodes.Expression) -> str:
        """A local array of vertices."""
        name = self.name(stem)
        self._add(name, kind, initial, is_local=True)
        return name

    def flag(self, stem: str, initial: bool) -> str:
        """A local bool."""
        name = self.name(stem)
        value = nodes.Literal(self.span, Type.BOOL, initial)
        self._scalars.append(nodes.Scalar(self.span, name, Type.BOOL, value, False, True, None))
        return name

    def frontier(self, stem: str) -> str:
        """A set of vertices."""
        name = self.name(stem)
        self._frontiers.append(nodes.Frontier(self.span, name, Domain.VERTEX))
        return name

    def _add(
        self,
        name: str,
        kind: Type,
        initial: nodes.Expression | None,
        is_input: bool = False,
        is_local: bool = False,
        is_set: bool = False,
    ) -> None:
        extent = extents.of_domain(Domain.VERTEX)
        array = nodes.Array(self.span, name, Domain.VERTEX, extent, kind, initial, is_input, is_local, None)
        self._arrays.append(dataclasses.replace(array, is_set=is_set))

    # ------------------------------------------------------------ expressions and statements of functors

    @property
    def vertex(self) -> nodes.Parameter:
        """The vertex of the functor."""
        return nodes.Parameter(self.span, Type.VERTEX, nodes.Role.VERTEX, self._vertex)

    def element(self, array: str, kind: Type, index: nodes.Expression | None = None) -> nodes.Element:
        """An element of an array of vertices, at `index` or the functor's vertex."""
        return nodes.Element(self.span, kind, array, Domain.VERTEX, index or self.vertex, False)

    def differs(self, one: nodes.Expression, other: nodes.Expression) -> nodes.Expression:
        """Whether two numbers of one type differ, where NaN is one value."""

        def compared(operation: BinaryOperation, left: nodes.Expression, right: nodes.Expression) -> nodes.Binary:
            return nodes.Binary(self.span, Type.BOOL, operation, left, right)

        unequal = compared(BinaryOperation.NOT_EQUAL, one, other)
        if not one.type.is_float:
            return unequal
        numbers = [compared(BinaryOperation.EQUAL, each, each) for each in (one, other)]
        return compared(BinaryOperation.AND, unequal, compared(BinaryOperation.OR, *numbers))

    def store(self, array: str, value: nodes.Expression, index: nodes.Expression | None = None) -> nodes.Store:
        """`array[index] = value`; at an index other than the functor's vertex, all writers store the same."""
        at = index or self.vertex
        target = nodes.ElementTarget(self.span, array, Domain.VERTEX, value.type, at, False)
        return nodes.Store(self.span, target, value, StoreRule.SINGLE_WRITER if index is None else StoreRule.SAME_VALUE)

    def raise_flag(self, scalar: str) -> nodes.Store:
        """`scalar = true`."""
        target = nodes.ScalarTarget(self.span, scalar, Type.BOOL)
        return nodes.Store(self.span, target, self.literal(True), StoreRule.SAME_VALUE)

    def literal(self, value: bool) -> nodes.Literal:
        """The bool `value` as a literal."""
        return nodes.Literal(self.span, Type.BOOL, value)

    # ------------------------------------------------------------ steps

    def members(self, frontier: str | None) -> nodes.Elements:
        """A set of vertices, or all."""
        return nodes.Elements(self.span, Domain.VERTEX, frontier)

    def filter(self, source: str | None, stem: str, condition: nodes.Expression, result: str) -> nodes.Filter:
        """`result` becomes the set of the vertices in `source` for which `condition` holds."""
        functor, site = self._functor(stem, (condition,), ()), self._site("where" if source is None else "filter")
        return nodes.Filter(self.span, site, functor, self.members(source), functor, result)

    def compute(
        self,
        source: str | None,
        stem: str,
        body: tuple[nodes.Statement, ...],
        condition: tuple[nodes.Expression, ...] = (),
    ) -> nodes.Compute:
        """`body` runs for each vertex in `source`."""
        functor = self._functor(stem, condition, body)
        return nodes.Compute(self.span, self._site("compute"), functor, self.members(source), functor, None, None)

    def _functor(self, stem: str, condition: tuple[nodes.Expression, ...], body: tuple[nodes.Statement, ...]) -> str:
        name = self.name(stem)
        self._functors.append(nodes.VertexFunctor(self.span, name, self._vertex, condition, body))
        return name

    def _site(self, operator: str) -> int:
        self._sites.append(nodes.OperatorKnobs(self.span, **settled(operator, {})))  # type: ignore[arg-type]
        return len(self._sites) - 1
