"""Lowers the schedule: nested operator calls become steps of their own with frontiers in between."""

from __future__ import annotations

import dataclasses
from collections import Counter

from gdsl.frontend import syntax
from gdsl.frontend.check import CheckedProgram, OperatorKnobs
from gdsl.frontend.check.far_ends import over_of
from gdsl.frontend.syntax import OperatorKind, SymbolKind
from gdsl.ir import nodes
from gdsl.ir.lowering.expressions import ExpressionLowering, impossible
from gdsl.operations import Balance, Direction, Domain, Over
from gdsl.source import Span
from gdsl.types import ScalarType

_DONE = {
    OperatorKind.ADVANCE: "advanced",
    OperatorKind.FILTER: "filtered",
    OperatorKind.WHERE: "selected",
    OperatorKind.INTERSECT: "common",
}


class ScheduleLowering:
    """Lowers the statements of one schedule; `frontiers` lists its frontiers in order of appearance."""

    def __init__(
        self,
        expressions: ExpressionLowering,
        checked: CheckedProgram,
        functors: dict[str, syntax.Functor],
        taken: set[str],
    ) -> None:
        """`taken` are the names of the program's own frontiers, which temporary ones must not have."""
        self.expressions = expressions
        self.knobs = checked.knobs
        self.far_ends = checked.far_ends
        self.functors = functors
        self.taken = taken
        self.frontiers: dict[str, nodes.Frontier] = {}
        self._temporaries: Counter[str] = Counter()
        self.sites = 0
        self.loops = 0

    def block(self, statements: tuple[syntax.Statement, ...]) -> tuple[nodes.Step, ...]:
        """The steps of a block."""
        steps: list[nodes.Step] = []
        for statement in statements:
            self._statement(statement, steps)
        return tuple(steps)

    def _statement(self, node: syntax.Statement, steps: list[nodes.Step]) -> None:
        span, lower = node.span, self.expressions.expression
        match node:
            case syntax.FrontierDeclaration():
                if node.symbol is None:
                    impossible(node)
                self._define(node.symbol.unique, node.value, span, steps, node.domain)
            case syntax.Assign():
                self._assign(node, steps)
            case syntax.ExpressionStatement():
                self._expression(node.value, steps)
            case syntax.While():
                loop = self._next_loop()
                steps.append(nodes.While(span, loop, lower(node.condition), self.block(node.body)))
            case syntax.Repeat():
                loop = self._next_loop()
                steps.append(nodes.Repeat(span, loop, lower(node.count), self.block(node.body)))
            case syntax.If():
                then, otherwise = self.block(node.then), self.block(node.otherwise)
                steps.append(nodes.If(span, lower(node.condition), then, otherwise))
            case _:
                impossible(node)

    def _next_loop(self) -> int:
        self.loops += 1
        return self.loops - 1

    def _assign(self, node: syntax.Assign, steps: list[nodes.Step]) -> None:
        target, symbol = node.target, node.target.symbol
        if symbol is None:
            impossible(node)
        if symbol.kind is SymbolKind.FRONTIER:
            self._define(symbol.unique, node.value, node.span, steps, symbol.domain or Domain.VERTEX)
        elif isinstance(node.value, syntax.OperatorCall):
            self._neighbor_reduce(node.value, target, steps)
        elif isinstance(target, syntax.Name):
            steps.append(nodes.StoreScalar(node.span, symbol.name, self.expressions.expression(node.value)))
        else:
            place = self.expressions.target(target)
            if not isinstance(place, nodes.ElementTarget):
                impossible(node)
            steps.append(nodes.StoreElement(node.span, place, self.expressions.expression(node.value)))

    def _expression(self, node: syntax.Expression, steps: list[nodes.Step]) -> None:
        if isinstance(node, syntax.OperatorCall):
            keeps = node.kind in (OperatorKind.FILTER, OperatorKind.WHERE)
            self._operator(node, self._temporary(_DONE[node.kind]) if keeps else None, steps)
            return
        if not isinstance(node, syntax.Call):
            impossible(node)
        first, second = (argument.value for argument in node.arguments)
        if not isinstance(first, syntax.Name) or first.symbol is None:
            impossible(node)
        symbol = first.symbol
        if node.function == "swap" and isinstance(second, syntax.Name):
            steps.append(nodes.Swap(node.span, symbol.name, second.name, symbol.kind is SymbolKind.SCALAR))
        elif symbol.domain is not None and symbol.type is not None:
            value = self.expressions.expression(second)
            steps.append(nodes.Fill(node.span, symbol.name, symbol.domain, symbol.type, value))

    # ------------------------------------------------------------ frontiers

    def _list(self, name: str, span: Span, domain: Domain = Domain.VERTEX) -> str:
        self.frontiers.setdefault(name, nodes.Frontier(span, name, domain))
        return name

    def _temporary(self, stem: str) -> str:
        self._temporaries[stem] += 1
        while f"{stem}_{self._temporaries[stem]}" in self.taken:
            self._temporaries[stem] += 1
        self.taken.add(f"{stem}_{self._temporaries[stem]}")
        return f"{stem}_{self._temporaries[stem]}"

    def _define(
        self, name: str, value: syntax.Expression | None, span: Span, steps: list[nodes.Step], domain: Domain
    ) -> None:
        match value:
            case None:
                steps.append(nodes.DefineFrontier(span, self._list(name, span, domain), (), False, domain))
            case syntax.SetLiteral():
                members = tuple(self.expressions.expression(member) for member in value.members)
                steps.append(nodes.DefineFrontier(span, self._list(name, span, domain), members, False, domain))
            case syntax.Name() if value.symbol is not None and value.symbol.kind is SymbolKind.FRONTIER:
                if value.symbol.unique != name:  # `f = f;` does nothing
                    steps.append(nodes.CopyFrontier(span, self._list(name, span, domain), value.symbol.unique))
            case syntax.Name():
                steps.append(nodes.DefineFrontier(span, self._list(name, span, domain), (), True, domain))
            case syntax.OperatorCall():
                self._operator(value, name, steps)
            case _:
                impossible(value)

    def _input(self, call: syntax.OperatorCall, steps: list[nodes.Step]) -> nodes.Elements:
        """What `call` runs on; where it advances from edges, their far ends."""
        value, advances = call.input, call.kind is OperatorKind.ADVANCE
        if value is None:
            raise AssertionError("lowering: an operator without input")
        name: str | None
        if isinstance(value, syntax.Name) and value.symbol is not None and value.symbol.kind is SymbolKind.FRONTIER:
            name = value.symbol.unique
        elif isinstance(value, syntax.Name) and not (advances and call.runs_on is Domain.EDGE):
            name = None
        else:
            name = self._temporary(_DONE[value.kind] if isinstance(value, syntax.OperatorCall) else "members")
            self._define(name, value, value.span, steps, call.runs_on)
        if name is None or not advances or call.runs_on is Domain.VERTEX:
            return nodes.Elements(value.span, call.runs_on, name)
        ends = self._list(self._temporary("far_ends"), value.span)
        over = over_of(value, self.far_ends)
        end = nodes.Role.SOURCE if over is Over.IN_EDGES else nodes.Role.DESTINATION
        steps.append(nodes.FarEnds(value.span, ends, name, end))
        return nodes.Elements(value.span, Domain.VERTEX, ends)

    # ------------------------------------------------------------ operators

    def _operator(self, call: syntax.OperatorCall, result: str | None, steps: list[nodes.Step]) -> None:
        if call.kind is OperatorKind.INTERSECT:
            self._intersect(call, result, steps)
            return
        span, functor, label = call.span, call.name, call.label or call.name
        if call.kind is OperatorKind.WHERE and result is not None:
            everything = nodes.Elements(span, Domain.VERTEX, None)
            steps.append(nodes.Filter(span, self._next_site(), label, everything, functor, self._list(result, span)))
            return
        source = self._input(call, steps)
        site = self._next_site()
        if call.kind is OperatorKind.ADVANCE:
            kept = self._list(result, span, call.gives or Domain.VERTEX) if result is not None else None
            steps.append(self._advance(call, site, label, source, kept))
        elif call.kind is OperatorKind.FILTER and result is not None:
            steps.append(nodes.Filter(span, site, label, source, functor, self._list(result, span, call.runs_on)))
        else:
            steps.append(nodes.Compute(span, site, label, source, functor, None, None))

    def _next_site(self) -> int:
        self.sites += 1
        return self.sites - 1

    def _knobs(self, call: syntax.OperatorCall) -> OperatorKnobs:
        """Those of the functor, overridden by those of the label."""
        general = self.knobs.operators.get(call.name, OperatorKnobs())
        special = self.knobs.operators.get(call.label, OperatorKnobs()) if call.label is not None else OperatorKnobs()
        direction = special if special.direction is not None else general
        balance = special.balance or general.balance
        return OperatorKnobs(direction.direction, direction.alpha, direction.beta, balance)

    def _advance(
        self, call: syntax.OperatorCall, site: int, label: str, source: nodes.Elements, result: str | None
    ) -> nodes.Advance:
        knobs = self._knobs(call)
        advance = nodes.Advance(
            span=call.span,
            site=site,
            label=label,
            frontier=source,
            functor=call.name,
            result=result,
            to=call.gives or Domain.VERTEX,
            over=call.over,
            closing=None,
            direction=knobs.direction or Direction.PUSH,
            tuned=knobs.direction is not None,
            balance=knobs.balance or Balance.AUTO,
        )
        alpha, beta = knobs.alpha or advance.alpha, knobs.beta or advance.beta
        return dataclasses.replace(advance, alpha=alpha, beta=beta)

    def _intersect(self, call: syntax.OperatorCall, result: str | None, steps: list[nodes.Step]) -> None:
        """The total is added to its scalar, which becomes 0 before; what the input is made from still sees its old
        value."""
        span, source = call.span, self._input(call, steps)
        count = call.count.name if call.count is not None else None
        if count is not None and not call.adds:
            steps.append(nodes.StoreScalar(span, count, nodes.Literal(span, ScalarType.INT64, 0)))
        kept = self._list(result, span) if result is not None else None
        label = call.label or call.name
        steps.append(nodes.Intersect(span, self._next_site(), label, source, None, kept, count))

    def _neighbor_reduce(
        self, call: syntax.OperatorCall, target: syntax.Name | syntax.Index, steps: list[nodes.Step]
    ) -> None:
        if not isinstance(target, syntax.Name) or target.type is None or call.operation is None:
            impossible(call)
        source = self._input(call, steps)
        steps.append(
            nodes.NeighborReduce(
                span=call.span,
                site=self._next_site(),
                label=call.label or call.name,
                frontier=source,
                functor=call.name,
                result=None,
                operation=call.operation,
                over=call.over,
                array=target.name,
                array_type=target.type,
                balance=self._knobs(call).balance or Balance.AUTO,
            )
        )
