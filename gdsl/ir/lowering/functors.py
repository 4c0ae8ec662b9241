"""Lowers functors and functions with their statements, one to one."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator

from gdsl.frontend import syntax
from gdsl.frontend.check.names import needs_check
from gdsl.frontend.syntax import FunctorForm, OperatorKind, SymbolKind
from gdsl.ir import nodes
from gdsl.ir.lowering.expressions import ExpressionLowering, impossible
from gdsl.ir.lowering.hidden import Hidden
from gdsl.operations import Domain, StoreRule


class FunctorLowering:
    """Lowers the functors of one program."""

    def __init__(
        self, expressions: ExpressionLowering, statements: StatementLowering, functors: Iterable[syntax.Functor]
    ) -> None:
        self.expressions, self.statements = expressions, statements
        self.by_name = {functor.name: functor for functor in functors}
        self.ballots: dict[str, str] = {}
        """The names under which functors are used as ballots."""

    def vertex_functor(self, node: syntax.Functor) -> nodes.VertexFunctor:
        """The IR of a vertex functor."""
        (vertex,) = node.parameters
        body = self.statements.block(node.body)
        return nodes.VertexFunctor(node.span, node.name, vertex.name, self._condition(node), body)

    def edge_functor(self, node: syntax.Functor) -> nodes.EdgeFunctor:
        """The IR of an edge functor, or of a functor on common neighbors."""
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
        """Name the ballots: as their functors, unless a reduction uses the functor as well."""
        uses = [(call.functor.name, call.kind) for call in calls if call.functor is not None]
        for name, kind in uses:
            if kind is OperatorKind.NEIGHBOR_VOTE and name not in self.ballots:
                both = (name, OperatorKind.NEIGHBOR_REDUCE) in uses
                self.ballots[name] = hidden.name(f"{name}_ballot") if both else name

    def edge_functors(self, used: Iterable[syntax.Functor]) -> Iterator[nodes.EdgeFunctor]:
        """The IR of those of `used` that run on edges, in each form that is used."""
        for node in used:
            if node.domain is Domain.EDGE and self.ballots.get(node.name) != node.name:
                yield self.edge_functor(node)
            if node.name in self.ballots:
                yield self._ballot(node, self.ballots[node.name])

    def _ballot(self, node: syntax.Functor, name: str) -> nodes.EdgeFunctor:
        """The IR, under `name`, of an edge functor whose value is a pair of a key and a weight."""
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
        conditions = [] if node.condition is None else syntax.conjuncts(node.condition)
        return tuple(map(self.expressions.expression, conditions))


class StatementLowering:
    """Lowers statements. `gdsl.rules` finds later why each plain store is allowed."""

    def __init__(self, expressions: ExpressionLowering) -> None:
        self.expressions = expressions

    def block(self, statements: tuple[syntax.Statement, ...]) -> tuple[nodes.Statement, ...]:
        """The IR of each statement."""
        return tuple(self.statement(statement) for statement in statements)

    def statement(self, node: syntax.Statement) -> nodes.Statement:
        """The IR of a typed statement."""
        span, lower = node.span, self.expressions.expression
        match node:
            case syntax.Let():
                if node.type is None or node.symbol is None:
                    impossible(node)
                return nodes.Let(span, node.symbol.unique, node.type, lower(node.value), node.mutable)
            case syntax.Assign():
                return self._assign(node)
            case syntax.Update():
                return self.expressions.update(node)
            case syntax.ExpressionStatement():
                if isinstance(node.value, syntax.UpdateValue):
                    return self.expressions.update(node.value.update)
                return nodes.Evaluate(span, lower(node.value))
            case syntax.Accept():
                return nodes.Accept(span, lower(node.value))
            case syntax.Return():
                return nodes.Return(span, lower(node.value))
            case syntax.Break():
                return nodes.Break(span)
        return self._nested(node)

    def _nested(self, node: syntax.Statement) -> nodes.Statement:  # noqa: RET503 - `impossible` does not return
        span, lower = node.span, self.expressions.expression
        match node:
            case syntax.If():
                then, otherwise = self.block(node.then), self.block(node.otherwise)
                return nodes.Branch(span, lower(node.condition), then, otherwise)
            case syntax.While():
                return nodes.Loop(span, lower(node.condition), self.block(node.body), node.forest)
            case syntax.For():
                if node.type is None or node.symbol is None:
                    impossible(node)
                loop = nodes.ForRange(span, node.symbol.unique, node.type, lower(node.first), lower(node.last), ())
                self.expressions.counts.loops[loop.name] = loop
                body = self.block(node.body)
                del self.expressions.counts.loops[loop.name]
                return dataclasses.replace(loop, body=body)
            case syntax.ForIn():
                return self._neighbors(node)
        impossible(node)

    def _neighbors(self, node: syntax.ForIn) -> nodes.Statement:
        if not isinstance(node.value, syntax.Call) or not node.symbols:
            impossible(node)
        vertex = node.value.arguments[0].value
        name, *edge = (symbol.unique for symbol in node.symbols)
        start, checked = self.expressions.expression(vertex), needs_check(vertex)
        return nodes.ForNeighbors(node.span, name, edge[0] if edge else None, start, checked, self.block(node.body))

    def _assign(self, node: syntax.Assign) -> nodes.Statement:
        value = self.expressions.expression(node.value)
        if _is_local(node.target) and node.target.symbol is not None:
            return nodes.Assign(node.span, node.target.symbol.unique, value)
        rule = StoreRule.ANY_WINNER if node.any_winner else StoreRule.SINGLE_WRITER
        return nodes.Store(node.span, self.expressions.target(node.target), value, rule)


def _is_local(target: syntax.Name | syntax.Index) -> bool:
    return target.symbol is not None and target.symbol.kind is SymbolKind.LOCAL
