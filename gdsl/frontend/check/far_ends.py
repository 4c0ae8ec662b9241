"""The far end of the edges of each edge frontier, from which an advance continues.

It is the destination where the edges were walked over out_edges, the source over in_edges; edges that were named or
filtered from all count as out-edges. Over all_edges an edge has no far end. A variable holds edges of one kind, through
all its assignments: so the kind is known before the program runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gdsl.diagnostics import Label
from gdsl.frontend import syntax
from gdsl.frontend.check.environment import Environment
from gdsl.frontend.syntax import OperatorKind, SymbolKind
from gdsl.operations import Domain, Over
from gdsl.source import Span

_BY_ENDS = (OperatorKind.ADVANCE, OperatorKind.NEIGHBOR_REDUCE)


@dataclass(frozen=True, slots=True)
class EdgeOrigin:
    """How the edges of a frontier were walked, and the place that determines it."""

    over: Over
    span: Span


def origin_of(value: syntax.Expression | None) -> EdgeOrigin | str | None:
    """How the edges of a typed set were walked: directly, or as those of the variable with this unique name; None of
    the empty set."""
    while isinstance(value, syntax.OperatorCall) and value.kind is OperatorKind.FILTER:
        value = value.input
    if isinstance(value, syntax.OperatorCall):
        return EdgeOrigin(value.over, value.span)
    if isinstance(value, syntax.SetChain):
        return _group_of(value)
    if isinstance(value, syntax.Name) and value.symbol is not None and value.symbol.domain is Domain.EDGE:
        return value.symbol.unique
    named = value is not None and not (isinstance(value, syntax.SetLiteral) and not value.members)
    return EdgeOrigin(Over.OUT_EDGES, value.span) if named and value is not None else None


def _group_of(chain: syntax.SetChain) -> str:
    """The name of a combination of sets among the variables, none of which has such a name."""
    return f" {chain.span}"


def over_of(value: syntax.Expression | None, known: Mapping[str, Over]) -> Over:
    """How the edges of `value` were walked; `known` has that of the variables."""
    origin = origin_of(value)
    return origin.over if isinstance(origin, EdgeOrigin) else known.get(origin or "", Over.OUT_EDGES)


class FarEnds:
    """Unites the variables that are assigned to each other, and reports what does not fit."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self._leaders: dict[str, str] = {}
        self._walked: dict[str, EdgeOrigin] = {}
        """By the variable that represents its group."""

    def find(self, statements: Iterable[syntax.Statement]) -> dict[str, Over]:
        """By unique name how the edges of each edge frontier of a typed schedule were walked, if any are in it."""
        parts = [node for statement in statements for node in syntax.walk(statement)]
        for node in parts:
            if isinstance(node, syntax.FrontierDeclaration):
                self._unite_variable(node.symbol, node.value, node.span)
            elif isinstance(node, syntax.Assign) and isinstance(node.target, syntax.Name):
                self._unite_variable(node.target.symbol, node.value, node.span)
        for node in parts:
            if isinstance(node, syntax.SetChain) and node.domain is Domain.EDGE:
                for operand in (node.first, *(link.operand for link in node.links)):
                    self._unite(_group_of(node), "this", operand, operand.span)
        for node in parts:
            if isinstance(node, syntax.OperatorCall) and node.kind in _BY_ENDS:
                self._check_far_end(node)
        groups = {name: self._walked.get(self._leader(name)) for name in self._leaders}
        return {name: group.over for name, group in groups.items() if group is not None}

    def _leader(self, name: str) -> str:
        self._leaders.setdefault(name, name)
        while self._leaders[name] != name:
            self._leaders[name] = name = self._leaders[self._leaders[name]]
        return name

    def _unite_variable(self, symbol: syntax.Symbol | None, value: syntax.Expression | None, span: Span) -> None:
        if symbol is None or symbol.kind is not SymbolKind.FRONTIER or symbol.domain is not Domain.EDGE:
            return
        self._unite(symbol.unique, f"`{symbol.name}`", value, span)

    def _unite(self, group: str, shown: str, value: syntax.Expression | None, span: Span) -> None:
        """The edges of `value` belong to what `group` holds."""
        origin, leader = origin_of(value), self._leader(group)
        if isinstance(origin, str):
            other = self._leader(origin)
            origin = self._walked.get(other)
            if other != leader:
                self._leaders[other] = leader
        walked = self._walked.get(leader)
        if origin is not None and walked is not None and origin.over is not walked.over:
            self._report_mixed(shown, span, walked, origin)
        elif origin is not None and walked is None:
            self._walked[leader] = origin

    def _report_mixed(self, shown: str, span: Span, first: EdgeOrigin, second: EdgeOrigin) -> None:
        message = f"{shown} would hold edges walked over {first.over.value} and over {second.over.value}"
        places = [(first, f"{first.over.value} here"), (second, f"{second.over.value} here")]
        labels = [Label(place.span, text) for place, text in places if place.span != span]
        note = "an edge frontier has one far end, from which `advance` continues"
        fix = "use two edge frontiers, or walk the same edges"
        self.environment.report("E0417", message, span, labels=labels, notes=(note,), fix=fix)

    def _check_far_end(self, call: syntax.OperatorCall) -> None:
        if call.runs_on is not Domain.EDGE or call.input is None:
            return
        origin = origin_of(call.input)
        if isinstance(origin, str):
            origin = self._walked.get(self._leader(origin))
        if origin is not None and origin.over is Over.ALL_EDGES:
            advances = call.kind is OperatorKind.ADVANCE
            wanted = "to continue from" if advances else "to give results to"
            message = f"these edges were walked over all_edges, and have no far end {wanted}"
            fix = "make them over=out_edges or over=in_edges"
            labels = (Label(origin.span, "created here"),) if origin.span != call.input.span else ()
            self.environment.report("E0417", message, call.input.span, labels=labels, fix=fix)
