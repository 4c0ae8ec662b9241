"""Lowers the statements of functors and functions, one to one."""

from __future__ import annotations

import dataclasses

from gdsl.frontend import syntax
from gdsl.frontend.check.names import needs_check
from gdsl.frontend.syntax import SymbolKind
from gdsl.ir import nodes
from gdsl.ir.lowering.expressions import ExpressionLowering, impossible
from gdsl.operations import StoreRule


class StatementLowering:
    """Lowers statements; why each plain store is allowed is found out later."""

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
                return nodes.Loop(span, lower(node.condition), self.block(node.body))
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
