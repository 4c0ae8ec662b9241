"""Data and functors that lowering adds to a program for forms that stand for several steps, under names that the
program does not use."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from gdsl import extents
from gdsl.frontend.vocabulary import unused_name
from gdsl.ir import nodes
from gdsl.ir.lowering.expressions import default_value
from gdsl.knobs import settled
from gdsl.operations import BinaryOperation, Domain, StoreRule
from gdsl.source import Span
from gdsl.types import Type

_ROLES = {Domain.VERTEX: nodes.Role.VERTEX, Domain.EDGE: nodes.Role.EDGE}


@dataclass(frozen=True, slots=True)
class Code:
    """Builds code of hidden functors and steps, all with one span; arrays are over vertices."""

    span: Span

    def literal(self, type_: Type, value: bool | int | float) -> nodes.Literal:
        """A constant of the type `type_`."""
        return nodes.Literal(self.span, type_, value)

    def scalar(self, name: str, type_: Type) -> nodes.ScalarValue:
        """The value of a scalar."""
        return nodes.ScalarValue(self.span, type_, name)

    def binary(self, operation: BinaryOperation, left: nodes.Expression, right: nodes.Expression) -> nodes.Binary:
        """An operation on two operands."""
        of_bools = operation.is_comparison or operation.is_logical
        return nodes.Binary(self.span, Type.BOOL if of_bools else left.type, operation, left, right)

    def both(self, left: nodes.Expression, right: nodes.Expression) -> nodes.Binary:
        """`left && right`."""
        return self.binary(BinaryOperation.AND, left, right)

    def either(self, left: nodes.Expression, right: nodes.Expression) -> nodes.Binary:
        """`left || right`."""
        return self.binary(BinaryOperation.OR, left, right)

    def select(self, condition: nodes.Expression, yes: nodes.Expression, no: nodes.Expression) -> nodes.Select:
        """`condition ? yes : no`."""
        return nodes.Select(self.span, yes.type, condition, yes, no)

    def convert(self, type_: Type, value: nodes.Expression) -> nodes.Expression:
        """`value` as a `type_`."""
        return value if value.type is type_ else nodes.Convert(self.span, type_, value)

    def element(self, array: str, type_: Type, at: nodes.Expression, checked: bool = False) -> nodes.Element:
        """The value of an element."""
        return nodes.Element(self.span, type_, array, Domain.VERTEX, at, checked)

    def target(self, array: str, type_: Type, at: nodes.Expression, checked: bool = False) -> nodes.ElementTarget:
        """An element that is written."""
        return nodes.ElementTarget(self.span, array, Domain.VERTEX, type_, at, checked)

    def store(self, array: str, at: nodes.Expression, value: nodes.Expression) -> nodes.Store:
        """A plain store into an element."""
        return nodes.Store(self.span, self.target(array, value.type, at), value, StoreRule.SINGLE_WRITER)


class Hidden:
    """The added declarations, and the steps of the schedule's block that is being lowered; `sites` are the knobs of
    all operators of the schedule, by their site numbers."""

    def __init__(self, text: str, sites: list[nodes.OperatorKnobs]) -> None:
        """`text` is that of the program: no word of it becomes a name."""
        self.arrays: list[nodes.Array] = []
        self.scalars: list[nodes.Scalar] = []
        self.vertex_functors: list[nodes.VertexFunctor] = []
        self.edge_functors: list[nodes.EdgeFunctor] = []
        self.sites = sites
        self._steps: list[nodes.Step] = []
        self._taken = set(re.findall(r"\w+", text))

    def added_to(self, program: nodes.Program) -> nodes.Program:
        """`program` with these declarations, and with these knobs of its operators."""
        return dataclasses.replace(
            program,
            arrays=(*program.arrays, *self.arrays),
            scalars=(*program.scalars, *self.scalars),
            vertex_functors=(*program.vertex_functors, *self.vertex_functors),
            edge_functors=(*program.edge_functors, *self.edge_functors),
            tuning=dataclasses.replace(program.tuning, sites=tuple(self.sites)),
        )

    @contextmanager
    def block(self) -> Iterator[list[nodes.Step]]:
        """The list of the steps that are emitted meanwhile, apart from those of the block around."""
        around, self._steps = self._steps, []
        yield self._steps
        self._steps = around

    def emit(self, *steps: nodes.Step) -> None:
        """Add `steps` to the block."""
        self._steps += steps

    def name(self, stem: str) -> str:
        """An unused name: `stem`, followed by a number if that is taken."""
        name = unused_name(stem, self._taken)
        self._taken.add(name)
        return name

    def scalar(self, stem: str, type_: Type, span: Span) -> nodes.ScalarTarget:
        """A new scalar, as what is written."""
        name = self.name(stem)
        self.scalars.append(nodes.Scalar(span, name, type_, default_value(type_, span), False, True, None))
        return nodes.ScalarTarget(span, name, type_)

    def array(self, stem: str, domain: Domain, type_: Type, span: Span) -> str:
        """Declare a local array that begins with the default of its type; its name."""
        name, initial = self.name(stem), default_value(type_, span)
        self.arrays.append(
            nodes.Array(span, name, domain, extents.of_domain(domain), type_, initial, False, True, None)
        )
        return name

    def functor(
        self,
        stem: str,
        domain: Domain,
        span: Span,
        condition: Iterable[nodes.Expression],
        body: Iterable[nodes.Statement],
        parameters: tuple[str, ...] | None = None,
    ) -> str:
        """A new functor on elements of `domain`, which it calls by the names of `parameters`, or else `own_id`."""
        name, parts = self.name(stem), (tuple(condition), tuple(body))
        if domain is Domain.VERTEX:
            (vertex,) = parameters or ("v",)
            self.vertex_functors.append(nodes.VertexFunctor(span, name, vertex, *parts))
        else:
            source, destination, edge = parameters or ("src", "dst", "e")
            self.edge_functors.append(nodes.EdgeFunctor(span, name, source, destination, edge, *parts, None))
        return name

    def compute(self, span: Span, members: nodes.Elements, functor: str) -> nodes.Compute:
        """A step that runs such a functor."""
        return nodes.Compute(span, self.site(span, "compute"), functor, members, functor, None, None)

    def site(self, span: Span, operator: str, chosen: Mapping[str, Any] | None = None) -> int:
        """The site of a new operator with the knobs `chosen` for it."""
        fields: dict[str, Any] = settled(operator, chosen or {})
        self.sites.append(nodes.OperatorKnobs(span, **fields))
        return len(self.sites) - 1


def own_id(domain: Domain, span: Span, parameters: tuple[str, ...] | None = None) -> nodes.Parameter:
    """The element that a functor on `domain` was called for, by its name among `parameters`."""
    own = parameters[-1] if parameters else "v" if domain is Domain.VERTEX else "e"
    return nodes.Parameter(span, domain.id_type, _ROLES[domain], own)
