"""Data and functors that lowering adds to a program for forms that stand for several steps, under names that the
program does not use."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from gdsl import extents
from gdsl.ir import nodes
from gdsl.ir.lowering.expressions import default_value
from gdsl.knobs import settled
from gdsl.operations import Domain
from gdsl.source import Span
from gdsl.types import Type

IDS = {Domain.VERTEX: Type.VERTEX, Domain.EDGE: Type.EDGE}
_ROLES = {Domain.VERTEX: nodes.Role.VERTEX, Domain.EDGE: nodes.Role.EDGE}


class Hidden:
    """The added declarations; `sites` are the knobs of all operators of the schedule."""

    def __init__(self, text: str, sites: list[nodes.OperatorKnobs]) -> None:
        """`text` is that of the program: no word of it becomes a name."""
        self.arrays: list[nodes.Array] = []
        self.scalars: list[nodes.Scalar] = []
        self.vertex_functors: list[nodes.VertexFunctor] = []
        self.edge_functors: list[nodes.EdgeFunctor] = []
        self._sites = sites
        self._taken = set(re.findall(r"\w+", text))

    def name(self, stem: str) -> str:
        """An unused name: `stem`, followed by a number if that is taken."""
        name, number = stem, 1
        while name in self._taken:
            number += 1
            name = f"{stem}_{number}"
        self._taken.add(name)
        return name

    def scalar(self, stem: str, type_: Type, span: Span) -> nodes.ScalarTarget:
        """A new scalar, as what is written."""
        name = self.name(stem)
        self.scalars.append(nodes.Scalar(span, name, type_, default_value(type_, span), False, True, None))
        return nodes.ScalarTarget(span, name, type_)

    def array(self, stem: str, domain: Domain, type_: Type, span: Span) -> str:
        """A new array."""
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
    ) -> str:
        """A new functor on elements of `domain`, which it calls `own_id`."""
        name, parts = self.name(stem), (tuple(condition), tuple(body))
        if domain is Domain.VERTEX:
            self.vertex_functors.append(nodes.VertexFunctor(span, name, "v", *parts))
        else:
            self.edge_functors.append(nodes.EdgeFunctor(span, name, "src", "dst", "e", *parts, None))
        return name

    def compute(self, span: Span, members: nodes.Elements, functor: str) -> nodes.Compute:
        """A step that runs such a functor."""
        return nodes.Compute(span, self.site(span, "compute"), functor, members, functor, None, None)

    def site(self, span: Span, operator: str) -> int:
        """The site of a new operator that nothing tunes."""
        fields: dict[str, Any] = settled(operator, {})
        self._sites.append(nodes.OperatorKnobs(span, **fields))
        return len(self._sites) - 1


def own_id(domain: Domain, span: Span) -> nodes.Parameter:
    """The element that a functor on `domain` was called for."""
    return nodes.Parameter(span, IDS[domain], _ROLES[domain], "v" if domain is Domain.VERTEX else "e")
