"""Lowers functors."""

from __future__ import annotations

from collections.abc import Iterable

from gdsl.frontend import syntax
from gdsl.ir import nodes
from gdsl.ir.lowering.expressions import ExpressionLowering, conjuncts
from gdsl.ir.lowering.statements import StatementLowering


class FunctorLowering:
    """Lowers the functors of one program."""

    def __init__(
        self, expressions: ExpressionLowering, statements: StatementLowering, functors: Iterable[syntax.Functor]
    ) -> None:
        self.expressions, self.statements = expressions, statements
        self.by_name = {functor.name: functor for functor in functors}

    def vertex_functor(self, node: syntax.Functor) -> nodes.VertexFunctor:
        """The IR of a vertex functor."""
        (vertex,) = node.parameters
        body = self.statements.block(node.body)
        return nodes.VertexFunctor(node.span, node.name, vertex.name, self._condition(node), body)

    def edge_functor(self, node: syntax.Functor) -> nodes.EdgeFunctor:
        """The IR of an edge functor."""
        source, destination, edge = (parameter.name for parameter in node.parameters)
        body = self.statements.block(node.body)
        value = self.expressions.expression(node.value) if node.value is not None else None
        return nodes.EdgeFunctor(node.span, node.name, source, destination, edge, self._condition(node), body, value)

    def edge_functor_called(self, name: str) -> nodes.EdgeFunctor:
        """The IR of the program's edge functor of that name."""
        return self.edge_functor(self.by_name[name])

    def _condition(self, node: syntax.Functor) -> tuple[nodes.Expression, ...]:
        return tuple(self.expressions.expression(part) for part in conjuncts(node.condition))
