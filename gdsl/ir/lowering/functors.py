"""Lowers functors."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator

from gdsl.frontend import syntax
from gdsl.frontend.syntax import FunctorForm, OperatorKind
from gdsl.ir import nodes
from gdsl.ir.lowering.expressions import ExpressionLowering, conjuncts, impossible
from gdsl.ir.lowering.hidden import Hidden
from gdsl.ir.lowering.statements import StatementLowering
from gdsl.operations import Domain


class FunctorLowering:
    """Lowers the functors of one program."""

    def __init__(
        self, expressions: ExpressionLowering, statements: StatementLowering, functors: Iterable[syntax.Functor]
    ) -> None:
        self.expressions, self.statements = expressions, statements
        self.by_name = {functor.name: functor for functor in functors}
        self.ballots: dict[str, str] = {}
        """What the functors that say how edges vote are called where they do."""

    def vertex_functor(self, node: syntax.Functor) -> nodes.VertexFunctor:
        """The IR of a vertex functor."""
        (vertex,) = node.parameters
        body = self.statements.block(node.body)
        return nodes.VertexFunctor(node.span, node.name, vertex.name, self._condition(node), body)

    def edge_functor(self, node: syntax.Functor) -> nodes.EdgeFunctor:
        """The IR of an edge functor, or of a functor on common neighbours."""
        names = [parameter.name for parameter in node.parameters]
        common = None
        if node.form is FunctorForm.COMMON:
            has_edges = len(names) == 6
            source, destination, vertex, edge, of_source, of_destination = [*names, "e", "eu", "ew"][:6]
            common = nodes.CommonNames(node.name_span, vertex, of_source, of_destination, has_edges)
        else:
            source, destination, edge = names
        return nodes.EdgeFunctor(
            span=node.span,
            name=node.name,
            source=source,
            destination=destination,
            edge=edge,
            condition=self._condition(node),
            body=self.statements.block(node.body),
            value=self._optional(node.value),
            common=common,
        )

    def name_ballots(self, calls: Iterable[syntax.OperatorCall], hidden: Hidden) -> None:
        """Choose what ballots are called: what they are, unless a reduction takes their pairs, too."""
        given = [(call.functor.name, call.kind) for call in calls if call.functor is not None]
        for name, kind in given:
            if kind is OperatorKind.NEIGHBOR_VOTE and name not in self.ballots:
                both = (name, OperatorKind.NEIGHBOR_REDUCE) in given
                self.ballots[name] = hidden.name(f"{name}_ballot") if both else name

    def edge_functors(self, used: Iterable[syntax.Functor]) -> Iterator[nodes.EdgeFunctor]:
        """The IR of those of `used` that run on edges, each in the forms that it is used in."""
        for node in used:
            if node.domain is Domain.EDGE and self.ballots.get(node.name) != node.name:
                yield self.edge_functor(node)
            if node.name in self.ballots:
                yield self._ballot(node, self.ballots[node.name])

    def _ballot(self, node: syntax.Functor, name: str) -> nodes.EdgeFunctor:
        """The IR, under `name`, of an edge functor of pairs that says how its edges vote: its value is taken apart."""
        functor = self.edge_functor(node)
        value = functor.value
        if value is None:
            impossible(node)
        if isinstance(value, nodes.MakePair):
            key, weight = value.first, value.second
        else:
            types = value.type.parts
            key, weight = (nodes.PairPart(value.span, type_, value, place) for place, type_ in enumerate(types))
        return dataclasses.replace(functor, name=name, value=weight, key=key)

    def vote_functor(self, node: syntax.Functor) -> nodes.VoteFunctor:
        """The IR of a vote functor."""
        vertex, key, total = node.symbols
        if node.value is None or key.type is None or total.type is None:
            impossible(node)
        value = self.expressions.expression(node.value)
        return nodes.VoteFunctor(
            node.span, node.name, vertex.name, key.unique, key.type, total.unique, total.type, value
        )

    def edge_functor_called(self, name: str) -> nodes.EdgeFunctor:
        """The IR of the program's edge functor of that name."""
        return self.edge_functor(self.by_name[name])

    def _optional(self, node: syntax.Expression | None) -> nodes.Expression | None:
        return self.expressions.expression(node) if node is not None else None

    def _condition(self, node: syntax.Functor) -> tuple[nodes.Expression, ...]:
        return tuple(self.expressions.expression(part) for part in conjuncts(node.condition))
